/* SPDX-License-Identifier: MIT */
#include "notebook/notebook.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#define CELL_DEPTH 2 /* depth of a cell: the notebook's object, then its list of cells */

/* A member of an object that gets a new value. */
struct change {
	const char *name;
	char *json; /* the new value; NULL: remove the member */
	size_t n;
};

struct printer {
	const struct notebook *nb;
	const char *indent; /* NULL: everything in one line */
	FILE *out;
	uint64_t seed; /* for new ids */
	bool has_failed;
};

/* ---- changing an object ---- */

static struct change *change_of(struct change *changes, size_t n, struct json_span key)
{
	for (size_t i = 0; i < n; i++)
		if (span_is(key, changes[i].name))
			return &changes[i];
	return NULL;
}

/* If no member is added or removed, only the bytes of the values change. */
static void put_replaced(FILE *out, struct json_span object, struct change *changes, size_t n)
{
	struct span_items items = span_items(object);
	struct json_span key, value;
	const char *copied = object.at;

	while (span_next(&items, &key, &value)) {
		const struct change *c = change_of(changes, n, key);
		if (!c)
			continue;
		fwrite(copied, 1, (size_t)(value.at - copied), out);
		fwrite(c->json, 1, c->n, out);
		copied = value.at + value.n;
	}
	fwrite(copied, 1, (size_t)(object.at + object.n - copied), out);
}

struct member_list {
	FILE *out;
	const char *indent;
	int depth;
	size_t n;
};

static void begin_member(struct member_list *m)
{
	if (m->n++)
		putc(',', m->out);
	if (m->indent || m->n > 1)
		span_put_break(m->out, m->indent, m->depth + 1);
}

/* Write new members that come before `key` in the order of names, which is Jupyter's order. */
static void put_new_members(
		struct member_list *m, struct change *changes, size_t n, bool *is_done, struct json_span key)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(changes[i].name);
		size_t both = key.at && key.n - 2 < len ? key.n - 2 : len;
		if (is_done[i] || !changes[i].json)
			continue;
		if (key.at && memcmp(changes[i].name, key.at + 1, both) > 0)
			continue;
		begin_member(m);
		fprintf(m->out, "\"%s\": ", changes[i].name);
		fwrite(changes[i].json, 1, changes[i].n, m->out);
		is_done[i] = true;
	}
}

static void put_rebuilt(FILE *out, struct json_span object, struct change *changes, size_t n, bool *is_there,
		const char *indent, int depth)
{
	struct span_items items = span_items(object);
	struct member_list m = {out, indent, depth, 0};
	struct json_span key, value;

	putc('{', out);
	while (span_next(&items, &key, &value)) {
		const struct change *c = change_of(changes, n, key);
		put_new_members(&m, changes, n, is_there, key);
		if (c && !c->json)
			continue;
		begin_member(&m);
		fwrite(key.at, 1, (size_t)(value.at - key.at), out);
		fwrite(c ? c->json : value.at, 1, c ? c->n : value.n, out);
	}
	put_new_members(&m, changes, n, is_there, (struct json_span){0});
	if (m.n && indent)
		span_put_break(out, indent, depth);
	putc('}', out);
}

/* Write an object with new values of some members. Changes are sorted by name. */
static void put_changed(FILE *out, struct json_span object, struct change *changes, size_t n,
		const char *indent, int depth)
{
	bool is_there[4] = {false}, is_same_list = true;
	struct span_items items = span_items(object);
	struct json_span key, value;

	while (span_next(&items, &key, &value))
		if (change_of(changes, n, key))
			is_there[change_of(changes, n, key) - changes] = true;
	for (size_t i = 0; i < n; i++)
		is_same_list = is_same_list && is_there[i] == (changes[i].json != NULL);
	if (is_same_list)
		put_replaced(out, object, changes, n);
	else
		put_rebuilt(out, object, changes, n, is_there, indent, depth);
}

/* ---- values ---- */

static FILE *begin_value(struct printer *p, struct change *c, const char *name)
{
	*c = (struct change){.name = name};
	FILE *out = open_memstream(&c->json, &c->n);
	p->has_failed |= !out;
	return out;
}

static void end_value(struct printer *p, FILE *out)
{
	p->has_failed |= fclose(out) != 0;
}

/* Text as a list of lines, which keeps differences between versions small. */
static void put_text_lines(FILE *out, const char *text, size_t n, const char *indent, int depth)
{
	putc('[', out);
	for (size_t at = 0; at < n;) {
		const char *newline = memchr(text + at, '\n', n - at);
		size_t len = newline ? (size_t)(newline - text) + 1 - at : n - at;
		if (at)
			putc(',', out);
		if (indent || at)
			span_put_break(out, indent, depth + 1);
		span_put_string(out, text + at, len);
		at += len;
	}
	if (n && indent)
		span_put_break(out, indent, depth);
	putc(']', out);
}

static void add_source(struct printer *p, struct change *c, const struct notebook_cell *cell,
		const char *magic, bool is_string)
{
	char *text = NULL;
	size_t n = 0;
	FILE *joined = open_memstream(&text, &n), *out = begin_value(p, c, "source");

	if (joined) {
		fprintf(joined, "%s%s", magic, *magic && cell->n ? "\n" : "");
		fwrite(cell->source, 1, cell->n, joined);
		p->has_failed |= fclose(joined) != 0;
	}
	p->has_failed |= !joined;
	if (out && is_string)
		span_put_string(out, text ? text : "", n);
	else if (out)
		put_text_lines(out, text ? text : "", n, p->indent, CELL_DEPTH + 1);
	if (out)
		end_value(p, out);
	free(text);
}

static void add_count(struct printer *p, struct change *c, const struct notebook_result *result)
{
	FILE *out = begin_value(p, c, "execution_count");

	if (!out)
		return;
	if (result && result->count)
		fprintf(out, "%" PRIu64, result->count);
	else
		fputs("null", out);
	end_value(p, out);
}

static void add_outputs(struct printer *p, struct change *c, const struct notebook_result *result)
{
	FILE *out = begin_value(p, c, "outputs");
	struct json_span list = {0};
	struct trm_error ignored;

	if (!out)
		return;
	if (result && span_check(result->outputs, result->n, &list, &ignored) == 0 && span_is_list(list))
		span_put_indented(out, list, p->indent, CELL_DEPTH + 1);
	else
		fputs("[]", out);
	end_value(p, out);
}

/* The cell's metadata with another title. */
static void add_title(struct printer *p, struct change *c, struct json_span metadata, const char *title)
{
	struct json_span object = span_is_object(metadata) ? metadata : (struct json_span){"{}", 2};
	FILE *out = begin_value(p, c, "metadata"), *value;
	struct change name = {.name = "title"};

	if (!out)
		return;
	if (*title && (value = begin_value(p, &name, "title")) != NULL) {
		span_put_string(value, title, strlen(title));
		end_value(p, value);
	}
	put_changed(out, object, &name, 1, p->indent, CELL_DEPTH + 1);
	free(name.json);
	end_value(p, out);
}

/* ---- cells ---- */

static void put_old_cell(struct printer *p, const struct notebook_cell *old, const struct notebook_cell *new,
		const struct notebook_result *result)
{
	bool is_string = span_is_string(span_member(old->raw, "source"));
	struct change changes[4];
	size_t n = 0;

	if (result)
		add_count(p, &changes[n++], result);
	if (strcmp(old->title, new->title) != 0)
		add_title(p, &changes[n++], span_member(old->raw, "metadata"), new->title);
	if (result)
		add_outputs(p, &changes[n++], result);
	if (old->n != new->n || memcmp(old->source, new->source, new->n) != 0)
		add_source(p, &changes[n++], new, old->magic, is_string);
	if (!p->has_failed)
		put_changed(p->out, old->raw, changes, n, p->indent, CELL_DEPTH);
	for (size_t i = 0; i < n; i++)
		free(changes[i].json);
}

/* Eight digits that are not in the file yet. */
static void add_id(struct printer *p, struct change *c, const struct notebook_cell *cell)
{
	char id[11];

	for (size_t i = 0; i < cell->n; i++)
		p->seed = (p->seed ^ (unsigned char)cell->source[i]) * 0x100000001b3u;
	do {
		p->seed = (p->seed ^ p->nb->n ^ 1) * 0x100000001b3u;
		snprintf(id, sizeof id, "\"%08x\"", (unsigned)(p->seed >> 16 & 0xffffffffu));
	} while (memmem(p->nb->json, p->nb->n, id, strlen(id)));
	FILE *out = begin_value(p, c, "id");
	if (out)
		fputs(id, out);
	if (out)
		end_value(p, out);
}

/* The metadata of a new cell. */
static void add_metadata(
		struct printer *p, struct change *c, const struct notebook_cell *cell, bool needs_lang)
{
	FILE *out = begin_value(p, c, "metadata"), *plain;
	struct json_span span;
	struct trm_error ignored;
	char *json = NULL;
	size_t n = 0;

	if (!out || !(plain = open_memstream(&json, &n))) {
		p->has_failed = true;
		return;
	}
	putc('{', plain);
	if (needs_lang) {
		fputs("\"terrarium\":{\"language\":", plain);
		span_put_string(plain, cell->foreign->name, strlen(cell->foreign->name));
		putc('}', plain);
	}
	if (*cell->title) {
		fprintf(plain, "%s\"title\":", needs_lang ? "," : "");
		span_put_string(plain, cell->title, strlen(cell->title));
	}
	putc('}', plain);
	if (fclose(plain) == 0 && span_check(json, n, &span, &ignored) == 0)
		span_put_indented(out, span, p->indent, CELL_DEPTH + 1);
	free(json);
	end_value(p, out);
}

static void put_new_cell(
		struct printer *p, const struct notebook_cell *cell, const struct notebook_result *result)
{
	static const char *const kinds[] = {[NOTEBOOK_CODE] = "\"code\"",
			[NOTEBOOK_MARKDOWN] = "\"markdown\"",
			[NOTEBOOK_RAW] = "\"raw\""};
	bool is_code = cell->kind == NOTEBOOK_CODE, is_python = p->nb->lang->style == TRM_STYLE_INDENT;
	bool has_magic = cell->foreign && is_python && strncmp(cell->source, "%%", 2) != 0;
	const char *magic = has_magic ? notebook_kernel_of(cell->foreign).magic : "";
	struct change m[6] = {{.name = "cell_type",
			.json = strdup(kinds[cell->kind]),
			.n = strlen(kinds[cell->kind])}};
	struct member_list list = {p->out, p->indent, CELL_DEPTH, 0};
	size_t n = 1;

	if (is_code)
		add_count(p, &m[n++], result);
	if (p->nb->has_ids)
		add_id(p, &m[n++], cell);
	add_metadata(p, &m[n++], cell, cell->foreign && !is_python);
	if (is_code)
		add_outputs(p, &m[n++], result);
	add_source(p, &m[n++], cell, magic ? magic : "", false);
	putc('{', p->out);
	for (size_t i = 0; i < n; i++) {
		begin_member(&list);
		fprintf(p->out, "\"%s\": ", m[i].name);
		p->has_failed |= !m[i].json;
		if (m[i].json)
			fwrite(m[i].json, 1, m[i].n, p->out);
		free(m[i].json);
	}
	if (p->indent)
		span_put_break(p->out, p->indent, CELL_DEPTH);
	putc('}', p->out);
}

/* ---- the list ---- */

struct new_cells {
	struct notebook_cell *items;
	size_t n;
	size_t *old; /* the cell of the file that it was */
	const struct notebook_result *results;
	size_t n_results;
};

static const struct notebook_result *result_of(const struct new_cells *c, size_t i)
{
	if (c->items[i].kind != NOTEBOOK_CODE)
		return NULL;
	for (size_t k = c->n_results; k-- > 0;)
		if (c->results[k].pos == c->items[i].pos && c->results[k].end <= c->items[i].end)
			return &c->results[k];
	return NULL;
}

static void put_one_cell(struct printer *p, const struct new_cells *c, size_t i)
{
	const struct notebook_result *result = result_of(c, i);
	const struct notebook_cell *old = c->old[i] == NOTEBOOK_NEW ? NULL : &p->nb->cells[c->old[i]];

	if (!old)
		put_new_cell(p, &c->items[i], result);
	else if (!result && notebook_same_cell(old, &c->items[i]))
		fwrite(old->raw.at, 1, old->raw.n, p->out);
	else
		put_old_cell(p, old, &c->items[i], result);
}

/* If the cells and their order are the same, the text between them does not change. */
static bool is_same_order(const struct printer *p, const struct new_cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->old[i] != i)
			return false;
	return c->n == p->nb->n_cells;
}

static void put_in_place(struct printer *p, const struct new_cells *c)
{
	const char *copied = p->nb->list.at;

	for (size_t i = 0; i < c->n; i++) {
		struct json_span raw = p->nb->cells[i].raw;
		fwrite(copied, 1, (size_t)(raw.at - copied), p->out);
		put_one_cell(p, c, i);
		copied = raw.at + raw.n;
	}
	fwrite(copied, 1, (size_t)(p->nb->list.at + p->nb->list.n - copied), p->out);
}

static void put_new_list(struct printer *p, const struct new_cells *c)
{
	putc('[', p->out);
	for (size_t i = 0; i < c->n; i++) {
		if (i)
			putc(',', p->out);
		if (p->indent || i)
			span_put_break(p->out, p->indent, CELL_DEPTH);
		put_one_cell(p, c, i);
	}
	if (c->n && p->indent)
		span_put_break(p->out, p->indent, CELL_DEPTH - 1);
	putc(']', p->out);
}

int notebook_print(const struct notebook *nb, const char *script, size_t n,
		const struct notebook_result *results, size_t n_results, FILE *out)
{
	struct printer p = {.nb = nb,
			.indent = nb->is_one_line ? NULL : nb->indent,
			.out = out,
			.seed = 0xcbf29ce484222325u};
	struct new_cells c = {.results = results, .n_results = n_results};
	const char *rest = nb->list.at + nb->list.n;
	int r = notebook_split(nb->lang, nb->strings, script, n, &c.items, &c.n);

	if (r < 0)
		return r;
	c.old = malloc((c.n + 1) * sizeof *c.old);
	r = c.old ? notebook_match(nb->cells, nb->n_cells, c.items, c.n, c.old) : TRM_ENOMEM;
	if (r == 0) {
		fwrite(nb->json, 1, (size_t)(nb->list.at - nb->json), out);
		if (is_same_order(&p, &c))
			put_in_place(&p, &c);
		else
			put_new_list(&p, &c);
		fwrite(rest, 1, (size_t)(nb->json + nb->n - rest), out);
	}
	free(c.old);
	notebook_cells_free(c.items, c.n);
	return r == 0 && (p.has_failed || ferror(out)) ? TRM_ENOMEM : r;
}
