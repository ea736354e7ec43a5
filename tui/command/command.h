/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

/* What the workbench can be told to do. Every part of the model has a const table of its commands, next to
 * the functions that carry them out; tui/model/command.c lists the tables. Key maps (keymap.h), key bar, help
 * and palette go by them. A new feature is a function, a row in the table of its room, and a row in the
 * default key map. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct editor;
struct effects;
struct model;

/* Where the keys of a command are looked for: first in the pane that has the focus, then in any. */
enum key_context {
	CONTEXT_EDITOR,
	CONTEXT_OUTPUT,
	CONTEXT_METRICS,
	CONTEXT_VARIABLES, /* the page of variables */
	CONTEXT_POPUP,     /* in the editor, while completion offers something */
	CONTEXT_STOPPING,  /* anywhere, while a run is being stopped */
	CONTEXT_REPLAY,    /* anywhere, while a recording is shown */
	CONTEXT_PAUSED,    /* anywhere, while a run is paused before the memory limit */
	CONTEXT_SANDBOXES, /* the page of running sandboxes */
	CONTEXT_DEMO,      /* anywhere, while a file is shown cell by cell */
	CONTEXT_ANY,       /* in every pane */
	CONTEXT_ALWAYS,    /* also over a dialog */
	CONTEXT_COUNT
};
const char *context_name(enum key_context key_context); /* as in the config: "editor" */

struct command {
	const char *name;  /* "select-all": lower case, in the config and by which others find it */
	const char *title; /* "Select all": in the palette; NULL: not there (plain motions) */
	const char *help;  /* a line for the help; NULL: not there */
	enum key_context key_context;
	/* Exactly one of these two does it. */
	void (*run)(struct model *m, struct effects *out);
	unsigned (*edit)(struct editor *e, int arg); /* on the buffer shown; returns enum editor_bits */
	int arg;
	bool is_motion; /* of edit: with Shift besides, its key selects */
};

struct command_table {
	const struct command *commands;
	size_t n;
};
#define COMMAND_TABLE(array) \
	{ \
		(array), sizeof(array) / sizeof *(array) \
	}

/* Defined beside the functions in the tables. */
extern const struct command_table workbench_commands;
extern const struct command_table buffer_commands;
extern const struct command_table confirmation_commands;
extern const struct command_table clear_commands;
extern const struct command_table time_limit_commands;
extern const struct command_table cell_commands;
extern const struct command_table finder_commands;
extern const struct command_table goto_commands;
extern const struct command_table install_commands;
extern const struct command_table copier_commands;
extern const struct command_table editor_commands;
extern const struct command_table output_commands;
extern const struct command_table output_block_commands;
extern const struct command_table output_search_commands;
extern const struct command_table figure_commands;
extern const struct command_table metrics_commands;
extern const struct command_table memory_commands;
extern const struct command_table sandboxes_commands;
extern const struct command_table engines_commands;
extern const struct command_table stopping_commands;
extern const struct command_table variables_commands;
extern const struct command_table inspect_commands;
extern const struct command_table record_commands;
extern const struct command_table settings_commands;
extern const struct command_table tutor_commands;
extern const struct command_table file_picker_commands;
extern const struct command_table complete_commands;
extern const struct command_table replay_commands;
extern const struct command_table demo_commands;
extern const struct command_table loss_commands;
extern const struct command_table detach_commands;
extern const struct command_table history_commands;

const struct command *command_at(size_t i);                 /* of all tables; NULL past the end */
const struct command *command_find(const char *name);       /* NULL: there is none */
bool command_is(const struct command *c, const char *name); /* false for NULL */

/* Those of a demo and of a replay do only there; the palette leaves the others out. */
bool command_applies(const struct model *m, const struct command *c);
/* Carry it out, on the pane that it is for. */
void command_run(struct model *m, const struct command *c, struct effects *out);

#endif
