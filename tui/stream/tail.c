/* SPDX-License-Identifier: MIT */
#include "stream/tail.h"

#include <string.h>

void tail_note(struct tail *tail, const char *bytes, size_t n)
{
	size_t new = n < TAIL_BYTES ? n : TAIL_BYTES, old = tail->n;
	if (old + new > TAIL_BYTES)
		old = TAIL_BYTES - new;
	memmove(tail->bytes, tail->bytes + tail->n - old, old);
	memcpy(tail->bytes + old, bytes + n - new, new);
	tail->n = old + new;
}

const char *tail_text(struct tail *tail)
{
	tail->bytes[tail->n] = '\0';
	for (char *at = tail->bytes; (at = memchr(at, '\0', (size_t)(tail->bytes + tail->n - at)));)
		*at = ' ';
	return tail->bytes;
}
