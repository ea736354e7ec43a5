/* SPDX-License-Identifier: MIT */
/* The terminal's input: passes bytes from fd 0 to keys.h. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "term/keys.h"
#include "term/term.h"
#include "term/term_internal.h"

#define TURN_BYTES (1 << 20) /* limit for one call, so that a flood leaves time to paint */

bool term_read(struct term *t, uint64_t now_ns)
{
	char bytes[16384];
	for (size_t total = 0; total < TURN_BYTES;) {
		/* Not O_NONBLOCK: everybody who has the terminal open shares that flag, including fd 1. */
		struct pollfd p = {.fd = 0, .events = POLLIN};
		int ready = poll(&p, 1, 0);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return true;
		ssize_t n = read(0, bytes, sizeof(bytes));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return false;
		keys_feed(t->keys, bytes, (size_t)n, now_ns); /* without memory these keys are lost */
		total += (size_t)n;
	}
	return true;
}

bool term_next(struct term *t, struct event *ret)
{
	return keys_next(t->keys, ret);
}

int term_flush_ms(const struct term *t)
{
	return keys_is_waiting(t->keys) ? KEYS_ESC_MS : -1;
}

void term_flush(struct term *t)
{
	keys_flush(t->keys);
}
