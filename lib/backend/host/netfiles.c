/* SPDX-License-Identifier: MIT */
/* The parts of pip's and npm's configuration files that say where packages come from. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/host/netenv.h"

enum { MAX_FILE = 256 * 1024, MAX_TEXT = 2048, MAX_FILES = 4 };

/* ---- lines ---------------------------------------------------------------------------- */

static char *trim_blanks(char *text)
{
	text += strspn(text, " \t\r");
	size_t n = strlen(text);
	while (n && strchr(" \t\r", text[n - 1]))
		text[--n] = '\0';
	return text;
}

/* Cut "key = value" (or with a colon, if `marks` has one). NULL: the line has no value. */
static char *cut_value(char *line, const char *marks)
{
	char *mark = line + strcspn(line, marks);
	if (!*mark)
		return NULL;
	*mark = '\0';
	return trim_blanks(mark + 1);
}

/* ---- pip: configparser's format --------------------------------------------------------- */

static const struct {
	const char *key, *name;
	bool is_address, is_certs;
} PIP_KEYS[] = {
		{"index-url", "PIP_INDEX_URL", true, false},
		{"extra-index-url", "PIP_EXTRA_INDEX_URL", true, false},
		{"proxy", "PIP_PROXY", true, false},
		{"trusted-host", "PIP_TRUSTED_HOST", false, false},
		{"timeout", "PIP_TIMEOUT", false, false},
		{"retries", "PIP_RETRIES", false, false},
		{"cert", "PIP_CERT", false, true},
};

static void put_pip(struct netenv *env, const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof PIP_KEYS / sizeof *PIP_KEYS; i++) {
		if (strcmp(key, PIP_KEYS[i].key))
			continue;
		if (PIP_KEYS[i].is_certs)
			netenv_put_certs(env, PIP_KEYS[i].name, value);
		else
			netenv_put(env, PIP_KEYS[i].name, value, PIP_KEYS[i].is_address);
	}
}

/* One setting, with its continuation lines. */
struct pip_entry {
	char key[64], value[MAX_TEXT];
};

static void begin_entry(struct pip_entry *e, char *line)
{
	char *value = cut_value(line, "=:");
	char *key = trim_blanks(line);
	*e = (struct pip_entry){0};
	if (!value || strlen(key) >= sizeof e->key || strlen(value) >= sizeof e->value)
		return;
	for (size_t i = 0; key[i]; i++)
		e->key[i] = key[i] == '_' ? '-' : (char)tolower((unsigned char)key[i]);
	memcpy(e->value, value, strlen(value) + 1);
}

static void continue_entry(struct pip_entry *e, const char *more)
{
	size_t n = strlen(e->value);
	if (*e->key && n + strlen(more) + 2 < sizeof e->value)
		snprintf(e->value + n, sizeof e->value - n, "%s%s", n ? " " : "", more);
}

/* The sections that "pip install" reads. */
static bool is_for_us(const char *section)
{
	return !strcmp(section, "[global]") || !strcmp(section, "[install]")
	       || !strcmp(section, "[download]");
}

void netenv_read_pip(struct netenv *env, char *text)
{
	struct pip_entry e = {0};
	bool is_ours = false;
	char *rest;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool is_more = isspace((unsigned char)*line);
		line = trim_blanks(line);
		if (!*line || *line == '#' || *line == ';')
			continue;
		if (is_more) {
			continue_entry(&e, line);
			continue;
		}
		put_pip(env, e.key, e.value);
		e = (struct pip_entry){0};
		if (*line == '[')
			is_ours = is_for_us(line);
		else if (is_ours)
			begin_entry(&e, line);
	}
	put_pip(env, e.key, e.value);
}

/* ---- npm: its own kind of ini ---------------------------------------------------------------- */

/* Replace ${NAME} by our environment variable, as npm does. Unknown ones stay. */
static void expand_variables(const char *in, char out[MAX_TEXT])
{
	size_t n = 0;
	while (*in && n < MAX_TEXT - 1) {
		char name[128];
		size_t len = strncmp(in, "${", 2) ? 0 : strcspn(in + 2, "}");
		const char *value = NULL;
		if (len && len < sizeof name && in[2 + len]) {
			snprintf(name, sizeof name, "%.*s", (int)len, in + 2);
			value = getenv(name);
		}
		if (!value) {
			out[n++] = *in++;
			continue;
		}
		size_t take = strlen(value) < MAX_TEXT - 1 - n ? strlen(value) : MAX_TEXT - 1 - n;
		memcpy(out + n, value, take);
		n += take;
		in += len + 3;
	}
	out[n] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

static bool is_credential(const char *key)
{
	static const char *const ends[] = {
			"_authToken", "_auth", "_password", "username", "certfile", "keyfile"};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends_with(key, ends[i]))
			return true;
	return false;
}

static bool is_plain(const char *key)
{
	static const char *const keys[] = {"registry", "proxy", "https-proxy", "noproxy", "strict-ssl",
			"fetch-timeout", "fetch-retries"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return key[0] == '@' && ends_with(key, ":registry");
}

static void put_npm(struct netenv *env, const char *key, const char *value)
{
	char name[256], text[MAX_TEXT];
	if ((size_t)snprintf(name, sizeof name, "npm_config_%s", key) >= sizeof name)
		return;
	if (key[0] != '@' && key[0] != '/') /* settings, not scopes or hosts: "https-proxy" is https_proxy in
					       a variable */
		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : *c;
	expand_variables(value, text);
	if (!strcmp(key, "cafile"))
		netenv_put_certs(env, name, text);
	else if (is_plain(key) || (env->has_credentials && is_credential(key)))
		netenv_put(env, name, text, !is_credential(key));
}

static char *unquote(char *value)
{
	size_t n = strlen(value);
	if (n < 2 || (*value != '"' && *value != '\'') || value[n - 1] != *value)
		return value;
	value[n - 1] = '\0';
	return value + 1;
}

void netenv_read_npm(struct netenv *env, char *text)
{
	char *rest;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		line = trim_blanks(line);
		if (*line == '#' || *line == ';' || *line == '[')
			continue;
		char *value = cut_value(line, "=");
		if (value)
			put_npm(env, trim_blanks(line), unquote(value));
	}
}

/* ---- where they are ------------------------------------------------------------------------------ */

typedef void read_fn(struct netenv *env, char *text);

/* "~" is the home directory, "$" the configuration directory. */
static void read_file(struct netenv *env, const char *path, read_fn *fn)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	char full[1024];
	if (path[0] == '~')
		snprintf(full, sizeof full, "%s%s", home ? home : "", path + 1);
	else if (path[0] == '$' && config && *config)
		snprintf(full, sizeof full, "%s%s", config, path + 1);
	else if (path[0] == '$')
		snprintf(full, sizeof full, "%s/.config%s", home ? home : "", path + 1);
	else
		snprintf(full, sizeof full, "%s", path);
	char *text = full[0] == '/' ? netenv_load(full, MAX_FILE) : NULL;
	if (text)
		fn(env, text);
	free(text);
}

void netenv_read_files(struct netenv *env)
{
	static const char *const pip[MAX_FILES] = {
			"$/pip/pip.conf", "~/.pip/pip.conf", "/etc/xdg/pip/pip.conf", "/etc/pip.conf"};
	const char *named = getenv("PIP_CONFIG_FILE"), *user = getenv("NPM_CONFIG_USERCONFIG");
	if (named && *named)
		read_file(env, named, netenv_read_pip);
	/* /dev/null is how users tell pip to read no file at all. */
	for (size_t i = 0; i < MAX_FILES && !(named && !strcmp(named, "/dev/null")); i++)
		read_file(env, pip[i], netenv_read_pip);
	if (!user)
		user = getenv("npm_config_userconfig");
	read_file(env, user && *user ? user : "~/.npmrc", netenv_read_npm);
	read_file(env, "/etc/npmrc", netenv_read_npm);
}
