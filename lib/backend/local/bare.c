/* SPDX-License-Identifier: MIT */
#include "backend/local/bare.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mount.h"
#include "wire/folder.h"

#define IN_MEMORY "/dev/shm"

/* ---- the folder -------------------------------------------------------------------- */

/* Possible places for the folder, the best first. With `is_picky` only places with enough room, where
 * programs can be executed. */
static const char *choose_base(uint64_t disk_bytes, bool is_picky)
{
	static const char *const bases[] = {IN_MEMORY, "/tmp", "/var/tmp"};
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		struct statvfs fs;
		if (access(bases[i], W_OK | X_OK) < 0 || statvfs(bases[i], &fs) < 0 || fs.f_flag & ST_RDONLY)
			continue;
		bool has_room = (uint64_t)fs.f_bavail * fs.f_frsize >= disk_bytes;
		if (!is_picky || (has_room && !(fs.f_flag & ST_NOEXEC)))
			return bases[i];
	}
	return NULL;
}

int bare_choose_folder(uint64_t disk_bytes, char ret[BARE_FOLDER], struct trm_error *reterr)
{
	static const char letters[] = FOLDER_LETTERS;
	unsigned char random[8];
	const char *base = choose_base(disk_bytes, true);
	if (!base)
		base = choose_base(disk_bytes, false);
	if (!base)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"there is no place for the sandbox's files: " IN_MEMORY
				", /tmp and /var/tmp are not writable");
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return trm_error_set_errno(reterr, errno, "cannot choose a name for the sandbox's folder");
	int n = snprintf(ret, BARE_FOLDER, "%s/" FOLDER_PREFIX, base);
	for (size_t i = 0; i < sizeof random; i++)
		ret[n++] = letters[random[i] % 32];
	ret[n] = '\0';
	return 0;
}

bool bare_is_in_memory(const char *folder)
{
	return strncmp(folder, IN_MEMORY "/", strlen(IN_MEMORY "/")) == 0;
}

static bool is_in_folder(const char *path)
{
	char out[PATH_MAX];
	return folder_path("", path, out, sizeof out);
}

/* ---- unsupported options --------------------------------------------------------------- */

static int check_mount(const struct trm_mount *mount, bool has_rules, struct trm_error *reterr)
{
	char host[PATH_MAX];
	if (!realpath(mount->host, host))
		return 0;
	if (mount->is_writable && has_rules && geteuid() == 0 && mount_is_below(host, IN_MEMORY))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"cannot mount %s for writing: without namespaces, what code leaves in " IN_MEMORY
				" is removed with its sandbox; mount another directory",
				mount->host);
	if (is_in_folder(mount->guest) || strcmp(host, mount->guest) == 0)
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"cannot mount %s at %s: without namespaces it can be seen at its own path or below "
			"/workspace only",
			mount->host, mount->guest);
}

int bare_check(const struct trm_sandbox_opts *opts, bool has_rules, struct trm_error *reterr)
{
	int r = 0;
	for (size_t i = 0; i < opts->n_mounts && r == 0; i++)
		r = check_mount(&opts->mounts[i], has_rules, reterr);
	if (r < 0)
		return r;
	if (opts->workdir && !is_in_folder(opts->workdir) && has_rules)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the working directory %s is not possible without namespaces: choose one below "
				"/workspace",
				opts->workdir);
	if (*opts->limits.net_allow_host)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"named hosts (net_allow_host) need namespaces: without them nothing keeps code from going past the "
				"proxy");
	if (!opts->limits.net && !has_rules)
		return 0; /* without isolation nothing keeps code from the network */
	if (*opts->limits.net_allow)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"an address filter (net_allow) needs namespaces: without them a network cannot be filtered by address");
	return 0;
}

/* ---- environment ---------------------------------------------------------------------- */

struct lines {
	struct buf *out;
	int error;
};

static void append_text(struct lines *l, const char *text, size_t n)
{
	if (!l->error)
		l->error = buf_append(l->out, text, n);
}

static void add_variable(struct lines *l, const char *name, const char *value)
{
	append_text(l, name, strlen(name));
	append_text(l, "=", 1);
	append_text(l, value, strlen(value) + 1);
}

static bool is_overridden(const struct argv_request *request, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < request->n_env; i++)
		if (strncmp(request->env[i], name, n) == 0 && request->env[i][n] == '=')
			return true;
	return false;
}

/* Append PATH with each of its directories as it is on this machine. */
static void add_path(struct lines *l, const char *folder, const char *path)
{
	char entry[PATH_MAX], moved[PATH_MAX];
	append_text(l, "PATH=", 5);
	for (const char *at = path; *at;) {
		size_t n = strcspn(at, ":");
		snprintf(entry, sizeof entry, "%.*s", (int)n, at);
		const char *here = folder_path(folder, entry, moved, sizeof moved) ? moved : entry;
		append_text(l, here, strlen(here));
		at += n + (at[n] == ':');
		append_text(l, *at ? ":" : "", *at ? 1 : 0);
	}
	append_text(l, "", 1);
}

/* Append one of our own variables, whose value may be a path in the sandbox. */
static void add_own(struct lines *l, const char *folder, const char *name, const char *value)
{
	char moved[PATH_MAX];
	if (strcmp(name, "PATH") == 0)
		add_path(l, folder, value);
	else
		add_variable(l, name, folder_path(folder, value, moved, sizeof moved) ? moved : value);
}

static void add_net_variables(struct lines *l, const char *folder, const struct argv_net *net,
		const struct argv_request *request)
{
	const char *at = buf_at(&net->env.vars), *end = at + net->env.vars.len;
	while (at < end) {
		const char *name = at, *value = at + strlen(at) + 1;
		char certs[BARE_FOLDER + sizeof FOLDER_CERTS + 1];
		snprintf(certs, sizeof certs, "%s/" FOLDER_CERTS, folder);
		if (!is_overridden(request, name))
			add_variable(l, name, strcmp(value, NETENV_CERTS) == 0 ? certs : value);
		at = value + strlen(value) + 1;
	}
}

/* For our own programs inside (lib/install, agent/batch). */
static void add_places(struct lines *l, const char *folder, const char *cache, const char *prepared)
{
	char workspace[BARE_FOLDER + sizeof FOLDER_WORKSPACE + 1];
	snprintf(workspace, sizeof workspace, "%s/" FOLDER_WORKSPACE, folder);
	add_variable(l, "TERRARIUM_WORKSPACE", workspace);
	if (*cache)
		add_variable(l, "TERRARIUM_CACHE", cache);
	if (*prepared)
		add_variable(l, "TERRARIUM_PREPARED", prepared);
}

static void add_table(struct lines *l, const char *folder, const char *const table[][2],
		const struct argv_request *request)
{
	for (size_t i = 0; table[i][0]; i++)
		if (!is_overridden(request, table[i][0]))
			add_own(l, folder, table[i][0], table[i][1]);
}

int bare_environment(struct buf *out, const struct bare_places *places, const struct argv_net *net,
		bool is_offline, const struct argv_request *request)
{
	const char *folder = places->folder;
	struct lines l = {.out = out};
	add_table(&l, folder, ARGV_ENVIRONMENT, request);
	if (is_offline)
		add_table(&l, folder, ARGV_OFFLINE, request);
	add_places(&l, folder, places->cache, places->prepared);
	if (net)
		add_net_variables(&l, folder, net, request);
	for (size_t i = 0; i < request->n_env; i++)
		if (strncmp(request->env[i], "PATH=", 5) == 0)
			add_path(&l, folder, request->env[i] + 5);
		else
			append_text(&l, request->env[i], strlen(request->env[i]) + 1);
	return l.error;
}

/* ---- rules ------------------------------------------------------------------------------ */

/* The supervisor leaves out paths that do not exist. A program gets its own rules for /proc when it starts
 * (agent/process/exec.c). */
static const struct {
	const char *path;
	unsigned flags;
} RULES[] = {
		{"/usr", RULE_READ | RULE_EXECUTE},
		{"/bin", RULE_READ | RULE_EXECUTE},
		{"/sbin", RULE_READ | RULE_EXECUTE},
		{"/lib", RULE_READ | RULE_EXECUTE},
		{"/lib32", RULE_READ | RULE_EXECUTE},
		{"/lib64", RULE_READ | RULE_EXECUTE},
		{"/libx32", RULE_READ | RULE_EXECUTE},
		{"/etc/ld.so.cache", RULE_READ},
		{"/etc/alternatives", RULE_READ},
		{"/etc/localtime", RULE_READ},
		{"/etc/passwd", RULE_READ},
		{"/etc/group", RULE_READ},
		{"/etc/hosts", RULE_READ},
		{"/etc/nsswitch.conf", RULE_READ},
		{"/etc/mime.types", RULE_READ},
		/* Programs that find one of these take a refusal for a fault. */
		{"/etc/debian_version", RULE_READ},
		{"/etc/os-release", RULE_READ},
		{"/etc/lsb-release", RULE_READ},
		{"/etc/pip.conf", RULE_READ},
		{"/etc/python3", RULE_READ},
		{"/etc/python3.11", RULE_READ},
		{"/etc/python3.12", RULE_READ},
		{"/etc/python3.13", RULE_READ},
		{"/etc/R", RULE_READ},
		{"/etc/java-11-openjdk", RULE_READ},
		{"/etc/java-17-openjdk", RULE_READ},
		{"/etc/java-21-openjdk", RULE_READ},
		{"/etc/java-25-openjdk", RULE_READ},
		{"/etc/ssl/openssl.cnf", RULE_READ},
		{"/etc/inputrc", RULE_READ},
		{"/etc/terminfo", RULE_READ},
		{"/etc/fonts", RULE_READ},
		{"/etc/matplotlibrc", RULE_READ},
		{"/dev/null", RULE_DEVICE},
		{"/dev/zero", RULE_DEVICE},
		{"/dev/full", RULE_DEVICE},
		{"/dev/random", RULE_DEVICE},
		{"/dev/urandom", RULE_DEVICE},
		{"/dev/tty", RULE_DEVICE},
		{"/dev/ptmx", RULE_DEVICE | RULE_OWN_USER},
		{"/dev/pts", RULE_DEVICE | RULE_OWN_USER},
		{"/dev/shm", RULE_OBJECTS | RULE_OWN_USER},
		{"/dev/ptmx", RULE_DEVICE | RULE_AGENT},
		{"/dev/pts", RULE_DEVICE | RULE_AGENT},
		{"/proc", RULE_READ | RULE_DEVICE},
		{"/sys/fs/cgroup", RULE_READ | RULE_AGENT},
};

static const char *const NET_RULES[] = {
		"/etc/resolv.conf", "/etc/gai.conf", "/etc/host.conf", "/etc/services", "/etc/protocols"};

static void add_rule(struct lines *l, const char *path, unsigned flags)
{
	char number[12];
	int n = snprintf(number, sizeof number, "%u ", flags);
	append_text(l, number, (size_t)n);
	append_text(l, path, strlen(path) + 1);
}

static void add_net_rules(struct lines *l, const struct argv_net *net)
{
	for (size_t i = 0; i < sizeof NET_RULES / sizeof *NET_RULES; i++)
		add_rule(l, NET_RULES[i], RULE_READ);
	for (size_t i = 0; i < ARGV_NET_ETC_FILES; i++)
		if (net->has_etc[i])
			add_rule(l, ARGV_NET_FILES[i], RULE_READ);
}

int bare_rules(struct buf *out, const struct bare_places *places, const struct argv_net *net)
{
	const char *const read_only[] = {places->cache, places->prepared};
	struct lines l = {.out = out};
	for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
		add_rule(&l, RULES[i].path, RULES[i].flags);
	add_rule(&l, places->folder, RULE_READ | RULE_EXECUTE | RULE_WRITE);
	for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
		if (*read_only[i])
			add_rule(&l, read_only[i], RULE_READ | RULE_EXECUTE);
	if (net)
		add_net_rules(&l, net);
	return l.error;
}
