/* SPDX-License-Identifier: MIT */
#ifndef TUI_NOTICES_H
#define TUI_NOTICES_H

/* Sentences for the person: the newest stands in the status line for a while, all of the last ones
 * can be read again. */

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
	struct notice *items; /* ring, made at the first notice */
	uint64_t n;           /* ever added */
	bool is_shown;        /* the newest is in the status line */
};

void notices_finish(struct notices *n); /* takes a zeroed object */
void notices_add(struct notices *n, uint64_t now_ns, bool is_error, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
/* The k-th, newest first; NULL past the oldest kept. */
const struct notice *notices_at(const struct notices *n, size_t k);
size_t notices_count(const struct notices *n);

/* Take the newest out of the status line when its time is over (errors stay until `is_key`: the
 * person has done something since). True if that changed something. */
bool notices_expire(struct notices *n, uint64_t now_ns, bool is_key);

#endif
