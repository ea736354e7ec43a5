/* SPDX-License-Identifier: MIT */
/* Evaluates a .env file: its variables, and the settings among them. */
#include "config/dotenv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "config/config.h"

enum { BUCKETS = 1024, VALUES_MAX = 16 << 20 };

/* ---- variables ---- */

/* The variables defined so far. In each bucket the newest comes first. */
struct known {
	struct known *next;
	const char *value; /* NULL: none; stored after the key */
	char key[];
};

struct resolver {
	struct known *buckets[BUCKETS];
	size_t used; /* bytes of all values */
	char *line;  /* the value being built */
	size_t n, cap;
};

static unsigned bucket_of(const char *key)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 16777619u;
	return hash % BUCKETS;
}

static const struct known *find_known(const struct resolver *r, const char *key)
{
	const struct known *k = r->buckets[bucket_of(key)];

	while (k && strcmp(k->key, key) != 0)
		k = k->next;
	return k;
}

static void resolver_finish(struct resolver *r)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (r->buckets[i]) {
			struct known *next = r->buckets[i]->next;
			free(r->buckets[i]);
			r->buckets[i] = next;
		}
	free(r->line);
}

static int append_bytes(struct resolver *r, const char *bytes, size_t n)
{
	if (r->used + r->n + n > VALUES_MAX)
		return TRM_ETOOBIG;
	if (r->n + n + 1 > r->cap) {
		size_t cap = 2 * r->cap > r->n + n + 1 ? 2 * r->cap : r->n + n + 64;
		char *grown = realloc(r->line, cap);
		if (!grown)
			return TRM_ENOMEM;
		r->line = grown;
		r->cap = cap;
	}
	if (n)
		memcpy(r->line + r->n, bytes, n);
	r->n += n;
	r->line[r->n] = '\0';
	return 0;
}

/* The length of a reference "${NAME}" or "${NAME:-default}" at text[0..n); 0: there is none. */
static size_t reference_at(const char *text, size_t n, size_t *ret_name, const char **ret_default)
{
	if (n < 3 || text[0] != '$' || text[1] != '{')
		return 0;
	const char *close = memchr(text + 2, '}', n - 2);
	if (!close)
		return 0;
	const char *colon = memchr(text + 2, ':', (size_t)(close - text - 2));
	if (colon && colon[1] != '-')
		return 0;
	*ret_name = (size_t)((colon ? colon : close) - text - 2);
	*ret_default = colon ? colon + 2 : close;
	return (size_t)(close - text) + 1;
}

/* The environment takes precedence over the file. */
static int put_reference(
		struct resolver *r, const char *name, size_t n, const char *fallback, size_t fallback_n)
{
	char *key = strndup(name, n);
	if (!key)
		return TRM_ENOMEM;
	const char *value = strchr(key, '=') ? NULL
					     : getenv(key); /* a name with '=' cannot be in the environment */
	const struct known *k = value ? NULL : find_known(r, key);
	free(key);
	if (value)
		return append_bytes(r, value, strlen(value));
	if (k)
		return k->value ? append_bytes(r, k->value, strlen(k->value)) : 0;
	return append_bytes(r, fallback, fallback_n);
}

/* Expand a value into r->line. */
static int expand_value(struct resolver *r, const char *text, size_t n)
{
	r->n = 0;
	int code = append_bytes(r, "", 0);
	for (size_t i = 0; i < n && code == 0;) {
		size_t name;
		const char *fallback;
		const char *dollar = memchr(text + i, '$', n - i);
		size_t plain = dollar ? (size_t)(dollar - text) - i : n - i;
		code = append_bytes(r, text + i, plain);
		i += plain;
		size_t len = reference_at(text + i, n - i, &name, &fallback);
		if (code == 0 && len)
			code = put_reference(r, text + i + 2, name, fallback,
					(size_t)(text + i + len - 1 - fallback));
		else if (code == 0 && i < n)
			code = append_bytes(r, text + i, len = 1);
		i += len;
	}
	return code;
}

/* Define this key with the value in r->line, or without a value. NULL: out of memory. */
static const struct known *define_known(struct resolver *r, const struct dotenv_binding *b)
{
	size_t value_n = b->value ? strlen(r->line) + 1 : 0;
	struct known *k = malloc(sizeof *k + b->key_n + 1 + value_n);
	if (!k)
		return NULL;
	memcpy(k->key, b->key, b->key_n);
	k->key[b->key_n] = '\0';
	k->value = value_n ? memcpy(k->key + b->key_n + 1, r->line, value_n) : NULL;
	struct known **bucket = &r->buckets[bucket_of(k->key)];
	k->next = *bucket;
	*bucket = k;
	r->used += value_n;
	return k;
}

static int resolve_binding(struct resolver *r, const struct dotenv_binding *b, dotenv_fn *fn, void *user)
{
	int code = 0;

	if (b->value) {
		char *raw = malloc(b->value_n + 1);
		if (!raw)
			return TRM_ENOMEM;
		code = expand_value(r, raw, dotenv_unescape(b, raw));
		free(raw);
	}
	const struct known *k = code == 0 ? define_known(r, b) : NULL;
	if (!k)
		return code ? code : TRM_ENOMEM;
	return fn(user, k->key, k->value, b->line);
}

int dotenv_each(const char *text, size_t n, dotenv_fn *fn, void *user, struct trm_error *reterr)
{
	struct resolver resolver = {0};
	struct dotenv_binding b;
	char *copy = malloc(n + 1);
	int code = copy ? 0 : TRM_ENOMEM;

	if (copy && n)
		memcpy(copy, text, n);
	struct dotenv_reader reader = {.text = copy, .n = copy ? dotenv_unify_lines(copy, n) : 0};
	while (code == 0 && dotenv_next(&reader, &b))
		if (b.key)
			code = resolve_binding(&resolver, &b, fn, user);
	resolver_finish(&resolver);
	free(copy);
	if (code == TRM_ENOMEM || code == TRM_ETOOBIG)
		return trm_error_set(reterr, code, "%s",
				code == TRM_ENOMEM ? "out of memory" : "the values are longer than 16 MiB");
	return code;
}

/* ---- settings ---- */

/* The last assignment of each setting counts, even if an earlier one is wrong. */
struct wanted {
	const struct config_target *target;
	char *values[SETTINGS_MAX]; /* by config_row(); NULL: not set */
	size_t lines[SETTINGS_MAX];
};

static int collect_setting(void *user, const char *key, const char *value, size_t line)
{
	struct wanted *w = user;
	size_t row = config_find(w->target, key);

	if (row == config_count(w->target) || strcmp(config_row(w->target, row)->env, key) != 0)
		return 0;
	free(w->values[row]);
	w->lines[row] = line;
	w->values[row] = value ? strdup(value) : NULL;
	return value && !w->values[row] ? TRM_ENOMEM : 0;
}

static int apply_setting(const struct config_target *target, size_t row, const char *value,
		const char *filename, size_t line, struct trm_error *reterr)
{
	const struct trm_setting *s = config_row(target, row);
	char label[200];

	snprintf(label, sizeof label, "%.100s:%zu: %s", filename, line, s->env);
	if (s->not_from_dotenv)
		return trm_error_set(reterr, TRM_EINVAL,
				"%s cannot be set here, because a folder must not decide it; use the environment or "
				"the config file",
				label);
	/* Like the Python package, ignore the file's server. */
	if (strcmp(s->name, "server_url") == 0 && secret_forbids_url(target->config, value))
		return 0;
	int r = config_set_row(target, row, value, label, reterr);
	if (r == 0)
		config_note(target, row, TRM_FROM_DOTENV, line, 0);
	return r;
}

int dotenv_parse(const struct config_target *target, const char *text, size_t n, const char *filename,
		struct trm_error *reterr)
{
	struct wanted w = {.target = target};
	struct trm_error why = {0};
	size_t count = config_count(target);

	int r = dotenv_each(text, n, collect_setting, &w, &why);
	if (r < 0)
		trm_error_set(reterr, r, "%s: %s", filename, why.msg);
	/* The environment takes precedence, even an empty variable. An empty value in the file counts as
	 * not set. */
	for (size_t i = 0; i < count && r == 0; i++)
		if (w.values[i] && *w.values[i] && !getenv(config_row(target, i)->env))
			r = apply_setting(target, i, w.values[i], filename, w.lines[i], reterr);
	for (size_t i = 0; i < count; i++)
		free(w.values[i]);
	return r;
}
