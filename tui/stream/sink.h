/* SPDX-License-Identifier: MIT */
#ifndef TUI_SINK_H
#define TUI_SINK_H

/* Output of the program: stdout or stderr. Pipes and files get every byte unchanged; terminals get the
 * bytes that the filter passes. A slow reader never blocks the loop: bytes that it does not accept are
 * held back, and `released` tells the producer when it may continue. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/loop.h>

#include "stream/filter.h"

struct sink;

struct sink_cb {
	/* n bytes given to sink_write() have been handled. May also be called inside sink_write(). */
	void (*released)(void *user, size_t n);
	/* Writing failed (saved_errno; EPIPE: the reader is gone). Once; later bytes are dropped and
	 * released. */
	void (*broken)(void *user, struct sink *sink, int saved_errno);
};

struct sink {
	struct trm_loop *loop;
	const struct sink_cb *cb;
	void *user;
	int fd;
	bool has_looked; /* the type is known: */
	bool is_socket;
	bool is_terminal;
	bool is_borrowed; /* a pipe or terminal whose open file description is shared */
	bool owns_fd;     /* or one with a non-blocking description of our own */
	bool is_broken;
	bool is_gathering; /* nothing is written for now */
	char last;         /* last byte written; '\n' at the start */
	struct filter filter;
	struct trm_watch *watch;
	char *held; /* bytes that the reader has not accepted yet */
	size_t held_start, held_end, held_cap;
	size_t owed;               /* how many of them belong to the producer */
	uint64_t n_taken, n_asked; /* bytes that the reader has accepted: in total, and at the last call of
				      sinks_are_stuck() */
};

/* Borrows everything. `kind` is for terminals. */
void sink_init(struct sink *s, struct trm_loop *loop, int fd, enum filter_kind kind, const struct sink_cb *cb,
		void *user);
void sink_write(struct sink *s, const void *bytes, size_t n);
/* As sink_write(), but these bytes are not reported as released. */
void sink_pass(struct sink *s, const void *bytes, size_t n);
/* Write bytes that are fit for a terminal already, to stdout of any kind. `owed` bytes of the producer
 * are released once they have been handled. */
void sink_put(struct sink *s, const void *bytes, size_t n, size_t owed);
/* Write a line of the program's own. An unfinished line of others is ended first. */
void sink_line(struct sink *s, const char *text);
static inline bool sink_is_empty(const struct sink *s)
{
	return s->held_start == s->held_end;
}
static inline size_t sink_held(const struct sink *s)
{
	return s->held_end - s->held_start;
}
/* Collect output for now, so that many small pieces can be written at once, or only in part. */
void sink_gather(struct sink *s);
/* Return the collected bytes, which the caller owns and may write, and write normally again. NULL: there
 * are none. */
char *sink_gathered(struct sink *s, size_t *ret_n);
/* Does one of the two hold bytes, none of which was accepted since the last call? */
bool sinks_are_stuck(struct sink *a, struct sink *b);
/* Resets the terminal and drops the bytes that are held. Accepts a zeroed object. */
void sink_finish(struct sink *s);

#endif
