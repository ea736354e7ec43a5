/* SPDX-License-Identifier: MIT */
/* Makes a Go program of a piece: its declarations, those of earlier pieces that it uses, and the calls that
 * read and write variables (lib/kernel/carry.go does that at run time). */
#include "agent/batch/go_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/batch/go_kept.h"
#include "agent/batch/go_part.h"
#include "agent/batch/source_maker.h"

/* The text of one piece while it is being written. */
struct go_maker {
	struct go_source *s;
	struct go_piece *piece;
	const char *code;
	size_t n;
	unsigned count;   /* of functions and variables of ours */
	struct buf body;  /* declarations */
	struct buf after; /* what main() does with them */
};

/* ---- text ---- */

static void put_go_text(struct buf *out, const char *at, const char *end)
{
	buf_append(out, at, (size_t)(end - at));
}

/* The code that follows comes from this place of the user's code. */
static void put_go_place(const struct go_maker *m, struct buf *out, const char *at)
{
	unsigned line;
	const char *begin = source_line_of(m->code, at, &line);
	source_put(out, "/*line %s/%u%s:%u:%u*/", m->s->files.folder, m->piece->number, m->s->files.ending,
			line, (unsigned)(at - begin) + 1);
}

static void put_nowhere(const struct go_maker *m, struct buf *out)
{
	source_put(out, "\n//line %s/terrarium.go:1\n", m->s->files.folder);
}

static void put_verbatim(const struct go_maker *m, struct buf *out, const char *at, const char *end)
{
	put_go_place(m, out, at);
	put_go_text(out, at, end);
	put_nowhere(m, out);
}

/* ---- imports ---- */

/* By what name is a package used? The last part of its path that is no version. */
static void name_import(struct go_import *import, const char *path, size_t n)
{
	const char *end = path + n, *at = end;
	for (bool is_version = true; is_version && end > path;) {
		for (at = end; at > path && at[-1] != '/';)
			at--;
		is_version = at > path && *at == 'v' && end - at > 1
			     && strspn(at + 1, "0123456789") >= (size_t)(end - at) - 1;
		end = is_version ? at - 1 : end;
	}
	at = at < end ? at : end; /* "/v2" has no other part */
	const char *dot = memchr(at, '.', (size_t)(end - at));
	end = dot && dot > at ? dot : end;
	snprintf(import->name, sizeof import->name, "%.*s", (int)(end - at < GO_NAME_SIZE ? end - at : 0),
			at);
}

/* `name "path"`, with or without the name. */
static void add_import(struct go_maker *m, const char *at, const char *end)
{
	struct go_piece *piece = m->piece;
	const char *quote = at;
	while (quote < end && *quote != '"' && *quote != '`')
		quote++;
	const char *close = quote < end ? memchr(quote + 1, *quote, (size_t)(end - quote - 1)) : NULL;
	struct go_import *list =
			close ? realloc(piece->imports, (piece->n_imports + 1) * sizeof *list) : NULL;
	if (!list)
		return;
	piece->imports = list;
	struct go_import *import = &list[piece->n_imports++];
	*import = (struct go_import){.path = strndup(quote, (size_t)(close + 1 - quote))};
	int n = (int)strcspn(at, " \t\"`");
	if (n && at + n <= quote)
		snprintf(import->name, sizeof import->name, "%.*s", n, at);
	else
		name_import(import, quote + 1, (size_t)(close - quote - 1));
	import->is_blank = !strcmp(import->name, "_") || !strcmp(import->name, ".");
}

static void make_go_import(struct go_maker *m, const struct go_part *p)
{
	struct go_part one;
	const char *at = NULL;
	bool is_group = false;
	while (go_part_in_group(p, &at, &one)) {
		is_group = true;
		add_import(m, one.at, one.at + one.n);
	}
	at = p->at + strlen("import");
	at += strspn(at, " \t");
	if (!is_group)
		add_import(m, at, p->at + p->n);
}

static void put_import(struct buf *out, const struct go_import *import, const struct buf *body)
{
	if (import->path && (import->is_blank || go_part_uses(buf_at(body), body->len, import->name)))
		source_put(out, "import %s %s\n", import->name, import->path);
}

/* The packages of types, under the names that trmAlias() in kernel/carry.go makes. */
static void put_packages(struct buf *out, const struct go_entry *e)
{
	for (const char *at = e->packages; at && *at;) {
		char line[600];
		size_t n = strcspn(at, "\n"), len = (size_t)snprintf(line, sizeof line, "import trmp_");
		for (size_t i = 0; i < n && i < 200; i++)
			line[len++] = (char)((at[i] >= 'a' && at[i] <= 'z') || (at[i] >= 'A' && at[i] <= 'Z')
									     || (at[i] >= '0' && at[i] <= '9')
							     ? at[i]
							     : '_');
		len += (size_t)snprintf(
				line + len, sizeof line - len, " \"%.*s\"\n", (int)(n < 200 ? n : 200), at);
		if (!out->len || !memmem(buf_at(out), out->len, line, len))
			buf_append(out, line, len);
		at += n + (at[n] == '\n');
	}
}

/* ---- declarations ---- */

static bool is_generic_type(const struct go_part *p)
{
	if (!p->type || *p->type != '[')
		return false;
	const char *at = p->type + 1;
	at += strspn(at, " \t");
	size_t word = strcspn(at, " \t]");
	at += word;
	at += strspn(at, " \t");
	return word && at < p->type_end && *at != ']';
}

static void make_go_declaration(struct go_maker *m, const struct go_part *p)
{
	struct go_part one;
	const char *at = NULL;
	struct go_entry *e = go_entry_add(&m->piece->entries, &m->piece->n_entries, p->kind);
	if (!e)
		return;
	put_verbatim(m, &e->text, p->at, p->at + p->n);
	buf_append(&m->body, buf_at(&e->text), e->text.len);
	for (size_t i = 0; i < p->n_names; i++)
		go_entry_name(e, p->names[i]);
	e->is_generic = p->kind == GO_TYPE && is_generic_type(p);
	while (p->kind != GO_FUNC && go_part_in_group(p, &at, &one)) {
		e->is_generic |= p->kind == GO_TYPE && is_generic_type(&one);
		for (size_t i = 0; i < one.n_names; i++)
			go_entry_name(e, one.names[i]);
	}
}

/* A function literal that is not called. */
static bool is_function_literal(const struct go_part *p)
{
	const char *at = p->value;
	while (at && at < p->value_end && strchr(" \t\n", *at))
		at++;
	return p->n_names == 1 && at && p->value_end - at > 6 && !memcmp(at, "func", 4) && strchr(" (", at[4])
	       && p->value_end[-1] == '}';
}

static void register_go_names(struct go_maker *m, const struct go_entry *e)
{
	for (size_t i = 0; i < e->n_names; i++) {
		const char *name = e->names[i];
		if (!strcmp(name, "_"))
			continue;
		if (e->is_literal)
			source_put(&m->after, "\tTrmLiteral(\"%s\", %s, trml_%s)\n", name, name, name);
		else
			source_put(&m->after, "\tTrmVar(\"%s\", &%s)\n", name, name);
	}
}

static void make_literal(struct go_maker *m, const struct go_part *p, struct go_entry *e)
{
	const char *name = p->names[0];
	e->is_literal = true;
	source_put(&e->text, "var trml_%s = ", name);
	put_verbatim(m, &e->text, p->value, p->value_end);
	source_put(&e->text, "var %s ", name);
	if (p->type)
		put_go_text(&e->text, p->type, p->type_end);
	source_put(&e->text, " = trml_%s\n", name);
	buf_append(&m->body, buf_at(&e->text), e->text.len);
}

/* The value that ends at the next comma outside of brackets. Gives what is behind it. */
static const char *value_end(const char *at, const char *end)
{
	struct go_part one;
	return go_part_value(at, (size_t)(end - at), &one) ? one.at + one.n : end;
}

/* = x, y: each value is made when the program runs (see TrmKeep() in kernel/carry.go); those of a call are.
 */
static void put_values(const struct go_maker *m, struct buf *out, const struct go_part *p)
{
	size_t n = 0;
	for (const char *at = p->value; at < p->value_end; at = value_end(at, p->value_end) + 1)
		n++;
	source_put(out, " = ");
	for (const char *at = p->value; at < p->value_end;) {
		const char *end = value_end(at, p->value_end);
		bool is_kept = n == p->n_names;
		at += strspn(at, " \t");
		source_put(out, is_kept ? "TrmKeep" : "");
		if (is_kept && p->type) {
			source_put(out, "[");
			put_go_text(out, p->type, p->type_end);
			source_put(out, "]");
		}
		source_put(out, is_kept ? "(" : "");
		put_go_place(m, out, at);
		put_go_text(out, at, end);
		source_put(out, "%s%s", is_kept ? ")" : "", end < p->value_end ? ", " : "");
		at = end + 1;
	}
}

/* var a, b T = x, y */
static void make_go_variable(struct go_maker *m, const struct go_part *p)
{
	struct buf *out = &m->body;
	struct go_entry *e = go_entry_add(&m->piece->entries, &m->piece->n_entries, GO_VAR);
	if (!e)
		return;
	for (size_t i = 0; i < p->n_names; i++)
		go_entry_name(e, p->names[i]);
	if (is_function_literal(p)) {
		make_literal(m, p, e);
	} else {
		source_put(out, "var ");
		put_go_place(m, out, p->at + (p->kind == GO_VAR && !strncmp(p->at, "var", 3) ? 4 : 0));
		for (size_t i = 0; i < p->n_names; i++)
			source_put(out, "%s%s", i ? ", " : "", p->names[i]);
		source_put(out, " ");
		if (p->type)
			put_go_text(out, p->type, p->type_end);
		if (p->value)
			put_values(m, out, p);
		put_nowhere(m, out);
	}
	register_go_names(m, e);
}

static void begin_step(struct go_maker *m)
{
	unsigned id = m->count++;
	source_put(&m->body, "var _ = trmStep%u()\nfunc trmStep%u() (_ struct{}) {\n\tdefer TrmCatch()\n", id,
			id);
}

static void end_step(struct go_maker *m)
{
	source_put(&m->body, "\n\treturn\n}\n");
}

/* a, b := … declares; what the piece has declared before is assigned. */
static void make_define(struct go_maker *m, const struct go_part *p)
{
	struct go_part made = *p;
	const struct go_piece *piece = m->piece;
	bool was_declared[GO_NAMES];
	size_t n_had = 0;
	for (size_t i = 0; i < p->n_names; i++) {
		was_declared[i] = strcmp(p->names[i], "_")
				  && go_entries_have(piece->entries, piece->n_entries, p->names[i]);
		n_had += was_declared[i];
		if (was_declared[i])
			snprintf(made.names[i], GO_NAME_SIZE, "trmv_%u_%zu", m->count, i);
	}
	if (n_had == p->n_names) {
		begin_step(m);
		put_verbatim(m, &m->body, p->at, p->at + p->n);
		end_step(m);
		return;
	}
	make_go_variable(m, &made);
	if (!n_had)
		return;
	begin_step(m);
	for (size_t i = 0; i < p->n_names; i++)
		if (was_declared[i])
			source_put(&m->body, "\t%s = %s\n", p->names[i], made.names[i]);
	end_step(m);
}

static void make_go_variables(struct go_maker *m, const struct go_part *p)
{
	struct go_part one;
	const char *at = NULL;
	bool is_group = false;
	while (go_part_in_group(p, &at, &one)) {
		is_group = true;
		make_go_variable(m, &one);
	}
	if (!is_group)
		make_go_variable(m, p);
}

/* ---- statements ---- */

/* Nobody wants to see what these return. */
static bool is_printing(const struct go_part *p)
{
	static const char *const calls[] = {"fmt.Print", "fmt.Fprint", "print(", "println(", "panic("};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (p->n > strlen(calls[i]) && !memcmp(p->at, calls[i], strlen(calls[i])))
			return true;
	return false;
}

static bool has_semicolon(const struct go_maker *m, const struct go_part *p)
{
	const char *at = p->at + p->n;
	at += strspn(at, " \t");
	return at < m->code + m->n && *at == ';';
}

/* Statements up to the next declaration are one function. */
static bool make_steps(struct go_maker *m, struct go_part *p, bool shows)
{
	bool has_next = true;
	begin_step(m);
	while (has_next && (p->kind == GO_STATEMENT || p->kind == GO_EXPRESSION)) {
		struct go_part this = *p;
		const char *end = this.at + this.n;
		has_next = go_part_next(end, (size_t)(m->code + m->n - end), p);
		bool is_shown = shows && !has_next && this.kind == GO_EXPRESSION && !is_printing(&this)
				&& !has_semicolon(m, &this);
		m->piece->shows |= is_shown;
		source_put(&m->body, is_shown ? "TrmShow(" : "");
		put_go_place(m, &m->body, this.at);
		put_go_text(&m->body, this.at, end);
		source_put(&m->body, is_shown ? ")" : "");
		put_nowhere(m, &m->body);
	}
	end_step(m);
	return has_next;
}

static void make_go_parts(struct go_maker *m, bool shows)
{
	struct go_part p;
	bool has_part = go_part_next(m->code, m->n, &p);
	while (has_part) {
		const char *end = p.at + p.n;
		if (p.kind == GO_STATEMENT || p.kind == GO_EXPRESSION) {
			has_part = make_steps(m, &p, shows);
			continue;
		}
		if (p.kind == GO_IMPORT)
			make_go_import(m, &p);
		else if (p.kind == GO_VAR)
			make_go_variables(m, &p);
		else if (p.kind == GO_DEFINE)
			make_define(m, &p);
		else
			make_go_declaration(m, &p);
		has_part = go_part_next(end, (size_t)(m->code + m->n - end), &p);
	}
}

/* ---- the program ---- */

static void put_registry(const struct go_source *s, const struct go_piece *piece, struct buf *body)
{
	const struct {
		const struct go_entry *list;
		size_t n;
		bool is_old;
	} sets[] = {{s->entries, s->n_entries, true}, {piece->entries, piece->n_entries, false}};
	source_put(body, "\nfunc trmRegisterOld() {\n");
	for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
		for (size_t i = 0; i < sets[k].n; i++) {
			const struct go_entry *e = &sets[k].list[i];
			if (sets[k].is_old && go_entry_is_replaced(e, piece))
				continue;
			for (size_t j = 0; j < e->n_names; j++) {
				if (e->kind == GO_VAR && sets[k].is_old && !e->is_literal)
					source_put(body, "\tTrmVar(\"%s\", &%s)\n", e->names[j], e->names[j]);
				if (e->kind == GO_TYPE && !e->is_generic)
					source_put(body, "\tTrmType((*%s)(nil))\n", e->names[j]);
			}
		}
	source_put(body, "}\n");
}

static void put_imports(const struct go_source *s, const struct go_piece *piece, const struct buf *body,
		struct buf *out)
{
	for (size_t i = 0; i < s->n_imports; i++)
		if (!go_imports_have(piece->imports, piece->n_imports, &s->imports[i]))
			put_import(out, &s->imports[i], body);
	for (size_t i = 0; i < piece->n_imports; i++)
		if (!go_imports_have(piece->imports, i, &piece->imports[i]))
			put_import(out, &piece->imports[i], body);
	for (size_t i = 0; i < s->n_entries; i++)
		if (!go_entry_is_replaced(&s->entries[i], piece))
			put_packages(out, &s->entries[i]);
}

static void name_state(const struct go_source *s, const char *what, unsigned number, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.*s/%s_%u", PATH_MAX - 40, s->files.folder, what, number);
}

static void put_program(struct go_maker *m)
{
	struct go_source *s = m->s;
	struct go_piece *piece = m->piece;
	struct buf old, *text = &piece->text;
	char state[PATH_MAX] = "";
	if (s->state)
		name_state(s, "state", s->state, state);
	name_state(s, "state", piece->number, piece->state);
	name_state(s, "report", piece->number, piece->report);
	buf_init(&old, SOURCE_MAX);
	for (size_t i = 0; i < s->n_entries; i++)
		if (!go_entry_is_replaced(&s->entries[i], piece)) {
			buf_append(&old, buf_at(&s->entries[i].text), s->entries[i].text.len);
			if (s->entries[i].is_literal)
				register_go_names(m, &s->entries[i]);
		}
	buf_append(&old, buf_at(&m->body), m->body.len);
	put_registry(s, piece, &old);
	source_put(text, "package main\n\n");
	put_imports(s, piece, &old, text);
	source_put(text, "\nvar _ = TrmBegin(trmRegisterOld, \"%s\", \"%s\", \"%s\")\n", state, piece->state,
			piece->report);
	buf_append(text, buf_at(&old), old.len);
	source_put(text, "\nfunc main() {\n\tdefer TrmReportFailure()\n");
	buf_append(text, buf_at(&m->after), m->after.len);
	source_put(text, "\tTrmEnd()\n}\n");
	buf_finish(&old);
}

bool go_source_make(struct go_source *s, const char *code, size_t n, bool shows, struct go_piece *ret)
{
	struct go_maker m = {.s = s, .piece = ret, .code = code, .n = n};
	*ret = (struct go_piece){.number = s->files.number};
	buf_init(&ret->text, SOURCE_MAX);
	buf_init(&m.body, SOURCE_MAX);
	buf_init(&m.after, SOURCE_MAX);
	make_go_parts(&m, shows);
	put_program(&m);
	buf_finish(&m.body);
	buf_finish(&m.after);
	return ret->text.len < ret->text.max;
}
