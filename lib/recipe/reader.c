/* SPDX-License-Identifier: MIT */
/* Reports mistakes in a recipe, with their position. */
#include "recipe/reader.h"

#include <cJSON.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "base/place.h"

enum { TEXT_MAX = 4096 /* bytes of a text */ };

/* ---- mistakes ---- */

static size_t spot_offset(const struct recipe_text *text, const struct spot *at)
{
	size_t above = text->offset;
	if (at->up) {
		above = spot_offset(text, at->up);
		if (at->up->name && (at->up->up || !text->is_one))
			above = place_value(text->json, text->n, above);
	} else if (text->is_one) {
		return above;
	}
	return place_child(text->json, text->n, above, at->nth);
}

/* "steps.create[2]"; for the recipe itself nothing. */
static void put_path(const struct spot *at, char *out, size_t cap)
{
	if (!at->up)
		return;
	put_path(at->up, out, cap);
	size_t n = strlen(out);
	char name[40];
	if (at->name) {
		trm_text_clean_line(name, sizeof name, at->name, strlen(at->name));
		snprintf(out + n, cap - n, "%s%s", n ? "." : "", name);
	} else {
		snprintf(out + n, cap - n, "[%zu]", at->nth);
	}
}

static int fail_v(const struct recipe_text *text, const struct spot *at, struct trm_error *reterr,
		const char *fmt, va_list args)
{
	const struct spot *root = at;
	char path[120] = "", name[TRM_RECIPE_NAME], why[160], where[PATH_MAX + 48] = "built in";
	size_t line, column;
	while (root->up)
		root = root->up;
	put_path(at, path, sizeof path);
	trm_text_clean_line(name, sizeof name, root->name, strlen(root->name));
	vsnprintf(why, sizeof why, fmt, args);
	place_line_column(text->json, spot_offset(text, at), &line, &column);
	if (*text->file)
		snprintf(where, sizeof where, "%s:%zu:%zu", text->file, line, column);
	return trm_error_set(reterr, TRM_EINVAL, "%s: backend \"%s\"%s%s: %s", where, name, *path ? ", " : "",
			path, why);
}

int reader_fail(const struct reader *r, const struct spot *at, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = fail_v(r->text, at, r->err, fmt, args);
	va_end(args);
	return code;
}

int reader_no_memory(const struct reader *r)
{
	return trm_error_set(r->err, TRM_ENOMEM, "cannot read the backends: out of memory");
}

/* "is not known", with the nearest known word if there is one. */
int reader_fail_unknown(const struct reader *r, const struct spot *at, const char *what, const char *word,
		size_t n, const char *nearest)
{
	char clean[48];
	trm_text_clean_line(clean, sizeof clean, word, n);
	if (nearest)
		return reader_fail(
				r, at, "there is no %s \"%s\"; did you mean \"%s\"?", what, clean, nearest);
	return reader_fail(r, at, "there is no %s \"%s\"; see terrarium-backends(5)", what, clean);
}

int recipe_fail(const struct recipe_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, ...)
{
	const cJSON *item = text->root->child;
	for (size_t i = 0; i < nth; i++)
		item = item->next;
	struct spot root = {NULL, nth, item->string}, at = {&root, 0, key};
	const cJSON *child = key ? item->child : NULL;
	for (; child && strcmp(child->string, key) != 0; child = child->next)
		at.nth++;
	va_list args;
	va_start(args, fmt);
	int code = fail_v(text, child ? &at : &root, reterr, fmt, args);
	va_end(args);
	return code;
}

/* ---- texts ---- */

int reader_check_text(const struct reader *r, const struct spot *at, const char *s)
{
	size_t n = strlen(s), taken;
	bool is_valid;
	if (n > TEXT_MAX)
		return reader_fail(r, at, "is a string of %zu bytes; the maximum is %d", n, TEXT_MAX);
	for (size_t i = 0; i < n; i += taken) {
		taken = trm_utf8_decode(s + i, n - i, &(uint32_t){0}, &is_valid);
		if (!is_valid)
			return reader_fail(r, at, "is not UTF-8 text");
		if (((unsigned char)s[i] < ' ' && s[i] != '\n' && s[i] != '\t') || s[i] == 0x7f)
			return reader_fail(r, at, "contains a control character (byte 0x%02x)",
					(unsigned char)s[i]);
	}
	return 0;
}

int reader_text(const struct reader *r, const struct spot *at, const cJSON *item, char **ret)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return reader_fail(r, at, "must be a string that is not empty");
	int code = reader_check_text(r, at, item->valuestring);
	if (code < 0)
		return code;
	char *copy = strdup(item->valuestring);
	if (!copy)
		return reader_no_memory(r);
	free(*ret);
	*ret = copy;
	return 0;
}
