/* SPDX-License-Identifier: MIT */
#include "model/editor_internal.h"

#include <string.h>

#include <terrarium/lang.h>

#include "text/text.h"

/* A line like "# %%" begins a cell. */
static bool is_cell_line(const struct editor *e, size_t line)
{
	char bytes[64];
	const char *sign = e->lang ? e->lang->comment : "#";
	size_t n = text_copy(e->text, text_line_start(e->text, line), bytes, sizeof(bytes) - 1),
	       len = strlen(sign);
	bytes[n] = '\0';
	if (n < len || memcmp(bytes, sign, len) != 0)
		return false;
	const char *p = bytes + len;
	while (*p == ' ')
		p++;
	return p[0] == '%' && p[1] == '%';
}

struct editor_run editor_run_range(const struct editor *e)
{
	size_t lines = text_lines(e->text), here = editor_line(e), first, next = here + 1;
	struct editor_run run = {.kind = EDITOR_RUN_ALL, .pos = 0, .len = text_len(e->text)};
	if (editor_has_selection(e)) {
		run.kind = EDITOR_RUN_SELECTION;
		run.pos = selection_start(e->sel);
		run.len = selection_end(e->sel) - run.pos;
		run.first_line = text_line_of(e->text, run.pos);
		return run;
	}
	for (first = here + 1; first > 0 && !is_cell_line(e, first - 1); first--)
		;
	while (next < lines && !is_cell_line(e, next))
		next++;
	if (first == 0 && next == lines)
		return run;
	/* Now `first` is the line behind the cell's mark, or the first of all. */
	run.kind = EDITOR_RUN_CELL;
	run.first_line = first;
	run.pos = text_line_start(e->text, first < lines ? first : lines - 1);
	size_t end = next < lines ? text_line_start(e->text, next) : text_len(e->text);
	if (first >= lines) /* the mark is the last line */
		run.pos = end;
	run.len = end - run.pos;
	return run;
}
