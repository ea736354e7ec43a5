/* SPDX-License-Identifier: MIT */
#include "repl/show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "cells/canvas.h"
#include "image/picture.h"

/* ---- life ------------------------------------------------------------------------------- */

static void on_show_released(void *user, size_t n)
{
	struct show *s = user;
	s->cb->released(s->user, n);
}

static void on_show_broken(void *user, struct sink *sink, int saved_errno)
{
	struct show *s = user;
	if (sink == &s->out)
		s->cb->broken(s->user, saved_errno);
}

static const struct sink_cb sink_cb = {.released = on_show_released, .broken = on_show_broken};

void show_init(struct show *s, struct trm_loop *loop, struct paint *paint, const struct show_cb *cb,
		void *user)
{
	*s = (struct show){.cb = cb, .user = user, .paint = paint, .stream = -1};
	s->last = &s->first;
	s->is_terminal = isatty(STDOUT_FILENO);
	s->is_mixed = s->is_terminal && isatty(STDERR_FILENO);
	sink_init(&s->out, loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, s);
	sink_init(&s->err, loop, STDERR_FILENO, FILTER_LINES, &sink_cb, s);
	for (int i = 0; i < 2; i++)
		filter_init(&s->filters[i], FILTER_LIVE);
}

void show_finish(struct show *s)
{
	if (!s->cb)
		return;
	while (s->first) {
		struct kept *next = s->first->next;
		free(s->first);
		s->first = next;
	}
	sink_finish(&s->out);
	sink_finish(&s->err);
	*s = (struct show){0};
}

bool show_is_idle(const struct show *s)
{
	return !s->waits && sink_is_empty(&s->out) && sink_is_empty(&s->err);
}

/* ---- output to a terminal ------------------------------------------------------------------- */

static void put_shown(struct show *s, const char *text)
{
	sink_put(&s->out, text, strlen(text), 0);
}

/* True if the text ends inside a line. Color sequences behind a newline do not count. */
static void note_end(struct show *s, const char *text, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		if (text[i] == 'm') {
			size_t k = i;
			while (k > 0 && (strchr("0123456789;:[", text[k - 1]) && text[k - 1]))
				k--;
			if (k > 0 && text[k - 1] == '\033') {
				i = k - 1;
				continue;
			}
		}
		s->is_inside = text[i] != '\n';
		return;
	}
}

/* Switch to the colors of a run's stream. */
static void use_stream(struct show *s, int stream)
{
	char end[FILTER_FINISH_MAX];
	if (s->stream == stream)
		return;
	if (s->stream >= 0) {
		sink_put(&s->out, end, filter_finish(&s->filters[s->stream == TRM_STDERR], end), 0);
		filter_init(&s->filters[s->stream == TRM_STDERR], FILTER_LIVE);
		if (s->stream == TRM_STDERR)
			put_shown(s, paint_off(s->paint));
	}
	s->stream = stream;
	if (stream == TRM_STDERR)
		put_shown(s, paint_on(s->paint, ROLE_OUT_STDERR));
}

static void put_output(struct show *s, int stream, const char *bytes, size_t n, bool is_owed)
{
	enum { STEP = 4096 };
	char out[3 * STEP + FILTER_SEQUENCE_MAX];
	s->cb->before(s->user);
	use_stream(s, stream);
	for (size_t i = 0; i < n; i += STEP) {
		size_t step = n - i < STEP ? n - i : STEP;
		size_t made = filter_feed(&s->filters[stream == TRM_STDERR], bytes + i, step, out);
		note_end(s, out, made);
		sink_put(&s->out, out, made, is_owed ? step : 0);
	}
}

static void put_line(struct show *s, enum role role, const char *text, size_t n)
{
	const char *on = paint_on(s->paint, role);
	s->cb->before(s->user);
	use_stream(s, -1);
	if (s->is_inside)
		put_shown(s, "\n");
	put_shown(s, on);
	char *clean = malloc(filter_room(n) + FILTER_FINISH_MAX);
	if (clean) { /* values, tracebacks and names come from the sandbox */
		struct filter filter;
		filter_init(&filter, FILTER_LINES);
		size_t made = filter_feed(&filter, text, n, clean);
		made += filter_finish(&filter, clean + made);
		sink_put(&s->out, clean, made, 0);
	}
	free(clean);
	if (*on)
		put_shown(s, paint_off(s->paint));
	put_shown(s, "\n");
	s->is_inside = false;
}

/* ---- keeping the order ------------------------------------------------------------------------------ */

static bool keep_shown(struct show *s, int kind, const char *bytes, size_t n, bool is_owed)
{
	if (!s->waits)
		return false;
	struct kept *k = malloc(sizeof *k + n);
	if (!k)
		return true; /* dropped for lack of memory */
	*k = (struct kept){.kind = kind, .n = n, .is_owed = is_owed};
	memcpy(k->bytes, bytes, n);
	*s->last = k;
	s->last = &k->next;
	return true;
}

void show_output(struct show *s, int stream, const void *bytes, size_t n, bool is_owed)
{
	struct sink *sink = stream == TRM_STDERR ? &s->err : &s->out;
	bool is_plain = !s->is_terminal || (stream == TRM_STDERR && !s->is_mixed);
	if (is_plain && is_owed)
		sink_write(sink, bytes, n);
	else if (is_plain)
		sink_pass(sink, bytes, n);
	else if (!keep_shown(s, stream, bytes, n, is_owed))
		put_output(s, stream, bytes, n, is_owed);
}

static void line(struct show *s, enum role role, const char *text)
{
	if (!keep_shown(s, -1 - (int)role, text, strlen(text), false))
		put_line(s, role, text, strlen(text));
}

void show_line(struct show *s, enum role role, const char *text)
{
	if (!s->is_terminal || (role == ROLE_OUT_ERROR && !s->is_mixed))
		sink_line(role == ROLE_OUT_VALUE || role == ROLE_OUT_STDOUT ? &s->out : &s->err, text);
	else
		line(s, role, text);
}

static void print_shown(struct show *s, enum role role, bool is_answer, const char *fmt, va_list args)
{
	char *text;
	if (vasprintf(&text, fmt, args) < 0)
		return;
	if (is_answer && !s->is_terminal)
		sink_line(&s->out, text);
	else
		show_line(s, role, text);
	free(text);
}

void show_print(struct show *s, enum role role, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	print_shown(s, role, false, fmt, args);
	va_end(args);
}

void show_answer(struct show *s, enum role role, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	print_shown(s, role, true, fmt, args);
	va_end(args);
}

/* Colors and modes behind the last newline (such as showing the cursor) do not begin another line. */
static size_t without_modes(const char *bytes, size_t n)
{
	while (n && (bytes[n - 1] == 'm' || bytes[n - 1] == 'h' || bytes[n - 1] == 'l')) {
		size_t at = n - 1;
		while (at && bytes[at - 1] >= ' ' && bytes[at - 1] < '@')
			at--;
		if (at < 2 || bytes[at - 1] != '[' || bytes[at - 2] != '\033')
			break;
		n = at - 2;
	}
	return n;
}

void show_screen(struct show *s, struct filter *filter, const void *bytes, size_t n)
{
	char end[FILTER_FINISH_MAX];
	char *out = bytes ? malloc(filter_room(n)) : NULL;
	use_stream(s, -1);
	if (!bytes)
		sink_put(&s->out, end, filter_finish(filter, end), 0);
	else if (out)
		sink_put(&s->out, out, filter_feed(filter, bytes, n, out), 0);
	n = bytes ? without_modes(bytes, n) : 0;
	if (n)
		s->is_inside = ((const char *)bytes)[n - 1] != '\n';
	free(out);
}

void show_status(struct show *s, const char *text)
{
	if (!s->is_terminal || s->waits)
		return;
	s->cb->before(s->user);
	if (s->paint->depth == DEPTH_NONE && *text)
		return; /* the terminal may be too simple to overwrite a line */
	use_stream(s, -1);
	put_shown(s, s->paint->depth == DEPTH_NONE ? "" : "\r\033[K");
	put_shown(s, text);
}

void show_typed(struct show *s, const char *bytes, size_t n)
{
	if (n)
		s->is_inside = bytes[n - 1] != '\n';
}

void show_end(struct show *s)
{
	if (!s->is_terminal || s->waits)
		return;
	use_stream(s, -1);
	if (s->is_inside)
		put_shown(s, "\n");
	s->is_inside = false;
}

/* ---- gathering earlier output ---------------------------------------------------------------------- */

void show_gather(struct show *s)
{
	sink_gather(&s->out);
}

bool show_is_gathering(const struct show *s)
{
	return s->out.is_gathering;
}

size_t show_place(const struct show *s)
{
	return sink_held(&s->out);
}

void show_parts(struct show *s, const struct show_part *parts, size_t n_parts, const char *instead)
{
	size_t n;
	char *text = sink_gathered(&s->out, &n);
	if (!text)
		return;
	if (*instead) {
		const char *on = paint_on(s->paint, ROLE_DIM);
		put_shown(s, on);
		put_shown(s, instead);
		put_shown(s, *on ? paint_off(s->paint) : "");
		put_shown(s, "\n");
	}
	for (size_t i = 0; i < n_parts; i++)
		if (parts[i].from < parts[i].end && parts[i].end <= n)
			sink_put(&s->out, text + parts[i].from, parts[i].end - parts[i].from, 0);
	free(text);
}

/* ---- pictures --------------------------------------------------------------------------------------- */

void show_wait(struct show *s)
{
	s->waits = true;
}

static void on_picture_bytes(void *user, const char *bytes, size_t n)
{
	struct show *s = user;
	sink_put(&s->out, bytes, n, 0);
}

/* Print the symbols row by row. */
static void put_symbols(struct show *s, const struct picture *p)
{
	for (int row = 0; row < p->look.rows; row++) {
		char sgr[ANSI_SGR_BYTES + 1];
		uint32_t fg = COLOR_NONE, bg = COLOR_NONE;
		for (int col = 0; col < p->look.cols; col++) {
			const struct picture_cell *c = &p->cells[row * p->look.cols + col];
			char glyph[8];
			if (c->fg != fg || c->bg != bg)
				sink_put(&s->out, sgr, ansi_sgr(0, c->fg, c->bg, sgr), 0);
			fg = c->fg;
			bg = c->bg;
			sink_put(&s->out, glyph, trm_utf8_encode(c->glyph, glyph), 0);
		}
		put_shown(s, fg != COLOR_NONE || bg != COLOR_NONE ? "\033[0m\n" : "\n");
	}
}

/* Make room first, so that nothing scrolls during drawing. */
static void put_pixels(struct show *s, const struct picture *p)
{
	char move[32];
	for (int row = 0; row < p->look.rows; row++)
		put_shown(s, "\n");
	snprintf(move, sizeof move, "\033[%dA\0337", p->look.rows);
	put_shown(s, move);
	if (p->look.kind == PICTURE_KITTY) {
		picture_kitty_send(p, on_picture_bytes, s);
		picture_kitty_place(p, 1, 0, p->look.rows, p->look.cols, on_picture_bytes, s);
	} else {
		picture_sixel(p, 0, p->look.rows, p->look.cols, on_picture_bytes, s);
	}
	snprintf(move, sizeof move, "\0338\033[%dB\r", p->look.rows);
	put_shown(s, move);
}

void show_picture(struct show *s, const struct picture *picture, const char *note)
{
	struct kept *k = s->first;
	s->waits = false;
	s->first = NULL;
	s->last = &s->first;
	if (picture) {
		s->cb->before(s->user);
		show_end(s);
		if (picture->look.kind == PICTURE_SYMBOLS)
			put_symbols(s, picture);
		else
			put_pixels(s, picture);
	} else {
		put_line(s, ROLE_DIM, note, strlen(note));
	}
	while (k) {
		struct kept *next = k->next;
		if (k->kind >= 0)
			put_output(s, k->kind, k->bytes, k->n, k->is_owed);
		else
			put_line(s, (enum role)(-1 - k->kind), k->bytes, k->n);
		free(k);
		k = next;
	}
}
