/* SPDX-License-Identifier: MIT */
#ifndef TUI_SINK_H
#define TUI_SINK_H

/* Where output goes: stdout or stderr of the program. Pipes and files get
 * every byte as it is; terminals get what the filter lets pass. A reader that is slow
 * never blocks the loop: what it does not take is held, and those who produce
 * learn through `released` when they may go on. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/loop.h>

#include "stream/filter.h"

struct sink;

struct sink_cb {
	/* n bytes given to sink_write() are out of the way. From inside sink_write() too. */
	void (*released)(void *user, size_t n);
	/* Writing failed (saved_errno; EPIPE: nobody reads any more). Once; what comes later is dropped and
	 * released. */
	void (*broken)(void *user, struct sink *sink, int saved_errno);
};

struct sink {
	struct trm_loop *loop;
	const struct sink_cb *cb;
	void *user;
	int fd;
	bool has_looked; /* what it is, which these tell: */
	bool is_socket;
	bool is_terminal;
	bool is_borrowed; /* a pipe or terminal, in the description that others have */
	bool owns_fd;     /* … or in a non-blocking one of our own */
	bool is_broken;
	bool is_gathering; /* nothing is written */
	char last;         /* byte written; '\n' at the start */
	struct filter filter;
	struct trm_watch *watch;
	char *held; /* what the reader has not taken yet */
	size_t held_start, held_end, held_cap;
	size_t owed;               /* bytes of the producer in there */
	uint64_t n_taken, n_asked; /* bytes that the reader has taken: ever, and when sinks_are_stuck() was
				      asked */
};

/* Borrows everything. `kind` is for terminals. */
void sink_init(struct sink *s, struct trm_loop *loop, int fd, enum filter_kind kind, const struct sink_cb *cb,
		void *user);
void sink_write(struct sink *s, const void *bytes, size_t n);
/* As sink_write(), but nobody waits for these bytes to be released. */
void sink_pass(struct sink *s, const void *bytes, size_t n);
/* Bytes that are fit for the terminal already, to stdout of whatever kind; `owed` of the producer's bytes are
 * released when they are out of the way. */
void sink_put(struct sink *s, const void *bytes, size_t n, size_t owed);
/* A text and a newline of the program's own; a line left open by others is ended first. */
void sink_line(struct sink *s, const char *text);
static inline bool sink_is_empty(const struct sink *s)
{
	return s->held_start == s->held_end;
}
static inline size_t sink_held(const struct sink *s)
{
	return s->held_end - s->held_start;
}
/* Write nothing for now, so that much that comes in small pieces can go out in one; or in part. */
void sink_gather(struct sink *s);
/* What has been gathered, which is the caller's now, to be written or not and to be freed; from here on all
 * is written again. NULL: nothing was. */
char *sink_gathered(struct sink *s, size_t *ret_n);
/* Does one of the two hold something, of which nothing was taken since this was last asked? */
bool sinks_are_stuck(struct sink *a, struct sink *b);
/* Puts the terminal back to normal, gives up what is held. Takes a zeroed object. */
void sink_finish(struct sink *s);

#endif
