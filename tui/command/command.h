/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

/* The commands of the workbench. Each part of the model has a const table of its commands next to the
 * functions that carry them out; tui/model/command.c lists the tables. Key maps (keymap.h), key bar, help
 * and palette use the tables. To add a feature, write a function, a row in the table of its room, and a row
 * in the default key map. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct editor;
struct effects;
struct model;

/* Where the keys of a command apply: first the context of the focused pane, then the common ones. */
enum key_context {
	CONTEXT_EDITOR,
	CONTEXT_OUTPUT,
	CONTEXT_METRICS,
	CONTEXT_VARIABLES, /* the page of variables */
	CONTEXT_POPUP,     /* in the editor, while the completion popup is open */
	CONTEXT_STOPPING,  /* anywhere, while a run is being stopped */
	CONTEXT_REPLAY,    /* anywhere, while a recording is shown */
	CONTEXT_PAUSED,    /* anywhere, while a run is paused near the memory limit */
	CONTEXT_SANDBOXES, /* the page of running sandboxes */
	CONTEXT_TABLE,     /* the page that shows a table */
	CONTEXT_GALLERY,   /* the page of what runs have made */
	CONTEXT_DEMO,      /* anywhere, while a file is presented cell by cell */
	CONTEXT_ANY,       /* in every pane */
	CONTEXT_ALWAYS,    /* also while a dialog is open */
	CONTEXT_COUNT
};
struct context_info {
	const char *name;    /* as in the config: "editor" */
	const char *section; /* of the help: "In the editor" */
};
extern const struct context_info contexts[CONTEXT_COUNT];

struct command {
	const char *name;  /* "select-all": lower case, for the config and for command_find() */
	const char *title; /* "Select all": for the palette; NULL: not in the palette (plain motions) */
	const char *help;  /* a line for the help; NULL: not in the help */
	enum key_context key_context;
	/* Exactly one of these two functions is set. */
	void (*run)(struct model *m, struct effects *out);
	/* For the current buffer; returns enum editor_bits. */
	unsigned (*edit)(struct editor *e, int arg);
	int arg;
	bool is_motion;    /* of edit: its key together with Shift selects */
	const char *words; /* other words by which a person may search for it; may be NULL */
};

struct command_table {
	const struct command *commands;
	size_t n;
};
#define COMMAND_TABLE(array) \
	{ \
		(array), sizeof(array) / sizeof *(array) \
	}

/* Defined next to the functions in the tables. */
extern const struct command_table workbench_commands;
extern const struct command_table buffer_commands;
extern const struct command_table confirmation_commands;
extern const struct command_table clear_commands;
extern const struct command_table time_limit_commands;
extern const struct command_table cell_commands;
extern const struct command_table finder_commands;
extern const struct command_table find_all_commands;
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
extern const struct command_table table_commands;
extern const struct command_table gallery_commands;
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

const struct command *command_at(size_t i);                 /* over all tables; NULL: past the end */
const struct command *command_find(const char *name);       /* NULL: there is none */
bool command_is(const struct command *c, const char *name); /* false for NULL */

/* Is the command available now? Commands of a demo or a replay are only available there. The palette leaves
 * out others. */
bool command_applies(const struct model *m, const struct command *c);
/* Carry out a command on its pane. */
void command_run(struct model *m, const struct command *c, struct effects *out);

#endif
