/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "config/config.h"

#define FILE_MAX (1 << 20)

/* Read up to cap bytes. Returns the length, or -1 with errno. */
static ssize_t read_all(int fd, char *mem, size_t cap)
{
	size_t n = 0;
	while (n < cap) {
		ssize_t got = read(fd, mem + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static int read_regular(int fd, const char *path, char **ret_text, size_t *ret_n, struct trm_error *reterr)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return trm_error_set_errno(reterr, errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return trm_error_set(reterr, TRM_EINVAL, "cannot read %s: it is not a regular file", path);
	if (st.st_size > FILE_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "cannot read %s: it is larger than 1 MiB", path);
	char *mem = malloc((size_t)st.st_size + 1);
	if (!mem)
		return trm_error_set(reterr, TRM_ENOMEM, "cannot read %s: out of memory", path);
	ssize_t n = read_all(fd, mem, (size_t)st.st_size);
	if (n < 0) {
		int saved = errno;
		free(mem);
		return trm_error_set_errno(reterr, saved, "cannot read %s", path);
	}
	mem[n] = 0;
	*ret_text = mem;
	*ret_n = (size_t)n;
	return 0;
}

int config_read_file(const char *path, char **ret_text, size_t *ret_n, struct trm_error *reterr)
{
	/* O_NONBLOCK, because the path may be a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot read %s", path);
	int r = read_regular(fd, path, ret_text, ret_n, reterr);
	close(fd);
	return r;
}

static int load_file(const struct config_target *target, const char *path, bool must_exist,
		struct trm_error *reterr)
{
	char *text;
	size_t n;
	struct trm_error why = {0};
	/* Also if the folder is closed to us: HOME is another user's, as with setpriv, or sudo without
	 * -H. */
	if (!must_exist && access(path, F_OK) < 0 && (errno == EACCES || err_code_of(errno) == TRM_ENOENT))
		return 0;
	int r = config_read_file(path, &text, &n, &why);
	if (r == TRM_ENOENT && !must_exist)
		return 0;
	if (r < 0)
		return trm_error_set(reterr, r, "%s", why.msg);
	r = config_parse(target, text, n, path, reterr);
	free(text);
	return r;
}

/* A .env that cannot be read belongs to somebody else, or is a folder (some name their Python environment
 * so). */
static int load_dotenv(const struct config_target *target, struct trm_error *reterr)
{
	char *text;
	size_t n;
	struct trm_error why = {0};
	int r = config_read_file(".env", &text, &n, &why);
	if (r < 0)
		return r == TRM_ENOMEM ? trm_error_set(reterr, r, "%s", why.msg) : 0;
	r = dotenv_parse(target, text, n, ".env", reterr);
	free(text);
	return r;
}

/* $XDG_CONFIG_HOME/terrarium/config.json. A relative XDG_CONFIG_HOME counts as unset, as the XDG base
 * directory specification demands. False: HOME is unset, too. */
static bool default_path(char *out, size_t cap)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;
	if (xdg && *xdg == '/')
		n = snprintf(out, cap, "%s/terrarium/config.json", xdg);
	else if (home && *home)
		n = snprintf(out, cap, "%s/.config/terrarium/config.json", home);
	else
		return false;
	return n > 0 && (size_t)n < cap;
}

/* Files that we may not read are not reported (see load_file()). */
static bool is_out_of_reach(const char *path)
{
	struct stat st;
	return stat(path, &st) < 0 && errno == EACCES;
}

bool trm_config_path(const char *path, char *out, size_t cap)
{
	const char *named = path ? path : getenv("TERRARIUM_CONFIG");
	if (named && *named)
		return snprintf(out, cap, "%s", named) < (int)cap;
	return default_path(out, cap) && !is_out_of_reach(out);
}

static int load_config_file(const struct config_target *target, const char *path, struct trm_error *reterr)
{
	const char *named = path ? path : getenv("TERRARIUM_CONFIG");
	char file[PATH_MAX];
	if (named && *named)
		return load_file(target, named, true, reterr);
	return default_path(file, sizeof file) ? load_file(target, file, false, reterr) : 0;
}

/* Usually no setting is in the environment. Then looking once at each variable is enough. */
static bool has_settings(char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "TERRARIUM_", 10) == 0 || strncmp(*env, "MSB_", 4) == 0)
			return true;
	return false;
}

static int load_environment(const struct config_target *target, struct trm_error *reterr)
{
	size_t n = config_count(target);
	if (!has_settings(environ))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const char *env = config_row(target, i)->env, *text = getenv(env);
		if (!text || !*text)
			continue;
		int r = config_set_row(target, i, text, env, reterr);
		if (r < 0)
			return r;
		config_note(target, i, TRM_FROM_ENVIRONMENT, 0, 0);
	}
	return 0;
}

static void set_defaults(const struct config_target *target)
{
	trm_config_default(target->config);
	for (size_t i = 0; i < config_count(target); i++) {
		const struct trm_setting *s = config_row(target, i);
		config_set_row(target, i, s->fallback, s->name, NULL);
		config_note(target, i, TRM_FROM_DEFAULT, 0, 0);
	}
}

int trm_config_load_from(struct trm_config *config, const char *path, struct trm_config_origin *origins,
		const struct trm_program_settings *own, struct trm_error *reterr)
{
	struct config_target target = {config, origins, own};
	if (own && own->n > OWN_SETTINGS_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "the program has more than %d settings of its own",
				OWN_SETTINGS_MAX);
	set_defaults(&target);
	snprintf(config->path, sizeof config->path, "%s", path ? path : "");
	int r = load_config_file(&target, path, reterr);
	if (r == 0)
		r = load_dotenv(&target, reterr);
	if (r == 0)
		r = load_environment(&target, reterr);
	return r;
}

int trm_config_load(struct trm_config *config, const char *path, struct trm_error *reterr)
{
	return trm_config_load_from(config, path, NULL, NULL, reterr);
}

static size_t read_mounts(const struct trm_config *config, struct trm_mount *ret)
{
	const char *host = NULL, *guest = NULL, *mode = NULL;
	size_t n = 0;
	while (n < TRM_MOUNTS_MAX && (host = trm_list_next(config->mounts, mode))
			&& (guest = trm_list_next(config->mounts, host))
			&& (mode = trm_list_next(config->mounts, guest)))
		ret[n++] = (struct trm_mount){host, guest, mode[1] == 'w'};
	return n;
}

static size_t read_list(const char *list, const char **ret, size_t max)
{
	size_t n = 0;
	for (const char *at = NULL; n < max && (at = trm_list_next(list, at));)
		ret[n++] = at;
	return n;
}

static size_t read_scripts(const struct trm_config *config, struct trm_script *ret)
{
	const char *name = NULL, *text = NULL;
	size_t n = 0;
	while (n < TRM_REMOTE_LIST_MAX && (name = trm_list_next(config->scripts, text))
			&& (text = trm_list_next(config->scripts, name)))
		ret[n++] = (struct trm_script){name, text};
	return n;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void set_server(const struct trm_config *config, struct trm_config_lists *lists,
		struct trm_remote_opts *server)
{
	/* A named sandbox may belong to somebody else. */
	server->join = *config->name ? TRM_REMOTE_JOIN_OR_START : TRM_REMOTE_START;
	server->url = config->server_url;
	server->api_key = config->api_key;
	server->space = config->server_space;
	server->ca_file = or_null(config->ca_file);
	server->image = or_null(config->image);
	server->shell = or_null(config->shell);
	server->volumes = lists->volumes;
	server->n_volumes = read_list(config->volumes, lists->volumes, TRM_REMOTE_LIST_MAX);
	server->ports = lists->ports;
	server->n_ports = read_list(config->ports, lists->ports, TRM_REMOTE_LIST_MAX);
	server->scripts = lists->scripts;
	server->n_scripts = read_scripts(config, lists->scripts);
}

static void set_container(const struct trm_config *config, struct trm_config_lists *lists,
		struct trm_container_opts *container)
{
	*container = (struct trm_container_opts){
			.runtime = or_null(config->runtime),
			.environment = or_null(config->environment),
			.kube = {.context = or_null(config->kube_context),
					.space = or_null(config->kube_namespace),
					.service_account = or_null(config->service_account),
					.runtime_class = or_null(config->runtime_class),
					.manifest = or_null(config->pod_manifest),
					.warm_pool = or_null(config->warm_pool),
					.sandbox_template = or_null(config->sandbox_template),
					.transport = strcmp(config->kube_transport, "exec") ? NULL : "exec"},
			.config = or_null(config->path),
			.image = or_null(config->image),
			.language = or_null(config->language),
			.container = or_null(config->container),
			.dockerfile = or_null(config->dockerfile),
			.user = or_null(config->user),
			.commit_tag = or_null(config->commit),
			.commit_overwrites = config->commit_over,
			.keep_image = config->keep_image,
			.read_only = config->read_only,
			.engine_args = lists->engine_args,
			.n_engine_args = read_list(
					config->engine_args, lists->engine_args, TRM_ENGINE_ARGS_MAX),
	};
}

void trm_config_sandbox_opts(const struct trm_config *config, struct trm_config_lists *lists,
		struct trm_sandbox_opts *opts)
{
	*opts = (struct trm_sandbox_opts){
			.size = sizeof(struct trm_sandbox_opts),
			.backend = config->backend,
			.name = *config->name ? config->name : NULL,
			.limits = config->limits,
			.start_timeout_ms = config->start_timeout_ms,
			.metrics_interval_ms = config->metrics_interval_ms,
			.keep = config->keep,
			.is_verbose = config->verbose,
			.idle_timeout_ms = config->idle_timeout_ms,
			.max_lifetime_ms = config->max_lifetime_ms,
			.net_credentials = config->net_credentials,
			.workdir = *config->workdir ? config->workdir : NULL,
			.from = *config->from ? config->from : NULL,
			.mounts = lists->mounts,
			.n_mounts = read_mounts(config, lists->mounts),
			.env = lists->env,
			.n_env = read_list(config->env, lists->env, TRM_ENV_MAX),
	};
	trm_isolation_find(config->isolation, &opts->isolation);
	set_server(config, lists, &opts->server);
	set_container(config, lists, &opts->container);
}

void trm_config_session_opts(const struct trm_config *config, struct trm_session_opts *opts)
{
	*opts = (struct trm_session_opts){
			.size = sizeof(struct trm_session_opts),
			.timeout_ms = config->timeout_ms,
			.grace_ms = config->grace_ms,
			.terminate_grace_ms = config->terminate_grace_ms,
			.output_keep_bytes = (size_t)config->output_keep_bytes,
			.output_max_bytes = config->output_max_bytes,
			.memory_alert = strcmp(config->memory_alert, "interrupt") == 0 ? TRM_MEMORY_INTERRUPT
					: strcmp(config->memory_alert, "ask") == 0     ? TRM_MEMORY_TELL
										       : TRM_MEMORY_IGNORE,
			.memory_alert_percent = config->memory_alert_at,
	};
}
