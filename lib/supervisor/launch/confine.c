/* SPDX-License-Identifier: MIT */
#include "supervisor/launch/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/landlock.h"
#include "base/privilege.h"
#include "base/procstat.h"
#include "supervisor/limits/folder.h"
#include "wire/folder.h"

/* ---- Landlock --------------------------------------------------------------------------- */

enum {
	READING = LANDLOCK_READ_FILE | LANDLOCK_READ_DIR,
	WRITING = LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE | LANDLOCK_REMOVE_DIR | LANDLOCK_REMOVE_FILE
		  | LANDLOCK_MAKE_DIR | LANDLOCK_MAKE_REG | LANDLOCK_MAKE_SOCK | LANDLOCK_MAKE_FIFO
		  | LANDLOCK_MAKE_SYM | LANDLOCK_REFER,
	USING_OBJECTS = LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE | LANDLOCK_MAKE_REG
			| LANDLOCK_REMOVE_FILE,
	USING_A_DEVICE = LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV,
};

static uint64_t rights_of(unsigned flags)
{
	return (flags & RULE_READ ? READING : 0) | (flags & RULE_EXECUTE ? LANDLOCK_EXECUTE : 0)
	       | (flags & RULE_WRITE ? WRITING : 0) | (flags & RULE_DEVICE ? USING_A_DEVICE : 0)
	       | (flags & RULE_OBJECTS ? USING_OBJECTS : 0);
}

/* Of the path after links: "/" itself is an empty entry. */
static bool note_root(struct confinement *c, int fd)
{
	char link[40], path[PATH_MAX], entry[NAME_MAX + 3];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof path - 1);
	if (len <= 0 || *path != '/')
		return false;
	path[len] = '\0';
	const size_t n = strlen(c->roots);
	snprintf(entry, sizeof entry, "%.*s/", (int)strcspn(path + 1, "/"), path + 1);
	for (const char *at = c->roots; *at; at += strcspn(at, "/") + 1)
		if (strncmp(at, entry, strlen(entry)) == 0)
			return true;
	if (strcmp(entry, "proc/") == 0)
		return true;
	return (size_t)snprintf(c->roots + n, sizeof c->roots - n, "%s", entry) < sizeof c->roots - n;
}

/* Add a rule to both sets, or to the agent's alone. */
static bool allow(struct confinement *c, int fd, unsigned flags)
{
	const uint32_t abi = c->spec->landlock_abi;
	if (landlock_allow(c->agent_rules_fd, abi, fd, rights_of(flags)) < 0)
		return false;
	return flags & RULE_AGENT
	       || (landlock_allow(c->code_rules_fd, abi, fd, rights_of(flags)) == 0 && note_root(c, fd));
}

/* A path that does not exist needs no rule. */
static bool allow_path(struct confinement *c, const char *path, unsigned flags)
{
	if (flags & RULE_OWN_USER && !c->uid)
		return true;
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool is_allowed = fd < 0 || allow(c, fd, flags);
	if (fd >= 0)
		close(fd);
	return is_allowed;
}

static bool allow_paths(struct confinement *c)
{
	const char *at = c->spec->rules.bytes, *end = at + c->spec->rules.n;
	while (at < end) {
		char *path;
		unsigned flags = (unsigned)strtoul(at, &path, 10);
		if (*path != ' ' || !allow_path(c, path + 1, flags))
			return false;
		at = path + strlen(path) + 1;
	}
	return true;
}

/* The rule is for the file that was opened, even if something else lies at its path now. */
static bool allow_mounts(struct confinement *c)
{
	for (uint32_t i = 0; i < c->spec->n_mounts; i++) {
		bool is_writable = c->spec->writable_mounts >> i & 1;
		if (!allow(c, SUPERVISOR_MOUNTS + (int)i,
				    RULE_READ | RULE_EXECUTE | (is_writable ? RULE_WRITE : 0)))
			return false;
	}
	return true;
}

/* The sandbox's own user has only the rights of others on the files, and on the folders of their paths. */
static bool can_use_mounts(const struct confinement *c)
{
	for (uint32_t i = 0; i < c->spec->n_mounts; i++) {
		char link[40], path[PATH_MAX];
		bool is_writable = c->spec->writable_mounts >> i & 1;
		if (folder_copies(c->spec, i))
			continue;
		snprintf(link, sizeof link, "/proc/self/fd/%d", SUPERVISOR_MOUNTS + (int)i);
		ssize_t n = readlink(link, path, sizeof path - 1);
		path[n > 0 ? n : 0] = '\0';
		if (access(path, is_writable ? R_OK | W_OK : R_OK) < 0)
			return false;
	}
	return true;
}

const char *confine_prepare(struct confinement *c)
{
	c->agent_rules_fd = c->code_rules_fd = -1;
	if (!can_use_mounts(c))
		return "use a path to mount: without namespaces the sandbox's own user must be able to reach it";
	if (c->spec->isolation != ISOLATION_LANDLOCK)
		return NULL;
	c->agent_rules_fd = landlock_create(c->spec->landlock_abi, !c->spec->shares_net);
	c->code_rules_fd = landlock_create(c->spec->landlock_abi, !c->spec->shares_net);
	if (c->agent_rules_fd < 0 || c->code_rules_fd < 0)
		return "make a Landlock ruleset";
	return allow_paths(c) && allow_mounts(c) ? NULL : "add a Landlock rule";
}

/* ---- processes -------------------------------------------------------------------------- */

static uint64_t threads_of(const char *pid)
{
	char n[24];
	procstat_status((pid_t)strtol(pid, NULL, 10), "Threads", n, sizeof n);
	return strtoull(n, NULL, 10);
}

uint64_t confine_count_tasks(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat st;
	uint64_t n = 0;
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
				&& fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_uid == geteuid())
			n += threads_of(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/* ---- seccomp and the rest ------------------------------------------------------------------ */

struct filter_program { /* struct sock_fprog of linux/filter.h */
	unsigned short n;
	const void *instructions;
};

static bool load_filter(struct slice filter)
{
	enum { INSTRUCTION_BYTES = 8, MODE_FILTER = 2 };
	const struct filter_program program = {(unsigned short)(filter.n / INSTRUCTION_BYTES), filter.bytes};
	return prctl(PR_SET_SECCOMP, MODE_FILTER, &program) == 0;
}

static const char *enter(const struct confinement *c)
{
	const struct spec_msg *spec = c->spec;
	privilege_drop_bounds();
	privilege_drop_capabilities(); /* root of a container, for example, may have some */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return "give up new privileges";
	if (landlock_enter(CONFINE_AGENT_RULES) < 0)
		return "enter the Landlock rules";
	close(CONFINE_AGENT_RULES);
	if (!load_filter(c->is_strict ? spec->arguments_strict : spec->arguments)
			|| !load_filter(c->is_strict ? spec->calls_strict : spec->calls)
			|| (spec->older.n && !load_filter(spec->older)))
		return "load the system call filters";
	return NULL;
}

/* The strings lie in the spec. */
static size_t list_environment(struct slice environment, char **ret, size_t cap)
{
	size_t n = 0;
	const char *at = environment.bytes, *end = at + environment.n;
	for (; at < end && n + 1 < cap; at += strlen(at) + 1)
		ret[n++] = (char *)at;
	ret[n] = NULL;
	return n;
}

/* Created here if it is missing, so that it belongs to the user. */
static bool enter_workdir(const struct spec_msg *spec)
{
	char path[PATH_MAX];
	if (!folder_path(spec->folder, spec->workdir, path, sizeof path))
		snprintf(path, sizeof path, "%s", spec->workdir);
	for (char *at = path + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0755);
	}
	mkdir(path, 0755);
	return chdir(path) == 0;
}

const char *confine_exec(const struct confinement *c)
{
	enum { MOST_VARIABLES = 512 };
	static char *env[MOST_VARIABLES];
	char listen_fd[12], rules_fd[12];
	bool has_rules = c->spec->isolation == ISOLATION_LANDLOCK;
	umask(022);
	if (!enter_workdir(c->spec))
		return "enter the working directory";
	snprintf(listen_fd, sizeof listen_fd, "%d", CONFINE_LISTEN);
	snprintf(rules_fd, sizeof rules_fd, "%d", CONFINE_CODE_RULES);
	list_environment(c->spec->environment, env, MOST_VARIABLES);
	const char *failed = has_rules ? enter(c) : NULL;
	if (failed)
		return failed;
	char *argv[] = {"terrarium-agent", "serve", listen_fd, (char *)c->spec->folder,
			has_rules ? rules_fd : NULL, (char *)c->roots, NULL};
	fcntl(CONFINE_AGENT, F_SETFD, FD_CLOEXEC);
	syscall(SYS_execveat, CONFINE_AGENT, "", argv, env, AT_EMPTY_PATH);
	return "start the agent";
}
