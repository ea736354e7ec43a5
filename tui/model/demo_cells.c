/* SPDX-License-Identifier: MIT */
/* The cells of a prepared file. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "model/demo.h"

/* The text after "# %%" in a line. NULL: the line does not begin a cell. */
static const char *mark(const char *line, size_t n, const char *comment)
{
	size_t len = strlen(comment), at = 0;

	while (at < n && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (n - at < len || memcmp(line + at, comment, len) != 0)
		return NULL;
	at += len;
	while (at < n && line[at] == ' ')
		at++;
	return n - at >= 2 && line[at] == '%' && line[at + 1] == '%' ? line + at + 2 : NULL;
}

/* "[markdown] About" marks a text with the title "About". */
static void read_title(struct demo_cell *cell, const char *text, size_t n)
{
	while (n && (*text == ' ' || *text == '%')) {
		text++;
		n--;
	}
	if (n > 1 && *text == '[') {
		const char *end = memchr(text, ']', n);
		size_t len = end ? (size_t)(end - text) + 1 : 0;
		cell->is_text = len > 2
				&& (strncmp(text, "[markdown]", len) == 0
						|| strncmp(text, "[raw]", len) == 0);
		text += cell->is_text ? len : 0;
		n -= cell->is_text ? len : 0;
	}
	while (n && *text == ' ') {
		text++;
		n--;
	}
	trm_text_clean_line(cell->title, sizeof cell->title, text, n);
}

static bool is_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

/* Does the cell have only comments, so that there is nothing to run? */
static bool is_remark(const char *text, size_t n, const char *comment)
{
	for (size_t at = 0; at < n;) {
		size_t len = strcspn(text + at, "\n"), skip = strspn(text + at, " \t\r");
		if (skip < len && strncmp(text + at + skip, comment, strlen(comment)) != 0)
			return false;
		at += len + 1;
	}
	return true;
}

/* Remove blank lines at both ends. */
static void trim(struct demo_cell *cell, const char *text)
{
	while (cell->len && strchr("\r\n", text[cell->pos])) {
		cell->pos++;
		cell->len--;
	}
	while (cell->len && strchr(" \t\r\n", text[cell->pos + cell->len - 1]))
		cell->len--;
}

/* The text before the first mark is a cell, too, unless it is only a heading for readers of the file. */
static void keep_cell(struct demo *d, struct demo_cell cell, size_t end, const char *comment, bool is_marked)
{
	cell.len = end - cell.pos;
	if (is_blank(d->text + cell.pos, cell.len) || d->n == DEMO_CELLS)
		return;
	trim(&cell, d->text);
	cell.is_text = cell.is_text || is_remark(d->text + cell.pos, cell.len, comment);
	if (cell.is_text && !is_marked)
		return;
	if (!cell.title[0]) /* its first line */
		trm_text_clean_line(cell.title, sizeof cell.title, d->text + cell.pos,
				strcspn(d->text + cell.pos, "\n"));
	d->cells[d->n++] = cell;
}

int demo_split(struct demo *d, const char *comment)
{
	size_t n = strlen(d->text);
	struct demo_cell cell = {0};
	bool is_marked = false;
	size_t lines = 1;

	for (size_t i = 0; i < n; i++)
		lines += d->text[i] == '\n';
	d->cells = calloc(lines < DEMO_CELLS ? lines + 1 : DEMO_CELLS, sizeof *d->cells);
	if (!d->cells)
		return TRM_ENOMEM;
	for (size_t at = 0; at < n;) {
		size_t len = strcspn(d->text + at, "\n");
		const char *title = mark(d->text + at, len, comment);
		if (title) {
			keep_cell(d, cell, at, comment, is_marked);
			is_marked = true;
			cell = (struct demo_cell){.pos = at + len < n ? at + len + 1 : n};
			read_title(&cell, title, (size_t)(d->text + at + len - title));
		}
		at += len + 1;
	}
	keep_cell(d, cell, n, comment, is_marked);
	return d->n ? 0 : TRM_EINVAL;
}
