/* SPDX-License-Identifier: MIT */
/* Lines that go on in the next row. A row ends behind a blank, or where a word is longer than the row; a
 * blank at its end may lie beyond the edge. */
#include "editor/editor_internal.h"

#include "text/text.h"
#include "text/walk.h"

#define WRAP_BYTES 65536u /* a longer line is not measured again and again: it is cut */
#define WORDS_BYTES 8192u /* a longer line is cut into rows without a look at its words */

static size_t text_width(const struct editor *e)
{
	int width = e->cols - editor_gutter(e);

	return width > 0 ? (size_t)width : 1;
}

/* The rows of a line, one after the other. */
struct line_rows {
	struct walk walk;
	size_t width, first; /* column that the row begins with */
	size_t blank;        /* behind the last blank; 0: there was none */
	size_t end;          /* of the line, where rows are only as wide as the pane */
	bool has_words, is_over;
};

static struct line_rows rows_of_line(const struct editor *e, size_t line)
{
	size_t start = text_line_start(e->text, line), end = text_line_end_from(e->text, line, start);
	struct line_rows r = {.width = text_width(e)};

	r.is_over = !e->wraps || end - start < r.width / 4 || end - start > WRAP_BYTES;
	r.has_words = end - start <= WORDS_BYTES;
	if (!r.is_over && r.has_words)
		walk_init(&r.walk, e->text, start, e->tab_width);
	else if (!r.is_over)
		r.end = walk_column(e->text, start, end, e->tab_width);
	return r;
}

static bool is_blank_cluster(const struct walk *w)
{
	return w->bytes[0] == ' ' || w->bytes[0] == '\t';
}

/* Go to the next row. False: there is none. */
static bool next_row_of_line(struct line_rows *r)
{
	if (r->is_over)
		return false;
	if (!r->has_words) {
		r->is_over = r->end < r->first + r->width;
		r->first += r->is_over ? 0 : r->width;
		return !r->is_over;
	}
	while (walk_next(&r->walk)) {
		size_t behind = r->walk.column + r->walk.columns, before = r->blank;
		bool is_blank = is_blank_cluster(&r->walk);
		if (is_blank)
			r->blank = behind;
		if (behind <= r->first + r->width)
			continue;
		r->first = is_blank ? behind : before > r->first ? before : r->walk.column;
		return true;
	}
	r->is_over = true;
	bool is_full = r->walk.column
		       >= r->first + r->width; /* the cursor stands behind the last character */
	r->first = is_full ? r->walk.column : r->first;
	return is_full;
}

struct line_row editor_row_of(const struct editor *e, size_t line, size_t column)
{
	struct line_rows r = rows_of_line(e, line);
	struct line_row found = {.next = SIZE_MAX};

	while (next_row_of_line(&r)) {
		if (r.first > column) {
			found.next = r.first;
			break;
		}
		found.row++;
		found.first = r.first;
	}
	return found;
}

struct line_row editor_row_numbered(const struct editor *e, size_t line, size_t number)
{
	struct line_rows r = rows_of_line(e, line);
	struct line_row found = {.next = SIZE_MAX};

	while (next_row_of_line(&r)) {
		if (found.row == number) {
			found.next = r.first;
			break;
		}
		found.row++;
		found.first = r.first;
	}
	return found;
}

size_t editor_line_rows(const struct editor *e, size_t line)
{
	return editor_row_of(e, line, SIZE_MAX).row + 1;
}

void editor_step_rows(const struct editor *e, size_t *line, size_t *row, long by)
{
	for (; by < 0; by++) {
		if (*row > 0) {
			--*row;
		} else if (*line > 0) {
			--*line;
			*row = editor_line_rows(e, *line) - 1;
		}
	}
	for (; by > 0; by--) {
		if (*row + 1 < editor_line_rows(e, *line)) {
			++*row;
		} else if (*line + 1 < text_lines(e->text)) {
			++*line;
			*row = 0;
		}
	}
}

long editor_row_at(const struct editor *e, size_t line, size_t column, size_t *ret_first)
{
	*ret_first = e->left_col;
	if (!e->wraps)
		return (long)line - (long)e->top_line;
	struct line_row place = editor_row_of(e, line, column);
	long at = (long)place.row - (long)e->top_row;

	*ret_first = place.next == SIZE_MAX && place.row == 0 ? e->left_col : place.first;
	if (line < e->top_line)
		return -1;
	for (size_t l = e->top_line; l < line; l++) {
		at += (long)editor_line_rows(e, l);
		if (at > e->rows)
			return at;
	}
	return at;
}

size_t editor_line_at(const struct editor *e, long row, size_t *ret_first)
{
	long line = (long)e->top_line + row, last = (long)text_lines(e->text) - 1;
	size_t at = e->top_line, at_row = e->top_row;

	*ret_first = e->left_col;
	if (!e->wraps)
		return line < 0 ? 0 : line > last ? (size_t)last : (size_t)line;
	editor_step_rows(e, &at, &at_row, row);
	*ret_first = editor_row_numbered(e, at, at_row).first;
	return at;
}
