/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/launch.h"

#include <cJSON.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "rpc/params.h"
#include "server/sandboxes/adopt.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/image.h"

enum { MIB = 1 << 20, PORT_MAX = 65535 };
#define SYSTEM_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin:/home/user/.local/bin"

/* Texts that the options borrow until the sandbox is open. */
struct launching {
	struct trm_sandbox_opts opts;
	/* what `opts` points to */
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	const char *env[TRM_ENV_MAX];
	const char *volumes_there[TRM_REMOTE_LIST_MAX], *ports_there[TRM_REMOTE_LIST_MAX];
	struct trm_script scripts_there[TRM_REMOTE_LIST_MAX];
	struct volume volumes[TRM_MOUNTS_MAX];
	size_t n_volumes;
	char scripts[PATH_MAX], search_path[TRM_ENV_BYTES], shell[TRM_INSIDE_PATH + 8];
	char name[65], group[TRM_GROUP_BYTES], adoptable[TRM_KUBE_ADOPTABLE];
};

/* ---- the name of the local sandbox --------------------------------------------------------- */

static uint32_t hash_text(const char *text)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

/* "NAMESPACE.NAME", which is unique in this server. It is cut, and gets a hash of the server's group, if
 * it is too long or another program has a sandbox of that name. */
static void name_it(struct launching *l, const struct served *served, bool is_taken)
{
	char whole[2 * sizeof served->name + sizeof l->group + 2];
	int n = snprintf(whole, sizeof whole, "%s.%s", served->space->name, served->name);
	if (n < (int)sizeof l->name && !is_taken) {
		memcpy(l->name, whole, (size_t)n + 1);
		return;
	}
	enum { HASH = 9 }; /* with its dot */
	snprintf(whole + n, sizeof whole - (size_t)n, "%s", l->group);
	snprintf(l->name, sizeof l->name, "%.*s.%08x",
			(int)sizeof l->name - 1 - HASH < n ? (int)sizeof l->name - 1 - HASH : n, whole,
			hash_text(whole));
}

/* ---- parts ------------------------------------------------------------------------------- */

static int take_limits(struct launching *l, const struct rpc_config *config, struct trm_error *reterr)
{
	struct trm_limits *limits = &l->opts.limits;
	if (config->memory_mib)
		limits->mem_bytes = (uint64_t)config->memory_mib * MIB;
	if (config->cpus)
		limits->cpus = config->cpus;
	int r = trm_limits_check(limits, reterr);
	return r < 0 ? trm_error_set(reterr, TRM_EINVAL, "%s", reterr->msg) : 0;
}

static int add_mount(struct launching *l, const char *host, const char *guest, bool is_writable,
		struct trm_error *reterr)
{
	if (l->opts.n_mounts == TRM_MOUNTS_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a sandbox has at most %d volumes", TRM_MOUNTS_MAX);
	l->mounts[l->opts.n_mounts++] = (struct trm_mount){host, guest, is_writable};
	return 0;
}

static int take_volumes(
		struct launching *l, struct served *served, const cJSON *volumes, struct trm_error *reterr)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, volumes)
	{
		struct volume *volume = &l->volumes[l->n_volumes];
		if (l->n_volumes == TRM_MOUNTS_MAX)
			return trm_error_set(reterr, TRM_EINVAL, "a sandbox has at most %d volumes",
					TRM_MOUNTS_MAX);
		int r = volume_open(volume, served->fleet, served->space->name, item->valuestring, reterr);
		if (r < 0)
			return r;
		l->n_volumes++;
		if ((r = add_mount(l, volume->path, volume->guest, volume->is_writable, reterr)) < 0)
			return r;
	}
	return 0;
}

static int add_env(struct launching *l, const char *text, struct trm_error *reterr)
{
	if (l->opts.n_env == TRM_ENV_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a sandbox has at most %d variables", TRM_ENV_MAX);
	l->env[l->opts.n_env++] = text;
	return 0;
}

static int take_envs(struct launching *l, const cJSON *envs, struct trm_error *reterr)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, envs)
	{
		const char *equals = strchr(item->valuestring, '=');
		if (!equals || equals == item->valuestring)
			return trm_error_set(reterr, TRM_EINVAL,
					"the environment variable '%.60s' must be KEY=VALUE",
					item->valuestring);
		int r = add_env(l, item->valuestring, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *own_path(const struct launching *l)
{
	for (size_t i = 0; i < l->opts.n_env; i++)
		if (strncmp(l->opts.env[i], "PATH=", 5) == 0)
			return l->opts.env[i] + 5;
	return SYSTEM_PATH;
}

/* Without namespaces a sandbox with a user of its own cannot see a folder of this user. */
static bool shows_links(const struct fleet_opts *opts)
{
	if (opts->backend && strcmp(opts->backend, "local") != 0)
		return false;
	enum trm_isolation level = opts->isolation;
	return (level == TRM_ISOLATION_AUTO ? trm_isolation_best(NULL) : level) == TRM_ISOLATION_NAMESPACES;
}

/* Directories of the config come first, our own last. */
static int take_programs(
		struct launching *l, struct served *served, const char *shell, struct trm_error *reterr)
{
	const char *links = shows_links(&served->fleet->opts) ? served->fleet->links : "";
	int r = script_write(served, shell, l->scripts, sizeof l->scripts, reterr);
	if (r < 0 || (!*l->scripts && !*links))
		return r;
	snprintf(l->search_path, sizeof l->search_path, "PATH=%s%s%s", *l->scripts ? SCRIPT_GUEST ":" : "",
			own_path(l), *links ? ":" LINKS_GUEST : "");
	if (*l->scripts)
		r = add_mount(l, l->scripts, SCRIPT_GUEST, false, reterr);
	if (r == 0 && *links)
		r = add_mount(l, links, LINKS_GUEST, false, reterr);
	return r < 0 ? r : add_env(l, l->search_path, reterr);
}

static int take_shell(struct launching *l, const char *shell, struct trm_error *reterr)
{
	if (!shell)
		return 0;
	if (shell[0] != '/' || strlen(shell) >= TRM_INSIDE_PATH || strpbrk(shell, "\n\r"))
		return trm_error_set(reterr, TRM_EINVAL,
				"`shell` must be a path from the root, such as /bin/bash");
	snprintf(l->shell, sizeof l->shell, "SHELL=%s", shell);
	return add_env(l, l->shell, reterr);
}

static bool is_port(const char *text, size_t n)
{
	unsigned long port = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9' || n > 5)
			return false;
		port = port * 10 + (unsigned long)(text[i] - '0');
	}
	return n && port <= PORT_MAX;
}

/* Check the ports and no more: a sandbox has no ports that could be reached. */
static int check_ports(const cJSON *ports, char *note, struct trm_error *reterr)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, ports)
	{
		const char *text = item->valuestring, *colon = strchr(text, ':');
		size_t n = colon ? (size_t)(colon - text) : strlen(text);
		if (!is_port(text, n) || (colon && !is_port(colon + 1, strlen(colon + 1))))
			return trm_error_set(reterr, TRM_EINVAL,
					"the port '%.40s' must be PORT or HOST:GUEST", text);
		snprintf(note, LAUNCH_NOTE,
				"its ports are not forwarded: this server does not publish ports of sandboxes");
	}
	return 0;
}

/* Choose an image where images are more than names: the server's own one for all sandboxes, otherwise one
 * that has the languages. Names of the config file are images themselves. */
static void take_image(struct launching *l, const struct served *served, const char *name)
{
	struct trm_container_opts *container = &l->opts.container;
	bool is_ours = strstr(name, "microsandbox/") || strstr(name, "terrarium/");
	*container = served->fleet->opts.container;
	if (container->kube.warm_pool || container->kube.sandbox_template)
		return; /* it has the image */
	if (container->image)
		return;
	if (!is_ours)
		container->image = name;
	unsigned first = 0;
	while (first + 1 < trm_lang_count() && !(served->languages & 1u << first))
		first++;
	container->language = trm_lang_at(first)->name;
}

/* A pod that is claimed has the limits of its template. Clients of microsandbox always name some, so they are
 * not refused, but told. */
static void note_limits(const struct served *served, const struct rpc_config *config, char *note)
{
	const struct trm_kube_opts *kube = &served->fleet->opts.container.kube;
	bool is_asked = config->memory_mib || config->cpus;
	if ((kube->warm_pool || kube->sandbox_template) && is_asked && !*note)
		snprintf(note, LAUNCH_NOTE, "its memory and cpus are those of its SandboxTemplate");
}

/* Set the options of a sandbox on this machine. */
static int take_here(struct launching *l, struct served *served, const struct rpc_config *config, char *note,
		struct trm_error *reterr)
{
	int r = image_find(served->fleet->images, config->image, &served->languages, reterr);
	take_image(l, served, config->image);
	if (r == 0)
		r = take_shell(l, config->shell, reterr);
	if (r == 0)
		r = take_volumes(l, served, config->volumes, reterr);
	if (r == 0)
		r = take_programs(l, served, config->shell ? config->shell : "/bin/sh", reterr);
	if (r == 0)
		r = check_ports(config->ports, note, reterr);
	note_limits(served, config, note);
	return r;
}

static int take_list(const cJSON *list, const char **out, size_t *ret_n, struct trm_error *reterr)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		if (*ret_n == TRM_REMOTE_LIST_MAX)
			return trm_error_set(reterr, TRM_EINVAL, "a list has at most %d rows",
					TRM_REMOTE_LIST_MAX);
		out[(*ret_n)++] = item->valuestring;
	}
	return 0;
}

/* Set the options of a sandbox on another server, which interprets images, volumes and ports itself. */
static int take_there(struct launching *l, struct served *served, const struct rpc_config *config,
		struct trm_error *reterr)
{
	struct trm_remote_opts *server = &l->opts.server;
	const struct trm_remote_opts *there = served->fleet->opts.server;
	const cJSON *script;
	if (there) {
		server->url = there->url;
		server->api_key = there->api_key;
		server->ca_file = there->ca_file;
	}
	server->space = served->space->name;
	server->image = config->image;
	server->shell = config->shell;
	if (image_find(served->fleet->images, config->image, &served->languages, NULL) < 0)
		served->languages = ~0u;
	cJSON_ArrayForEach(script, config->scripts)
	{
		if (server->n_scripts == TRM_REMOTE_LIST_MAX)
			return trm_error_set(reterr, TRM_EINVAL, "there are at most %d scripts",
					TRM_REMOTE_LIST_MAX);
		l->scripts_there[server->n_scripts++] =
				(struct trm_script){script->string, script->valuestring};
	}
	int r = take_list(config->volumes, l->volumes_there, &server->n_volumes, reterr);
	return r < 0 ? r : take_list(config->ports, l->ports_there, &server->n_ports, reterr);
}

bool launch_is_elsewhere(const struct served *served)
{
	const char *backend = served->fleet->opts.backend;
	return backend && !strcmp(backend, "microsandbox");
}

/* A client may name only the snapshots that the server's options name: others are the user's own. */
static int take_from(struct launching *l, const struct fleet_opts *opts, const char *from,
		struct trm_error *reterr)
{
	const char *const *allowed = opts->snapshots;
	l->opts.from = from ? from : opts->from;
	if (!from || (opts->from && !strcmp(from, opts->from)))
		return 0;
	while (allowed && *allowed && strcmp(*allowed, from) != 0)
		allowed++;
	return allowed && *allowed ? 0
				   : trm_error_set(reterr, TRM_EINVAL,
						   "the snapshot '%.80s' is not one that this server offers "
						   "(terrarium serve --snapshot TAG)",
						   from);
}

static int take_all(struct launching *l, struct served *served, char *note, struct trm_error *reterr)
{
	struct rpc_config config;
	int r = rpc_config_read(&config, served->config, reterr);
	if (r == 0 && !(config.image && *config.image))
		r = trm_error_set(reterr, TRM_EINVAL, "its config must name an image");
	if (r == 0)
		r = take_limits(l, &config, reterr);
	if (r == 0)
		r = take_envs(l, config.envs, reterr);
	if (r == 0)
		r = take_from(l, &served->fleet->opts, config.from, reterr);
	l->opts.workdir = config.workdir;
	if (r < 0)
		return r;
	if (config.from && launch_is_elsewhere(served))
		return trm_error_set(reterr, TRM_EINVAL,
				"a sandbox on another server starts from no snapshot of this machine (`from`)");
	return launch_is_elsewhere(served) ? take_there(l, served, &config, reterr)
					   : take_here(l, served, &config, note, reterr);
}

/* ---- open -------------------------------------------------------------------------------- */

static int open_it(struct launching *l, struct served *served, const struct trm_sandbox_cb *cb,
		struct trm_sandbox **ret, struct trm_error *reterr)
{
	struct trm_loop *loop = served->fleet->loop;
	if (launch_is_elsewhere(served))
		memcpy(l->name, served->name, sizeof served->name);
	else
		name_it(l, served, false);
	l->opts.name = l->name;
	int r = trm_sandbox_opts_check(&l->opts, reterr);
	if (r < 0)
		return trm_error_set(reterr, TRM_EINVAL, "%s", reterr->msg);
	r = trm_sandbox_open(loop, &l->opts, cb, served, ret, reterr);
	if (r != TRM_EEXIST)
		return r;
	name_it(l, served, true);
	return trm_sandbox_open(loop, &l->opts, cb, served, ret, reterr);
}

static void name_group(const struct served *served, char out[TRM_GROUP_BYTES])
{
	const char *group = served->fleet->opts.group;
	snprintf(out, TRM_GROUP_BYTES, "%s/%s", group ? group : "serve", served->space->name);
}

void launch_join_group(const struct served *served, struct trm_sandbox *sandbox)
{
	char group[TRM_GROUP_BYTES];
	name_group(served, group);
	trm_sandbox_set_group(sandbox, group, NULL); /* it has ended: its own reason follows */
}

int launching_create(struct served *served, char *ret_note, struct launching **ret, struct trm_error *reterr)
{
	const struct fleet_opts *opts = &served->fleet->opts;
	struct launching *l = *ret = calloc(1, sizeof *l);
	if (!l)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	trm_sandbox_opts_default(&l->opts);
	l->opts.mounts = l->mounts;
	l->opts.env = l->env;
	l->opts.server.volumes = l->volumes_there;
	l->opts.server.ports = l->ports_there;
	l->opts.server.scripts = l->scripts_there;
	l->opts.backend = opts->backend;
	l->opts.isolation = opts->isolation;
	l->opts.limits = opts->limits;
	l->opts.start_timeout_ms = opts->start_timeout_ms;
	name_group(served, l->group);
	l->opts.group = l->group;
	int r = take_all(l, served, ret_note, reterr);
	if (opts->adopts) {
		adopt_format_name(served, l->adoptable);
		l->opts.container.kube.adoptable = l->adoptable;
		l->opts.container.kube.left = served->left;
	}
	if (l->opts.from) /* it has its own */
		l->opts.container.image = NULL;
	return r;
}

const struct trm_sandbox_opts *launching_opts(const struct launching *l)
{
	return &l->opts;
}

void launching_free(struct launching *l)
{
	for (size_t i = 0; l && i < l->n_volumes; i++)
		volume_close(&l->volumes[i]);
	free(l);
}

int launch_served(struct served *served, const struct trm_sandbox_cb *cb, struct trm_sandbox **ret,
		char *ret_note, struct trm_error *reterr)
{
	struct launching *l;
	int r = launching_create(served, ret_note, &l, reterr);
	if (r == 0)
		r = open_it(l, served, cb, ret, reterr);
	launching_free(l);
	return r;
}
