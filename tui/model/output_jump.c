/* SPDX-License-Identifier: MIT */
/* Going from a line of a traceback to the line of the buffer that it names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/source_ref.h"
#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/output.h"
#include "model/update.h"
#include "text/text.h"
#include "text/walk.h"

#define LOOK_BACK 2000 /* lines of output that are searched for an error */
#define LOOK_ABOVE 10  /* lines of a traceback above a line that names no place */
#define LOOK_NEAR 2000 /* lines of the buffer that are searched for a line that has moved */

/* ---- the buffer ---- */

static const char *base_name(const char *path, size_t *n)
{
	const char *slash = memrchr(path, '/', *n);

	if (slash)
		*n -= (size_t)(slash + 1 - path);
	return slash ? slash + 1 : path;
}

static bool is_name_of(const struct buffer *b, const struct source_ref *ref)
{
	size_t n = ref->name_len, own_n = b->editor.path ? strlen(b->editor.path) : 0;

	if (!own_n)
		return false;
	const char *name = base_name(ref->name, &n), *own = base_name(b->editor.path, &own_n);
	return n == own_n && memcmp(name, own, n) == 0;
}

/* The N of "<run N>". 0: another name. */
static uint64_t number_in(const struct source_ref *ref)
{
	char name[32];
	unsigned long long n;
	int end = 0;

	if (ref->name_len >= sizeof name)
		return 0;
	snprintf(name, sizeof name, "%.*s", (int)ref->name_len, ref->name);
	return sscanf(name, "<run %llu>%n", &n, &end) == 1 && (size_t)end == ref->name_len ? n : 0;
}

/* The run with this name: the run of the line itself if it fits, else the newest. (Each sandbox numbers its
 * runs from 1.) */
static const struct run_info *run_named(
		const struct model *m, const struct run_info *own, const struct source_ref *ref)
{
	uint64_t number = number_in(ref);
	const struct run_info *run;

	if (!number || (own && own->number == number))
		return number ? own : NULL;
	for (uint32_t serial = m->out.runs.last; (run = runs_find(&m->out.runs, serial)) != NULL; serial--)
		if (run->number == number)
			return run;
	return NULL;
}

static bool is_own_label(const struct source_ref *ref)
{
	return ref->name_len == 11
	       /* The name that Bash uses in functions. */
	       && memcmp(ref->name, "environment", 11) == 0;
}

/* The run with this code, or NULL; and its buffer, or 0 if it is not open. */
static const struct run_info *resolve(
		const struct model *m, uint32_t serial, const struct source_ref *ref, uint32_t *ret_buffer)
{
	const struct run_info *own = runs_find(&m->out.runs, serial), *named = run_named(m, own, ref);
	const struct buffer *b = buffers_find(&m->buffers, own ? own->buffer : 0);

	*ret_buffer = 0;
	if (named || (own && is_own_label(ref)) || (b && is_name_of(b, ref))) {
		named = named ? named : own;
		*ret_buffer = buffers_find(&m->buffers, named->buffer) ? named->buffer : 0;
		return named;
	}
	for (size_t i = 0; i < m->buffers.n && !*ret_buffer; i++)
		if (is_name_of(m->buffers.items[i], ref))
			*ret_buffer = m->buffers.items[i]->id;
	return NULL;
}

static bool line_text(const struct output_line *l, char text[OUTPUT_LINE_BYTES])
{
	size_t len = 0;

	text[0] = '\0';
	if (l->kind != OUT_TRACE && l->kind != OUT_STDERR && l->kind != OUT_STDOUT)
		return false;
	for (size_t i = l->n_prefix; i < l->n && len + sizeof l->cells->text < OUTPUT_LINE_BYTES; i++)
		len += (size_t)(stpcpy(text + len, l->cells[i].text) - (text + len));
	return len > 0;
}

uint32_t output_place(const struct model *m, const struct output_line *l, char text[OUTPUT_LINE_BYTES],
		struct source_ref *ret)
{
	uint32_t buffer;

	if (!line_text(l, text) || !source_ref_find(text, ret))
		return 0;
	resolve(m, l->run, ret, &buffer);
	return buffer;
}

/* ---- the line ---- */

/* Line k (from 1) of a text in memory, without blanks at its ends. */
static const char *code_line(const char *code, size_t k, size_t *ret_n)
{
	const char *end;

	for (; code && k > 1; k--) {
		code = strchr(code, '\n');
		code = code ? code + 1 : NULL;
	}
	if (!code)
		return NULL;
	end = strchrnul(code, '\n');
	code += strspn(code, " \t");
	while (end > code && strchr(" \t\r", end[-1]))
		end--;
	*ret_n = end > code ? (size_t)(end - code) : 0;
	return code;
}

static bool buffer_line_is(const struct text *t, size_t line, const char *want, size_t n)
{
	char bytes[OUTPUT_LINE_BYTES];
	size_t start = text_line_start(t, line), len = text_line_end(t, line) - start, from = 0;

	len = text_copy(t, start, bytes, len < sizeof bytes ? len : sizeof bytes);
	while (from < len && strchr(" \t", bytes[from]))
		from++;
	while (len > from && strchr(" \t\r", bytes[len - 1]))
		len--;
	return len - from == n && memcmp(bytes + from, want, n) == 0;
}

/* Find line `line` (from 0) of the code that ran in the current text of the buffer. False: it is not there.
 */
static bool find_line(const struct text *t, const char *code, size_t *line)
{
	size_t n, lines = text_lines(t);
	const char *want = code_line(code, *line + 1, &n);

	if (!want || n == 0 || n >= OUTPUT_LINE_BYTES)
		return *line < lines;
	for (size_t away = 0; away < LOOK_NEAR; away++) {
		if (*line + away < lines && buffer_line_is(t, *line + away, want, n)) {
			*line += away;
			return true;
		}
		if (away <= *line && *line - away < lines && buffer_line_is(t, *line - away, want, n)) {
			*line -= away;
			return true;
		}
	}
	return false;
}

/* ---- going there ---- */

static void go_to_source(struct model *m, const struct run_info *run, const struct source_ref *ref,
		uint32_t id, struct effects *out)
{
	struct buffer *b = buffers_find(&m->buffers, id);
	struct editor *e = &b->editor;
	size_t line = ref->line ? ref->line - 1 : 0, lines = text_lines(e->text);
	bool is_found = find_line(e->text, run ? run->code : NULL, &line);

	buffer_show(m, b, out);
	model_focus(m, PANE_EDITOR);
	line = line < lines ? line : lines - 1;
	size_t pos = walk_position(e->text, text_line_start(e->text, line), ref->column ? ref->column - 1 : 0,
			e->tab_width);
	editor_select(e, pos, pos);
	editor_center(e);
	if (!is_found)
		notices_add(&m->notices, m->now_ns, false,
				"the buffer has changed since that run: line %zu may have moved", ref->line);
	m->needs_draw = true;
}

static bool jump_from(struct model *m, const struct output_line *l, struct effects *out)
{
	char text[OUTPUT_LINE_BYTES];
	struct source_ref ref;
	uint32_t id;

	if (!line_text(l, text) || !source_ref_find(text, &ref))
		return false;
	const struct run_info *run = resolve(m, l->run, &ref, &id);
	if (id)
		go_to_source(m, run, &ref, id, out);
	else
		notices_add(&m->notices, m->now_ns, false, "%.*s is not open", (int)ref.name_len, ref.name);
	return true;
}

bool output_jump(struct model *m, struct effects *out)
{
	struct output_line l = {0};
	bool is_done = m->out.has_mark && outpane_read(&m->out, m->out.mark, &l);

	if (is_done && l.kind == OUT_FIGURE)
		figures_zoom(m, l.figure); /* an image is shown on the whole screen */
	else
		is_done = is_done && jump_from(m, &l, out);
	output_line_finish(&l);
	return is_done;
}

bool output_jump_above(struct model *m, struct effects *out)
{
	struct output_line l = {0};
	uint64_t line = m->out.mark, first = outpane_first(&m->out);
	bool is_trace = m->out.has_mark && outpane_read(&m->out, line, &l) && l.kind == OUT_TRACE;
	uint32_t run = l.run;
	bool is_done = false;

	for (int i = 0; i < LOOK_ABOVE && is_trace && !is_done && line > first; i++) {
		is_trace = outpane_read(&m->out, --line, &l) && l.kind == OUT_TRACE && l.run == run;
		is_done = is_trace && jump_from(m, &l, out);
	}
	output_line_finish(&l);
	return is_done;
}

/* Is this a line of an error that names a place in a buffer? */
static bool is_error_line(const struct model *m, uint64_t line, struct output_line *l, struct source_ref *ref)
{
	char text[OUTPUT_LINE_BYTES];

	return outpane_read(&m->out, line, l) && (l->kind == OUT_TRACE || l->kind == OUT_STDERR)
	       && output_place(m, l, text, ref);
}

/* Find the line of the newest error that names the innermost place in a buffer. */
static bool newest_error(const struct model *m, struct output_line *l, uint64_t *ret_line)
{
	uint64_t first = outpane_first(&m->out), end = outpane_end(&m->out), line = end, found = end;
	struct source_ref ref;
	uint32_t run = 0;

	while (line > first && end - line < LOOK_BACK) {
		bool is_named = is_error_line(m, --line, l, &ref);
		if (found < end && l->run != run)
			break;
		if (!is_named || (found < end && ref.is_head))
			continue;
		found = line;
		run = l->run;
		if (!ref.is_first_inner)
			break;
	}
	*ret_line = found;
	return found < end && outpane_read(&m->out, found, l);
}

bool output_error_line(const struct model *m, uint32_t serial, uint32_t buffer, size_t *ret)
{
	const struct buffer *b = buffers_find(&m->buffers, buffer);
	char text[OUTPUT_LINE_BYTES];
	struct output_line l = {0};
	struct source_ref ref;
	uint64_t at;
	uint32_t in;
	bool is_found = b && newest_error(m, &l, &at) && l.run == serial && line_text(&l, text)
			&& source_ref_find(text, &ref);

	if (is_found) {
		const struct run_info *run = resolve(m, serial, &ref, &in);
		*ret = ref.line ? ref.line - 1 : 0;
		is_found = in == buffer && find_line(b->editor.text, run ? run->code : NULL, ret);
	}
	output_line_finish(&l);
	return is_found;
}

void output_jump_to_error(struct model *m, struct effects *out)
{
	struct rect area = model_output_area(m);
	struct output_line l = {0};
	uint64_t line;

	if (newest_error(m, &l, &line)) {
		outpane_show(&m->out, area.rows, area.cols, line);
		jump_from(m, &l, out);
	} else {
		notices_add(&m->notices, m->now_ns, false, "no error names a line of an open buffer");
	}
	output_line_finish(&l);
	m->needs_draw = true;
}
