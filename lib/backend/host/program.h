/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_PROGRAM_H
#define TRM_BACKEND_HOST_PROGRAM_H

#include <stddef.h>

struct trm_error;

/* The supervisor's program as a file to be executed. It lies in the runtime directory, beside the sandboxes,
 * under a name made of its contents (PROGRAM_PREFIX of sweep/sweep.h), so that all supervisors share its
 * memory: 100 KiB for each sandbox. Where that directory does not allow programs to be executed, or has no
 * room, it is a file in memory. A descriptor, or a negative code. */
int program_open(int run_fd, const void *bytes, size_t n, struct trm_error *reterr);

/* Likewise any program, in a directory of the user's own: it has `prefix` and a number made of its contents
 * as its name, which is written to `ret_name`, and this mode. 0, or a negative code. */
int program_keep(int dir_fd, const char *prefix, unsigned mode, const void *bytes, size_t n, char *ret_name,
		size_t cap, struct trm_error *reterr);

#endif
