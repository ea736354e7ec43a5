/* SPDX-License-Identifier: MIT */
#include "repl/typed.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 65536 };

bool typed_add(struct typed *t, const char *bytes, size_t n)
{
	if (t->at == t->n)
		t->at = t->n = 0;
	if (t->n + n > t->cap) {
		size_t cap = (t->n + n) * 2;
		char *grown = realloc(t->bytes, cap);
		if (!grown)
			return false;
		t->bytes = grown;
		t->cap = cap;
	}
	if (n)
		memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	return true;
}

void typed_read(struct typed *t)
{
	char bytes[READ_BYTES];
	ssize_t n;
	do
		n = read(STDIN_FILENO, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		typed_add(t, bytes, (size_t)n);
	else
		t->is_ended |= n == 0 || errno != EAGAIN;
}

void typed_poll(struct typed *t)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	if (!t->is_ended && poll(&p, 1, 0) > 0)
		typed_read(t);
}

void typed_clear(struct typed *t)
{
	t->at = t->n = 0;
}

void typed_finish(struct typed *t)
{
	free(t->bytes);
	*t = (struct typed){0};
}
