/* SPDX-License-Identifier: MIT */
/* The bottom line: the keys of important commands. */
#include <stdio.h>
#include <string.h>

#include "cells/event.h"
#include "command/keymap.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/page.h"
#include "model/pane.h"
#include "model/stopping.h"
#include "text/text.h"

/* In the order of display. On a narrow screen the highest ranks are left out first, and of the first of these
 * as many are shown as fit. CONTEXT_ANY: shown
 * everywhere; else only in this context. Away from the editor, the commands of the current pane come before
 * the common ones. */
static const struct {
	const char *command, *label;
	int rank;
	enum key_context place;
} bar[] = {
		{"help", "Help", 3, CONTEXT_ANY},
		{"language", "Language", 4, CONTEXT_ANY},
		{"theme", "Theme", 8, CONTEXT_ANY},
		{"messages", "Messages", 9, CONTEXT_ANY},
		{"run", "Run", 0, CONTEXT_ANY},
		{"run-cell-and-advance", "Run cell", 6, CONTEXT_EDITOR},
		{"next-pane", "Pane", 2, CONTEXT_ANY},
		{"palette", "Commands", 10, CONTEXT_ANY},
		{"sandboxes", "Sandboxes", 12, CONTEXT_ANY},
		{"stop", "Copy", 5, CONTEXT_ANY},
		{"zoom-figure", "Image", 5, CONTEXT_ANY},
		{"hold-clock", "Wait", 1, CONTEXT_ANY},
		{"interrupt-paused", "Interrupt", 0, CONTEXT_ANY},
		{"resume-paused", "Continue", 0, CONTEXT_ANY},
		{"open", "Open", 6, CONTEXT_EDITOR},
		{"save", "Save", 7, CONTEXT_EDITOR},
		{"find", "Find", 11, CONTEXT_EDITOR},
		{"output-find", "Find", 6, CONTEXT_OUTPUT},
		{"output-fold", "Fold", 4, CONTEXT_OUTPUT},
		{"output-fold-all", "Fold all", 10, CONTEXT_OUTPUT},
		{"output-open", "To the line", 11, CONTEXT_OUTPUT},
		{"output-previous-run", "Previous run", 12, CONTEXT_OUTPUT},
		{"output-copy-run", "Copy run", 7, CONTEXT_OUTPUT},
		{"output-save", "Save", 9, CONTEXT_OUTPUT},
		{"output-wrap", "Wrap", 8, CONTEXT_OUTPUT},
		{"show-on-graph", "Graph", 13, CONTEXT_OUTPUT},
		{"signal", "Signal", 4, CONTEXT_METRICS},
		{"process-tree", "Tree", 6, CONTEXT_METRICS},
		{"sort-by-cpu", "CPU", 7, CONTEXT_METRICS},
		{"sort-by-memory", "Memory", 8, CONTEXT_METRICS},
		{"sort-by-pid", "Number", 13, CONTEXT_METRICS},
		{"sort-by-command", "Name", 14, CONTEXT_METRICS},
		{"graph-zoom-in", "Zoom in", 9, CONTEXT_METRICS},
		{"graph-zoom-out", "Zoom out", 10, CONTEXT_METRICS},
		{"look-back", "Earlier", 11, CONTEXT_METRICS},
		{"look-forth", "Later", 12, CONTEXT_METRICS},
		{"variables-open", "Open", 4, CONTEXT_VARIABLES},
		{"variables-expand", "Expand", 4, CONTEXT_VARIABLES},
		{"variables-inspect", "Inspect", 5, CONTEXT_VARIABLES},
		{"variables-filter", "Filter", 6, CONTEXT_VARIABLES},
		{"variables-changed", "Changed", 6, CONTEXT_VARIABLES},
		{"variables-sort", "Sort", 7, CONTEXT_VARIABLES},
		{"variables-reverse", "Reverse", 8, CONTEXT_VARIABLES},
		{"variables-leave", "Close", 9, CONTEXT_VARIABLES},
		{"table-sort", "Sort", 2, CONTEXT_TABLE},
		{"table-find", "Find", 2, CONTEXT_TABLE},
		{"table-find-next", "Next", 5, CONTEXT_TABLE},
		{"table-cell", "Cell", 4, CONTEXT_TABLE},
		{"table-widen", "Wider", 6, CONTEXT_TABLE},
		{"table-narrow", "Narrower", 7, CONTEXT_TABLE},
		{"table-fit", "Fit", 8, CONTEXT_TABLE},
		{"table-leave", "Close", 1, CONTEXT_TABLE},
		{"sandboxes-back", "Back", 1, CONTEXT_SANDBOXES},
		{"sandboxes-look", "Look inside", 2, CONTEXT_SANDBOXES},
		{"sandboxes-stop", "Stop", 3, CONTEXT_SANDBOXES},
		{"sandboxes-runs", "Runs or graphs", 6, CONTEXT_SANDBOXES},
		{"sandboxes-tree", "Tree", 5, CONTEXT_SANDBOXES},
		{"gallery-look", "Look", 1, CONTEXT_GALLERY},
		{"gallery-open", "Outside", 4, CONTEXT_GALLERY},
		{"gallery-save", "Save", 2, CONTEXT_GALLERY},
		{"gallery-save-all", "Save all", 3, CONTEXT_GALLERY},
		{"gallery-leave", "Close", 1, CONTEXT_GALLERY},
		{"popup-choose", "Choose", 0, CONTEXT_POPUP},
		{"popup-accept", "Complete", 1, CONTEXT_POPUP},
		{"popup-close", "Close", 3, CONTEXT_POPUP},
		{"variables", "Variables", 13, CONTEXT_EDITOR},
		{"zoom", "Zoom", 14, CONTEXT_ANY},
		{"replay-pause", "Pause", 0, CONTEXT_ANY},
		{"replay-back", "-5 s", 4, CONTEXT_ANY},
		{"replay-forward", "+5 s", 4, CONTEXT_ANY},
		{"replay-previous-run", "Previous run", 5, CONTEXT_ANY},
		{"replay-next-run", "Next run", 5, CONTEXT_ANY},
		{"replay-slower", "Slower", 6, CONTEXT_ANY},
		{"replay-faster", "Faster", 6, CONTEXT_ANY},
		{"quit", "Quit", 1, CONTEXT_ANY},
};
enum {
	BAR_COUNT = sizeof bar / sizeof *bar,
	RUN_RANK_RUNNING = 5,
	RANKS = 64,
	RANK_ALWAYS = 2,
	COMMON_LATER = 20
};
_Static_assert((int)BAR_COUNT <= (int)KEYBAR_MAX, "the key bar holds all");

/* The context whose keys are shown. CONTEXT_ANY: no pane's, because typed keys go elsewhere. */
static enum key_context place_of(const struct model *m)
{
	if (m->table_page.is_shown || (m->gallery.is_shown && !m->sandboxes.is_shown))
		return page_context(m);
	if (m->sandboxes.is_shown)
		return CONTEXT_SANDBOXES;
	if (m->replay.is_on || m->demo.is_on)
		return CONTEXT_ANY;
	if (complete_is_shown(m))
		return CONTEXT_POPUP;
	return m->focus == PANE_OUTPUT && m->has_input ? CONTEXT_ANY : context_of_keys(m);
}

/* Does a visible line begin a cell? */
static bool shows_cells(const struct model *m)
{
	const struct editor *e = model_editor(m);
	size_t lines = text_lines(e->text);

	for (size_t line = e->top_line; line < lines && line - e->top_line < (size_t)e->rows; line++)
		if (editor_begins_cell(e, text_line_start(e->text, line)))
			return true;
	return false;
}

/* The key that is shown for a command. Shift-Enter, as in notebooks, is preferred if the terminal can tell
 * it from Enter. */
static const struct keys *keys_shown(const struct model *m, const struct command *c)
{
	static const struct keys shift_enter = {.n = 1, .chords = {{K_ENTER, MOD_SHIFT}}};
	const struct command *found = NULL;

	keymap_resolve(&m->keymap, CONTEXT_EDITOR, &shift_enter, &found);
	return c && m->tells_keys && found == c ? &shift_enter : key_of_command(m, c);
}

/* On the page of sandboxes, commands for the panes below only leave the page. */
static bool applies_to_sandboxes(const struct model *m, const struct command *c)
{
	bool is_list_only = command_is(c, "sandboxes-look") || command_is(c, "sandboxes-stop");
	bool is_inside_only = command_is(c, "sandboxes-tree") || command_is(c, "sandboxes-runs");

	if (c->key_context == CONTEXT_SANDBOXES)
		return m->sandboxes.is_inside ? !is_list_only : !is_inside_only;
	return command_is(c, "help") || command_is(c, "palette") || command_is(c, "messages")
	       || command_is(c, "theme") || command_is(c, "quit");
}

/* Does the line for input take the keys? Its own ones come first; the editor's stand for nothing there. */
static bool is_for_input(const struct model *m)
{
	return m->focus == PANE_OUTPUT && m->has_input && pane_has_keys(m) && !m->replay.is_on
	       && !m->demo.is_on && !complete_is_shown(m);
}

/* Make an item such as " F5 Run ". The item stays empty if the command has no key or does not apply now. */
static void make_item(const struct model *m, int i, enum key_context place, struct keybar_item *ret)
{
	char name[KEYMAP_NAME_BYTES];

	if (bar[i].place != CONTEXT_ANY && bar[i].place != place
			&& !(bar[i].place == CONTEXT_EDITOR && place == CONTEXT_ANY && !is_for_input(m)))
		return;
	const struct command *c = command_find(bar[i].command);
	const struct keys *keys = c ? keys_shown(m, c) : NULL;
	if (!keys || !replay_allows(m, c) || (c->key_context == CONTEXT_REPLAY && !m->replay.is_on))
		return;
	if ((c->key_context == CONTEXT_STOPPING && !stopping_has_clock(m))
			|| (c->key_context == CONTEXT_PAUSED && !m->run.paused_ns))
		return;
	/* Two other keys interrupt and continue. */
	if (m->run.paused_ns && command_is(c, "run"))
		return;
	if (command_is(c, "run-cell-and-advance") && !shows_cells(m))
		return;
	if (command_is(c, "zoom-figure") && m->out.figures.n == 0)
		return;
	if (m->sandboxes.is_shown && !applies_to_sandboxes(m, c))
		return;
	*ret = (struct keybar_item){.command = c, .label = bar[i].label};
	if (command_is(c, "stop") && model_is_running(m))
		ret->label = stopping_label(m);
	else if (command_is(c, "stop") && peer_runs_may_be_stopped(m))
		ret->label = "Interrupt";
	if (command_is(c, "replay-pause") && !m->replay.is_playing)
		ret->label = "Play";
	if (c->key_context == CONTEXT_STOPPING && m->run.ladder.is_held)
		ret->label = "Resume";
	keys_name(keys, name);
	snprintf(ret->keys, sizeof ret->keys, "%.23s", name);
	ret->cols = (int)strlen(ret->keys) + (int)strlen(ret->label) + 3;
}

/* While code runs, stopping it is more important than running more. */
static int rank_of(const struct model *m, int i, enum key_context place)
{
	if (model_is_running(m) && !strcmp(bar[i].command, "stop"))
		return m->run.paused_ns ? 1 : 0; /* a paused run has another key for it */
	if (model_is_running(m) && !strcmp(bar[i].command, "run"))
		return RUN_RANK_RUNNING;
	bool is_common = bar[i].place == CONTEXT_ANY && bar[i].rank > RANK_ALWAYS
			 && strcmp(bar[i].command, "help");
	return is_common && place != CONTEXT_EDITOR && place != CONTEXT_ANY ? bar[i].rank + COMMON_LATER
									    : bar[i].rank;
}

static int keybar_cols(const struct keybar_item items[BAR_COUNT], const int ranks[BAR_COUNT], int most_rank)
{
	int cols = 0;

	for (int i = 0; i < BAR_COUNT; i++)
		if (ranks[i] <= most_rank)
			cols += items[i].cols;
	return cols;
}

/* Returns their columns. */
static int add_input_keys(struct keybar_item items[KEYBAR_MAX], int *n)
{
	static const struct keybar_item own[] = {
			{.keys = "Enter", .label = "Send"}, {.keys = "^D", .label = "End of input"}};
	int col = 0;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		items[*n] = own[i];
		items[*n].col = col;
		items[*n].cols = (int)strlen(own[i].keys) + (int)strlen(own[i].label) + 3;
		col += items[(*n)++].cols;
	}
	return col;
}

/* Some terminals keep F10 for themselves. Where there is room, the other key for it is shown, too. */
static void add_second_key(const struct model *m, struct keybar_item *item, int room)
{
	static const struct keys ctrl_q = {.n = 1, .chords = {{'q', MOD_CTRL}}};
	const struct command *c = NULL;

	keymap_resolve(&m->keymap, CONTEXT_ALWAYS, &ctrl_q, &c);
	if (!command_is(item->command, "quit") || c != item->command || room < 3 || strcmp(item->keys, "F10"))
		return;
	snprintf(item->keys, sizeof item->keys, "F10 ^Q");
	item->cols += 3;
}

int keybar_make(const struct model *m, int cols, struct keybar_item items[KEYBAR_MAX])
{
	struct keybar_item all[BAR_COUNT] = {0}; /* without columns: not shown */
	int ranks[BAR_COUNT], rank = RANKS, n = 0, col = 0;
	enum key_context place = place_of(m);

	for (int i = 0; i < BAR_COUNT; i++) {
		make_item(m, i, place, &all[i]);
		ranks[i] = rank_of(m, i, place);
	}
	if (is_for_input(m))
		col = add_input_keys(items, &n);
	while (rank > 0 && keybar_cols(all, ranks, rank) > cols - col)
		rank--;
	int room = cols - col - keybar_cols(all, ranks, rank);
	for (int i = 0; i < BAR_COUNT; i++) {
		bool fits_still = ranks[i] == rank + 1 && all[i].cols <= room;
		if ((ranks[i] > rank && !fits_still) || !all[i].cols)
			continue;
		room -= fits_still ? all[i].cols : 0;
		items[n] = all[i];
		items[n].col = col;
		col += items[n++].cols;
	}
	if (n)
		add_second_key(m, &items[n - 1], cols - col);
	return n;
}
