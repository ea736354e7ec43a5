/* SPDX-License-Identifier: MIT */
#include "model/command.h"

#include <string.h>

#include "term/event.h"

static const struct command_info infos[COMMAND_COUNT] = {
		[COMMAND_HELP] = {"F1", "Help", 3, "this help"},
		[COMMAND_LANGUAGE] = {"F2", "Language", 4,
				"choose the language: each has its own buffer and state, all share the sandbox's files"},
		[COMMAND_THEME] = {"F3", "Theme", 8, "choose the colours"},
		[COMMAND_MESSAGES] = {"F4", "Messages", 9, "read messages again"},
		[COMMAND_RUN] = {"F5", "Run", 0,
				"run the selection, else the cell between \"# %%\" lines, else everything"
				" (also Alt-Enter, Ctrl-Enter)"},
		[COMMAND_NEXT_PANE] = {"F6", "Pane", 2, "go to the next pane (Shift-F6: the one before)"},
		[COMMAND_PREVIOUS_PANE] = {"Shift-F6", NULL, 0, NULL},
		[COMMAND_STOP] = {"^C", "Copy", 5,
				"interrupt what runs, a second time: kill it; when nothing runs: copy"},
		[COMMAND_OPEN] = {"^O", "Open", 6, "open a file"},
		[COMMAND_SAVE] = {"^S", "Save", 7, "save the buffer"},
		[COMMAND_SAVE_AS] = {"F12", NULL, 0, "save under another name"},
		[COMMAND_CLEAR] = {"^R", NULL, 0, "forget all output"},
		[COMMAND_REPAINT] = {"^L", NULL, 0, "draw the screen again"},
		[COMMAND_QUIT] = {"F10", "Quit", 1, "leave (also ^Q)"},
};

static const struct command_binding bindings[] = {
		{K_F1, 0, COMMAND_HELP},
		{K_F2, 0, COMMAND_LANGUAGE},
		{K_F3, 0, COMMAND_THEME},
		{K_F4, 0, COMMAND_MESSAGES},
		{K_F5, 0, COMMAND_RUN},
		{K_ENTER, MOD_ALT, COMMAND_RUN},
		{K_ENTER, MOD_CTRL, COMMAND_RUN},
		{K_F6, 0, COMMAND_NEXT_PANE},
		{K_F6, MOD_SHIFT, COMMAND_PREVIOUS_PANE},
		{K_F10, 0, COMMAND_QUIT},
		{'q', MOD_CTRL, COMMAND_QUIT},
		{'c', MOD_CTRL, COMMAND_STOP},
		{'o', MOD_CTRL, COMMAND_OPEN},
		{'s', MOD_CTRL, COMMAND_SAVE},
		{K_F12, 0, COMMAND_SAVE_AS},
		{'r', MOD_CTRL, COMMAND_CLEAR},
		{'l', MOD_CTRL, COMMAND_REPAINT},
};

const struct command_info *command_info(enum command c)
{
	return &infos[c];
}

const struct command_binding *command_bindings(size_t *ret_n)
{
	*ret_n = sizeof bindings / sizeof *bindings;
	return bindings;
}

enum command command_of_key(const struct event *ev)
{
	uint32_t key = ev->key;
	uint8_t mods = ev->mods;

	if (mods == MOD_ALT && key >= '0' && key <= '9') {
		key = key == '0' ? K_F10 : K_F1 + (key - '1');
		mods = 0;
	}
	for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
		if (bindings[i].key == key && bindings[i].mods == mods)
			return bindings[i].command;
	return COMMAND_NONE;
}

/* In the order of the key bar. */
static const enum command bar[] = {
		COMMAND_HELP,
		COMMAND_LANGUAGE,
		COMMAND_THEME,
		COMMAND_MESSAGES,
		COMMAND_RUN,
		COMMAND_NEXT_PANE,
		COMMAND_STOP,
		COMMAND_OPEN,
		COMMAND_SAVE,
		COMMAND_QUIT,
};
enum { BAR_COUNT = sizeof bar / sizeof *bar };

static const char *bar_label(enum command c, bool is_running)
{
	return c == COMMAND_STOP && is_running ? "Interrupt" : infos[c].label;
}

/* Columns of an item: " F5 Run " and what follows. */
static int bar_cols(enum command c, bool is_running)
{
	return (int)strlen(infos[c].keys) + (int)strlen(bar_label(c, is_running)) + 3;
}

static int bar_total(int most_rank, bool is_running)
{
	int total = 0;

	for (int i = 0; i < BAR_COUNT; i++)
		if (infos[bar[i]].rank <= most_rank)
			total += bar_cols(bar[i], is_running);
	return total;
}

int keybar_make(int cols, bool is_running, struct keybar_item items[KEYBAR_MAX])
{
	int rank = BAR_COUNT, n = 0, col = 0;

	while (rank > 0 && bar_total(rank, is_running) > cols)
		rank--;
	for (int i = 0; i < BAR_COUNT; i++) {
		const struct command_info *info = &infos[bar[i]];
		if (info->rank > rank)
			continue;
		items[n] = (struct keybar_item){bar[i], info->keys, bar_label(bar[i], is_running), col,
				bar_cols(bar[i], is_running)};
		col += items[n++].cols;
	}
	return n;
}
