/* SPDX-License-Identifier: MIT */
/* The bottom line: what the function keys do. */
#include <stdio.h>
#include <string.h>

#include "command/keymap.h"
#include "model/model.h"
#include "model/stopping.h"

/* In the order shown; the highest rank goes first when it is narrow. */
static const struct {
	const char *command, *label;
	int rank;
} bar[] = {
		{"help", "Help", 3},
		{"language", "Language", 4},
		{"theme", "Theme", 8},
		{"messages", "Messages", 9},
		{"palette", "Commands", 10},
		{"sandboxes", "Sandboxes", 12},
		{"run", "Run", 0},
		{"next-pane", "Pane", 2},
		{"stop", "Copy", 5},
		{"hold-clock", "Wait", 1},
		{"open", "Open", 6},
		{"save", "Save", 7},
		{"find", "Find", 11},
		{"variables", "Variables", 13},
		{"zoom", "Zoom", 14},
		{"replay-pause", "Pause", 0},
		{"replay-back", "-5 s", 4},
		{"replay-forward", "+5 s", 4},
		{"replay-previous-run", "Previous run", 5},
		{"replay-next-run", "Next run", 5},
		{"replay-slower", "Slower", 6},
		{"replay-faster", "Faster", 6},
		{"quit", "Quit", 1},
};
enum { BAR_COUNT = sizeof bar / sizeof *bar, RUN_RANK_RUNNING = 5 };
_Static_assert((int)BAR_COUNT <= (int)KEYBAR_MAX, "the key bar holds all");

/* " F5 Run " and what follows; left as it is when it has no key or no meaning now. */
static void make_item(const struct model *m, int i, struct keybar_item *ret)
{
	const struct command *c = command_find(bar[i].command);
	const struct keys *keys = c ? keymap_keys(&m->keymap, c) : NULL;
	char name[KEYMAP_NAME_BYTES];

	if (!keys || !replay_allows(m, c) || (c->key_context == CONTEXT_REPLAY && !m->replay.is_on))
		return;
	if ((c->key_context == CONTEXT_STOPPING && !stopping_has_clock(m))
			|| (c->key_context == CONTEXT_PAUSED && !m->run.paused_ns))
		return;
	*ret = (struct keybar_item){.command = c, .label = bar[i].label};
	if (command_is(c, "stop") && model_is_running(m))
		ret->label = stopping_label(m);
	else if (command_is(c, "stop") && peer_runs_may_be_stopped(m))
		ret->label = "Interrupt";
	if (command_is(c, "replay-pause") && !m->replay.is_playing)
		ret->label = "Play";
	if (c->key_context == CONTEXT_STOPPING && m->run.ladder.is_held)
		ret->label = "Go on";
	keys_name(keys, name);
	snprintf(ret->keys, sizeof ret->keys, "%.23s", name);
	ret->cols = (int)strlen(ret->keys) + (int)strlen(ret->label) + 3;
}

/* While something runs, how to stop it counts more than how to run another. */
static int rank_of(const struct model *m, int i)
{
	if (model_is_running(m) && !strcmp(bar[i].command, "stop"))
		return 0;
	return model_is_running(m) && !strcmp(bar[i].command, "run") ? RUN_RANK_RUNNING : bar[i].rank;
}

static int total(const struct model *m, const struct keybar_item items[BAR_COUNT], int most_rank)
{
	int cols = 0;

	for (int i = 0; i < BAR_COUNT; i++)
		if (rank_of(m, i) <= most_rank)
			cols += items[i].cols;
	return cols;
}

int keybar_make(const struct model *m, int cols, struct keybar_item items[KEYBAR_MAX])
{
	struct keybar_item all[BAR_COUNT] = {0}; /* without columns: it has no place now */
	int rank = BAR_COUNT, n = 0, col = 0;

	for (int i = 0; i < BAR_COUNT; i++)
		make_item(m, i, &all[i]);
	while (rank > 0 && total(m, all, rank) > cols)
		rank--;
	for (int i = 0; i < BAR_COUNT; i++) {
		if (rank_of(m, i) > rank || !all[i].cols)
			continue;
		items[n] = all[i];
		items[n].col = col;
		col += items[n++].cols;
	}
	return n;
}
