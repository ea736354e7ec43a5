/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_WORDS_H
#define TUI_REPL_WORDS_H

/* Splits the arguments of a command at blanks, as a shell does. '…' and "…" keep blanks together. A
 * backslash makes the next character literal, except within '…'. Only ~/ at the start of a word is
 * expanded. */

#include <stddef.h>

struct trm_error;

struct words {
	char **items; /* NULL-terminated */
	size_t n, cap;
};

/* TRM_EINVAL: a quote is not closed. The caller calls words_finish() in that case too. */
int words_split(struct words *w, const char *text, struct trm_error *reterr);
void words_finish(struct words *w); /* takes a zeroed object */

#endif
