/* SPDX-License-Identifier: MIT */
#include "record/cast.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "cells/canvas.h"
#include "model/model.h"
#include "record/file.h"
#include "record/player.h"
#include "record/writer.h"
#include "theme/theme.h"
#include "view/view.h"

#define FRAME_US 33333 /* events closer than this are one frame */

struct cast {
	const struct cast_opts *opts;
	struct player player;
	struct model model;
	struct canvas now, before;
	bool has_before;
	struct writer frame; /* bytes for the terminal */
	struct style style;  /* style in force on the terminal */
	bool has_style;
	struct writer *w;
};

/* ---- cells to bytes ---- */

static void put_color(struct writer *w, uint32_t color, int base)
{
	uint32_t rgb = color & 0xffffff;

	if (color == COLOR_NONE)
		writer_print(w, ";%d", base + 9);
	else if ((color & 0xff000000u) == COLOR_INDEX(0))
		writer_print(w, ";%d;5;%u", base + 8, rgb & 0xff);
	else
		writer_print(w, ";%d;2;%u;%u;%u", base + 8, rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff);
}

static void put_style(struct cast *c, const struct style *style)
{
	static const char codes[] = {'1', '2', '3', '4', '7', '9'}; /* by bit of ATTR_… */
	enum role role = style->role < ROLE_COUNT ? (enum role)style->role : ROLE_TEXT;
	bool has_ground = style->ground > 0 && style->ground < ROLE_COUNT;

	if (c->has_style && memcmp(&c->style, style, sizeof *style) == 0)
		return;
	bool is_heat = COLOR_IS_HEAT(style->fg);
	struct theme_style look = is_heat      ? theme_heat(c->opts->theme, role, style->fg & 0xff, DEPTH_RGB)
				  : has_ground ? theme_style_on(
						    c->opts->theme, role, (enum role)style->ground, DEPTH_RGB)
					       : theme_style(c->opts->theme, role, DEPTH_RGB);
	writer_text(&c->frame, "\033[0");
	for (int i = 0; i < (int)sizeof codes; i++)
		if ((look.attrs | style->attrs) & (1 << i))
			writer_print(&c->frame, ";%c", codes[i]);
	put_color(&c->frame, style->fg != COLOR_NONE && !is_heat ? style->fg : look.fg, 30);
	put_color(&c->frame, style->bg != COLOR_NONE ? style->bg : look.bg, 40);
	writer_text(&c->frame, "m");
	c->style = *style;
	c->has_style = true;
}

static bool is_same(const struct cast *c, size_t at)
{
	return c->has_before && memcmp(&c->now.cells[at], &c->before.cells[at], sizeof *c->now.cells) == 0;
}

/* Write the cells of a row from the first changed cell to the last one. */
static void put_row(struct cast *c, int row)
{
	size_t start = (size_t)row * (size_t)c->now.cols, from = 0, to = (size_t)c->now.cols;

	while (from < to && is_same(c, start + from))
		from++;
	while (to > from && is_same(c, start + to - 1))
		to--;
	while (from > 0 && from < to && c->now.cells[start + from].width == 0)
		from--;
	if (from == to)
		return;
	writer_print(&c->frame, "\033[%d;%zuH", row + 1, from + 1);
	for (size_t i = start + from; i < start + to; i++) {
		if (c->now.cells[i].width == 0)
			continue;
		put_style(c, &c->now.cells[i].style);
		writer_text(&c->frame, c->now.cells[i].text);
	}
}

/* ---- frames ---- */

static void put_event(struct cast *c, uint64_t t_us, const char *kind, const char *text, size_t n)
{
	writer_print(c->w, "[%" PRIu64 ".%06u,\"%s\",", t_us / 1000000, (unsigned)(t_us % 1000000), kind);
	writer_json(c->w, text, n);
	writer_text(c->w, "]\n");
}

static void put_frame(struct cast *c, uint64_t t_us)
{
	struct canvas swap = c->before;

	view(&c->model, &c->now);
	writer_clear(&c->frame);
	if (!c->has_before)
		writer_text(&c->frame, "\033[?25l\033[2J");
	for (int row = 0; row < c->now.rows; row++)
		put_row(c, row);
	if (c->frame.n)
		put_event(c, t_us, "o", c->frame.bytes, c->frame.n);
	c->before = c->now;
	c->now = swap;
	c->has_before = true;
}

/* Asciicasts can also carry typed input. Secrets are safe: the recording does not contain them. */
static void put_inputs(struct cast *c, size_t from, size_t to)
{
	struct rec_event e;

	for (size_t k = from; k < to; k++) {
		if (c->player.recording->places[k].kind != REC_INPUT
				|| !recording_event(c->player.recording, k, &e))
			continue;
		if (!e.is_secret)
			put_event(c, e.t_us, "i", e.text, e.len);
		rec_event_finish(&e);
	}
}

static void play_cast(struct cast *c)
{
	const struct recording *r = c->player.recording;

	put_frame(c, 0);
	for (size_t k = 0; k < r->n && !c->w->error;) {
		uint64_t first_us = r->places[k].t_us;
		size_t from = k;
		while (k < r->n && r->places[k].t_us < first_us + FRAME_US)
			k++;
		uint64_t t_us = r->places[k - 1].t_us;
		put_inputs(c, from, k);
		if (player_seek(&c->player, &c->model, t_us, NULL) < 0)
			c->w->error = TRM_ENOMEM;
		else
			put_frame(c, t_us);
	}
}

/* ---- begin and end ---- */

static void put_header(const struct recording *r, const struct model *m, struct writer *w)
{
	struct tm utc = {0};

	writer_print(w, "{\"version\":2,\"width\":%d,\"height\":%d", m->cols, m->rows);
	if (strptime(r->header.started, "%Y-%m-%dT%H:%M:%SZ", &utc))
		writer_print(w, ",\"timestamp\":%lld", (long long)timegm(&utc));
	writer_text(w, ",\"title\":\"terrarium\",\"env\":{\"TERM\":\"xterm-256color\"}}\n");
}

static int begin_cast(struct cast *c, const struct recording *r)
{
	bool has_size = r->header.rows >= 11 && r->header.cols >= 40;
	struct model_opts opts = {.rows = c->opts->rows ? c->opts->rows
					  : has_size    ? r->header.rows
							: 36,
			.cols = c->opts->cols ? c->opts->cols
				: has_size    ? r->header.cols
					      : 120,
			.has_utf8 = true,
			.lang = trm_lang_default(),
			.theme = ""};

	trm_limits_default(&opts.limits);
	if (player_init(&c->player, r) < 0 || model_init(&c->model, &opts) < 0
			|| canvas_init(&c->now, opts.rows, opts.cols) < 0
			|| canvas_init(&c->before, opts.rows, opts.cols) < 0)
		return TRM_ENOMEM;
	return 0;
}

void cast_write(const struct recording *recording, const struct cast_opts *opts, struct writer *w)
{
	struct cast c = {.opts = opts, .w = w};

	writer_init(&c.frame, WRITER_MAX);
	if (begin_cast(&c, recording) < 0) {
		w->error = TRM_ENOMEM;
	} else {
		put_header(recording, &c.model, w);
		play_cast(&c);
	}
	writer_finish(&c.frame);
	canvas_finish(&c.now);
	canvas_finish(&c.before);
	player_finish(&c.player);
	model_finish(&c.model);
}
