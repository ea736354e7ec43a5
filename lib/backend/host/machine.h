/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_MACHINE_H
#define TRM_BACKEND_HOST_MACHINE_H

/* What this machine offers to the local backend. probe(), the explanation of a failed start, and the
 * doctor use this. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

enum { MACHINE_PATH = 256 };

/* Path of bubblewrap. TRM_ENOTSUP if it is missing, or is setuid root. */
int machine_find_bwrap(char path[MACHINE_PATH], struct trm_error *reterr);

/* Path of slirp4netns, which makes the network of sandboxes that have one. TRM_ENOTSUP if it is missing. */
int machine_find_slirp(char path[MACHINE_PATH], struct trm_error *reterr);

/* Are the seccomp filters made for this machine? TRM_ENOTSUP if not; then nothing is started. */
int machine_check_filters(struct trm_error *reterr);

/* A kernel setting that denies ordinary users user namespaces, and the command that changes it. */
struct machine_switch {
	const char *path;
	long off;
	const char *reason, *cure;
};
/* NULL: no such setting is active. */
const struct machine_switch *machine_userns_switch(void);

#endif
