/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_FILTER_PIPE_H
#define TUI_STREAM_FILTER_PIPE_H

/* A descriptor for code that writes bytes of a sandbox to the terminal by itself: everything written to
 * it goes through the filter of a sink. */

#include <stdbool.h>

#include "stream/sink.h"

struct filter_pipe {
	int fds[2]; /* a pipe; -1: closed */
	struct trm_loop *loop;
	struct trm_watch *watch;
	struct sink sink;
};

/* 0, or a negative code with a sentence. `fd`: the terminal. */
int filter_pipe_init(
		struct filter_pipe *filter_pipe, struct trm_loop *loop, int fd, struct trm_error *reterr);
static inline int filter_pipe_fd(
		const struct filter_pipe *filter_pipe) /* non-blocking; filter_pipe closes it */
{
	return filter_pipe->fds[1];
}
/* Nothing more is written: pass on the rest, or as much of it as the terminal accepts while *stop is 0. */
void filter_pipe_drain(struct filter_pipe *filter_pipe, const int *stop);
void filter_pipe_finish(struct filter_pipe *filter_pipe); /* accepts a zeroed object */

#endif
