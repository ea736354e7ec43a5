/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_COLON_H
#define TUI_REPL_COLON_H

/* The :commands: one row each. A name may be cut short as long as it stays one of its own; rows that come
 * first win where the table says so (`short_name`). */

#include <stdbool.h>
#include <stddef.h>

struct repl;

/* What may stand behind a command, for completion. */
enum colon_arg { ARG_NONE, ARG_TEXT, ARG_FILE, ARG_LANG, ARG_THEME, ARG_COMMAND, ARG_SWITCH };

enum { COLON_BRIEF = 19 };

struct colon {
	const char *name;
	const char *args;  /* "[FILE]"; "" */
	const char *brief; /* at most COLON_BRIEF columns, for the list of all, which fits a screen */
	const char *help;  /* a line */
	enum colon_arg arg;
	/* `rest`: what stands behind it, without blanks around. */
	void (*run)(struct repl *r, const char *rest);
};

/* In the order of :help; ended by a row without a name. */
extern const struct colon colon_table[];

enum colon_match { COLON_FOUND, COLON_AMBIGUOUS, COLON_UNKNOWN };

/* The command that n bytes of `word` name. AMBIGUOUS and UNKNOWN: `words` says which there are, or what may
 * be meant ("" if nothing is near). */
enum colon_match colon_find(const struct colon *table, const char *word, size_t n, const struct colon **ret,
		char *words, size_t cap);

struct candidate {
	char *text, *kind;
};
struct candidates {
	struct candidate *items;
	size_t n, cap;
};
void candidates_add(struct candidates *c, const char *text, const char *kind);
void candidates_finish(struct candidates *c); /* takes a zeroed object */

/* How a line that begins with a colon may go on at `point`; returns where the word begins. */
size_t colon_complete(struct repl *r, const char *line, size_t point, struct candidates *c);

/* ---- what the rows do: colon_*.c ---- */

typedef void colon_fn(struct repl *r, const char *rest);
colon_fn colon_help, colon_history, colon_quit, colon_timeout, colon_theme, colon_language;
colon_fn colon_run, colon_load, colon_save, colon_edit;
colon_fn colon_env, colon_metrics, colon_top, colon_variables, colon_files, colon_limits, colon_attach;
colon_fn colon_interrupt, colon_reset, colon_restart, colon_copy, colon_install, colon_net, colon_keep;

void colon_copy_close(struct repl *r);
void colon_install_close(struct repl *r);
void colon_install_resize(struct repl *r);

#endif
