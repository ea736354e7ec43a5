/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_WORDS_H
#define TUI_REPL_WORDS_H

/* What stands behind a command, taken apart at blanks as in a shell: '…' and "…" hold blanks together, a
 * backslash takes the next character as it is (within '…' it is one). Nothing is expanded but ~/ at the start
 * of a word. */

#include <stddef.h>

struct trm_error;

struct words {
	char **items; /* NULL-terminated */
	size_t n, cap;
};

/* TRM_EINVAL: a quote is not closed. Then, too, words_finish() is due. */
int words_split(struct words *w, const char *text, struct trm_error *reterr);
void words_finish(struct words *w); /* takes a zeroed object */

#endif
