/* SPDX-License-Identifier: MIT */
#include "model/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"

#define BAR_BEFORE 30 /* columns left of the bar: sign, times, speed */
#define BAR_BEHIND 24 /* columns right of the bar: number of the run */

void replay_begin(struct model *m, const uint64_t *runs_us, size_t n_runs, uint64_t end_us, bool is_cut)
{
	m->replay = (struct replay){.is_on = true,
			.is_playing = true,
			.is_cut = is_cut,
			.speed_percent = 100,
			.end_us = end_us,
			.runs_us = runs_us,
			.n_runs = n_runs};
	m->foot_rows = 1;
	m->confirm = false;
	model_relayout(m);
}

void replay_rewind(struct model *m)
{
	struct model_opts opts = {.rows = m->rows,
			.cols = m->cols,
			.has_utf8 = m->has_utf8,
			.shows_links = m->shows_links,
			.graph_style = m->graph_style,
			.lang = m->lang,
			.theme = "",
			.timeout_ms = m->timeout_ms,
			.grace_ms = m->grace_ms,
			.terminate_grace_ms = m->terminate_grace_ms,
			.limits = m->sandbox.limits};
	struct replay replay = m->replay;
	struct keymap keymap = m->keymap;
	struct notices notices = m->notices;
	struct grammars *grammars = m->grammars;
	struct figure_terminal terminal = m->out.figures.terminal;
	enum pane focus = m->focus;
	char theme[sizeof m->theme];

	memcpy(theme, m->theme, sizeof theme);
	m->keymap = (struct keymap){0};
	m->notices = (struct notices){0};
	model_finish(m);
	if (model_init(m, &opts) < 0) {
		model_finish(m);
		memset(m, 0, sizeof *m);
		keymap_finish(&keymap);
		notices_finish(&notices);
		return;
	}
	keymap_finish(&m->keymap);
	m->keymap = keymap;
	m->notices = notices;
	m->notices.is_shown = false; /* it is of a time to come */
	m->grammars = grammars;
	buffers_set_grammars(&m->buffers, grammars);
	m->out.figures.terminal = terminal;
	m->replay = replay;
	m->focus = focus;
	m->foot_rows = 1;
	memcpy(m->theme, theme, sizeof theme);
	model_relayout(m);
}

size_t replay_run(const struct model *m)
{
	size_t n = 0;

	while (n < m->replay.n_runs && m->replay.runs_us[n] <= m->replay.at_us)
		n++;
	return n;
}

char *replay_time(uint64_t us, char out[24])
{
	snprintf(out, 24, "%" PRIu64 ":%02" PRIu64 ".%" PRIu64, us / 60000000, us / 1000000 % 60,
			us / 100000 % 10);
	return out;
}

/* ---- allowed commands ---- */

/* In addition to motions and the commands of panes that only show something. */
static const char *const allowed[] = {"help", "theme", "messages", "palette", "next-pane", "previous-pane",
		"repaint", "suspend", "quit", "copy", "select-all", "deselect", "next-buffer",
		"previous-buffer", "variables"};

/* Prefixes of commands that only show something. */
static const char *const allowed_heads[] = {
		"output-", "zoom", "replay-", "processes-", "metrics-", "find", "layout", "figure-", "goto"};

bool replay_allows(const struct model *m, const struct command *c)
{
	if (!m->replay.is_on || c->is_motion)
		return true;
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (command_is(c, allowed[i]))
			return true;
	for (size_t i = 0; i < sizeof allowed_heads / sizeof *allowed_heads; i++)
		if (strncmp(c->name, allowed_heads[i], strlen(allowed_heads[i])) == 0)
			return true;
	return command_is(c, "stop") && !model_is_running(m); /* it copies */
}

void replay_refuse(struct model *m)
{
	notices_add(&m->notices, m->now_ns, false,
			"this is a recording: you can look at it, but not change it");
	m->needs_draw = true;
}

/* ---- commands ---- */

static void replay_seek(struct model *m, uint64_t us, struct effects *out)
{
	m->replay.at_us = us > m->replay.end_us ? m->replay.end_us : us;
	effect_add(out, (struct effect){.type = EFFECT_SEEK, .at_us = m->replay.at_us});
	m->needs_draw = true;
}

static void pause_or_play(struct model *m, struct effects *out)
{
	struct replay *r = &m->replay;

	r->is_playing = !r->is_playing;
	if (r->is_playing && r->at_us >= r->end_us)
		replay_seek(m, 0, out); /* at the end: start again */
	else
		effect_add(out, (struct effect){.type = EFFECT_SEEK, .at_us = r->at_us});
}

static void replay_back(struct model *m, struct effects *out)
{
	replay_seek(m, m->replay.at_us > REPLAY_STEP_US ? m->replay.at_us - REPLAY_STEP_US : 0, out);
}

static void forward(struct model *m, struct effects *out)
{
	replay_seek(m, m->replay.at_us + REPLAY_STEP_US, out);
}

/* Go to the beginning of this run, or from there to the previous run. */
static void previous_run(struct model *m, struct effects *out)
{
	const struct replay *r = &m->replay;
	size_t k = replay_run(m);

	while (k > 0 && r->runs_us[k - 1] + 500000 > r->at_us)
		k--;
	replay_seek(m, k > 0 ? r->runs_us[k - 1] : 0, out);
}

static void next_run(struct model *m, struct effects *out)
{
	size_t k = replay_run(m);

	replay_seek(m, k < m->replay.n_runs ? m->replay.runs_us[k] : m->replay.end_us, out);
}

static void to_start(struct model *m, struct effects *out)
{
	replay_seek(m, 0, out);
}

static void to_end(struct model *m, struct effects *out)
{
	replay_seek(m, m->replay.end_us, out);
}

static const unsigned speeds[] = {25, 50, 100, 200, 400, 800, 1600};
enum { N_SPEEDS = sizeof speeds / sizeof *speeds };

static void change_speed(struct model *m, int by, struct effects *out)
{
	int k = 0;

	while (k + 1 < N_SPEEDS && speeds[k] < m->replay.speed_percent)
		k++;
	k += by;
	m->replay.speed_percent = speeds[k < 0 ? 0 : k >= N_SPEEDS ? N_SPEEDS - 1 : k];
	effect_add(out, (struct effect){.type = EFFECT_SEEK,
					.at_us = m->replay.at_us}); /* continue from here at the new speed */
}

static void slower(struct model *m, struct effects *out)
{
	change_speed(m, -1, out);
}

static void faster(struct model *m, struct effects *out)
{
	change_speed(m, 1, out);
}

static const struct command commands[] = {
		{"replay-pause", "Replay: pause or continue", "pause or continue", CONTEXT_REPLAY,
				.run = pause_or_play},
		{"replay-back", "Replay: 5 seconds back", "5 seconds back", CONTEXT_REPLAY,
				.run = replay_back},
		{"replay-forward", "Replay: 5 seconds forward", "5 seconds forward", CONTEXT_REPLAY,
				.run = forward},
		{"replay-previous-run", "Replay: previous run",
				"go to the start of the run, or to the previous run", CONTEXT_REPLAY,
				.run = previous_run},
		{"replay-next-run", "Replay: next run", "to the next run", CONTEXT_REPLAY, .run = next_run},
		{"replay-slower", "Replay: slower", "half as fast", CONTEXT_REPLAY, .run = slower},
		{"replay-faster", "Replay: faster", "twice as fast", CONTEXT_REPLAY, .run = faster},
		{"replay-start", "Replay: to the start", "to the start", CONTEXT_REPLAY, .run = to_start},
		{"replay-end", "Replay: to the end", "to the end", CONTEXT_REPLAY, .run = to_end},
};
const struct command_table replay_commands = COMMAND_TABLE(commands);

/* ---- the time bar ---- */

struct replay_bar replay_bar(const struct model *m)
{
	int cols = m->cols - BAR_BEFORE - BAR_BEHIND;

	return (struct replay_bar){BAR_BEFORE, cols > 4 ? cols : 0};
}

int replay_column(const struct model *m, uint64_t us)
{
	struct replay_bar bar = replay_bar(m);

	if (!m->replay.end_us || us > m->replay.end_us)
		return bar.col + bar.cols - 1;
	return bar.col + (int)((double)us / (double)m->replay.end_us * (bar.cols - 1) + 0.5);
}

bool replay_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct replay_bar bar = replay_bar(m);
	bool is_press = ev->action == MOUSE_PRESS || ev->action == MOUSE_DRAG;

	if (!m->replay.is_on || ev->row != m->rows - 1)
		return false;
	if (is_press && bar.cols && ev->col >= bar.col && ev->col < bar.col + bar.cols)
		replay_seek(m, (uint64_t)((double)m->replay.end_us * (ev->col - bar.col) / (bar.cols - 1)),
				out);
	else if (ev->action == MOUSE_PRESS && ev->col < bar.col)
		pause_or_play(m, out);
	return true;
}
