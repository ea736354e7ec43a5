/* SPDX-License-Identifier: MIT */
#include "magic/rewrite.h"

#include <string.h>

#include <terrarium/error.h>

int rewrite_put(struct buf *out, const char *text)
{
	return buf_append(out, text, strlen(text));
}

/* Blanks in place of a text, so that all lines and columns stay where they are. */
static int put_blank(struct buf *out, struct magic_text text)
{
	char *to = buf_reserve(out, text.n + 1);
	size_t n = 0;
	if (!to)
		return TRM_ENOMEM;
	for (size_t i = 0; i < text.n; i++)
		if (((unsigned char)text.at[i] & 0xC0) != 0x80)
			to[n++] = text.at[i] == '\n' || text.at[i] == '\t' ? text.at[i] : ' ';
	buf_fill(out, n);
	return 0;
}

int rewrite_put_part(struct buf *out, struct magic_text line, struct magic_text part)
{
	int r = put_blank(out, (struct magic_text){line.at, (size_t)(part.at - line.at)});
	if (r == 0)
		r = buf_append(out, part.at, part.n);
	part.at += part.n;
	return r == 0 ? put_blank(out, (struct magic_text){part.at, (size_t)(line.at + line.n - part.at)})
		      : r;
}

int rewrite_put_newlines(struct buf *out, struct magic_text line)
{
	int r = 0;
	for (size_t i = 0; i < line.n && r == 0; i++)
		if (line.at[i] == '\n')
			r = buf_append(out, "\n", 1);
	return r;
}

int rewrite_put_call(struct rewrite *w, const char *function, struct magic_text argument)
{
	int r = rewrite_put(&w->code, "__magic__.");
	if (r == 0)
		r = rewrite_put(&w->code, function);
	if (r == 0)
		r = rewrite_put(&w->code, "(");
	if (r == 0)
		r = magic_quote(&w->code, argument);
	w->last_shell = w->code.len;
	return r == 0 ? rewrite_put(&w->code, ")") : r;
}

static int put_code_line(struct rewrite *w, const struct magic_line *m)
{
	switch (m->kind) {
	case MAGIC_SHELL: return rewrite_put_call(w, "shell", m->rest);
	case MAGIC_LINES:
		if (buf_append(&w->code, m->before.at, m->before.n) < 0)
			return TRM_ENOMEM;
		return rewrite_put_call(w, "lines", m->rest);
	case MAGIC_PIP:
		return rewrite_put_call(w, magic_pip_installs(m->rest) ? "installed" : "pip", m->rest);
	case MAGIC_NOTHING: return rewrite_put(&w->code, "pass");
	default: return rewrite_put_call(w, m->call, m->rest);
	}
}

/* The {expressions} of a command, which our driver evaluates: each in parentheses, among blanks. */
static int put_expressions(struct buf *out, struct magic_text line)
{
	int r = 0;
	for (size_t i = 0; i < line.n && r == 0; i++) {
		size_t end = i + 1;
		while (line.at[i] == '{' && end < line.n && !strchr("{}\n", line.at[end]))
			end++;
		bool is_one = line.at[i] == '{' && end < line.n && line.at[end] == '}' && end > i + 1;
		if (!is_one) {
			r = put_blank(out, (struct magic_text){line.at + i, 1});
			continue;
		}
		r = rewrite_put(out, "(");
		if (r == 0)
			r = buf_append(out, line.at + i + 1, end - i - 1);
		if (r == 0)
			r = rewrite_put(out, ")");
		i = end;
	}
	return r;
}

/* For policies: what Bash runs, and the code. Both with all lines and columns. */
static int put_views(struct rewrite *w, const struct magic_line *m, struct magic_text line)
{
	bool is_shell = m->kind == MAGIC_SHELL || m->kind == MAGIC_LINES;
	int r = is_shell ? rewrite_put_part(&w->shell, line, m->rest) : put_blank(&w->shell, line);
	w->has_shell |= is_shell;
	if (r == 0)
		r = m->kind == MAGIC_CODE ? rewrite_put_part(&w->plain, line, m->rest)
					  : put_expressions(&w->plain, line);
	return r;
}

/* One of our lines, without its newline. `indent` blanks stand before it. */
static int put_magic(struct rewrite *w, struct magic_line *m, struct magic_text line, size_t indent)
{
	struct magic_text command = m->rest;
	if (m->kind == MAGIC_SHELL && magic_takes(m->rest, "pip", &command) && magic_pip_installs(command)
			&& !memchr(command.at, '-', command.n) && !memchr(command.at, '&', command.n)) {
		m->kind = MAGIC_PIP; /* "!pip install six" is meant like this, too */
		m->rest = command;
	}
	w->n_lines++;
	w->n_other += m->kind != MAGIC_SHELL;
	if (m->kind == MAGIC_PIP && magic_pip_installs(m->rest)
			&& magic_pip(&w->libraries, w->lang, m->rest, w->reterr) < 0)
		return TRM_EINVAL;
	int r = buf_append(&w->code, line.at, indent);
	if (r == 0)
		r = put_code_line(w, m);
	if (r == 0)
		r = rewrite_put_newlines(&w->code, line);
	return r == 0 ? put_views(w, m, line) : r;
}

static int put_statement(struct rewrite *w, struct magic_text text)
{
	w->n_other += magic_trim(text).n && *magic_trim(text).at != '#';
	int r = buf_append(&w->code, text.at, text.n);
	if (r == 0)
		r = buf_append(&w->plain, text.at, text.n);
	return r == 0 ? put_blank(&w->shell, text) : r;
}

int rewrite_statements(struct rewrite *w, const char *code, size_t n)
{
	int r = 0;
	for (size_t at = 0; at < n && r == 0;) {
		size_t first = at;
		while (first < n && (code[first] == ' ' || code[first] == '\t'))
			first++;
		size_t end = magic_line_end(code, n, first);
		struct magic_text line = {code + at, end - at};
		struct magic_line m = magic_line_read((struct magic_text){code + first, end - first});
		if (m.kind == MAGIC_NONE) {
			end = magic_next_statement(code, n, at);
			r = put_statement(w, (struct magic_text){code + at, end - at});
		} else {
			r = put_magic(w, &m, line, first - at);
			end += end < n;
			if (r == 0 && end > at + line.n)
				r = put_statement(w, (struct magic_text){"\n", 1});
		}
		at = end;
	}
	/* A text of commands ends with the exit code of the last. */
	if (r == 0 && w->has_shell && !w->n_other) {
		struct buf tail = {.max = MAGIC_MAX};
		size_t rest = w->code.len - w->last_shell;
		r = buf_append(&tail, buf_at(&w->code) + w->last_shell, rest);
		w->code.len = w->last_shell;
		if (r == 0)
			r = rewrite_put(&w->code, ", True");
		if (r == 0)
			r = buf_append(&w->code, buf_at(&tail), rest);
		buf_finish(&tail);
	}
	return r;
}
