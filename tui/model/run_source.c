/* SPDX-License-Identifier: MIT */
#include "model/run_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "editor/editor.h"
#include "text/text.h"

/* at most this many empty lines are added at the front; with more, line numbers count from the piece's start
 */
#define LINES_MAX 100000

bool run_source_is_blank(const struct editor *e, struct editor_run range)
{
	for (size_t at = range.pos, end = range.pos + range.len; at < end;) {
		size_t n;
		const char *p = text_peek(e->text, at, &n);
		n = n < end - at ? n : end - at;
		for (size_t i = 0; i < n; i++)
			if (!strchr(" \t\r\n", p[i]) || p[i] == '\0')
				return false;
		at += n;
		if (n == 0)
			break;
	}
	return true;
}

static size_t indent_of(const char *line, const char *end)
{
	size_t n = 0;

	while (line + n < end && (line[n] == ' ' || line[n] == '\t'))
		n++;
	return n;
}

static const char *line_end(const char *p, const char *end)
{
	const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	return nl ? nl : end;
}

static const char *next_line(const char *p, const char *end)
{
	const char *nl = line_end(p, end);
	return nl < end ? nl + 1 : end;
}

/* Remove the indentation that all lines share from code[0..len), in place. Returns the new length. */
static size_t dedent(char *code, size_t len)
{
	const char *end = code + len, *first = NULL;
	size_t shared = 0;

	for (const char *p = code; p < end; p = next_line(p, end)) {
		size_t indent = indent_of(p, end), same = 0;
		if (p + indent >= line_end(p, end))
			continue; /* a blank line does not count */
		if (!first) {
			first = p;
			shared = indent;
		}
		while (same < shared && same < indent && p[same] == first[same])
			same++;
		shared = same;
	}
	if (shared == 0)
		return len;
	char *to = code;
	for (const char *p = code, *next; p < end; p = next) {
		next = next_line(p, end);
		size_t indent = indent_of(p, line_end(p, end)), cut = indent < shared ? indent : shared;
		size_t n = (size_t)(next - p) - cut;
		memmove(to, p + cut, n);
		to += n;
	}
	return (size_t)(to - code);
}

/* Extend a selection to the start of its line if only white space is before it. */
static struct editor_run with_indentation(const struct editor *e, struct editor_run range)
{
	size_t start = text_line_start(e->text, text_line_of(e->text, range.pos));
	char before[256];
	size_t n = range.pos - start;

	if (n == 0 || n > sizeof before || text_copy(e->text, start, before, n) != n
			|| indent_of(before, before + n) < n)
		return range;
	range.pos = start;
	range.len += n;
	return range;
}

size_t run_source_lines(const struct editor *e)
{
	size_t len = text_len(e->text);
	char last = '\0';

	return len && text_copy(e->text, len - 1, &last, 1) == 1 && last == '\n' ? text_lines(e->text) - 1
										 : text_lines(e->text);
}

const struct trm_lang *run_source_lang(
		const struct editor *e, struct editor_run range, const struct trm_lang *lang)
{
	const struct trm_lang *foreign = editor_cell_foreign(e, range);

	return foreign ? foreign : e->lang ? e->lang : lang;
}

char *run_source_slice(const struct editor *e, struct editor_run range, size_t *ret_len)
{
	size_t end = text_len(e->text), rest = range.pos < end ? end - range.pos : 0;
	range.len = range.len < rest ? range.len : rest;
	char *code = text_slice(e->text, range.pos, range.len);

	*ret_len = code ? editor_cell_code(e, range, code, range.len) : 0;
	if (code)
		code[*ret_len] = '\0';
	return code;
}

char *run_source_text(
		const struct editor *e, struct editor_run range, const struct trm_lang *lang, size_t *ret_len)
{
	bool is_part = range.kind != EDITOR_RUN_ALL;

	if (is_part)
		range = with_indentation(e, range);
	size_t lines = is_part && range.first_line <= LINES_MAX ? range.first_line : 0;
	char *code = malloc(lines + range.len + 1);
	if (!code)
		return NULL;
	memset(code, '\n', lines);
	size_t len = text_copy(e->text, range.pos, code + lines, range.len);
	len = editor_cell_code(e, range, code + lines, len);
	if (is_part && lang->style == TRM_STYLE_INDENT)
		len = dedent(code + lines, len);
	*ret_len = lines + len;
	code[*ret_len] = '\0';
	return code;
}

char *run_source_describe(const struct editor *e, struct editor_run range, char out[64])
{
	static const char *const kinds[] = {[EDITOR_RUN_SELECTION] = "the selection",
			[EDITOR_RUN_CELL] = "the cell",
			[EDITOR_RUN_LINE] = "the line",
			[EDITOR_RUN_ALL] = "the whole buffer",
			[EDITOR_RUN_CELLS] = "the cells, each a run"};
	size_t last = range.len ? range.pos + range.len - 1 : range.pos;
	size_t lines = text_line_of(e->text, last) - text_line_of(e->text, range.pos) + 1;

	snprintf(out, 64, "%s, %zu line%s", kinds[range.kind], lines, lines == 1 ? "" : "s");
	return out;
}
