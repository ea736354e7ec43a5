/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_DOCTOR_H
#define TERRARIUM_DOCTOR_H

/* What works on this machine, and how to mend what does not. Blocking (it
 * tries things out): not for use inside a loop. */

#include <stddef.h>

enum trm_check_status { TRM_CHECK_OK, TRM_CHECK_WEAK, TRM_CHECK_FAILED, TRM_CHECK_NOTE };

struct trm_check {
	enum trm_check_status status;
	char name[32];    /* "bubblewrap", "user namespaces", "memory limit", "python" */
	char detail[224]; /* what was found */
	char advice[224]; /* what to do; "" when there is nothing to mend */
};

/* Calls `fn` for each check, in order. Returns the number of checks that failed. */
typedef void trm_check_fn(void *user, const struct trm_check *check);
int trm_doctor(trm_check_fn *fn, void *user);
/* The same for a server: a sandbox is started there as `opts` say, and stopped. */
struct trm_sandbox_opts;
int trm_doctor_server(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);

#endif
