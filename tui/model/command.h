/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

/* What the workbench can be told to do, and by which keys. Two tables: everything that shows or reads keys
 * (key bar, help, update) goes by them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;

enum command {
	COMMAND_NONE,
	COMMAND_HELP,
	COMMAND_LANGUAGE,
	COMMAND_THEME,
	COMMAND_MESSAGES,
	COMMAND_RUN,
	COMMAND_STOP,
	COMMAND_NEXT_PANE,
	COMMAND_PREVIOUS_PANE,
	COMMAND_OPEN,
	COMMAND_SAVE,
	COMMAND_SAVE_AS,
	COMMAND_CLEAR,
	COMMAND_REPAINT,
	COMMAND_QUIT,
	COMMAND_COUNT
};

struct command_info {
	const char *keys;  /* as shown: "F5" */
	const char *label; /* in the key bar; NULL: not there */
	int rank;          /* the key bar drops the highest first when it is narrow */
	const char *help;  /* a line for the help; NULL: not there */
};
const struct command_info *command_info(enum command c);

struct command_binding {
	uint32_t key;
	uint8_t mods;
	enum command command;
};
const struct command_binding *command_bindings(size_t *ret_n);

/* COMMAND_NONE if the key is nobody's here. Alt with a digit stands for a function key. */
enum command command_of_key(const struct event *ev);

/* The key bar for a width: commands with their columns, left to right. Returns how many. */
struct keybar_item {
	enum command command;
	const char *keys, *label;
	int col, cols;
};
enum { KEYBAR_MAX = COMMAND_COUNT };
int keybar_make(int cols, bool is_running, struct keybar_item items[KEYBAR_MAX]);

#endif
