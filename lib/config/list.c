/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mount.h"
#include "config/config.h"

/* ---- lists ---------------------------------------------------------------------------------- */

struct list {
	char *mem;
	size_t used, cap; /* without and with the empty text at the end */
	size_t n;
};

static struct list list_of(struct trm_config *config, const struct trm_setting *s)
{
	struct list list = {(char *)config + s->offset, 0, s->size, 0};
	for (const char *at = NULL; (at = trm_list_next(list.mem, at)); list.n++)
		list.used = (size_t)(at - list.mem) + strlen(at) + 1;
	return list;
}

const char *trm_list_next(const char *list, const char *at)
{
	at = at ? at + strlen(at) + 1 : list;
	return *at ? at : NULL;
}

/* Append a text. If there is no room, the list is unchanged. */
static int append_item(struct list *list, const char *text, struct trm_error *reterr)
{
	size_t n = strlen(text) + 1;
	if (list->used + n + 1 > list->cap)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"all values together must not be longer than %zu bytes", list->cap - 2);
	memcpy(list->mem + list->used, text, n);
	list->used += n;
	list->mem[list->used] = '\0';
	return 0;
}

/* ---- items of several kinds --------------------------------------------------------------------- */

static int put_mount(struct list *list, const char *item, struct trm_error *reterr)
{
	char copy[TRM_HOST_PATH + TRM_INSIDE_PATH + 8];
	struct trm_mount m;
	if (strlen(item) >= sizeof copy)
		return trm_error_set(reterr, TRM_EINVAL, "'%.40s…' is too long", item);
	strcpy(copy, item);
	int r = trm_mount_parse(copy, &m, reterr);
	struct list before = *list;
	if (r < 0 || (r = append_item(list, m.host, reterr)) < 0
			|| (r = append_item(list, m.guest, reterr)) < 0
			|| (r = append_item(list, m.is_writable ? "rw" : "ro", reterr)) < 0) {
		*list = before;
		list->mem[list->used] = '\0';
	}
	return r;
}

/* The value is looked up at once, so it is the one at the time of the request. */
static int put_env(struct list *list, const char *item, struct trm_error *reterr)
{
	char pair[TRM_ENV_BYTES];
	const char *value;
	int r = mount_check_env(item, true, reterr);
	if (r < 0 || strchr(item, '='))
		return r < 0 ? r : append_item(list, item, reterr);
	if (!(value = getenv(item)))
		return trm_error_set(reterr, TRM_ENOENT,
				"%.80s is not set here, so there is nothing to pass on; %.40s=value sets it",
				item, item);
	if (snprintf(pair, sizeof pair, "%s=%s", item, value) >= (int)sizeof pair)
		return trm_error_set(reterr, TRM_ETOOBIG, "the value of %.80s is longer than %d bytes", item,
				TRM_ENV_BYTES);
	return append_item(list, pair, reterr);
}

/* Only names, because values may be secrets. */
static void get_env(char *out, size_t cap, const char *item)
{
	snprintf(out, cap, "%.*s", (int)strcspn(item, "="), item);
}

/* NAME=FILE. The file is read at once. */
static int put_script(struct list *list, const char *item, struct trm_error *reterr)
{
	char name[64];
	const char *equals = strchr(item, '=');
	struct list before = *list;
	char *text;
	size_t n;
	if (!equals || equals == item || (size_t)(equals - item) >= sizeof name || !equals[1])
		return trm_error_set(reterr, TRM_EINVAL, "'%.80s' must be NAME=FILE", item);
	snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
	if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(name))
		return trm_error_set(reterr, TRM_EINVAL, "'%s' is not a valid script name", name);
	int r = config_read_file(equals + 1, &text, &n, reterr);
	if (r < 0)
		return r;
	if (!n || strlen(text) != n)
		r = trm_error_set(reterr, TRM_EINVAL, "%s is not text", equals + 1);
	if (r < 0 || (r = append_item(list, name, reterr)) < 0 || (r = append_item(list, text, reterr)) < 0) {
		*list = before;
		list->mem[list->used] = '\0';
	}
	free(text);
	return r;
}

/* Do not show the text of the file. */
static void get_script(char *out, size_t cap, const char *item)
{
	snprintf(out, cap, "%s", strlen(item) < 64 && !strpbrk(item, "\n ") ? item : "…");
}

/* Items that are more than texts. A mount is three items of the list. */
static const struct form {
	const char *name;
	int (*put)(struct list *list, const char *item, struct trm_error *reterr);
	void (*get)(char *out, size_t cap, const char *item);
	unsigned pieces, most;
} forms[] = {
		{"mount", put_mount, NULL, 3, TRM_MOUNTS_MAX},
		{"env", put_env, get_env, 1, TRM_ENV_MAX},
		{"script", put_script, get_script, 2, TRM_REMOTE_LIST_MAX},
};

static const struct form *form_of(const struct trm_setting *s)
{
	static const struct form plain = {"", append_item, NULL, 1, UINT_MAX};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, s->name))
			return &forms[i];
	return &plain;
}

/* ---- the setting ---------------------------------------------------------------------------------- */

void trm_config_clear(struct trm_config *config, const struct trm_setting *s)
{
	char *field = (char *)config + s->offset;
	if (*field)
		memset(field, 0, s->size);
}

int trm_config_add(struct trm_config *config, const struct trm_setting *s, const char *item,
		const char *label, struct trm_error *reterr)
{
	struct list list = list_of(config, s);
	const struct form *form = form_of(s);
	struct trm_error why = {0};
	if (list.n / form->pieces >= form->most)
		return trm_error_set(reterr, TRM_EINVAL, "%s: at most %u are allowed", label, form->most);
	int r = form->put(&list, item, &why);
	return r < 0 ? trm_error_set(reterr, r, "%s: %s", label, why.msg) : 0;
}

static int add_lines(struct trm_config *config, const struct trm_setting *s, const char *text,
		const char *label, struct trm_error *reterr)
{
	char item[TRM_ENV_BYTES];
	int r = 0;
	while (*text && r == 0) {
		size_t n = strcspn(text, "\n");
		if (n >= sizeof item)
			return trm_error_set(reterr, TRM_EINVAL, "%s: an item is too long", label);
		memcpy(item, text, n);
		item[n] = '\0';
		if (n)
			r = trm_config_add(config, s, item, label, reterr);
		text += n + (text[n] == '\n');
	}
	return r;
}

/* Most lists are empty, at every start: avoid any copy then. */
int list_set(struct trm_config *config, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	char *field = (char *)config + s->offset, *before;
	int r;
	if (!*text) {
		trm_config_clear(config, s);
		return 0;
	}
	if (!(before = malloc(s->size)))
		return trm_error_set(reterr, TRM_ENOMEM, "%s: out of memory", label);
	memcpy(before, field, s->size);
	trm_config_clear(config, s);
	r = add_lines(config, s, text, label, reterr);
	if (r < 0)
		memcpy(field, before, s->size);
	free(before);
	return r;
}

size_t list_get(const struct trm_config *config, const struct trm_setting *s, char *out, size_t cap)
{
	const struct form *form = form_of(s);
	const char *at = NULL;
	size_t used = 0;
	if (cap)
		out[0] = '\0';
	for (unsigned piece = 0; used < cap && (at = trm_list_next((const char *)config + s->offset, at));
			piece = (piece + 1) % form->pieces) {
		used += (size_t)snprintf(out + used, cap - used, "%s", !used ? "" : piece ? ":" : "\n");
		if (used >= cap)
			break;
		if (form->get)
			form->get(out + used, cap - used, at);
		else
			snprintf(out + used, cap - used, "%s", at);
		used += strlen(out + used);
	}
	return cap ? strlen(out) : 0;
}

/* ---- words separated by commas -------------------------------------------------------------------- */

bool trm_config_trusts(const char *trust, const char *backend)
{
	const char *at = trust;
	while (*(at += strspn(at, ", "))) {
		size_t n = strcspn(at, ", ");
		if ((n == 3 && !memcmp(at, "all", 3)) || (n == strlen(backend) && !memcmp(at, backend, n)))
			return true;
		at += n;
	}
	return false;
}
