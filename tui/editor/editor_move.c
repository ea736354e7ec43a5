/* SPDX-License-Identifier: MIT */
#include "editor/editor_internal.h"

#include "text/text.h"
#include "text/walk.h"

#define MARGIN_LINES 3
#define MARGIN_COLS 5

/* ---- words ---- */

enum class { CLASS_SPACE, CLASS_WORD, CLASS_SIGN };

static enum class class_at(const struct editor *e, size_t pos) {
	unsigned char c = text_byte(e->text, pos);
	if (c == ' ' || c == '\t' || c == '\n' || c == 0) return CLASS_SPACE;
	bool is_word = c >= 0x80 || c == '_' || (c >= '0' && c <= '9')
		       || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	return is_word ? CLASS_WORD : CLASS_SIGN;
}

static size_t skip_right(const struct editor *e, size_t pos, enum class class)
{
	while (pos < text_len(e->text) && class_at(e, pos) == class)
		pos = text_next(e->text, pos);
	return pos;
}

static size_t skip_left(const struct editor *e, size_t pos, enum class class)
{
	while (pos > 0) {
		size_t before = text_previous(e->text, pos);
		if (class_at(e, before) != class)
			break;
		pos = before;
	}
	return pos;
}

size_t editor_word_right(const struct editor *e, size_t pos)
{
	pos = skip_right(e, pos, CLASS_SPACE);
	return skip_right(e, pos, class_at(e, pos));
}

size_t editor_word_left(const struct editor *e, size_t pos)
{
	pos = skip_left(e, pos, CLASS_SPACE);
	return pos > 0 ? skip_left(e, pos, class_at(e, text_previous(e->text, pos))) : 0;
}

struct selection editor_word_at(const struct editor *e, size_t pos)
{
	size_t line = text_line_of(e->text, pos);
	size_t start = text_line_start(e->text, line), end = text_line_end(e->text, line);
	if (pos == end && pos > start)
		pos = text_previous(e->text, pos);
	enum class class = class_at(e, pos);
	size_t left = skip_left(e, pos, class), right = skip_right(e, pos, class);
	/* A run of blanks may extend into other lines, a word may not. */
	return (struct selection){.anchor = left > start ? left : start, .cursor = right < end ? right : end};
}

/* ---- lines ---- */

size_t editor_line(const struct editor *e)
{
	return text_line_of(e->text, e->sel.cursor);
}

size_t editor_column(const struct editor *e)
{
	return walk_column(e->text, text_line_start(e->text, editor_line(e)), e->sel.cursor, e->tab_width);
}

/* Go to the first character that is not blank. If the cursor is there already, go to the start of the line.
 */
static size_t smart_home(const struct editor *e)
{
	size_t start = text_line_start(e->text, editor_line(e)), pos = start;
	while (text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t')
		pos++;
	return e->sel.cursor == pos ? start : pos;
}

/* ---- wrapped lines ---- */

/* Move by rows. The column within the row is that of the first such motion. */
static size_t vertical_wrapped(struct editor *e, long rows)
{
	size_t column = editor_column(e), line = editor_line(e), first_line = line;
	struct line_row place = editor_row_of(e, line, column);
	size_t row = place.row;

	if (e->goal_col == NO_GOAL)
		e->goal_col = column - place.first;
	editor_step_rows(e, &line, &row, rows);
	if (line == first_line && row == place.row)
		return rows < 0 ? 0 : text_len(e->text);
	place = editor_row_numbered(e, line, row);
	size_t last = place.next - place.first - 1, goal = e->goal_col < last ? e->goal_col : last;
	return walk_position(e->text, text_line_start(e->text, line), place.first + goal, e->tab_width);
}

/* Move by lines. The column is that of the first such motion. */
static size_t vertical(struct editor *e, long lines)
{
	size_t line = editor_line(e), last = text_lines(e->text) - 1;
	if (e->wraps)
		return vertical_wrapped(e, lines);
	if (e->goal_col == NO_GOAL)
		e->goal_col = editor_column(e);
	if (lines < 0 && line == 0)
		return 0;
	if (lines > 0 && line == last)
		return text_len(e->text);
	size_t by = (size_t)(lines < 0 ? -lines : lines);
	line = lines < 0 ? line - (by < line ? by : line) : line + (by < last - line ? by : last - line);
	return walk_position(e->text, text_line_start(e->text, line), e->goal_col, e->tab_width);
}

static size_t destination(struct editor *e, enum move move)
{
	size_t cursor = e->sel.cursor;
	long page = e->rows > 1 ? e->rows - 1 : 1;
	switch (move) {
	case MOVE_LEFT: return text_previous(e->text, cursor);
	case MOVE_RIGHT: return text_next(e->text, cursor);
	case MOVE_UP: return vertical(e, -1);
	case MOVE_DOWN: return vertical(e, 1);
	case MOVE_WORD_LEFT: return editor_word_left(e, cursor);
	case MOVE_WORD_RIGHT: return editor_word_right(e, cursor);
	case MOVE_HOME: return smart_home(e);
	case MOVE_END: return text_line_end(e->text, editor_line(e));
	case MOVE_PAGE_UP: editor_scroll(e, -page); return vertical(e, -page);
	case MOVE_PAGE_DOWN: editor_scroll(e, page); return vertical(e, page);
	case MOVE_FIRST: return 0;
	case MOVE_LAST: return text_len(e->text);
	}
	return cursor;
}

unsigned editor_move(struct editor *e, enum move move, bool extends)
{
	bool is_vertical = move == MOVE_UP || move == MOVE_DOWN || move == MOVE_PAGE_UP
			   || move == MOVE_PAGE_DOWN;
	if (!is_vertical)
		e->goal_col = NO_GOAL;
	/* A motion that ends the selection goes to the edge of the selection. */
	if (!extends && editor_has_selection(e) && (move == MOVE_LEFT || move == MOVE_RIGHT))
		e->sel.cursor = move == MOVE_LEFT ? selection_start(e->sel) : selection_end(e->sel);
	else
		e->sel.cursor = destination(e, move);
	if (!extends)
		e->sel.anchor = e->sel.cursor;
	e->burst = BURST_NONE;
	return DONE;
}

/* ---- scrolling ---- */

void editor_scroll(struct editor *e, long lines)
{
	size_t all = text_lines(e->text), rows = e->rows > 0 ? (size_t)e->rows : 1;
	size_t most = all > rows ? all - rows : 0, by = (size_t)(lines < 0 ? -lines : lines);
	if (e->wraps) {
		editor_step_rows(e, &e->top_line, &e->top_row, lines);
		return;
	}
	if (lines < 0)
		e->top_line -= by < e->top_line ? by : e->top_line;
	else if (e->top_line < most)
		e->top_line = by < most - e->top_line ? e->top_line + by : most;
}

/* The first visible line or column, so that `at` has a distance of at least `margin` from both ends. */
static size_t scrolled(size_t first, size_t size, size_t at, size_t margin)
{
	margin = margin < (size - 1) / 2 ? margin : (size - 1) / 2;
	if (at < first + margin)
		return at > margin ? at - margin : 0;
	if (at + margin >= first + size)
		return at + margin + 1 - size;
	return first;
}

void editor_center(struct editor *e)
{
	size_t line = editor_line(e), half = e->rows > 1 ? (size_t)e->rows / 2 : 0;

	e->top_line = line > half ? line - half : 0;
	editor_show_cursor(e);
}

static void show_cursor_wrapped(struct editor *e)
{
	size_t line = editor_line(e), column = editor_column(e), first, lines = text_lines(e->text);
	size_t row = editor_row_of(e, line, column).row;
	long margin = e->rows > 2 * MARGIN_LINES + 1 ? MARGIN_LINES : 0;

	e->left_col = 0;
	e->top_line = e->top_line < lines ? e->top_line : lines - 1;
	if (e->top_row >= editor_line_rows(e, e->top_line))
		e->top_row = 0;
	long at = editor_row_at(e, line, column, &first);
	if (at >= margin && at < e->rows - margin)
		return;
	editor_step_rows(e, &line, &row, at < margin ? -margin : margin + 1 - (long)e->rows);
	e->top_line = line;
	e->top_row = row;
}

void editor_show_cursor(struct editor *e)
{
	if (e->wraps) {
		show_cursor_wrapped(e);
		return;
	}

	size_t rows = e->rows > 0 ? (size_t)e->rows : 1;
	int width = e->cols - editor_gutter(e);
	size_t cols = width > 0 ? (size_t)width : 1, column = editor_column(e), lines = text_lines(e->text);
	size_t top = scrolled(e->top_line, rows, editor_line(e), MARGIN_LINES);
	/* Do not scroll beyond the last line. */
	size_t most = lines > rows ? lines - rows : 0;
	e->top_line = top < most ? top : most;
	bool fits = column + (e->left_col == 0 ? 1 : MARGIN_COLS) < cols;
	e->left_col = fits ? 0 : scrolled(e->left_col, cols, column, MARGIN_COLS);
}
