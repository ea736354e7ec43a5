/* SPDX-License-Identifier: MIT */
#ifndef TUI_NOTICES_H
#define TUI_NOTICES_H

/* Messages for the person. The status line shows the newest one for a while, and the recent ones can be read
 * again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOTICES_MAX 64
#define NOTICE_BYTES 512
#define NOTICE_SHOWN_NS (6ull * 1000000000u)

struct notice {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	bool is_error;
	char text[NOTICE_BYTES];
};

struct notices {
	struct notice *items; /* ring, allocated for the first notice */
	uint64_t n;           /* notices ever added */
	bool is_shown;        /* the status line shows the newest */
};

void notices_finish(struct notices *n); /* accepts a zeroed object */
void notices_add(struct notices *n, uint64_t now_ns, bool is_error, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
/* The k-th notice, newest first; NULL: it was dropped. */
const struct notice *notices_at(const struct notices *n, size_t k);
size_t notices_count(const struct notices *n);

/* Remove the newest notice from the status line when its time is over. Errors stay until the person presses
 * a key (`is_key`). True: something has changed. */
bool notices_expire(struct notices *n, uint64_t now_ns, bool is_key);

#endif
