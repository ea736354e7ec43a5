/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_PROGRAM_H
#define TRM_BACKEND_HOST_PROGRAM_H

#include <stddef.h>

struct trm_error;

/* The supervisor's program as an executable file. It lies in the runtime directory, beside the sandboxes,
 * under a name derived from its contents (PROGRAM_PREFIX of sweep/sweep.h). So all supervisors share its
 * memory, which saves 100 KiB for each sandbox. If that directory is full or does not allow execution,
 * the program is a file in memory. A descriptor, or a negative code. */
int program_open(int run_fd, const void *bytes, size_t n, struct trm_error *reterr);

/* The same for any program, in a directory that belongs to the user. Its name is `prefix` and a number
 * derived from its contents; the name is written to `ret_name`. The file gets this mode. 0, or a negative
 * code. */
int program_keep(int dir_fd, const char *prefix, unsigned mode, const void *bytes, size_t n, char *ret_name,
		size_t cap, struct trm_error *reterr);

#endif
