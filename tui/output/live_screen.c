/* SPDX-License-Identifier: MIT */
#include "output/live_screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#include <terrarium/text.h>

#include "cells/canvas.h"
#include "output/output_line.h"
#include "output/outrow.h"

/* Callback of libvterm: the top row scrolls out. */
static int on_scrolled(int cols, const VTermScreenCell *cells, void *user)
{
	struct live_screen *o = user;

	if (o->store)
		outrow_keep(o->store, o->run, cells, outrow_length(cells, cols), &o->stale_pens);
	return 1;
}

static const VTermScreenCallbacks callbacks = {.sb_pushline = on_scrolled};

/* ---- start and end ---- */

void live_screen_finish(struct live_screen *o)
{
	if (o->vt)
		vterm_free(o->vt);
	memset(o, 0, sizeof *o);
}

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

void live_screen_size(struct live_screen *o, int rows, int cols)
{
	o->want_rows = clamp_int(rows, 2, LIVE_SCREEN_ROWS_MAX);
	o->want_cols = clamp_int(cols, 4, LIVE_SCREEN_COLS_MAX);
}

static bool create_screen(struct live_screen *o, int rows, int cols)
{
	o->vt = vterm_new(rows, cols);
	if (!o->vt)
		return false;
	o->rows = rows;
	o->cols = cols;
	vterm_set_utf8(o->vt, 1);
	o->cells = vterm_obtain_screen(o->vt);
	vterm_screen_set_callbacks(o->cells, &callbacks, o);
	vterm_screen_set_damage_merge(o->cells, VTERM_DAMAGE_SCROLL);
	return true;
}

/* Prepare a blank screen of the wanted size. */
static bool prepare_screen(struct live_screen *o)
{
	int rows = o->want_rows ? o->want_rows : 24, cols = o->want_cols ? o->want_cols : 80;

	if (o->vt && (o->rows != rows || o->cols != cols)) {
		vterm_free(o->vt);
		o->vt = NULL;
	}
	if (!o->vt && !create_screen(o, rows, cols))
		return false;
	o->store = NULL;
	o->last_char = 0;
	o->since_move = 0;
	vterm_screen_reset(o->cells, 1);
	return true;
}

static VTermPos cursor(const struct live_screen *o)
{
	VTermPos pos;

	vterm_state_get_cursorpos(vterm_obtain_state(o->vt), &pos);
	return (VTermPos){clamp_int(pos.row, 0, o->rows - 1), clamp_int(pos.col, 0, o->cols - 1)};
}

/* ---- writing to the screen ---- */

static void write_bytes(struct live_screen *o, const char *bytes)
{
	vterm_input_write(o->vt, bytes, strlen(bytes));
}

__attribute__((format(printf, 2, 3))) static void write_format(struct live_screen *o, const char *fmt, ...)
{
	char out[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out, sizeof out, fmt, ap);
	va_end(ap);
	write_bytes(o, out);
}

static void write_pen(struct live_screen *o, const struct ansi *a, enum out_kind kind)
{
	char sgr[ANSI_SGR_BYTES];
	unsigned font = (a->attrs & ATTR_DIM ? OUTROW_DIM : 0) | (kind == OUT_STDERR ? OUTROW_STDERR : 0)
			| (kind == OUT_INPUT ? OUTROW_INPUT : 0);

	ansi_sgr(a->attrs & (uint16_t)~ATTR_DIM, a->fg, a->bg, sgr);
	write_format(o, "%s\x1b[%um", sgr, 10 + font);
}

static void write_char(struct live_screen *o, uint32_t cp)
{
	char utf8[4];

	vterm_input_write(o->vt, utf8, trm_utf8_encode(cp, utf8));
}

/* A pipe has no line discipline that turns a newline into CR LF. */
static void play_line_end(struct live_screen *o, enum out_kind kind)
{
	if (ansi_end_line(&o->parsers[scrollback_stream(kind)]))
		write_char(o, 0xfffd);
	write_bytes(o, "\r\n");
}

static void repeat(struct live_screen *o, unsigned count)
{
	for (unsigned i = 0; o->last_char && i < count && i < (unsigned)o->cols; i++)
		write_char(o, o->last_char);
}

/* The moves that libvterm gets. Finals with the same meaning are merged. */
static const struct {
	char final, as;
} counted[] = {{'A', 'A'}, {'B', 'B'}, {'E', 'E'}, {'F', 'F'}, {'d', 'd'}, {'k', 'A'}, {'e', 'B'}, {'a', 'C'},
		{'j', 'D'}, {'`', 'G'}, {'L', 'L'}, {'M', 'M'}, {'P', 'P'}, {'@', '@'}, {'X', 'X'},
		{'S', 'S'}, {'T', 'T'}};

static void play_csi(struct live_screen *o, const struct ansi *a, char final)
{
	unsigned count = ansi_param(a, 0, 1), most = (unsigned)(o->rows > o->cols ? o->rows : o->cols);

	count = count > most ? most : count;
	switch (final) {
	case 'H':
	case 'f': write_format(o, "\x1b[%u;%uH", count, ansi_param(a, 1, 1) % 10000); return;
	case 'J':
		if (ansi_param(a, 0, 0) < 3)
			write_format(o, "\x1b[%uJ", ansi_param(a, 0, 0));
		return;
	case 'r': write_format(o, "\x1b[%u;%ur", count, ansi_param(a, 1, (unsigned)o->rows) % 10000); return;
	case 'b': repeat(o, count); return;
	case 's': write_bytes(o, "\x1b\x37"); return;
	case 'u': write_bytes(o, "\x1b\x38"); return;
	}
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (counted[i].final == final)
			write_format(o, "\x1b[%u%c", count, counted[i].as);
}

static void play_escape(struct live_screen *o, struct ansi *a, char final)
{
	switch (final) {
	case '7': write_bytes(o, "\x1b\x37"); break;
	case '8': write_bytes(o, "\x1b\x38"); break;
	case 'M': write_bytes(o, "\x1bM"); break;
	case 'D':
		write_bytes(o, "\x1b"
			       "D");
		break;
	case 'E':
		write_bytes(o, "\x1b"
			       "E");
		break;
	case 'c':
		*a = (struct ansi){0};
		write_bytes(o, "\x1b[r\x1b[H\x1b[2J");
		break;
	}
}

static void play_op(struct live_screen *o, struct ansi *a, enum ansi_op op, uint32_t value)
{
	unsigned count = value < (unsigned)o->cols ? value : (unsigned)o->cols;

	switch (op) {
	case ANSI_CHAR: write_char(o, o->last_char = value); break;
	case ANSI_RETURN: write_bytes(o, "\r"); break;
	case ANSI_BACKSPACE: write_bytes(o, "\b"); break;
	case ANSI_TAB: write_bytes(o, "\t"); break;
	case ANSI_ERASE:
		if (value < 3)
			write_format(o, "\x1b[%uK", value);
		break;
	case ANSI_FORWARD: write_format(o, "\x1b[%uC", count); break;
	case ANSI_BACK: write_format(o, "\x1b[%uD", count); break;
	case ANSI_COLUMN: write_format(o, "\x1b[%uG", count + 1); break;
	case ANSI_CSI: play_csi(o, a, (char)value); break;
	case ANSI_ESCAPE: play_escape(o, a, (char)value); break;
	case ANSI_END: break;
	}
	if (op == ANSI_CSI || op == ANSI_ESCAPE)
		o->since_move = 0;
}

/* The number of ASCII characters that follow, which need no parsing. */
static size_t plain_length(const char *p, const char *end)
{
	const char *at = p;

	while (at < end && *at >= 0x20 && *at < 0x7f)
		at++;
	return (size_t)(at - p);
}

/* Write bytes without newlines to the screen. */
static void play_bytes(struct live_screen *o, enum out_kind kind, const char *p, size_t n)
{
	struct ansi *a = &o->parsers[scrollback_stream(kind)], before = *a;
	const char *end = p + n;
	enum ansi_op op;
	uint32_t value;

	write_pen(o, a, kind);
	for (;;) {
		size_t plain = a->state == 0 ? plain_length(p, end) : 0;
		if (plain) {
			vterm_input_write(o->vt, p, plain);
			o->last_char = (unsigned char)p[plain - 1];
			p += plain;
		}
		if ((op = ansi_next(a, &p, end, &value)) == ANSI_END)
			break;
		if (a->attrs != before.attrs || a->fg != before.fg || a->bg != before.bg)
			write_pen(o, a, kind);
		before = *a;
		play_op(o, a, op, value);
	}
}

/* ---- starting a live screen ---- */

static bool is_of_run(const struct out_piece *piece, uint32_t run)
{
	return piece->run == run
	       && (piece->kind == OUT_STDOUT || piece->kind == OUT_STDERR || piece->kind == OUT_INPUT);
}

/* The first of the last stored lines that the screen of this run may show. */
static uint64_t first_of_tail(const struct live_screen *o, const struct scrollback *s, uint32_t run)
{
	uint64_t end = scrollback_end(s), first = scrollback_first(s);
	uint64_t from = end - first > (uint64_t)o->rows ? end - (uint64_t)o->rows : first;
	struct out_reader r;
	struct out_piece piece;

	out_reader_seek(&r, s, from);
	while (out_reader_next(&r, &piece))
		if (!is_of_run(&piece, run))
			from = r.line + !piece.ends_line;
	return from;
}

static bool go_live(struct live_screen *o, struct scrollback *s, uint32_t run)
{
	struct out_reader r;
	struct out_piece piece;

	if (!prepare_screen(o))
		return false;
	uint64_t from = first_of_tail(o, s, run);
	out_reader_seek(&r, s, from);
	memcpy(o->parsers, r.colors, sizeof o->parsers);
	o->stale_pens = (1u << OUT_STREAMS) - 1;
	while (out_reader_next(&r, &piece)) {
		play_bytes(o, piece.kind, piece.bytes, piece.n);
		if (piece.ends_line && !piece.is_soft)
			play_line_end(o, piece.kind);
	}
	scrollback_cut(s, from);
	o->run = run;
	o->is_live = true;
	return true;
}

/* ---- lines ---- */

typedef VTermScreenCell row_cells[LIVE_SCREEN_COLS_MAX];

/* Returns the length of the row. */
static int fetch_row(const struct live_screen *o, int row, row_cells cells)
{
	for (int col = 0; col < o->cols; col++)
		vterm_screen_get_cell(o->cells, (VTermPos){row, col}, &cells[col]);
	return outrow_length(cells, o->cols);
}

int live_screen_lines(const struct live_screen *o)
{
	if (!o->is_live)
		return 0;
	VTermPos at = cursor(o);
	int least = at.row + (at.col > 0), n = o->rows;
	while (n > least && vterm_screen_is_eol(o->cells, (VTermPos){n - 1, 0}))
		n--;
	return n;
}

void live_screen_read(const struct live_screen *o, int line, struct output_line *ret)
{
	char text[OUTROW_TEXT_BYTES];
	row_cells cells;
	int n = fetch_row(o, line, cells);

	output_line_begin(ret, n ? outrow_pen(&cells[0]).kind : OUT_STDOUT, o->run);
	for (int i = 0; i < n; i++) {
		struct outrow_pen pen = outrow_pen(&cells[i]);
		struct style style = {.role = output_line_role(pen.kind),
				.attrs = pen.attrs,
				.fg = pen.fg,
				.bg = pen.bg};
		output_line_put(ret, text, outrow_text(&cells[i], text), style);
	}
}

bool live_screen_ends_with(const struct live_screen *o, const char *text)
{
	char row[4 * LIVE_SCREEN_COLS_MAX];
	VTermPos at = cursor(o);
	VTermRect before = {.start_row = at.row, .end_row = at.row + 1, .start_col = 0, .end_col = at.col};
	size_t len = strlen(text), n = vterm_screen_get_text(o->cells, row, sizeof row, before);

	return n >= len && n <= sizeof row && memcmp(row + n - len, text, len) == 0;
}

/* ---- committing ---- */

void live_screen_drop(struct live_screen *o)
{
	o->is_live = false;
	o->cursor_sequences = (struct cursor_sequences){0};
}

void live_screen_commit(struct live_screen *o, struct scrollback *s)
{
	int n = live_screen_lines(o);
	row_cells cells;

	for (int row = 0; row < n; row++)
		outrow_keep(s, o->run, cells, fetch_row(o, row, cells), &o->stale_pens);
	live_screen_drop(o);
}

/* Further output keeps the colors that it would have had on the screen. */
static void hand_pens_over(struct live_screen *o, struct scrollback *s)
{
	static const enum out_kind kinds[] = {OUT_STDOUT, OUT_STDERR};
	char sgr[ANSI_SGR_BYTES];

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct ansi *a = &o->parsers[scrollback_stream(kinds[i])];
		if (!ansi_is_plain(a))
			scrollback_append(s, kinds[i], o->run, sgr, ansi_sgr(a->attrs, a->fg, a->bg, sgr));
	}
}

/* ---- output ---- */

/* Is everything on the screen newer than the last cursor motion, with no incomplete sequence? */
static bool is_at_rest(const struct live_screen *o)
{
	bool at_rest = o->since_move > (unsigned)o->rows;

	for (unsigned i = 0; i < OUT_STREAMS; i++)
		at_rest &= o->parsers[i].state == 0;
	return at_rest;
}

/* Write bytes to the screen until it is at rest. Returns the number of bytes. */
static size_t feed_live(
		struct live_screen *o, struct scrollback *s, enum out_kind kind, const char *p, size_t n)
{
	const char *at = p, *end = p + n;

	o->store = s;
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		play_bytes(o, kind, at, (size_t)((nl ? nl : end) - at));
		at = nl ? nl + 1 : end;
		if (!nl)
			break;
		play_line_end(o, kind);
		o->since_move++;
		if (is_at_rest(o))
			break;
	}
	o->store = NULL;
	return (size_t)(at - p);
}

void live_screen_feed(struct live_screen *o, struct scrollback *s, enum out_kind kind, uint32_t run,
		const void *bytes, size_t n)
{
	const char *p = bytes, *end = p + n;

	if (o->is_live && o->run != run)
		live_screen_commit(o, s);
	while (p < end) {
		size_t at = o->is_live ? 0
				       : cursor_sequences_find(&o->cursor_sequences, p, (size_t)(end - p));
		scrollback_append(s, kind, run, p, at);
		p += at;
		if (p < end && !o->is_live && !go_live(o, s, run))
			scrollback_append(s, kind, run, p++, 1);
		else if (p < end)
			p += feed_live(o, s, kind, p, (size_t)(end - p));
		if (o->is_live && is_at_rest(o)) {
			live_screen_commit(o, s);
			hand_pens_over(o, s);
		}
	}
}
