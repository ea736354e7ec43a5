/* SPDX-License-Identifier: MIT */
#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/config.h"

int source_fail(const struct source *src, size_t offset, struct trm_error *reterr, const char *why)
{
	struct place at = jsonc_place(src->text, src->n, offset);
	return trm_error_set(reterr, TRM_EINVAL, "%s:%zu:%zu: %s", src->filename, at.line, at.column, why);
}

static int fail_unknown(const struct config_target *target, const struct source *src, size_t offset,
		const char *key, struct trm_error *reterr)
{
	const char *near = config_nearest(target, key);
	char why[240];
	if (near)
		snprintf(why, sizeof why, "unknown setting \"%.60s\"; did you mean \"%s\"?", key, near);
	else
		snprintf(why, sizeof why, "unknown setting \"%.60s\"; see 'terrarium help settings'", key);
	return source_fail(src, offset, reterr, why);
}

/* A JSON value as one would type it in an option. False: lists and objects have no such form. */
static bool value_text(const cJSON *item, char *out, size_t cap)
{
	if (cJSON_IsBool(item))
		snprintf(out, cap, "%s", cJSON_IsTrue(item) ? "on" : "off");
	else if (cJSON_IsNumber(item))
		snprintf(out, cap, "%.10f", item->valuedouble);
	else if (cJSON_IsString(item) && strlen(item->valuestring) < cap)
		memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
	else
		return false;
	if (cJSON_IsNumber(item)) { /* without trailing zeros, for messages */
		char *end = out + strlen(out);
		while (end > out && end[-1] == '0')
			*--end = 0;
		if (end > out && end[-1] == '.')
			*--end = 0;
	}
	return true;
}

/* The text of a list, for settings that take several values: with commas between. */
static bool list_text(const struct trm_setting *setting, const cJSON *item, char *out, size_t cap)
{
	size_t n = 0;
	bool is_list = setting->kind == TRM_SETTING_RANGES || setting->kind == TRM_SETTING_HOSTS;
	if (!is_list || !cJSON_IsArray(item))
		return false;
	out[0] = '\0';
	for (const cJSON *at = item->child; at; at = at->next) {
		if (!cJSON_IsString(at) || n + strlen(at->valuestring) + 2 > cap)
			return false;
		n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? "," : "", at->valuestring);
	}
	return true;
}

static int fail_plain(const struct source *src, const struct trm_setting *setting, size_t offset,
		struct trm_error *reterr)
{
	char why[200];
	snprintf(why, sizeof why, "\"%s\" must be a plain value, such as %s", setting->name,
			*setting->fallback ? setting->fallback : "\"text\"");
	return source_fail(src, offset, reterr, why);
}

/* Set items one by one, because they may contain commas and newlines. Variables that are not set here are
 * left out. */
static int set_list(const struct config_target *target, const struct source *src,
		const struct trm_setting *setting, const cJSON *value, size_t offset,
		struct trm_error *reterr)
{
	struct trm_error below = {0};
	char label[96];
	int r = 0;
	snprintf(label, sizeof label, "\"%s\"", setting->name);
	trm_config_clear(target->config, setting);
	for (const cJSON *at = cJSON_IsArray(value) ? value->child : value; at && r == 0;
			at = cJSON_IsArray(value) ? at->next : NULL) {
		if (!cJSON_IsString(at))
			return fail_plain(src, setting, offset, reterr);
		if (*at->valuestring)
			r = trm_config_add(target->config, setting, at->valuestring, label, &below);
		r = r == TRM_ENOENT ? 0 : r;
	}
	return r < 0 ? source_fail(src, offset, reterr, below.msg) : 0;
}

static int set_value(const struct config_target *target, const struct source *src, size_t row,
		const cJSON *item, size_t offset, struct trm_error *reterr)
{
	const struct trm_setting *setting = config_row(target, row);
	char text[TRM_API_KEY_BYTES], label[96];
	struct trm_error below = {0};
	if (setting->kind == TRM_SETTING_LIST)
		return set_list(target, src, setting, item, offset, reterr);
	if (!value_text(item, text, sizeof text) && !list_text(setting, item, text, sizeof text))
		return fail_plain(src, setting, offset, reterr);
	snprintf(label, sizeof label, "\"%s\"%s", setting->name,
			setting->kind == TRM_SETTING_RANGES || setting->kind == TRM_SETTING_HOSTS ? "" : ":");
	if (config_set_row(target, row, text, label, &below) < 0)
		return source_fail(src, offset, reterr, below.msg);
	return 0;
}

static int apply_item(const struct config_target *target, const struct source *src, const cJSON *item,
		size_t offset, struct trm_error *reterr)
{
	size_t row = config_find(target, item->string);
	bool is_known = row < config_count(target) && !strcmp(config_row(target, row)->name, item->string);
	if (setting_is_section(item->string))
		return cJSON_IsObject(item)
				       ? 0
				       : source_fail(src, offset, reterr, "this must be an object: { … }");
	if (!is_known) /* maybe a program's that shares the file */
		return target->own ? fail_unknown(target, src, offset, item->string, reterr) : 0;
	for (const cJSON *before = item->prev; before->next; before = before->prev)
		if (!strcmp(before->string, item->string))
			return source_fail(src, offset, reterr,
					"this setting was already given above; keep one of the two");
	int r = set_value(target, src, row, item, offset, reterr);
	if (r < 0)
		return r;
	struct place at = jsonc_place(src->text, src->n, offset);
	config_note(target, row, TRM_FROM_FILE, at.line, at.column);
	return 0;
}

static int take_all(void *user, const struct source *src, const char *blanked, const cJSON *root,
		struct trm_error *reterr)
{
	const struct config_target *target = user;
	size_t nth = 0;
	for (const cJSON *item = root->child; item; item = item->next, nth++) {
		int r = apply_item(target, src, item, jsonc_key_offset(blanked, src->n, nth), reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Offset of the first byte that is not valid UTF-8, or is NUL; n if there is none. */
static size_t first_bad_byte(const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		bool is_valid = false;
		size_t len = trm_utf8_decode(text + i, n - i, &(uint32_t){0}, &is_valid);
		if (!is_valid || !text[i])
			return i;
		i += len;
	}
	return n;
}

/* cJSON stops one byte after the beginning of an invalid or unclosed string. */
static size_t error_offset(const char *blanked, const char *end)
{
	static const char before_string[] = "{[,:", blanks[] = " \t\r\n";
	size_t offset = (size_t)(end - blanked);
	if (offset < 2 || strchr(blanks, blanked[offset - 1]))
		return offset;
	size_t before = offset - 2;
	while (before && strchr(blanks, blanked[before]))
		before--;
	return strchr(before_string, blanked[before]) ? offset - 1 : offset;
}

static int use_tree(const struct source *src, const char *blanked, source_fn *use, void *user,
		struct trm_error *reterr)
{
	const char *end = blanked;
	errno = 0; /* cJSON returns the same for invalid JSON and for lack of memory */
	cJSON *root = cJSON_ParseWithLengthOpts(blanked, src->n + 1, &end, 1);
	int r;
	if (!root && errno == ENOMEM)
		r = trm_error_set(reterr, TRM_ENOMEM, "%s: out of memory", src->filename);
	else if (!root)
		r = source_fail(src, error_offset(blanked, end), reterr,
				"this is not JSON: look for a missing or spare comma, quote or bracket here "
				"or just before");
	else if (!cJSON_IsObject(root))
		r = source_fail(src, strspn(blanked, " \t\r\n"), reterr,
				"a config is one object: { \"memory\": 512, … }");
	else
		r = use(user, src, blanked, root, reterr);
	cJSON_Delete(root);
	return r;
}

int source_parse(const struct source *src, source_fn *use, void *user, struct trm_error *reterr)
{
	size_t bad = first_bad_byte(src->text, src->n);
	if (bad < src->n)
		return source_fail(src, bad, reterr, "this is not UTF-8 text");
	char *blanked = malloc(src->n + 1);
	if (!blanked)
		return trm_error_set(reterr, TRM_ENOMEM, "%s: out of memory", src->filename);
	memcpy(blanked, src->text, src->n);
	blanked[src->n] = 0;
	size_t open = jsonc_blank_comments(blanked, src->n), nul = json_nul_offset(blanked, src->n);
	int r = 0;
	if (open < src->n)
		r = source_fail(src, open, reterr, "this comment is never closed");
	else if (nul < src->n)
		r = source_fail(src, nul, reterr, "\\u0000 is not allowed in a string here");
	else if (strspn(blanked, " \t\r\n") < src->n) /* an empty file sets nothing */
		r = use_tree(src, blanked, use, user, reterr);
	free(blanked);
	return r;
}

int config_parse(const struct config_target *target, const char *text, size_t n, const char *filename,
		struct trm_error *reterr)
{
	struct source src = {filename, text, n};
	struct trm_config draft = *target->config;
	struct config_target onto = {&draft, target->origins, target->own};
	int r = source_parse(&src, take_all, &onto, reterr);
	if (r == 0)
		*target->config = draft;
	return r;
}
