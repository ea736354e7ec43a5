/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_STDIN_FEED_H
#define TUI_STREAM_STDIN_FEED_H

/* The program's stdin, for the code in the sandbox. It is read only while the taker's queue is short, so
 * that `yes | terrarium run …` neither fills memory nor reads more than necessary. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/loop.h>

struct stdin_feed_cb {
	size_t (*queued)(void *user); /* bytes that the taker has not passed on yet; SIZE_MAX: there is no
					 taker */
	void (*bytes)(void *user, const void *bytes, size_t n);
	void (*eof)(void *user);
	/* It cannot be read, such as a directory: a sentence. The end follows. */
	void (*broken)(void *user, const char *why);
};

struct stdin_feed {
	struct trm_loop *loop;
	const struct stdin_feed_cb *cb;
	void *user;
	int fd;
	bool is_ended;           /* EOF was seen and reported */
	bool is_always_readable; /* a file, which cannot be watched */
	bool is_ready;           /* the watch reported it */
	bool has_first;          /* the first byte has been read already, to check whether there is any */
	char first;
	struct trm_watch *watch;
};

void stdin_feed_init(struct stdin_feed *f, struct trm_loop *loop, int fd, const struct stdin_feed_cb *cb,
		void *user);
/* Call this before there is a taker: then an empty file and /dev/null have ended (is_ended). */
void stdin_feed_begin(struct stdin_feed *f);
/* Call this once after each loop iteration: it reads if the taker has room, waits for more, or pauses. */
void stdin_feed_turn(struct stdin_feed *f);
/* Would the next stdin_feed_turn() read at once? Then the loop must not sleep. */
bool stdin_feed_is_hungry(const struct stdin_feed *f);
/* There is a new taker, which is told about the end, too. */
void stdin_feed_restart(struct stdin_feed *f);
void stdin_feed_finish(struct stdin_feed *f);

#endif
