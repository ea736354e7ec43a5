/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_HISTORY_H
#define TUI_REPL_HISTORY_H

/* The inputs of earlier sessions, one file per language: $XDG_STATE_HOME/terrarium/repl-LANGUAGE.jsonl,
 * which only its owner can read. Each line is a JSON string with an input of one or several lines.
 * Several REPLs may append to the same file. In private mode (the setting `history` is off) the REPL
 * neither reads nor writes the file. */

#include <stdbool.h>
#include <stddef.h>

struct line;

struct history {
	struct line *line;
	char path[4096]; /* "": the history is not saved */
	char **items;    /* oldest first */
	size_t n, cap;
};

/* Switch to a language and load its inputs, also into `line`. */
void history_open(struct history *h, struct line *line, const char *language, bool is_kept);
/* Remember an input. Skipped: a repeated input, a blank one, and one that begins with a blank. */
void history_add(struct history *h, const char *text, size_t n);
void history_close(struct history *h); /* takes a zeroed object */

#endif
