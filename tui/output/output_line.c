/* SPDX-License-Identifier: MIT */
#include "output/output_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cluster.h"

#define ZWJ 0x200Du

static const uint16_t kind_roles[OUT_KINDS] = {
		[OUT_HEADER] = ROLE_OUT_HEADER,
		[OUT_STDOUT] = ROLE_OUT_STDOUT,
		[OUT_STDERR] = ROLE_OUT_STDERR,
		[OUT_VALUE] = ROLE_OUT_VALUE,
		[OUT_TRACE] = ROLE_OUT_ERROR,
		[OUT_NOTE] = ROLE_WARN,
		[OUT_INPUT] = ROLE_OUT_INPUT,
		[OUT_FIGURE] = ROLE_DIM,
		[OUT_LATE] = ROLE_OUT_LATE,
};

void output_line_finish(struct output_line *l)
{
	free(l->cells);
	memset(l, 0, sizeof *l);
}

/* ---- cells ---- */

static const struct cell blank = {.text = " ", .width = 1};

/* Extend the line to n cells. False: out of memory, or the line is too long. */
static bool grow_line(struct output_line *l, size_t n)
{
	if (n > OUT_LINE_COLS)
		return false;
	if (n > l->cap) {
		size_t cap = l->cap ? l->cap : 128;
		while (cap < n)
			cap *= 2;
		struct cell *cells = realloc(l->cells, cap * sizeof *cells);
		if (!cells)
			return false;
		l->cells = cells;
		l->cap = cap;
	}
	for (; l->n < n; l->n++)
		l->cells[l->n] = blank;
	return true;
}

/* If one half of a wide character is overwritten, the other half becomes a blank. */
static void break_wide(struct output_line *l, size_t at)
{
	if (l->cells[at].width == 0 && at > 0) {
		l->cells[at - 1].width = 1;
		strcpy(l->cells[at - 1].text, " ");
	}
	if (l->cells[at].width == 2 && at + 1 < l->n)
		l->cells[at + 1] = blank;
}

static bool is_regional(uint32_t cp)
{
	return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

static bool turns_text(uint32_t cp)
{
	return (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x200e
	       || cp == 0x200f || cp == 0x61c || cp == 0x2028 || cp == 0x2029 || cp == 0xfeff;
}

/* The cell before the cursor, if a character can join it. */
static struct cell *joinable(struct output_line *l)
{
	if (l->col <= l->n_prefix || l->col > l->n)
		return NULL;
	struct cell *cell = &l->cells[l->col - 1];
	return cell->width == 0 && l->col >= 2 ? cell - 1 : cell;
}

static uint32_t last_codepoint(const char *text, size_t len)
{
	uint32_t cp = 0;
	bool valid;

	for (size_t at = 0; at < len;)
		at += trm_utf8_decode(text + at, len - at, &cp, &valid);
	return cp;
}

/* Does cp belong to the cluster in the cell before? (See text/cluster.h.) */
static bool joins(const struct cell *before, uint32_t cp, int width)
{
	size_t len = strlen(before->text);
	uint32_t first;
	bool valid;

	if (width == 0)
		return true;
	if (codepoint_is_tone(cp))
		return last_codepoint(before->text, len) >= 0x2600;
	if (len >= 3 && memcmp(before->text + len - 3, "\xe2\x80\x8d", 3) == 0)
		return true;
	return is_regional(cp) && len == 4 && trm_utf8_decode(before->text, len, &first, &valid) == 4
	       && is_regional(first);
}

/* Characters that do not fit into a cell are dropped. A final joiner is still recorded, so that the next
 * character does not stand alone. */
static void join_cluster(struct cell *before, uint32_t cp, const char *text, size_t len)
{
	size_t had = strlen(before->text);

	if (had + len >= sizeof before->text && cp != ZWJ)
		return;
	while (had + len >= sizeof before->text)
		had--;
	while (((unsigned char)before->text[had] & 0xc0) == 0x80)
		had--;
	memcpy(before->text + had, text, len);
	before->text[had + len] = '\0';
}

/* The second letter of a flag takes the cell to the right of the first one. */
static void widen(struct output_line *l)
{
	if (!grow_line(l, l->col + 1 > l->n ? l->col + 1 : l->n))
		return;
	break_wide(l, l->col);
	l->cells[l->col] = (struct cell){.style = l->cells[l->col - 1].style};
	l->cells[l->col - 1].width = 2;
	l->col++;
}

static void put_char(struct output_line *l, uint32_t cp, struct style style)
{
	char text[4];

	if (cp >= 0x80 && turns_text(cp))
		cp = 0xfffd;
	size_t len = trm_utf8_encode(cp, text);
	int width = cp < 0x80 ? 1 : codepoint_width(cp);
	if (cp >= 0x300) {
		struct cell *before = joinable(l);
		if (before && joins(before, cp, width)) {
			join_cluster(before, cp, text, len);
			if (before->width == 1 && is_regional(cp))
				widen(l);
			return;
		}
	}
	if (width == 0) {
		len = trm_utf8_encode(0xfffd, text);
		width = 1;
	}
	if (!grow_line(l, l->col + (size_t)width > l->n ? l->col + (size_t)width : l->n))
		return;
	for (int i = 0; i < width; i++)
		break_wide(l, l->col + (size_t)i);
	struct cell *cell = &l->cells[l->col];
	memcpy(cell->text, text, len);
	cell->text[len] = '\0';
	cell->width = (uint8_t)width;
	cell->style = style;
	if (width == 2)
		cell[1] = (struct cell){.style = style};
	l->col += (size_t)width;
}

static void erase(struct output_line *l, uint32_t what)
{
	size_t from = what == 0 ? l->col : l->n_prefix, to = what == 1 ? l->col + 1 : l->n;

	if (to > l->n)
		to = l->n;
	if (from < to)
		break_wide(l, from);
	for (size_t i = from; i < to; i++)
		l->cells[i] = blank;
	if (to == l->n && from < l->n)
		l->n = from;
}

static void move_to(struct output_line *l, size_t col)
{
	l->col = col > OUT_LINE_COLS ? OUT_LINE_COLS : col;
}

static void move_column(struct output_line *l, enum ansi_op op, uint32_t value)
{
	size_t text_col = l->col - l->n_prefix;

	switch (op) {
	case ANSI_RETURN: move_to(l, l->n_prefix); break;
	case ANSI_BACKSPACE: move_to(l, l->col - (text_col > 0)); break;
	case ANSI_TAB: move_to(l, l->n_prefix + (text_col / 8 + 1) * 8); break;
	case ANSI_FORWARD: move_to(l, l->col + value); break;
	case ANSI_BACK: move_to(l, l->col - (value < text_col ? value : text_col)); break;
	case ANSI_COLUMN: move_to(l, l->n_prefix + value); break;
	case ANSI_ERASE: erase(l, value); break;
	case ANSI_CSI:
	case ANSI_ESCAPE: /* these need a screen: output/live_screen.h */
	case ANSI_END:
	case ANSI_CHAR: break;
	}
}

static void parse_line_bytes(struct output_line *l, struct ansi *a, const char *p, size_t n, uint16_t role)
{
	const char *end = p + n;
	uint32_t value;
	enum ansi_op op;

	while ((op = ansi_next(a, &p, end, &value)) != ANSI_END) {
		if (op == ANSI_CHAR)
			put_char(l, value,
					(struct style){.role = role,
							.attrs = (uint8_t)a->attrs,
							.fg = a->fg,
							.bg = a->bg});
		else
			move_column(l, op, value);
	}
}

/* ---- lines ---- */

uint16_t output_line_role(enum out_kind kind)
{
	return kind_roles[kind];
}

void output_line_begin(struct output_line *l, enum out_kind kind, uint32_t run)
{
	char label[32];

	l->n = l->col = l->n_prefix = 0;
	l->kind = kind;
	l->run = run;
	l->is_soft = false;
	if (kind != OUT_LATE)
		return;
	int n = snprintf(label, sizeof label, "[%u] late: ", run);
	output_line_put(l, label, (size_t)n, (struct style){.role = ROLE_DIM});
	l->n_prefix = l->col;
}

/* Read the text of a figure's row. */
static void take_figure(struct output_line *l, const struct out_piece *piece)
{
	char text[32];
	unsigned id = 0, row = 0;

	snprintf(text, sizeof text, "%.*s", (int)(piece->n < sizeof text ? piece->n : 0), piece->bytes);
	if (sscanf(text, "%u %u", &id, &row) == 2 && row < OUT_LINE_COLS) {
		l->figure = id;
		l->figure_row = (int)row;
	}
}

bool output_line_read(struct output_line *l, struct out_reader *r)
{
	struct out_piece piece;
	bool is_first = true;

	while (out_reader_next(r, &piece)) {
		if (is_first)
			output_line_begin(l, piece.kind, piece.run);
		is_first = false;
		if (piece.kind == OUT_FIGURE) {
			take_figure(l, &piece);
			return true;
		}
		parse_line_bytes(l, piece.colors, piece.bytes, piece.n, kind_roles[piece.kind]);
		if (!piece.ends_line)
			continue;
		l->is_soft = piece.is_soft;
		if (!piece.is_soft && ansi_end_line(piece.colors))
			put_char(l, 0xfffd, (struct style){.role = kind_roles[piece.kind]});
		return true;
	}
	return !is_first;
}

void output_line_put(struct output_line *l, const char *text, size_t n, struct style style)
{
	struct ansi a = {.attrs = style.attrs, .fg = style.fg, .bg = style.bg};

	parse_line_bytes(l, &a, text, n, style.role);
}

size_t output_line_row_end(const struct output_line *l, size_t from, size_t width)
{
	if (l->n - from <= width || l->kind == OUT_HEADER || l->kind == OUT_FIGURE)
		return l->n;
	/* Do not cut a word or number that takes less than half a row. */
	for (size_t end = from + width; end > from + width / 2; end--)
		if (strcmp(l->cells[end - 1].text, " ") == 0
				|| (end == from + width && strcmp(l->cells[end].text, " ") == 0))
			return end;
	/* Do not cut a wide character, unless there is no room for any. */
	return width > 1 && l->cells[from + width].width == 0 ? from + width - 1 : from + width;
}

size_t output_line_rows(const struct output_line *l, size_t width)
{
	size_t rows = 1;

	for (size_t at = output_line_row_end(l, 0, width); at < l->n; at = output_line_row_end(l, at, width))
		rows++;
	return rows;
}
