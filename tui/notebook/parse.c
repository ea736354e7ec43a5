/* SPDX-License-Identifier: MIT */
#include "notebook/notebook.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#define TITLE_MAX 200

void notebook_cells_free(struct notebook_cell *cells, size_t n)
{
	for (size_t i = 0; cells && i < n; i++) {
		free(cells[i].title);
		free(cells[i].magic);
		free(cells[i].source);
	}
	free(cells);
}

void notebook_destroy(struct notebook *nb)
{
	if (!nb)
		return;
	notebook_cells_free(nb->cells, nb->n_cells);
	free(nb->json);
	free(nb);
}

/* ---- the language ---- */

static int read_notebook_language(struct notebook *nb, struct trm_error *reterr)
{
	struct json_span metadata = span_member(nb->root, "metadata");
	struct json_span spec = span_member(metadata, "kernelspec");
	struct json_span names[] = {span_member(spec, "language"),
			span_member(span_member(metadata, "language_info"), "name"),
			span_member(spec, "name")};
	char unknown[64] = "";
	size_t len;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct trm_error ignored;
		char *name = span_text(names[i], &len);
		bool is_known = name && *name && notebook_find_language(name, &nb->lang, &ignored) == 0;
		if (name && !*unknown)
			snprintf(unknown, sizeof unknown, "%.60s", name);
		free(name);
		if (is_known)
			return 0;
	}
	if (*unknown)
		return trm_error_set(
				reterr, TRM_ENOTSUP, "its language is %s, which cannot be run here", unknown);
	nb->lang = trm_lang_default();
	nb->is_lang_guessed = true;
	return 0;
}

/* IPython magics that pass the cell to another language: "%%bash", "%%script node". */
static const struct trm_lang *magic_language(const char *source)
{
	char line[128], word[2][32] = {"", ""};
	const struct trm_lang *lang = NULL;
	struct trm_error ignored;
	size_t len = strcspn(source, "\n");

	if (strncmp(source, "%%", 2) != 0)
		return NULL;
	snprintf(line, sizeof line, "%.*s", (int)(len < 120 ? len : 120) - 2, source + 2);
	sscanf(line, "%31s %31s", word[0], word[1]);
	const char *name = strcmp(word[0], "script") == 0 ? word[1] : word[0];
	return *name && notebook_find_language(name, &lang, &ignored) == 0 ? lang : NULL;
}

/* ---- cells ---- */

bool notebook_read_text(struct json_span source, char **ret, size_t *ret_n)
{
	struct span_items items = span_items(source);
	struct json_span key, item;
	bool is_right = span_is_list(source);
	FILE *out;

	if (span_is_string(source))
		return (*ret = span_text(source, ret_n)) != NULL;
	if (!is_right || !(out = open_memstream(ret, ret_n)))
		return false;
	while (is_right && span_next(&items, &key, &item)) {
		size_t n;
		char *text = span_text(item, &n);
		is_right = text && fwrite(text, 1, n, out) == n;
		free(text);
	}
	return fclose(out) == 0 && is_right;
}

/* The title of a cell, if a mark can show it. */
static char *read_cell_title(struct json_span cell)
{
	size_t n = 0;
	char *title = span_text(span_member(span_member(cell, "metadata"), "title"), &n);
	bool is_shown = n > 0 && n <= TITLE_MAX && !strchr("[% ", title[0]) && title[n - 1] != ' ';

	for (size_t i = 0; i < n; i++)
		is_shown = is_shown && (unsigned char)title[i] >= ' ' && title[i] != 0x7f;
	if (is_shown)
		return title;
	free(title);
	return strdup("");
}

/* If the first line is a magic of another language, it is not part of the source. */
static void take_magic(struct notebook_cell *c)
{
	size_t line = strcspn(c->source, "\n");
	bool has_rest = c->source[line] == '\n';

	c->magic = strndup(c->source, line);
	line += has_rest;
	memmove(c->source, c->source + line, c->n - line + 1);
	c->n -= line;
}

static bool read_cell_language(const struct notebook *nb, struct notebook_cell *c)
{
	struct json_span own = span_member(span_member(c->raw, "metadata"), "terrarium");
	const struct trm_lang *lang = magic_language(c->source);
	struct trm_error ignored;
	size_t n;

	if (lang && lang != nb->lang) {
		take_magic(c);
	} else if (!lang) {
		char *name = span_text(span_member(own, "language"), &n);
		if (name && notebook_find_language(name, &lang, &ignored) < 0)
			lang = NULL;
		free(name);
	}
	c->foreign = lang != nb->lang ? lang : NULL;
	c->magic = c->magic ? c->magic : strdup("");
	return c->magic != NULL;
}

static void strip_breaks(struct notebook_cell *c)
{
	while (c->n && c->source[c->n - 1] == '\n')
		c->source[--c->n] = '\0';
}

static int read_cell(struct notebook *nb, struct json_span raw, size_t k, struct trm_error *reterr)
{
	struct notebook_cell *c = &nb->cells[nb->n_cells];
	struct json_span type = span_member(raw, "cell_type"), source = span_member(raw, "source");

	*c = (struct notebook_cell){.raw = raw};
	if (!span_is_string(type))
		return trm_error_set(reterr, TRM_EPROTO, "cell %zu has no type", k);
	c->kind = span_is(type, "code")  ? NOTEBOOK_CODE
		  : span_is(type, "raw") ? NOTEBOOK_RAW
					 : NOTEBOOK_MARKDOWN;
	nb->n_cells++;
	if (!notebook_read_text(source.at ? source : span_member(raw, "input"), &c->source, &c->n))
		return trm_error_set(reterr, TRM_EPROTO, "cell %zu has no source that is text", k);
	c->title = read_cell_title(raw);
	if (c->kind == NOTEBOOK_CODE ? !read_cell_language(nb, c) : !(c->magic = strdup("")))
		return trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
	strip_breaks(c);
	return c->title ? 0 : trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
}

static size_t count_items(struct json_span list)
{
	struct span_items items = span_items(list);
	struct json_span key, value;
	size_t n = 0;

	while (span_next(&items, &key, &value))
		n++;
	return n;
}

static int read_cells(struct notebook *nb, struct trm_error *reterr)
{
	struct span_items items = span_items(nb->list);
	struct json_span key, raw;

	nb->cells = calloc(count_items(nb->list) + 1, sizeof *nb->cells);
	if (!nb->cells)
		return trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
	while (span_next(&items, &key, &raw)) {
		int r = read_cell(nb, raw, nb->n_cells + 1, reterr);
		if (r < 0)
			return r;
		const struct notebook_cell *c = &nb->cells[nb->n_cells - 1];
		nb->n_code += c->kind == NOTEBOOK_CODE;
		nb->n_text += c->kind != NOTEBOOK_CODE;
		nb->n_foreign += c->foreign != NULL;
		nb->n_outputs += c->kind == NOTEBOOK_CODE ? count_items(span_member(raw, "outputs")) : 0;
	}
	return 0;
}

/* ---- the whole notebook ---- */

long notebook_number(struct json_span value)
{
	char text[16];

	snprintf(text, sizeof text, "%.*s", value.at && value.n < sizeof text ? (int)value.n : 0,
			value.at ? value.at : "");
	return strtol(text, NULL, 10);
}

static int find_list(struct notebook *nb, struct trm_error *reterr)
{
	struct json_span cells = span_member(nb->root, "cells"), sheet = {0}, key;
	struct span_items sheets = span_items(span_member(nb->root, "worksheets"));
	long format = notebook_number(span_member(nb->root, "nbformat"));

	if (format > 4)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"it is in notebook format %ld; the newest that is known here is 4", format);
	if (!cells.at && span_next(&sheets, &key, &sheet)) {
		cells = span_member(sheet, "cells");
		nb->is_old = true;
	}
	nb->is_old |= format > 0 && format < 4;
	nb->has_ids = format == 4 && notebook_number(span_member(nb->root, "nbformat_minor")) >= 5;
	if (!span_is_list(cells))
		return trm_error_set(reterr, TRM_EPROTO, "it has no list of cells");
	nb->list = cells;
	return 0;
}

static void find_indent(struct notebook *nb)
{
	const char *line = memchr(nb->root.at, '\n', nb->root.n);
	size_t n = 0;

	nb->is_one_line = !line;
	while (line && n + 1 < sizeof nb->indent && (line[1 + n] == ' ' || line[1 + n] == '\t'))
		n++;
	memcpy(nb->indent, line ? line + 1 : "", n);
	nb->indent[n] = '\0';
}

static int read_notebook(struct notebook *nb, struct trm_error *reterr)
{
	int r = span_check(nb->json, nb->n, &nb->root, reterr);

	if (r == 0 && !span_is_object(nb->root))
		r = trm_error_set(reterr, TRM_EPROTO, "it is not a valid JSON object");
	if (r == 0)
		r = find_list(nb, reterr);
	if (r == 0)
		r = read_notebook_language(nb, reterr);
	if (r == 0)
		find_indent(nb);
	return r == 0 ? read_cells(nb, reterr) : r;
}

/* Takes over the text. */
static int notebook_adopt(char *json, size_t n, struct notebook **ret, struct trm_error *reterr)
{
	struct notebook *nb = calloc(1, sizeof *nb);

	if (!json || !nb) {
		free(json);
		free(nb);
		return trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
	}
	nb->json = json;
	nb->n = n;
	int r = read_notebook(nb, reterr);
	if (r < 0)
		notebook_destroy(nb);
	else
		*ret = nb;
	return r;
}

int notebook_parse(const char *json, size_t n, struct notebook **ret, struct trm_error *reterr)
{
	size_t blank = 0;

	if (n > NOTEBOOK_MAX_BYTES)
		return trm_error_set(
				reterr, TRM_ETOOBIG, "it is larger than %zu MiB", NOTEBOOK_MAX_BYTES >> 20);
	while (blank < n && memchr(" \t\r\n", json[blank], 4))
		blank++;
	if (blank == n) {
		*ret = notebook_create(trm_lang_default());
		return *ret ? 0 : trm_error_set(reterr, TRM_ENOMEM, "memory is short");
	}
	char *copy = malloc(n + 1);
	if (copy) {
		memcpy(copy, json, n);
		copy[n] = '\0';
	}
	return notebook_adopt(copy, n, ret, reterr);
}

static void put_name(FILE *out, const char *before, const char *text)
{
	fputs(before, out);
	span_put_string(out, text, strlen(text));
}

struct notebook *notebook_create(const struct trm_lang *lang)
{
	struct notebook_kernel k = notebook_kernel_of(lang);
	struct notebook *nb = NULL;
	struct trm_error ignored;
	char *json = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&json, &n);

	if (!out)
		return NULL;
	put_name(out, "{\n \"cells\": [],\n \"metadata\": {\n  \"kernelspec\": {\n   \"display_name\": ",
			k.display);
	put_name(out, ",\n   \"language\": ", k.language);
	put_name(out, ",\n   \"name\": ", k.name);
	put_name(out, "\n  },\n  \"language_info\": {\n   \"file_extension\": ", k.suffix);
	put_name(out, ",\n   \"mimetype\": ", k.mime);
	put_name(out, ",\n   \"name\": ", k.language);
	fputs("\n  }\n },\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n", out);
	if (fclose(out) != 0) {
		free(json);
		return NULL;
	}
	return notebook_adopt(json, n, &nb, &ignored) == 0 ? nb : NULL;
}
