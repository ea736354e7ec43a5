/* SPDX-License-Identifier: MIT */
#ifndef TUI_SIEVE_H
#define TUI_SIEVE_H

/* A descriptor for those who want to write bytes of a sandbox to the terminal themselves: what is written to
 * it goes through the filter of a sink. */

#include <stdbool.h>

#include "stream/sink.h"

struct sieve {
	int fds[2]; /* a pipe; -1: closed */
	struct trm_loop *loop;
	struct trm_watch *watch;
	struct sink sink;
};

/* 0, or a negative code with a sentence. `fd`: the terminal. */
int sieve_init(struct sieve *sieve, struct trm_loop *loop, int fd, struct trm_error *reterr);
static inline int sieve_fd(const struct sieve *sieve) /* non-blocking; the sieve closes it */
{
	return sieve->fds[1];
}
/* Nothing more is written: let the rest out, or as much of it as the terminal takes while *stop is 0. */
void sieve_drain(struct sieve *sieve, const int *stop);
void sieve_finish(struct sieve *sieve); /* takes a zeroed object */

#endif
