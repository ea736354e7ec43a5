/* SPDX-License-Identifier: MIT */
#include "fuzz/monkey.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/lang.h>

#include "langs.h"
#include "model/update.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"
#include "view/view.h"

#define LIFE 3000                      /* steps of one workbench */
#define MEMORY_MAX ((size_t)256 << 20) /* what it all may take */

uint32_t pick(struct monkey *k, uint32_t below)
{
	k->random ^= k->random << 13;
	k->random ^= k->random >> 7;
	k->random ^= k->random << 17;
	return below ? (uint32_t)(k->random >> 32) % below : 0;
}

static void fail(const struct monkey *k, const char *what)
{
	fprintf(stderr, "monkey: %s, after %s\n", what, k->last);
	abort();
}

/* ---- what must hold ---- */

static void check_rect(const struct monkey *k, struct rect r)
{
	if (r.rows < 0 || r.cols < 0)
		fail(k, "a pane of negative size");
	if (r.rows && r.cols
			&& (r.row < 0 || r.col < 0 || r.row + r.rows > k->model.rows
					|| r.col + r.cols > k->model.cols))
		fail(k, "a pane that is not on the screen");
}

static bool is_in_character(const struct text *t, size_t pos)
{
	size_t first;

	return (text_byte(t, pos) & 0xC0) == 0x80 && text_broken_bytes(t, &first) == 0;
}

static void check_editors(const struct monkey *k)
{
	const struct buffers *b = &k->model.buffers;
	if (b->n == 0 || b->current >= b->n)
		fail(k, "no current buffer");
	for (size_t i = 0; i < b->n; i++) {
		const struct editor *e = &b->items[i]->editor;
		size_t len = text_len(e->text);
		if (e->sel.cursor > len || e->sel.anchor > len)
			fail(k, "a cursor behind the end of its text");
		if (is_in_character(e->text, e->sel.cursor) || is_in_character(e->text, e->sel.anchor))
			fail(k, "a cursor in a character");
		for (size_t n = 0; n < e->marks.n; n++) {
			const struct cell_mark *mark = &e->marks.items[n];
			if (mark->pos + mark->len > len || (mark->has_error_pos && mark->error_pos > len))
				fail(k, "a mark behind the end of its text");
		}
		if (e->top_line >= text_lines(e->text))
			fail(k, "an editor scrolled behind the end of its text");
	}
}

void monkey_check(struct monkey *k)
{
	check_editors(k);
	for (int i = 0; i < PANE_COUNT; i++)
		check_rect(k, k->model.layout.panes[i]);
	if (pick(k, 64) == 0) {
		if (!text_is_sound(model_editor(&k->model)->text))
			fail(k, "a text that is not sound");
		if (mallinfo2().uordblks > MEMORY_MAX)
			fail(k, "too much memory in use");
	}
}

static void check_canvas(const struct monkey *k)
{
	const struct canvas *c = &k->canvas;
	if (c->cursor_row >= c->rows || c->cursor_col >= c->cols)
		fail(k, "the cursor is not on the screen");
	for (int i = 0; i < c->rows * c->cols; i++) {
		const struct cell *cell = &c->cells[i];
		if (cell->width > 2 || !memchr(cell->text, '\0', sizeof(cell->text)))
			fail(k, "a cell that is none");
		if (cell->style.role >= ROLE_COUNT || cell->style.ground >= ROLE_COUNT)
			fail(k, "a cell without a role");
		if ((unsigned char)cell->text[0] < 0x20 && cell->text[0] != '\0')
			fail(k, "a control character on the screen");
	}
}

static void paint(struct monkey *k)
{
	struct canvas *c = &k->canvas;
	bool is_resized = c->rows != k->model.rows || c->cols != k->model.cols;
	if (is_resized && canvas_resize(c, k->model.rows, k->model.cols) < 0)
		fail(k, "no memory");
	if (k->model.needs_draw || is_resized)
		view(&k->model, c);
	else if (k->model.needs_editor_draw)
		view_editor(&k->model, c);
	k->model.needs_draw = k->model.needs_editor_draw = false;
	check_canvas(k);
}

static void color(struct monkey *k)
{
	struct editor *e = model_editor(&k->model);
	size_t from = text_line_start(e->text, e->top_line);
	size_t to = text_line_start(e->text, e->top_line + (size_t)e->rows);
	if (e->lang)
		syntax_set_language(e->syntax, grammars_get(k->grammars, e->lang->name, NULL));
	for (unsigned turns = pick(k, 4); turns > 0; turns--)
		if (syntax_work(e->syntax, e->text, from, to, 1 + pick(k, 300)))
			k->model.needs_editor_draw = true;
}

/* ---- the loop ---- */

void tell(struct monkey *k, struct msg msg)
{
	msg.now_ns = k->now_ns;
	update(&k->model, &msg, &k->effects);
	monkey_check(k);
	if (k->is_performing)
		return;
	k->is_performing = true;
	for (size_t i = 0; i < k->effects.n; i++) {
		struct effect effect = k->effects.items[i];
		if (i > 1000)
			fail(k, "effects without end");
		monkey_perform(k, &effect);
	}
	effects_clear(&k->effects);
	k->is_performing = false;
}

static void open_workbench(struct monkey *k)
{
	struct model_opts opts = {.has_history = true,
			.auto_complete = true,
			.rows = 24,
			.cols = 80,
			.has_utf8 = pick(k, 4) > 0,
			.lang = trm_lang_at(pick(k, LANG_COUNT)),
			.theme = "dark",
			.confirm = pick(k, 2),
			.timeout_ms = 30000,
			.grace_ms = 2000,
			.scrollback_bytes = (size_t)1 << (12 + pick(k, 9))};
	trm_limits_default(&opts.limits);
	if (model_init(&k->model, &opts) < 0 || canvas_init(&k->canvas, opts.rows, opts.cols) < 0)
		fail(k, "no memory");
	k->model.grammars = k->grammars;
	uint32_t keys = pick(k, 3);
	if (keys == 1) {
		keymap_finish(&k->model.keymap);
		k->model.keymap = (struct keymap){0};
		if (keymap_complete(&k->model.keymap, "emacs", NULL) < 0)
			fail(k, "no key map");
	}
	k->model.vi.mode = keys == 2 ? VI_NORMAL : VI_OFF;
	tell(k, (struct msg){.type = MSG_SANDBOX_STARTING,
				.sandbox.name = "calm-fern",
				.sandbox.backend = "fake"});
	tell(k, (struct msg){.type = MSG_SANDBOX_READY,
				.sandbox.name = "calm-fern",
				.sandbox.backend = "fake"});
}

static void close_workbench(struct monkey *k)
{
	model_finish(&k->model);
	canvas_finish(&k->canvas);
	effects_finish(&k->effects);
}

/* One life of a workbench. */
static unsigned live(struct monkey *k, time_t end)
{
	unsigned steps = 0;
	open_workbench(k);
	while (steps++ < LIFE && time(NULL) < end) {
		k->now_ns += pick(k, 8) ? pick(k, 3000000) : pick(k, 4000000000u);
		if (pick(k, 4))
			monkey_person(k);
		else
			monkey_sandbox(k);
		color(k);
		if (pick(k, 2))
			paint(k);
		k->model.is_quitting = false;
	}
	close_workbench(k);
	return steps;
}

/* monkey SECONDS [SEED] */
int main(int argc, char **argv)
{
	struct monkey k = {.random = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9E3779B97F4A7C15u,
			.now_ns = 1000000000};
	time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 5);
	unsigned long steps = 0;
	k.grammars = grammars_create();
	do {
		fprintf(stderr, "monkey: a life begins with seed 0x%llx\n", (unsigned long long)k.random);
		steps += live(&k, end);
	} while (time(NULL) < end);
	grammars_destroy(k.grammars);
	printf("%lu steps, all in order\n", steps);
	return 0;
}
