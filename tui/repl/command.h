/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_COMMAND_H
#define TUI_REPL_COMMAND_H

/* The :commands, one row each. A unique beginning of a name is enough to call the command. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repl;

/* The kind of the argument, for completion. */
enum repl_command_arg { ARG_NONE, ARG_TEXT, ARG_FILE, ARG_LANG, ARG_THEME, ARG_COMMAND, ARG_SWITCH };

enum { REPL_COMMAND_BRIEF = 19 };

struct repl_command {
	const char *name;
	const char *args;  /* "[FILE]"; "" */
	const char *brief; /* at most REPL_COMMAND_BRIEF columns; :help lists all commands on one screen */
	const char *help;  /* one line */
	enum repl_command_arg arg;
	/* `rest`: the arguments, without blanks around them. */
	void (*run)(struct repl *r, const char *rest);
};

/* In the order of :help; ended by a row without a name. */
extern const struct repl_command repl_command_table[];

enum repl_command_match { REPL_COMMAND_FOUND, REPL_COMMAND_AMBIGUOUS, REPL_COMMAND_UNKNOWN };

/* The command named by n bytes of `word`. AMBIGUOUS: `words` lists the possible commands. UNKNOWN:
 * `words` lists similar names ("" if there are none). */
enum repl_command_match repl_command_find(const struct repl_command *table, const char *word, size_t n,
		const struct repl_command **ret, char *words, size_t cap);

struct candidate {
	char *text, *kind;
};
struct candidates {
	struct candidate *items;
	size_t n, cap;
};
void candidates_add(struct candidates *c, const char *text, const char *kind);
void candidates_finish(struct candidates *c); /* takes a zeroed object */

/* The possible completions at `point` of a line that begins with a colon. Returns where the word begins. */
size_t repl_command_complete(struct repl *r, const char *line, size_t point, struct candidates *c);

/* ---- the functions of the rows: command_*.c ---- */

typedef void repl_command_fn(struct repl *r, const char *rest);
repl_command_fn repl_command_help, repl_command_history, repl_command_quit, repl_command_timeout,
		repl_command_theme, repl_command_language;
repl_command_fn repl_command_run, repl_command_load, repl_command_save, repl_command_edit;
repl_command_fn repl_command_env, repl_command_metrics, repl_command_top, repl_command_variables,
		repl_command_files, repl_command_limits, repl_command_attach;
repl_command_fn repl_command_interrupt, repl_command_reset, repl_command_restart, repl_command_copy,
		repl_command_install, repl_command_table_show, repl_command_artifacts, repl_command_net,
		repl_command_keep, repl_command_confirm;

void repl_command_table_close(struct repl *r);
struct trm_display;
/* A run shows this. */
void repl_artifacts_keep(struct repl *r, uint64_t run, const struct trm_display *display);
void repl_artifacts_close(struct repl *r);
void repl_command_copy_close(struct repl *r);
void repl_command_install_close(struct repl *r);
void repl_command_install_resize(struct repl *r);
/* Begin to install the packages of the options, if that has not been done. */
void repl_install_with(struct repl *r);

#endif
