/* SPDX-License-Identifier: MIT */
#include "backend/host/netenv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_VARS = 8 * 1024, MAX_VALUE = 2048, MAX_CERTS = 4 << 20 };

/* ---- values ------------------------------------------------------------------------- */

static bool is_end_of_host(char c)
{
	return !c || strchr("/?# \t\n", c);
}

/* Strip one address: with a scheme, or user:password@host:3128 as for proxies. Passwords may hold commas.
 * A proxy has no path, so everything before its last '@' counts as user and password. */
static char *strip_one(char *at, bool is_proxy)
{
	char *scheme = strstr(at, "://"), *end = at + strcspn(at, ", \t\n"), *user_end = NULL;
	char *host = scheme && scheme < end ? scheme + 3 : at;
	for (char *c = host; is_proxy ? *c : !is_end_of_host(*c); c++)
		user_end = *c == '@' ? c : user_end; /* the last one: a password may hold others */
	if (!user_end)
		return end;
	memmove(host, user_end + 1, strlen(user_end + 1) + 1);
	return host + strcspn(host, ", \t\n");
}

void netenv_strip(char *text, bool is_proxy)
{
	while (*(text += strspn(text, ", \t\n")))
		text = strip_one(text, is_proxy);
}

static bool has_variable(const struct netenv *env, const char *name)
{
	const char *at = buf_at(&env->vars), *end = at + env->vars.len;
	while (at < end) {
		if (!strcmp(at, name))
			return true;
		at += strlen(at) + 1;
		at += strlen(at) + 1;
	}
	return false;
}

void netenv_put(struct netenv *env, const char *name, const char *value, bool is_address)
{
	char pair[2 * MAX_VALUE];
	const size_t n_name = strlen(name) + 1, n_value = strlen(value) + 1;
	if (n_value == 1 || n_name > MAX_VALUE || n_value > MAX_VALUE || has_variable(env, name))
		return;
	memcpy(pair, name, n_name);
	memcpy(pair + n_name, value, n_value);
	if (is_address && !env->has_credentials)
		netenv_strip(pair + n_name, strcasestr(name, "proxy"));
	buf_append(&env->vars, pair, n_name + strlen(pair + n_name) + 1);
}

/* ---- certificates --------------------------------------------------------------------- */

char *netenv_load(const char *path, size_t max)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= max;
	char *text = is_file ? malloc((size_t)st.st_size + 1) : NULL;
	ssize_t n = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (fd >= 0)
		close(fd);
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

/* Files that a local sandbox sees, and that are no secrets. */
static bool is_visible(const struct netenv *env, const char *path)
{
	static const char *const dirs[] = {"/usr/", "/etc/ssl/certs/", "/etc/ca-certificates/",
			"/etc/pki/tls/certs/", "/etc/pki/ca-trust/"};
	for (size_t i = 0; env->sees_host && i < sizeof dirs / sizeof *dirs; i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])) && !strstr(path, "/../"))
			return true;
	return false;
}

/* Append only the certificates: a file may hold the private key as well. */
static void add_certs(struct buf *to, const char *text)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";
	while ((text = strstr(text, begin))) {
		const char *kind = text + strlen(begin), *last = strstr(text, end);
		last = last ? strchr(last, '\n') : NULL;
		const char *stop = last ? last + 1 : text + strlen(text);
		bool is_cert = !strncmp(kind, "CERTIFICATE-----", 16) || !strncmp(kind, "TRUSTED CERT", 12)
			       || !strncmp(kind, "X509 CERT", 9);
		if (is_cert
				&& (buf_append(to, text, (size_t)(stop - text)) < 0
						|| buf_append(to, "\n", 1) < 0))
			return;
		text = stop;
	}
}

static bool is_taken(const struct netenv *env, const struct stat *st)
{
	for (size_t i = 0; i < env->n_taken; i++)
		if (env->taken[i].dev == st->st_dev && env->taken[i].ino == st->st_ino)
			return true;
	return false;
}

/* False: the file holds no certificates. */
static bool take_certs(struct netenv *env, const char *path)
{
	struct stat st;
	const size_t before = env->certs.len;
	if (path[0] != '/' || stat(path, &st) < 0)
		return false;
	if (is_taken(env, &st))
		return true;
	char *text = netenv_load(path, MAX_CERTS / 4);
	if (text)
		add_certs(&env->certs, text);
	free(text);
	if (env->certs.len == before)
		return false;
	if (env->n_taken < NETENV_FILES) {
		env->taken[env->n_taken].dev = st.st_dev;
		env->taken[env->n_taken++].ino = st.st_ino;
	}
	return true;
}

void netenv_put_certs(struct netenv *env, const char *name, const char *path)
{
	if (is_visible(env, path))
		netenv_put(env, name, path, false);
	else if (!has_variable(env, name) && take_certs(env, path))
		netenv_put(env, name, NETENV_CERTS, false);
}

/* ---- our environment ---------------------------------------------------------------------- */

enum kind { ADDRESS, WORD, CERTS };

static const struct {
	const char *name;
	enum kind kind;
} VARIABLES[] = {
		{"http_proxy", ADDRESS},
		{"https_proxy", ADDRESS},
		{"ftp_proxy", ADDRESS},
		{"all_proxy", ADDRESS},
		{"no_proxy", WORD},
		{"HTTP_PROXY", ADDRESS},
		{"HTTPS_PROXY", ADDRESS},
		{"FTP_PROXY", ADDRESS},
		{"ALL_PROXY", ADDRESS},
		{"NO_PROXY", WORD},
		{"PIP_INDEX_URL", ADDRESS},
		{"PIP_EXTRA_INDEX_URL", ADDRESS},
		{"PIP_PROXY", ADDRESS},
		{"PIP_TRUSTED_HOST", WORD},
		{"PIP_TIMEOUT", WORD},
		{"PIP_DEFAULT_TIMEOUT", WORD},
		{"PIP_RETRIES", WORD},
		{"PIP_CERT", CERTS},
		{"UV_INDEX_URL", ADDRESS},
		{"UV_DEFAULT_INDEX", ADDRESS},
		{"NPM_CONFIG_REGISTRY", ADDRESS},
		{"NPM_CONFIG_PROXY", ADDRESS},
		{"NPM_CONFIG_HTTPS_PROXY", ADDRESS},
		{"NPM_CONFIG_NOPROXY", WORD},
		{"NPM_CONFIG_CAFILE", CERTS},
		{"npm_config_registry", ADDRESS},
		{"npm_config_proxy", ADDRESS},
		{"npm_config_https_proxy", ADDRESS},
		{"npm_config_noproxy", WORD},
		{"npm_config_cafile", CERTS},
		{"GEM_SOURCE", ADDRESS},
		{"R_REPO", ADDRESS},
		{"MAVEN_REPO", ADDRESS},
		{"GOPROXY", ADDRESS},
		{"GONOSUMDB", WORD},
		{"GOSUMDB", WORD},
		{"SSL_CERT_FILE", CERTS},
		{"REQUESTS_CA_BUNDLE", CERTS},
		{"CURL_CA_BUNDLE", CERTS},
		{"GIT_SSL_CAINFO", CERTS},
		{"NODE_EXTRA_CA_CERTS", CERTS},
};

static void init_buffers(struct netenv *env)
{
	buf_init(&env->vars, MAX_VARS);
	buf_init(&env->certs, MAX_CERTS);
}

/* Read the variables of one kind. */
static void read_variables(struct netenv *env, bool are_certs)
{
	for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
		const char *value = getenv(VARIABLES[i].name);
		if (!value || (VARIABLES[i].kind == CERTS) != are_certs)
			continue;
		if (are_certs)
			netenv_put_certs(env, VARIABLES[i].name, value);
		else
			netenv_put(env, VARIABLES[i].name, value, VARIABLES[i].kind == ADDRESS);
	}
}

void netenv_find(struct netenv *env, bool has_credentials, bool sees_host)
{
	*env = (struct netenv){.has_credentials = has_credentials, .sees_host = sees_host};
	init_buffers(env);
	read_variables(env, false);
	read_variables(env, true);
	netenv_read_files(env);
}

void netenv_find_certs(struct netenv *env)
{
	*env = (struct netenv){.sees_host = true};
	init_buffers(env);
	read_variables(env, true);
}

void netenv_finish(struct netenv *env)
{
	buf_finish(&env->vars);
	buf_finish(&env->certs);
}
