/* SPDX-License-Identifier: MIT */
#include "cells/canvas.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "text/cluster.h"

#define REPLACEMENT "\xEF\xBF\xBD"

static const struct cell blank = {.text = " ", .width = 1};

static int lesser(int a, int b)
{
	return a < b ? a : b;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static void touch(struct canvas *c, int row, int rows, int col, int cols)
{
	struct rect *t = &c->touched;
	if (rows <= 0 || cols <= 0)
		return;
	if (t->rows <= 0) {
		*t = (struct rect){row, col, rows, cols};
		return;
	}
	int bottom = greater(t->row + t->rows, row + rows), right = greater(t->col + t->cols, col + cols);
	t->row = lesser(t->row, row);
	t->col = lesser(t->col, col);
	t->rows = bottom - t->row;
	t->cols = right - t->col;
}

static void blank_all(struct canvas *c)
{
	c->touched = (struct rect){0, 0, c->rows, c->cols};
	for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++)
		c->cells[i] = blank;
}

void canvas_picture(struct canvas *c, const struct picture *picture, int picture_row, struct rect area)
{
	struct canvas_picture *p = c->n_pictures ? &c->pictures[c->n_pictures - 1] : NULL;
	bool goes_on = p && p->picture == picture && p->first + p->rows == picture_row
		       && p->row + p->rows == area.row && p->col == area.col && p->cols == area.cols;

	if (area.row < 0 || area.row >= c->rows || area.col < 0 || area.cols < 1
			|| area.col + area.cols > c->cols || (!goes_on && c->n_pictures == CANVAS_PICTURES))
		return;
	if (goes_on)
		p->rows++;
	else
		c->pictures[c->n_pictures++] = (struct canvas_picture){
				picture, area.row, area.col, area.cols, picture_row, 1};
	struct cell *cells = c->cells + (size_t)area.row * (size_t)c->cols + (size_t)area.col;
	touch(c, area.row, 1, area.col, area.cols);
	for (int i = 0; i < area.cols; i++) {
		cells[i] = blank;
		cells[i].picture = (uint8_t)c->n_pictures;
	}
}

int canvas_init(struct canvas *c, int rows, int cols)
{
	*c = (struct canvas){.cursor_row = -1, .cursor_col = -1};
	return canvas_resize(c, rows, cols);
}

void canvas_finish(struct canvas *c)
{
	free(c->cells);
	free(c->links);
	*c = (struct canvas){0};
}

int canvas_resize(struct canvas *c, int rows, int cols)
{
	rows = rows > 1 ? rows : 1;
	cols = cols > 1 ? cols : 1;
	/* A zeroed cell's padding is compared, too, so that a painter can use memcmp. */
	struct cell *cells = calloc((size_t)rows * (size_t)cols, sizeof(*cells));
	if (!cells)
		return TRM_ENOMEM;
	free(c->cells);
	c->cells = cells;
	c->rows = rows;
	c->cols = cols;
	c->cursor_row = c->cursor_col = -1;
	blank_all(c);
	return 0;
}

static struct rect rect_within(struct rect a, int rows, int cols)
{
	int bottom = a.row + a.rows < rows ? a.row + a.rows : rows;
	int right = a.col + a.cols < cols ? a.col + a.cols : cols;
	a.row = a.row > 0 ? a.row : 0;
	a.col = a.col > 0 ? a.col : 0;
	a.rows = bottom > a.row ? bottom - a.row : 0;
	a.cols = right > a.col ? right - a.col : 0;
	return a;
}

/* A wide character that loses one half is removed: the other half becomes a blank. */
static void unpair(struct canvas *c, int row, int col, int width)
{
	struct cell *line = c->cells + (size_t)row * (size_t)c->cols;
	if (line[col].width == 0 && col > 0) {
		memcpy(line[col - 1].text, " ", 2);
		line[col - 1].width = 1;
		touch(c, row, 1, col - 1, 1);
	}
	int end = col + width;
	if (end < c->cols && line[end].width == 0) {
		memcpy(line[end].text, " ", 2);
		line[end].width = 1;
		touch(c, row, 1, end, 1);
	}
}

/* Store as much of a cluster as a cell can hold, cut between code points. */
static void set_text(struct cell *cell, const char *text, size_t n)
{
	size_t len = n < sizeof(cell->text) ? n : 0;
	while (len < n) {
		uint32_t cp;
		bool valid;
		size_t step = trm_utf8_decode(text + len, n - len, &cp, &valid);
		if (len + step >= sizeof(cell->text))
			break;
		len += step;
	}
	memset(cell->text, 0, sizeof(cell->text));
	memcpy(cell->text, text, len);
}

static void set_cell(
		struct canvas *c, int row, int col, const char *text, size_t n, int width, struct style style)
{
	struct cell *cell = c->cells + (size_t)row * (size_t)c->cols + col;
	unpair(c, row, col, width);
	set_text(cell, text, n);
	cell->width = (uint8_t)width;
	cell->picture = 0;
	cell->link = 0;
	cell->style = style;
	if (width == 2) {
		cell[1].picture = 0;
		cell[1].link = 0;
		set_text(cell + 1, "", 0);
		cell[1].width = 0;
		cell[1].style = style;
	}
}

/* The usual fill, with the same cell everywhere. Each frame begins with one, so it must be fast. */
static void fill_narrow(struct canvas *c, struct rect a, const char *text, size_t n, struct style style)
{
	struct cell cell = {.width = 1, .style = style};
	set_text(&cell, text, n);
	for (int row = a.row; row < a.row + a.rows; row++) {
		struct cell *line = c->cells + (size_t)row * (size_t)c->cols;
		unpair(c, row, a.col, a.cols);
		for (int col = a.col; col < a.col + a.cols; col++)
			line[col] = cell;
	}
}

void canvas_fill(struct canvas *c, struct rect area, const char *cluster, struct style style)
{
	struct rect a = rect_within(area, c->rows, c->cols);
	struct cluster only = cluster_at(cluster, strlen(cluster));
	touch(c, a.row, a.rows, a.col, a.cols);
	if (only.width == 1 && only.kind == CLUSTER_TEXT && a.cols > 0) {
		fill_narrow(c, a, cluster, only.len, style);
		return;
	}
	for (int row = a.row; row < a.row + a.rows; row++)
		for (int col = a.col; col < a.col + a.cols;) {
			int next = canvas_put(c, a, row, col, cluster, strlen(cluster), style);
			col = next > col ? next : col + 1;
		}
}

/* Blank the columns from..to of a row that lie in the clip: the visible half of a wide character at the
 * edge. */
static void put_blanks(struct canvas *c, struct rect clip, int row, int from, int to, struct style style)
{
	for (int col = from; col < to; col++)
		if (col >= clip.col && col < clip.col + clip.cols)
			set_cell(c, row, col, " ", 1, 1, style);
}

/* U+2500 to U+25BF and U+2800 to U+28FF: the characters of borders and graphs. */
static bool is_line_or_dots(const unsigned char *s, size_t n)
{
	return n >= 3 && s[0] == 0xE2 && ((s[1] >= 0x94 && s[1] <= 0x96) || (s[1] >= 0xA0 && s[1] <= 0xA3))
	       && (s[2] & 0xC0) == 0x80;
}

/* The length of a border or graph character that nothing joins; 0: it is none. */
static size_t line_or_dots_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	return is_line_or_dots(s, n) && (n == 3 || s[3] < 0x80) ? 3 : 0;
}

/* The number of printable ASCII characters that nothing joins. Most text is of this kind. */
static size_t plain_length(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0;
	while (i < n && s[i] >= 0x20 && s[i] < 0x7F)
		i++;
	return i > 0 && i < n && s[i] >= 0x80 ? i - 1
					      : i; /* the next character may be a mark on the last one */
}

/* Draw such characters, as many as the area has columns for. */
static void put_plain(struct canvas *c, struct rect a, int row, int col, const char *text, size_t n,
		struct style style)
{
	struct cell *line = c->cells + (size_t)row * (size_t)c->cols, cell = blank;
	int from = greater(col, a.col), to = lesser(col + (int)n, a.col + a.cols);
	cell.style = style;
	if (from < to)
		unpair(c, row, from, to - from);
	for (int i = from; i < to; i++) {
		cell.text[0] = text[i - col];
		line[i] = cell;
	}
}

/* Draw one cluster. Returns its length. */
static size_t put_cluster(struct canvas *c, struct rect a, int row, int *col, const char *text, size_t n,
		struct style style)
{
	size_t simple = line_or_dots_length(text, n);
	struct cluster cluster = {.len = (uint16_t)simple, .width = 1, .kind = CLUSTER_TEXT};
	if (!simple)
		cluster = cluster_at(text, n);
	bool is_fit = cluster.kind == CLUSTER_TEXT;
	if (*col >= a.col && *col + cluster.width <= a.col + a.cols)
		set_cell(c, row, *col, is_fit ? text : REPLACEMENT, is_fit ? cluster.len : 3, cluster.width,
				style);
	else
		put_blanks(c, a, row, *col, *col + cluster.width, style);
	*col += cluster.width;
	return cluster.len;
}

int canvas_put(struct canvas *c, struct rect clip, int row, int col, const char *text, size_t n,
		struct style style)
{
	struct rect a = rect_within(clip, c->rows, c->cols);
	bool is_shown = row >= a.row && row < a.row + a.rows;
	int first = col;

	if (!is_shown)
		a.cols = 0;
	for (size_t at = 0; at < n;) {
		size_t plain = plain_length(text + at, n - at);
		if (plain) {
			put_plain(c, a, row, col, text + at, plain, style);
			col += (int)plain;
			at += plain;
		} else {
			at += put_cluster(c, a, row, &col, text + at, n - at, style);
		}
	}
	touch(c, row, 1, greater(first, a.col), lesser(col, a.col + a.cols) - greater(first, a.col));
	return col;
}

/* ---- links ---- */

uint16_t canvas_link(struct canvas *c, const char *url)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	if (!c->links)
		c->links = calloc(1, sizeof *c->links);
	struct canvas_links *l = c->links;
	if (!l || strlen(url) >= LINK_BYTES)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->urls[i], url) == 0)
			return l->numbers[i];
	if (l->n == CANVAS_LINKS)
		return 0;
	for (const char *at = url; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	uint16_t number = (uint16_t)(1 + hash % LINK_NUMBERS);
	while (canvas_link_url(c, number))
		number = (uint16_t)(1 + number % LINK_NUMBERS);
	l->numbers[l->n] = number;
	strcpy(l->urls[l->n++], url);
	return number;
}

const char *canvas_link_url(const struct canvas *c, uint16_t number)
{
	for (size_t i = 0; c->links && i < c->links->n; i++)
		if (c->links->numbers[i] == number)
			return c->links->urls[i];
	return NULL;
}

void canvas_forget_links(struct canvas *c)
{
	if (c->links)
		c->links->n = 0;
}

char *canvas_dump(const struct canvas *c)
{
	char *out = malloc((size_t)c->rows * ((size_t)c->cols * sizeof(c->cells->text) + 1) + 1);
	size_t len = 0;
	if (!out)
		return NULL;
	for (int row = 0; row < c->rows; row++) {
		size_t ink = len;
		for (int col = 0; col < c->cols; col++) {
			const char *text = c->cells[(size_t)row * (size_t)c->cols + col].text;
			size_t n = strlen(text);
			memcpy(out + len, text, n);
			len += n;
			if (n != 1 || *text != ' ')
				ink = n ? len : ink;
		}
		len = ink;
		out[len++] = '\n';
	}
	out[len] = '\0';
	return out;
}
