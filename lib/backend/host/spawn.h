/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_SPAWN_H
#define TRM_BACKEND_HOST_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

struct trm_error;

/* Make a file in memory with these bytes; close-on-exec. A descriptor or a negative code. */
int spawn_memfd(const char *name, const void *bytes, size_t n, struct trm_error *reterr);

/* Start a static program from a descriptor. It gets the n descriptors of `fds` as 0, 1, 2 …, no others,
 * no environment, default signal handling and an empty signal mask. Safe in programs with threads and
 * with much memory: nothing of it is copied. The pid, or a negative code. */
pid_t spawn_program(int program_fd, const char *name, const int *fds, size_t n, struct trm_error *reterr);

#endif
