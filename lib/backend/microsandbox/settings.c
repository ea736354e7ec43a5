/* SPDX-License-Identifier: MIT */
/* Translates the options of a sandbox on a server into terms of the protocol. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/microsandbox/msb.h"
#include "base/err.h"
#include "base/utf8.h"
#include "rpc/names.h"

#define DEFAULT_URL "http://127.0.0.1:5555"
enum { CPUS_MAX = 255 };

static const char *or_environment(const char *given, const char *variable, const char *fallback)
{
	const char *value = given ? given : getenv(variable);
	return value && (given || *value) ? value : fallback;
}

static char *join_strings(const char *a, const char *b)
{
	size_t n = strlen(a);
	char *text = malloc(n + strlen(b) + 1);
	if (text) {
		memcpy(text, a, n);
		strcpy(text + n, b);
	}
	return text;
}

/* ---- URL ------------------------------------------------------------------------------------- */

static int url_fail(const char *url, struct trm_error *reterr, const char *why)
{
	char shown[128];
	const char *at = strrchr(url, '@'); /* a password would be before the '@' */
	trm_text_clean_line(shown, sizeof shown, at ? at + 1 : url, strlen(at ? at + 1 : url));
	return trm_error_set(reterr, TRM_EINVAL, "the server URL '%s%s' cannot be used: %s", at ? "…@" : "",
			shown, why);
}

static int url_check(const char *url, struct trm_error *reterr)
{
	size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
			: strncasecmp(url, "https://", 8) == 0 ? 8
							       : 0;
	if (!scheme)
		return url_fail(url, reterr, "it must begin with http:// or https://, as in " DEFAULT_URL);
	if (strlen(url) >= TRM_REMOTE_URL_BYTES)
		return url_fail(url, reterr, "it is too long");
	if (strcspn(url, "@") < scheme + strcspn(url + scheme, "/"))
		return url_fail(url, reterr,
				"it must not contain a name or password; give the key with MSB_API_KEY or "
				"in a file (api_key_file)");
	if (!url[scheme] || strchr("/:", url[scheme]))
		return url_fail(url, reterr, "it names no host");
	for (const char *at = url; *at; at++)
		if ((unsigned char)*at <= ' ' || *at == 127 || strchr("?#\"<>\\", *at))
			return url_fail(url, reterr, "it must not contain spaces, '?' or '#'");
	return 0;
}

static int set_url(struct msb_settings *s, const char *given, struct trm_error *reterr)
{
	const char *url = or_environment(given, "MSB_SERVER_URL", DEFAULT_URL);
	int r = url_check(url, reterr);
	if (r < 0)
		return r;
	s->url = strdup(url);
	for (size_t n = s->url ? strlen(s->url) : 0; n && s->url[n - 1] == '/'; n--)
		s->url[n - 1] = '\0';
	s->rpc_url = s->url ? join_strings(s->url, RPC_PATH_RPC) : NULL;
	s->health_url = s->url ? join_strings(s->url, RPC_PATH_HEALTH) : NULL;
	return s->rpc_url && s->health_url ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

/* ---- key --------------------------------------------------------------------------------------- */

/* The key becomes a header line, so it must not contain anything that ends a line. */
static int set_key(struct msb_settings *s, const char *given, struct trm_error *reterr)
{
	const char *key = or_environment(given, "MSB_API_KEY", "");
	if (strlen(key) >= TRM_API_KEY_BYTES)
		return trm_error_set(reterr, TRM_EINVAL, "the API key is too long to be one");
	for (const char *at = key; *at; at++)
		if (*at <= ' ' || *at >= 127)
			return trm_error_set(reterr, TRM_EINVAL,
					"the API key contains a character that no key has, such as a space "
					"or the end of a line");
	if (!*key)
		return 0;
	s->key = strdup(key);
	s->authorization = join_strings("Authorization: Bearer ", key);
	return s->key && s->authorization ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

/* ---- config ------------------------------------------------------------------------------------- */

static int port_number(const char *text, const char **ret_end)
{
	char *end;
	unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	if (!value || value > 65535)
		return 0;
	*ret_end = end;
	return (int)value;
}

static int check_port(const char *text, struct trm_error *reterr)
{
	const char *end = NULL;
	if (text && port_number(text, &end)
			&& (!*end || (*end == ':' && port_number(end + 1, &end) && !*end)))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"the port '%.60s' is invalid: write HOST:GUEST, such as 8080:80, or as "
			"one number",
			text ? text : "");
}

static int check_volume(const char *text, struct trm_error *reterr)
{
	const char *colon = text ? strrchr(text, ':') : NULL;
	if (text && *text && (!colon || (colon != text && colon[1])))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"the volume '%.200s' cannot be used: write HOST:GUEST, a path of the server's "
			"machine and one inside",
			text ? text : "");
}

typedef int check_fn(const char *text, struct trm_error *reterr);

static int add_list(cJSON *config, const char *name, const char *const *list, size_t n, check_fn *check,
		struct trm_error *reterr)
{
	cJSON *array = n ? cJSON_AddArrayToObject(config, name) : NULL;
	for (size_t i = 0; i < n; i++) {
		int r = check ? check(list[i], reterr) : 0;
		if (r < 0)
			return r;
		cJSON_AddItemToArray(array, cJSON_CreateString(list[i]));
	}
	return 0;
}

static int add_scripts(cJSON *config, const struct trm_remote_opts *o, struct trm_error *reterr)
{
	cJSON *scripts = o->n_scripts ? cJSON_AddObjectToObject(config, "scripts") : NULL;
	for (size_t i = 0; i < o->n_scripts; i++) {
		if (!o->scripts[i].name || !o->scripts[i].text)
			return trm_error_set(reterr, TRM_EINVAL, "a script has no name or no text");
		cJSON_AddStringToObject(scripts, o->scripts[i].name, o->scripts[i].text);
	}
	return 0;
}

static int set_config(struct msb_settings *s, const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	const struct trm_remote_opts *o = &opts->server;
	int r;
	s->cpus = opts->limits.cpus;
	s->is_complete_cpus = s->cpus < 1 ? 1 : (unsigned)lround(s->cpus);
	s->mem_bytes = opts->limits.mem_bytes;
	s->wants_net = opts->limits.net;
	if (*opts->limits.net_allow_host)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"a server's sandbox cannot be limited to named hosts from here (net_allow_host)");
	if (s->is_complete_cpus > CPUS_MAX)
		return trm_error_set(
				reterr, TRM_EINVAL, "a microsandbox server gives at most %d cores", CPUS_MAX);
	if (o->n_volumes > TRM_REMOTE_LIST_MAX || o->n_ports > TRM_REMOTE_LIST_MAX
			|| o->n_scripts > TRM_REMOTE_LIST_MAX)
		return trm_error_set(reterr, TRM_EINVAL,
				"a server's sandbox takes at most %d volumes, ports and scripts each",
				TRM_REMOTE_LIST_MAX);
	s->config = cJSON_CreateObject();
	cJSON_AddNumberToObject(s->config, "memory", (double)(s->mem_bytes >> 20));
	cJSON_AddNumberToObject(s->config, "cpus", s->is_complete_cpus);
	if ((r = add_list(s->config, "volumes", o->volumes, o->n_volumes, check_volume, reterr)) < 0
			|| (r = add_list(s->config, "ports", o->ports, o->n_ports, check_port, reterr)) < 0
			|| (r = add_scripts(s->config, o, reterr)) < 0)
		return r;
	add_list(s->config, "envs", opts->env, opts->n_env, NULL, NULL);
	if (opts->workdir && *opts->workdir)
		cJSON_AddStringToObject(s->config, "workdir", opts->workdir);
	if (o->shell && *o->shell)
		cJSON_AddStringToObject(s->config, "shell", o->shell);
	return s->config ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

/* Only a request without a sandbox name may mean all namespaces. */
static int check_names(const char *space, const char *name, struct trm_error *reterr)
{
	int r = !name && strcmp(space, RPC_EVERYWHERE) == 0 ? 0 : rpc_name_check("namespace", space, reterr);
	return r == 0 && name ? rpc_name_check("sandbox", name, reterr) : r;
}

int msb_settings_init(struct msb_settings *s, const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	const struct trm_remote_opts *o = &opts->server;
	const char *space = o->space && *o->space ? o->space : RPC_NAMESPACE;
	int r;
	*s = (struct msb_settings){.start_timeout_ms = opts->start_timeout_ms, .join = o->join};
	if ((r = set_url(s, o->url, reterr)) < 0 || (r = set_key(s, o->api_key, reterr)) < 0
			|| (r = check_names(space, opts->name, reterr)) < 0
			|| (r = set_config(s, opts, reterr)) < 0)
		return r;
	if (opts->n_mounts)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"a server cannot see this machine's files: a volume names a path on its own machine");
	memcpy(s->space, space, strlen(space) + 1);
	s->ca_file = o->ca_file && *o->ca_file ? strdup(o->ca_file) : NULL;
	s->image = o->image && *o->image ? strdup(o->image) : NULL;
	snprintf(s->workdir, sizeof s->workdir, "%s", opts->workdir ? opts->workdir : "/workspace");
	return 0;
}

static void erase_secret(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void msb_settings_finish(struct msb_settings *s)
{
	free(s->url);
	free(s->rpc_url);
	free(s->health_url);
	erase_secret(s->key);
	erase_secret(s->authorization);
	free(s->ca_file);
	free(s->image);
	cJSON_Delete(s->config);
	*s = (struct msb_settings){0};
}
