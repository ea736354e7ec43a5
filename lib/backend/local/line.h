/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_LINE_H
#define TRM_LOCAL_LINE_H

/* A client's end of the line to a sandbox's keeper: see wire/lifeline.h. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "wire/lifeline.h"

struct line_cb {
	void (*ready)(void *user,
			const struct ready_msg *ready); /* only for who has started it; may be NULL */
	void (*ended)(void *user); /* nothing more will come: the keeper has ended, or is about to */
};

struct line {
	int fd; /* -1: there is none */
	struct trm_watch *watch;
	const struct line_cb *cb;
	void *user;
	struct lifeline_msg ready, gone; /* type 0: not heard */
	uint64_t oom_kills;              /* that the keeper itself has done */
};

void line_init(struct line *line);
/* Takes `fd` over, in any case. */
int line_open(struct line *line, struct trm_loop *loop, int fd, const struct line_cb *cb, void *user,
		struct trm_error *reterr);
void line_close(struct line *line); /* takes one that is only initialised */

/* Hear what has come, without the loop. It may call back. */
void line_hear(struct line *line);

int line_keep(struct line *line, bool is_kept, struct trm_error *reterr);
/* Ask for the sandbox's end. */
void line_stop(struct line *line);

/* Why the sandbox has ended, from what was heard. Returns the code. */
int line_tell_why(const struct line *line, struct trm_error *why);

#endif
