/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_HISTORY_H
#define TUI_REPL_HISTORY_H

/* What was typed, per language, from one start to the next: one JSON string per line, of one or of several
 * lines of code, in $XDG_STATE_HOME/terrarium/repl-LANGUAGE.jsonl, which only its owner can read. Several
 * REPLs may append to it. In private mode (the setting `history` is off) it is neither read nor written. */

#include <stdbool.h>
#include <stddef.h>

struct line;

struct history {
	struct line *line;
	char path[4096]; /* "": it is not kept */
	char **items;    /* oldest first */
	size_t n, cap;
};

/* Another language: its own inputs are there, in `line` too. */
void history_open(struct history *h, struct line *line, const char *language, bool is_kept);
/* Remember an input, if it is not the one before again; blank, or with a blank before it, it is not. */
void history_add(struct history *h, const char *text, size_t n);
void history_close(struct history *h); /* takes a zeroed object */

#endif
