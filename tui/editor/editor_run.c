/* SPDX-License-Identifier: MIT */
/* The parts of a buffer that are run: cells, which lines such as "# %%" separate, and others. */
#include "editor/editor_internal.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/lang.h>

#include "syntax/syntax.h"
#include "text/find.h"
#include "text/text.h"

#define KNOWN_BYTES ((size_t)256 << 10) /* a longer text is not parsed as a whole for its cells */
#define KNOW_US 200000

/* A line in a string is no mark, as far as the grammar knows the text. */
bool editor_begins_cell(const struct editor *e, size_t pos)
{
	char bytes[64];
	const char *sign = e->lang ? e->lang->comment : "#";
	size_t n = text_copy(e->text, pos, bytes, sizeof(bytes) - 1), len = strlen(sign);
	bytes[n] = '\0';
	if (n < len || memcmp(bytes, sign, len) != 0)
		return false;
	const char *p = bytes + len;
	while (*p == ' ')
		p++;
	return p[0] == '%' && p[1] == '%' && !syntax_is_in_string(e->syntax, e->text, pos);
}

static void know_strings(const struct editor *e)
{
	if (text_len(e->text) <= KNOWN_BYTES)
		syntax_know(e->syntax, e->text, text_len(e->text), KNOW_US);
}

/* Find the next line that begins a cell, or with by < 0 the previous one. The search includes `line`. It
 * uses a pattern, because a text of a million lines takes too long line by line. False: there is none. */
static bool find_cell(const struct editor *e, size_t line, int by, size_t *ret)
{
	struct find *f;
	struct find_match match;
	size_t pos = by < 0 ? text_line_end(e->text, line) : text_line_start(e->text, line);
	bool is_found = false;

	if (line >= text_lines(e->text) || find_create("%%", 2, (struct find_opts){0}, &f, NULL) < 0)
		return false;
	while (!is_found
			&& (by < 0 ? find_previous(f, e->text, pos, &match)
				   : find_next(f, e->text, pos, SIZE_MAX, &match))) {
		*ret = text_line_of(e->text, match.pos);
		is_found = editor_begins_cell(e, text_line_start(e->text, *ret));
		pos = by < 0 ? text_line_start(e->text, *ret) : text_line_end(e->text, *ret);
	}
	find_destroy(f);
	return is_found;
}

static struct editor_run all_of(const struct editor *e)
{
	return (struct editor_run){.kind = EDITOR_RUN_ALL, .len = text_len(e->text)};
}

static struct editor_run selection_of(const struct editor *e)
{
	size_t pos = selection_start(e->sel);

	return (struct editor_run){.kind = EDITOR_RUN_SELECTION,
			.pos = pos,
			.len = selection_end(e->sel) - pos,
			.first_line = text_line_of(e->text, pos)};
}

static struct editor_run line_of(const struct editor *e)
{
	size_t line = editor_line(e), pos = text_line_start(e->text, line);

	return (struct editor_run){.kind = EDITOR_RUN_LINE,
			.pos = pos,
			.len = text_line_end(e->text, line) - pos,
			.first_line = line};
}

/* Without cells, the result is the whole buffer. */
struct editor_run editor_cell_at(const struct editor *e, size_t here)
{
	struct editor_run run = {.kind = EDITOR_RUN_CELL};
	size_t lines = text_lines(e->text), mark, next;

	know_strings(e);
	bool has_mark = find_cell(e, here, -1, &mark), has_next = find_cell(e, here + 1, 1, &next);

	if (!has_mark && !has_next)
		return all_of(e);
	size_t end = has_next ? text_line_start(e->text, next) : text_len(e->text);
	run.first_line = has_mark ? mark + 1 : 0;
	run.pos = run.first_line < lines ? text_line_start(e->text, run.first_line) : end;
	run.len = end - run.pos;
	return run;
}

struct editor_run editor_run_cells(const struct editor *e, size_t first_line, size_t last_line)
{
	struct editor_run first = editor_cell_at(e, first_line), last = editor_cell_at(e, last_line);

	first.kind = EDITOR_RUN_CELLS;
	first.len = last.pos + last.len > first.pos ? last.pos + last.len - first.pos : 0;
	return first;
}

bool editor_take_cell(const struct editor *e, struct editor_run cells, size_t *pos, struct editor_run *ret)
{
	size_t end = cells.pos + cells.len;

	if (*pos >= end)
		return false;
	*ret = editor_cell_at(e, text_line_of(e->text, *pos));
	if (ret->pos + ret->len <= *pos) /* the cell is empty, or has only its mark */
		*pos = text_line_end(e->text, text_line_of(e->text, *pos)) + 1;
	else
		*pos = ret->pos + ret->len;
	return true;
}

/* The word in brackets in the line that begins the cell; "" if there is none. */
static void take_cell_word(const struct editor *e, struct editor_run cell, char word[96])
{
	char line[96];

	word[0] = '\0';
	if (cell.kind != EDITOR_RUN_CELL || cell.first_line == 0)
		return;
	size_t start = text_line_start(e->text, cell.first_line - 1);
	size_t n = text_line_end(e->text, cell.first_line - 1) - start;
	n = text_copy(e->text, start, line, n < sizeof line ? n : sizeof line - 1);
	line[n] = '\0';
	char *name = editor_begins_cell(e, start) ? strstr(line, "%% [") : NULL,
	     *end = name ? strchr(name, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(word, 96, "%s", name + strlen("%% ["));
}

bool editor_is_text_cell(const struct editor *e, struct editor_run cell)
{
	char word[96];

	take_cell_word(e, cell, word);
	return strcmp(word, "markdown") == 0 || strcmp(word, "md") == 0 || strcmp(word, "raw") == 0;
}

const struct trm_lang *editor_cell_foreign(const struct editor *e, struct editor_run cell)
{
	const struct trm_lang *lang;
	char word[96];

	take_cell_word(e, cell, word);
	return *word && notebook_find_language(word, &lang, NULL) == 0 && lang != e->lang ? lang : NULL;
}

size_t editor_cell_code(const struct editor *e, struct editor_run cell, char *text, size_t n)
{
	return editor_cell_foreign(e, cell) ? notebook_uncomment(e->lang, text, n) : n;
}

size_t editor_mark_line(const struct editor *e, const struct cell_mark *mark)
{
	char bytes[256];
	size_t line = text_line_of(e->text, mark->pos), n, blank = 0;

	if (line > 0 && editor_begins_cell(e, text_line_start(e->text, line - 1)))
		return line - 1;
	n = text_copy(e->text, mark->pos, bytes, mark->len < sizeof bytes ? mark->len : sizeof bytes);
	while (blank < n && memchr(" \t\r\n", bytes[blank], 4))
		blank++;
	return text_line_of(e->text, blank < n ? mark->pos + blank : mark->pos);
}

struct editor_run editor_run_of(const struct editor *e, enum editor_run_kind kind)
{
	switch (kind) {
	case EDITOR_RUN_SELECTION: return selection_of(e);
	case EDITOR_RUN_CELL: return editor_cell_at(e, editor_line(e));
	case EDITOR_RUN_CELLS: return editor_run_cells(e, 0, text_lines(e->text) - 1);
	case EDITOR_RUN_LINE: return line_of(e);
	case EDITOR_RUN_ALL: break;
	}
	return all_of(e);
}

struct editor_run editor_run_range(const struct editor *e)
{
	return editor_run_of(e, editor_has_selection(e) ? EDITOR_RUN_SELECTION : EDITOR_RUN_CELL);
}

/* ---- moving from cell to cell ---- */

unsigned edit_next_cell(struct editor *e, int arg)
{
	size_t here = editor_line(e), line;

	know_strings(e);
	bool is_found = find_cell(e, here + 1, 1, &line);

	(void)arg;
	if (!is_found)
		return editor_move(e, MOVE_LAST, false);
	/* Go to the line below the mark, if there is one. */
	return editor_goto_line(e, line + 1 < text_lines(e->text) ? line + 1 : line);
}

/* Go to the start of this cell, or from there to the previous cell. */
unsigned edit_previous_cell(struct editor *e, int arg)
{
	size_t here = editor_line(e), mark, above;

	(void)arg;
	know_strings(e);
	if (!find_cell(e, here, -1, &mark))
		return editor_move(e, MOVE_FIRST, false);
	if (here > mark + 1)
		return editor_goto_line(e, mark + 1);
	if (mark == 0 || !find_cell(e, mark - 1, -1, &above))
		return editor_move(e, MOVE_FIRST, false);
	return editor_goto_line(e, above + 1);
}
