/* SPDX-License-Identifier: MIT */
#include "model/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "cells/event.h"
#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/update.h"
#include "text/cluster.h"
#include "text/format.h"
#include "text/text.h"

static void demo_ask(struct model *m);
static void answer_demo(struct model *m, int answer, struct effects *out);

#define TICK_MS 30

enum { BUTTON_YES = 1 };

static const struct dialog_button buttons[] = {
		{"Start", NULL, 's', BUTTON_YES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

static const uint32_t typing_speeds[] = {0, 10, 20, 40, 80, 160};
enum { N_SPEEDS = sizeof typing_speeds / sizeof *typing_speeds };

void demo_finish(struct demo *d)
{
	free(d->text);
	free(d->cells);
	memset(d, 0, sizeof *d);
}

/* ---- display ---- */

/* Show the cell up to byte n. The text is not the person's work, so it counts as saved. */
static void put_demo_text(struct model *m, size_t n, struct effects *out)
{
	struct demo *d = &m->demo;
	const struct demo_cell *cell = &d->cells[d->current];
	struct buffer *b = buffers_find(&m->buffers, d->buffer);
	struct event ev = {.type = EVENT_PASTE,
			.text = d->text + cell->pos + d->typed,
			.text_len = n,
			.time_ns = m->now_ns};

	if (!b || !n)
		return;
	size_t end = text_len(b->editor.text);
	editor_select(&b->editor, end, end);
	editor_done(m, editor_handle(&b->editor, &ev), out);
	history_mark_saved(b->editor.history);
	d->typed += n;
	d->typed_ns = m->now_ns;
	m->needs_draw = true;
}

static size_t demo_bytes_left(const struct demo *d)
{
	return d->cells[d->current].len - d->typed;
}

static void show_demo_cell(struct model *m, size_t k, bool is_typed, struct effects *out)
{
	struct demo *d = &m->demo;
	struct buffer *b = buffers_find(&m->buffers, d->buffer);

	if (!b)
		return;
	buffer_show(m, b, out);
	d->current = k;
	d->run = 0;
	d->typed = 0;
	d->typed_ns = m->now_ns;
	editor_set_text(&b->editor, "", 0);
	history_mark_saved(b->editor.history);
	model_focus(m, PANE_EDITOR);
	if (!is_typed || !d->typing)
		put_demo_text(m, demo_bytes_left(d), out);
	editor_goto_line(&b->editor, 0);
}

int demo_wait_ms(const struct model *m)
{
	return m->demo.is_on && demo_bytes_left(&m->demo) ? TICK_MS : -1;
}

void demo_tick(struct model *m, struct effects *out)
{
	struct demo *d = &m->demo;

	if (!d->is_on || !demo_bytes_left(d))
		return;
	const char *text = d->text + d->cells[d->current].pos + d->typed;
	uint64_t due = (m->now_ns - d->typed_ns) * d->typing / 1000000000u;
	size_t n = 0;
	for (uint64_t i = 0; i < due && n < demo_bytes_left(d); i++)
		n += cluster_at(text + n, demo_bytes_left(d) - n).len;
	put_demo_text(m, n, out);
}

int demo_begin(struct model *m, const struct trm_lang *lang, const char *path, const char *text, size_t n,
		uint32_t typing)
{
	struct demo *d = &m->demo;
	struct effects out = {0}; /* the kernel of the first language starts early anyway */
	struct buffer *b = buffers_vacant(&m->buffers, lang);

	*d = (struct demo){.typing = typing, .text = strndup(text, n)};
	snprintf(d->path, sizeof d->path, "%s", path);
	if (!b)
		b = buffers_add(&m->buffers, lang);
	int r = d->text && b ? demo_split(d, lang->comment) : TRM_ENOMEM;
	if (r < 0) {
		demo_finish(d);
		return r;
	}
	d->is_on = true;
	d->buffer = b->id;
	d->is_agreed = !confirmation_is_each(m);
	m->foot_rows = m->rows >= 20 ? DEMO_ROWS : 1;
	model_relayout(m);
	show_demo_cell(m, 0, true, &out);
	effects_finish(&out);
	if (!d->is_agreed)
		demo_ask(m);
	return 0;
}

/* ---- permission ---- */

/* Ask, once per file, whether its cells may run. */
static void demo_ask(struct model *m)
{
	struct dialog *d = &m->dialog;
	const struct demo *demo = &m->demo;
	const struct trm_limits *l = &m->sandbox.limits;
	char mem[24], net[TRM_NET_ALLOW + 32];

	dialog_begin(d, "Run the cells of this file?", answer_demo);
	dialog_add_labeled(d, "File", ROLE_DIALOG, "%s", demo->path);
	dialog_add_labeled(d, "What", ROLE_DIALOG, "%s, %zu cell%s, one by one as you advance", m->lang->name,
			demo->n, demo->n == 1 ? "" : "s");
	format_bytes(mem, l->mem_bytes);
	if (ask_is_of_server(m))
		dialog_add_labeled(d, "Limits", ROLE_DIALOG,
				"memory %s requested; the server decides everything else, the network too",
				mem);
	else
		dialog_add_labeled(d, "Limits", ROLE_DIALOG, "memory %s, %u processes; %s", mem, l->procs,
				trm_limits_describe_net(l, net, sizeof net));
	ask_add_mounts(m, d);
	dialog_set_buttons(d, buttons, COUNT(buttons));
	m->needs_draw = true;
}

static void demo_leave(struct model *m, struct effects *out);

static void answer_demo(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_YES)
		m->demo.is_agreed = true;
	else
		demo_leave(m, out);
}

/* ---- commands ---- */

bool demo_has_keys(const struct model *m)
{
	return m->demo.is_on && !m->has_input && !m->run.reads_line;
}

static bool is_last(const struct demo *d)
{
	return d->current + 1 == d->n;
}

static bool is_running(const struct model *m)
{
	return model_is_running(m) && m->demo.run;
}

static void run_cell(struct model *m, struct effects *out)
{
	struct demo *d = &m->demo;

	put_demo_text(m, demo_bytes_left(d), out);
	if (d->cells[d->current].is_text) {
		notices_add(&m->notices, m->now_ns, false, "this cell is text: nothing to run");
		return;
	}
	run_ask(m, editor_run_range(model_editor(m)), RUN_THEN_DEMO, out);
}

static void demo_next(struct model *m, struct effects *out)
{
	struct demo *d = &m->demo;
	char key[KEYMAP_NAME_BYTES];

	if (demo_bytes_left(d))
		put_demo_text(m, demo_bytes_left(d), out);
	else if (is_running(m))
		notices_add(&m->notices, m->now_ns, false, "the cell is still running: %s interrupts it",
				key_hint(m, "stop", key));
	else if (!d->run && !d->cells[d->current].is_text)
		run_cell(m, out);
	else if (is_last(d))
		notices_add(&m->notices, m->now_ns, false, "this was the last cell");
	else
		show_demo_cell(m, d->current + 1, true, out);
	m->needs_draw = true;
}

const char *demo_next_text(const struct model *m)
{
	const struct demo *d = &m->demo;

	if (demo_bytes_left(d))
		return "the whole cell";
	if (is_running(m))
		return "(running)";
	if (!d->run && !d->cells[d->current].is_text)
		return "run this cell";
	return is_last(d) ? "(the end)" : "next cell";
}

static void skip(struct model *m, struct effects *out)
{
	if (!is_last(&m->demo))
		show_demo_cell(m, m->demo.current + 1, false, out);
}

static void demo_back(struct model *m, struct effects *out)
{
	if (m->demo.current > 0)
		show_demo_cell(m, m->demo.current - 1, false, out);
}

/* End the demo. Its file becomes an ordinary buffer. */
static void demo_leave(struct model *m, struct effects *out)
{
	effect_open(out, m->demo.path, m->lang);
	demo_finish(&m->demo);
	m->foot_rows = 0;
	model_relayout(m);
}

static void change_typing(struct model *m, int by)
{
	struct demo *d = &m->demo;
	int k = 0;

	while (k + 1 < N_SPEEDS && typing_speeds[k] < d->typing)
		k++;
	k += by;
	d->typing = typing_speeds[k < 0 ? 0 : k >= N_SPEEDS ? N_SPEEDS - 1 : k];
	if (d->typing)
		notices_add(&m->notices, m->now_ns, false, "cells are typed at %u characters per second",
				d->typing);
	else
		notices_add(&m->notices, m->now_ns, false, "cells appear at once");
}

static void type_slower(struct model *m, struct effects *out)
{
	(void)out;
	change_typing(m, -1);
}

static void type_faster(struct model *m, struct effects *out)
{
	(void)out;
	change_typing(m, 1);
}

static const struct command commands[] = {
		{"demo-next", "Demo: continue", "run the cell, then show the next", CONTEXT_DEMO,
				.run = demo_next},
		{"demo-run", "Demo: run the cell", "run the cell, or run it again", CONTEXT_DEMO,
				.run = run_cell},
		{"demo-back", "Demo: previous cell", "show the previous cell", CONTEXT_DEMO,
				.run = demo_back},
		{"demo-skip", "Demo: skip the cell", "show the next cell and do not run this one",
				CONTEXT_DEMO, .run = skip},
		{"demo-type-slower", "Demo: type slower",
				"type cells more slowly; at the lowest speed they appear at once",
				CONTEXT_DEMO, .run = type_slower},
		{"demo-type-faster", "Demo: type faster", "type cells faster", CONTEXT_DEMO,
				.run = type_faster},
		{"demo-leave", "Demo: leave", "end the demo and edit the file", CONTEXT_DEMO,
				.run = demo_leave},
};
const struct command_table demo_commands = COMMAND_TABLE(commands);
