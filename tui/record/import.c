/* SPDX-License-Identifier: MIT */
#include "record/import.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "record/json.h"
#include "record/writer.h"

#define DEPTH_MAX 100 /* nesting of objects and lists; real notebooks have about a dozen levels */

/* Count the depth first, because the parser recurses for each level. */
static bool is_too_deep(const char *json, size_t n)
{
	size_t depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < n; i++) {
		char c = json[i];
		if (in_string) {
			if (c == '\\')
				i++;
			in_string = c != '"';
		} else if (c == '"') {
			in_string = true;
		} else if ((c == '{' || c == '[') && ++depth > DEPTH_MAX) {
			return true;
		} else if ((c == '}' || c == ']') && depth) {
			depth--;
		}
	}
	return false;
}

bool notebook_is_named(const char *path)
{
	size_t n = strlen(path);
	return n > 6 && strcasecmp(path + n - 6, ".ipynb") == 0;
}

/* ---- the language ---- */

/* Kernel names that differ from the names of the languages. */
static const struct {
	const char *kernel, *lang;
} kernels[] = {
		{"ipython", "python"},
		{"ipykernel", "python"},
		{"ijavascript", "javascript"},
		{"jslab", "javascript"},
		{"nodejs", "javascript"},
		{"deno", "javascript"},
		{"xjavascript", "javascript"},
		{"xpython", "python"},
		{"bash_kernel", "bash"},
		{"calysto_bash", "bash"},
		{"sh", "bash"},
};

static int find_language(const char *name, const struct trm_lang **ret, struct trm_error *reterr)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strcasecmp(name, kernels[i].kernel) == 0)
			name = kernels[i].lang;
	return trm_lang_find(name, ret, reterr);
}

static int read_language(const cJSON *tree, struct imported *ret, struct trm_error *reterr)
{
	const cJSON *metadata = json_get(tree, "metadata");
	const cJSON *spec = json_get(metadata, "kernelspec");
	const char *names[] = {json_text(json_get(spec, "language")),
			json_text(json_get(json_get(metadata, "language_info"), "name")),
			json_text(json_get(spec, "name"))};
	struct trm_error why = {0};
	const char *unknown = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!names[i] || !names[i][0])
			continue;
		if (find_language(names[i], &ret->lang, &why) == 0)
			return 0;
		unknown = unknown ? unknown : names[i];
	}
	if (unknown)
		return trm_error_set(reterr, TRM_ENOTSUP, "its language is %.60s, which cannot be run here",
				unknown);
	ret->lang = trm_lang_default();
	ret->is_lang_guessed = true;
	return 0;
}

/* ---- cells ---- */

/* The source of a cell is a string or a list of strings. False: neither. */
static bool read_source(const cJSON *source, struct writer *out)
{
	const cJSON *item;

	writer_clear(out);
	if (json_text(source)) {
		writer_text(out, source->valuestring);
		return true;
	}
	if (!cJSON_IsArray(source))
		return false;
	cJSON_ArrayForEach(item, source)
	{
		if (!json_text(item))
			return false;
		writer_text(out, item->valuestring);
	}
	return true;
}

/* IPython magics that pass the cell to another language: "%%bash", "%%script node". */
static const struct trm_lang *magic_language(const char *source, size_t n)
{
	char line[128], word[2][32] = {"", ""};
	const struct trm_lang *lang = NULL;
	size_t len = strcspn(source, "\n");

	if (n < 3 || strncmp(source, "%%", 2) != 0)
		return NULL;
	snprintf(line, sizeof line, "%.*s", (int)(len < 120 ? len : 120) - 2, source + 2);
	sscanf(line, "%31s %31s", word[0], word[1]);
	const char *name = strcmp(word[0], "script") == 0 ? word[1] : word[0];
	return *name && find_language(name, &lang, NULL) == 0 ? lang : NULL;
}

static const struct trm_lang *cell_language(const cJSON *cell, const struct writer *source)
{
	const cJSON *own = json_get(json_get(cell, "metadata"), "terrarium");
	const char *name = json_text(json_get(own, "language"));
	const struct trm_lang *lang = magic_language(source->n ? source->bytes : "", source->n);

	if (!lang && name && find_language(name, &lang, NULL) < 0)
		return NULL;
	return lang;
}

static void put_plain(struct writer *w, const char *text, size_t n)
{
	writer_put(w, text, n);
	writer_text(w, n && text[n - 1] == '\n' ? "" : "\n");
}

static void put_commented(struct writer *w, const char *comment, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t len = strcspn(text + at, "\n");
		writer_print(w, "%s%s%.*s\n", comment, len ? " " : "", (int)len, text + at);
		at += len + 1;
	}
}

static void put_code(struct writer *w, const cJSON *cell, const struct writer *source, struct imported *ret)
{
	const struct trm_lang *lang = cell_language(cell, source);

	if (!lang || lang == ret->lang) {
		writer_print(w, "%s %%%%\n", ret->lang->comment);
		put_plain(w, source->n ? source->bytes : "", source->n);
	} else {
		writer_print(w, "%s %%%% [%s]\n", ret->lang->comment, lang->name);
		put_commented(w, ret->lang->comment, source->bytes, source->n);
		ret->n_foreign++;
	}
	ret->n_code++;
}

static int put_cell(struct writer *w, const cJSON *cell, size_t k, struct imported *ret,
		struct writer *source, struct trm_error *reterr)
{
	const char *type = json_text(json_get(cell, "cell_type"));
	const cJSON *text = json_get(cell, "source");

	if (!type)
		return trm_error_set(reterr, TRM_EPROTO, "cell %zu has no type", k);
	if (!read_source(text ? text : json_get(cell, "input"), source))
		return trm_error_set(reterr, TRM_EPROTO, "cell %zu has no source that is text", k);
	if (k > 1)
		writer_text(w, "\n");
	if (strcmp(type, "code") == 0) {
		const cJSON *outputs = json_get(cell, "outputs");
		ret->n_outputs += cJSON_IsArray(outputs) ? (size_t)cJSON_GetArraySize(outputs) : 0;
		put_code(w, cell, source, ret);
		return 0;
	}
	writer_print(w, "%s %%%% [%s]\n", ret->lang->comment, strcmp(type, "raw") == 0 ? "raw" : "markdown");
	put_commented(w, ret->lang->comment, source->n ? source->bytes : "", source->n);
	ret->n_text++;
	return 0;
}

static int put_cells(const cJSON *tree, struct writer *w, struct imported *ret, struct trm_error *reterr)
{
	const cJSON *cell, *cells = json_get(tree, "cells");
	struct writer source;
	size_t k = 0;
	int r = 0;

	if (!cells) /* nbformat 3 */
		cells = json_get(cJSON_GetArrayItem(json_get(tree, "worksheets"), 0), "cells");
	if (!cJSON_IsArray(cells))
		return trm_error_set(reterr, TRM_EPROTO, "it has no list of cells");
	writer_init(&source, IMPORT_MAX_BYTES);
	cJSON_ArrayForEach(cell, cells)
	{
		r = put_cell(w, cell, ++k, ret, &source, reterr);
		if (r == 0 && (source.error || w->error))
			r = trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
		if (r < 0)
			break;
	}
	writer_finish(&source);
	return r;
}

int notebook_import(
		const char *json, size_t n, struct writer *w, struct imported *ret, struct trm_error *reterr)
{
	struct imported found = {0};

	if (n > IMPORT_MAX_BYTES)
		return trm_error_set(
				reterr, TRM_ETOOBIG, "it is larger than %zu MiB", IMPORT_MAX_BYTES >> 20);
	if (is_too_deep(json, n))
		return trm_error_set(reterr, TRM_EPROTO, "its lists and objects are nested more than %d deep",
				DEPTH_MAX);
	cJSON *tree = cJSON_ParseWithLengthOpts(json, n, NULL, 0);
	int r = cJSON_IsObject(tree) ? read_language(tree, &found, reterr)
				     : trm_error_set(reterr, TRM_EPROTO, "it is not a valid JSON object");
	if (r == 0)
		r = put_cells(tree, w, &found, reterr);
	if (r == 0)
		*ret = found;
	cJSON_Delete(tree);
	return r;
}
