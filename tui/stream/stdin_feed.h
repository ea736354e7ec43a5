/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_STDIN_FEED_H
#define TUI_STREAM_STDIN_FEED_H

/* Stdin of the program, for whoever runs in the sandbox: read only while the
 * taker's queue is short, so that `yes | terrarium run …` neither fills memory nor
 * takes more than it must. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/loop.h>

struct stdin_feed_cb {
	size_t (*queued)(void *user); /* bytes that the taker has not passed on yet; SIZE_MAX: nobody takes
					 any */
	void (*bytes)(void *user, const void *bytes, size_t n);
	void (*eof)(void *user);
	/* It is nothing that can be read, such as a directory: a sentence. The end follows. */
	void (*broken)(void *user, const char *why);
};

struct stdin_feed {
	struct trm_loop *loop;
	const struct stdin_feed_cb *cb;
	void *user;
	int fd;
	bool is_ended;           /* EOF was seen and told */
	bool is_always_readable; /* a file, which cannot be watched */
	bool is_ready;           /* the watch said so */
	bool has_first;          /* the first byte has been read already, to see whether there is any */
	char first;
	struct trm_watch *watch;
};

void stdin_feed_init(struct stdin_feed *f, struct trm_loop *loop, int fd, const struct stdin_feed_cb *cb,
		void *user);
/* Before there is a taker: a file that is empty, and /dev/null, are at their end then (is_ended). */
void stdin_feed_begin(struct stdin_feed *f);
/* To be called once after each turn of the loop: reads if the taker has room, waits for more, or pauses. */
void stdin_feed_turn(struct stdin_feed *f);
/* Would the next turn read at once, without anything to wait for? Then the loop must not sleep. */
bool stdin_feed_is_hungry(const struct stdin_feed *f);
/* There is a new taker: it is told of the end too. */
void stdin_feed_restart(struct stdin_feed *f);
void stdin_feed_finish(struct stdin_feed *f);

#endif
