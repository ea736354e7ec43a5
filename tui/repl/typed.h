/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_TYPED_H
#define TUI_REPL_TYPED_H

/* What came from the terminal and is in nobody's hands yet. */

#include <stdbool.h>
#include <stddef.h>

struct typed {
	char *bytes; /* those from `at` to `n` */
	size_t at, n, cap;
	bool is_ended; /* nothing more comes: the terminal is gone, or, in its own mode, Ctrl-D */
};

/* False: out of memory, they are lost. */
bool typed_add(struct typed *t, const char *bytes, size_t n);
/* Read once from stdin; if there is nothing, this waits. */
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
