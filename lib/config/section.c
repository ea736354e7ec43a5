/* SPDX-License-Identifier: MIT */
/* Sections of the config file: objects that other rooms interpret. */
#include <cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "config/config.h"

bool setting_is_section(const char *key)
{
	return strcmp(key, "keys") == 0 || strcmp(key, "policies") == 0 || strcmp(key, "server_images") == 0
	       || strcmp(key, "backends") == 0 || strcmp(key, "languages") == 0;
}

struct walk {
	const struct source *src;
	const char *blanked, *section;
	trm_config_entry_fn *fn;
	void *user;
	struct trm_error *err;
};

/* Offset of the nth key of the object that begins at `object`. */
static size_t key_in(const struct walk *w, size_t object, size_t nth)
{
	return object + jsonc_key_offset(w->blanked + object, w->src->n - object, nth);
}

static int report_item(const struct walk *w, const char *group, const cJSON *item, size_t offset)
{
	struct place at = jsonc_place(w->src->text, w->src->n, offset);
	char where[PATH_MAX + 48];

	if (!cJSON_IsString(item) && !cJSON_IsNull(item))
		return source_fail(w->src, offset, w->err, "the value must be a string, or null for none");
	snprintf(where, sizeof where, "%s:%zu:%zu", w->src->filename, at.line, at.column);
	const char *value = cJSON_IsString(item) ? item->valuestring : "";
	w->fn(w->user, &(struct trm_config_entry){group, item->string, value, where});
	return 0;
}

static int walk_group(const struct walk *w, const cJSON *group, size_t object)
{
	size_t nth = 0;

	for (const cJSON *item = group->child; item; item = item->next, nth++) {
		int r = report_item(w, group->string, item, key_in(w, object, nth));
		if (r < 0)
			return r;
	}
	return 0;
}

static int walk_section(void *user, const struct source *src, const char *blanked, const cJSON *root,
		struct trm_error *reterr)
{
	struct walk *w = user;
	size_t nth = 0, at = 0;
	const cJSON *section = root->child;

	w->src = src;
	w->blanked = blanked;
	w->err = reterr;
	for (; section && strcmp(section->string, w->section) != 0; section = section->next)
		at++;
	if (!section)
		return 0;
	size_t object = jsonc_value_offset(blanked, src->n, key_in(w, 0, at));
	for (const cJSON *item = section->child; item; item = item->next, nth++) {
		size_t key = key_in(w, object, nth);
		int r = cJSON_IsObject(item) ? walk_group(w, item, jsonc_value_offset(blanked, src->n, key))
					     : report_item(w, "", item, key);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A missing file has no sections. */
static int read_section(const char *path, source_fn *use, void *user, struct trm_error *reterr)
{
	struct trm_error why = {0};
	char file[PATH_MAX], *text;
	size_t n;

	if (!trm_config_path(path, file, sizeof file))
		return 0;
	int r = config_read_file(file, &text, &n, &why);
	if (r == TRM_ENOENT)
		return 0;
	if (r < 0)
		return trm_error_set(reterr, r, "%s", why.msg);
	struct source src = {file, text, n};
	r = source_parse(&src, use, user, reterr);
	free(text);
	return r;
}

int trm_config_walk(const char *path, const char *section, trm_config_entry_fn *fn, void *user,
		struct trm_error *reterr)
{
	struct walk w = {.section = section, .fn = fn, .user = user};
	return read_section(path, walk_section, &w, reterr);
}

/* ---- whole ---- */

struct section_text {
	const char *section;
	char *json;
};

static int print_section(void *user, const struct source *src, const char *blanked, const cJSON *root,
		struct trm_error *reterr)
{
	struct section_text *wanted = user;
	const cJSON *section = cJSON_GetObjectItemCaseSensitive(root, wanted->section);
	(void)src;
	(void)blanked;
	if (section && !(wanted->json = cJSON_PrintUnformatted(section)))
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	return 0;
}

int trm_config_section(const char *path, const char *section, char **ret_json, struct trm_error *reterr)
{
	struct section_text wanted = {.section = section};
	int r = read_section(path, print_section, &wanted, reterr);
	*ret_json = wanted.json;
	return r;
}

/* ---- with positions ---- */

struct section_place {
	const char *section;
	struct trm_config_text *ret;
};

static int take_text(void *user, const struct source *src, const char *blanked, const cJSON *root,
		struct trm_error *reterr)
{
	struct section_place *wanted = user;
	size_t nth = 0;
	const cJSON *section = root->child;

	for (; section && strcmp(section->string, wanted->section) != 0; section = section->next)
		nth++;
	if (!section)
		return 0;
	if (!cJSON_IsObject(section))
		return source_fail(src, jsonc_key_offset(blanked, src->n, nth), reterr,
				"this must be an object: { … }");
	char *text = malloc(src->n + 1);
	if (!text)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	memcpy(text, blanked, src->n + 1);
	wanted->ret->text = text;
	wanted->ret->n = src->n;
	wanted->ret->offset = jsonc_value_offset(text, src->n, jsonc_key_offset(text, src->n, nth));
	snprintf(wanted->ret->file, sizeof wanted->ret->file, "%s", src->filename);
	return 0;
}

int trm_config_text(
		const char *path, const char *section, struct trm_config_text *ret, struct trm_error *reterr)
{
	struct section_place wanted = {section, ret};
	*ret = (struct trm_config_text){0};
	return read_section(path, take_text, &wanted, reterr);
}
