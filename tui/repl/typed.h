/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_TYPED_H
#define TUI_REPL_TYPED_H

/* Bytes from the terminal that nobody has read yet. */

#include <stdbool.h>
#include <stddef.h>

struct typed {
	char *bytes; /* bytes from `at` to `n` are unread */
	size_t at, n, cap;
	bool is_ended; /* end of input: the terminal is gone, or it sent Ctrl-D in line mode */
};

/* False: out of memory; the bytes are lost. */
bool typed_add(struct typed *t, const char *bytes, size_t n);
/* Read once from stdin; blocks if there is nothing. */
void typed_read(struct typed *t);
/* As typed_read(), but never waits. */
void typed_poll(struct typed *t);
static inline size_t typed_left(const struct typed *t)
{
	return t->n - t->at;
}
void typed_clear(struct typed *t);
void typed_finish(struct typed *t); /* takes a zeroed object */

#endif
