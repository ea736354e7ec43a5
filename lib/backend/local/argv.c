/* SPDX-License-Identifier: MIT */
#include "backend/local/argv.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/batch.h"
#include "base/cachedir.h"
#include "base/mount.h"

static const char *const USR_DIRS[ARGV_USR_DIRS] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
/* From the host's /etc only the files that programs in /usr need. */
static const char *const ETC_FILES[ARGV_ETC_FILES] = {"/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts",
		"/etc/R", "/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
		"/etc/java-25-openjdk"};
/* With a network: certificates, where distributions keep them. Not all of /etc/ssl, because it holds
 * private keys. */
const char *const ARGV_NET_FILES[ARGV_NET_ETC_FILES] = {"/etc/ssl/certs", "/etc/ssl/openssl.cnf",
		"/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust"};
#define ZONES "/usr/share/zoneinfo/"

/* Files and directories of /proc that describe the host and that nobody inside needs. Those that only
 * root may read are not masked: the sandbox is never root on the host, and each mask costs a mount. */
static const struct {
	const char *path;
	bool is_dir;
} MASKS[] = {
		{"/proc/kcore", false},
		{"/proc/keys", false},
		{"/proc/key-users", false},
		{"/proc/kallsyms", false},
		{"/proc/timer_list", false},
		{"/proc/sched_debug", false},
		{"/proc/interrupts", false},
		{"/proc/iomem", false},
		{"/proc/cmdline", false},
		{"/proc/config.gz", false},
		{"/proc/acpi", true},
		{"/proc/scsi", true},
		{"/proc/driver", true},
		{"/proc/fs", true},
		{"/proc/pressure", true},
};
_Static_assert(sizeof MASKS / sizeof *MASKS == ARGV_MASKS, "one fact for each mask");

/* Bubblewrap writes these into its own root, which is then remounted read-only. This costs less than a
 * mount for each, and is just as unchangeable. */
static const struct {
	const char *path, *text;
} FILES[] = {
		{"/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n"
				"user:x:1000:1000:user:/home/user:/bin/bash\n"
				"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
		{"/etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
		{"/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost\n"},
		{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\nservices: files\n"},
};
enum { N_FILES = sizeof FILES / sizeof *FILES };
_Static_assert((int)N_FILES < (int)CONTROL_MAX_FILES, "each file needs a descriptor");

const char *const ARGV_ENVIRONMENT[][2] = {
		/* The last two are where Go unpacks its toolchain and pip puts programs. */
		{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin:/home/user/.local/bin"},
		{"HOME", "/home/user"},
		{"USER", "user"},
		{"LOGNAME", "user"},
		{"SHELL", "/bin/bash"},
		{"LANG", "C.UTF-8"},
		{"TERM", "dumb"},
		{"TMPDIR", "/tmp"},
		/* The home is the sandbox's own: what the distribution manages, pip cannot break. */
		{"PIP_BREAK_SYSTEM_PACKAGES", "1"},
		/* Python programs that the code starts do not hold back output, so it keeps its order. */
		{"PYTHONUNBUFFERED", "1"},
		{NULL, NULL},
};
const char *const ARGV_OFFLINE[][2] = {
		{"PIP_NO_INDEX", "1"},
		{"npm_config_offline", "true"},
		{NULL, NULL},
};

/* Writable directories, and where they lie in the shared tmpfs. */
static const struct {
	const char *path, *source, *perms;
} WRITABLE[] = {
		{"/workspace", SPACE_PATH "/workspace", "0755"},
		{"/tmp", SPACE_PATH "/tmp", "1777"},
		{"/home/user", SPACE_PATH "/home", "0700"},
};
#define SHM_SOURCE SPACE_PATH "/shm"
#define SHM_BYTES "67108864"

/* ---- facts ------------------------------------------------------------------- */

/* The target of a link; "" if there is none, or if it is longer than any target of interest. */
static void read_link(const char *path, char out[ARGV_PATH])
{
	ssize_t n = readlink(path, out, ARGV_PATH);
	out[n > 0 && n < ARGV_PATH ? n : 0] = '\0';
}

static void find_usr_dir(const char *path, char out[ARGV_PATH])
{
	struct stat st;
	out[0] = '\0';
	if (lstat(path, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode))
		strcpy(out, ".");
	else
		read_link(path, out);
}

static bool is_empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool is_empty = true;
	while (dir && is_empty && (entry = readdir(dir)))
		is_empty = entry->d_name[0] == '.';
	if (dir)
		closedir(dir);
	return is_empty;
}

void argv_facts_find(struct argv_facts *ret)
{
	struct stat st;
	*ret = (struct argv_facts){0};
	for (size_t i = 0; i < ARGV_USR_DIRS; i++)
		find_usr_dir(USR_DIRS[i], ret->usr_dir[i]);
	for (size_t i = 0; i < ARGV_ETC_FILES; i++)
		ret->has_etc[i] = stat(ETC_FILES[i], &st) == 0;
	read_link("/etc/localtime", ret->localtime);
	if (strncmp(ret->localtime, ZONES, strlen(ZONES)))
		ret->localtime[0] = '\0';
	for (size_t i = 0; i < ARGV_MASKS; i++)
		ret->has_mask[i] = stat(MASKS[i].path, &st) == 0 && (st.st_mode & 0004)
				   && !(MASKS[i].is_dir && is_empty_dir(MASKS[i].path));
	if (!cachedir_has("compilers", ret->prepared))
		ret->prepared[0] = '\0';
}

void argv_net_find(struct argv_net *net)
{
	struct stat st;
	for (size_t i = 0; i < ARGV_NET_ETC_FILES; i++)
		net->has_etc[i] = stat(ARGV_NET_FILES[i], &st) == 0;
}

/* ---- arguments ---------------------------------------------------------------- */

struct args {
	struct buf *out;
	int error;
};

static void append_word(struct args *a, const char *word)
{
	if (!a->error)
		a->error = buf_append(a->out, word, strlen(word) + 1);
}

static void add2(struct args *a, const char *option, const char *x)
{
	append_word(a, option);
	append_word(a, x);
}

static void add3(struct args *a, const char *option, const char *x, const char *y)
{
	add2(a, option, x);
	append_word(a, y);
}

static void add_number(struct args *a, const char *option, uint64_t n)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)n);
	add2(a, option, text);
}

static void add_net_env(struct args *a, const struct argv_net *net)
{
	const char *at = buf_at(&net->env.vars), *end = at + net->env.vars.len;
	while (at < end) {
		const char *value = at + strlen(at) + 1;
		add3(a, "--setenv", at, value);
		at = value + strlen(value) + 1;
	}
}

static void add_env(struct args *a, const struct argv_request *request)
{
	for (size_t i = 0; i < request->n_env; i++) {
		size_t n = strcspn(request->env[i], "=");
		append_word(a, "--setenv");
		if (!a->error)
			a->error = buf_append(a->out, request->env[i], n);
		append_word(a, ""); /* ends the name */
		append_word(a, request->env[i] + n + 1);
	}
}

static void add_namespaces(struct args *a, const struct argv_facts *facts)
{
	const struct argv_net *net = facts->net;
	append_word(a, "--unshare-all");
	if (net)
		append_word(a, "--share-net"); /* the supervisor has made one: supervisor/net/net.h */
	append_word(a, "--unshare-user");
	append_word(a, "--disable-userns");
	add2(a, "--uid", "1000");
	add2(a, "--gid", "1000");
	add2(a, "--hostname", "sandbox");
	add2(a, "--cap-drop", "ALL");
	append_word(a, "--new-session");
	append_word(a, "--die-with-parent");
	append_word(a, "--as-pid-1");
	append_word(a, "--clearenv");
	for (size_t i = 0; ARGV_ENVIRONMENT[i][0]; i++)
		add3(a, "--setenv", ARGV_ENVIRONMENT[i][0], ARGV_ENVIRONMENT[i][1]);
	for (size_t i = 0; ARGV_OFFLINE[i][0] && !net; i++)
		add3(a, "--setenv", ARGV_OFFLINE[i][0], ARGV_OFFLINE[i][1]);
	if (net)
		add_net_env(a, net);
	add_env(a, &facts->request);
}

static void add_net_etc(struct args *a, const struct argv_net *net)
{
	for (size_t i = 0; i < ARGV_NET_ETC_FILES; i++)
		if (net->has_etc[i])
			add3(a, "--ro-bind", ARGV_NET_FILES[i], ARGV_NET_FILES[i]);
	add2(a, "--perms", "0444");
	add_number(a, "--file", BWRAP_FILES + N_FILES);
	append_word(a, "/etc/resolv.conf");
	if (!net->env.certs.len)
		return;
	add2(a, "--perms", "0444");
	add_number(a, "--file", BWRAP_FILES + N_FILES + 1);
	append_word(a, NETENV_CERTS);
}

/* Programs and libraries, read-only: /usr, never the whole root. */
static void add_system(struct args *a, const struct argv_facts *facts)
{
	add3(a, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < ARGV_USR_DIRS; i++) {
		if (!strcmp(facts->usr_dir[i], "."))
			add3(a, "--ro-bind", USR_DIRS[i], USR_DIRS[i]);
		else if (facts->usr_dir[i][0])
			add3(a, "--symlink", facts->usr_dir[i], USR_DIRS[i]);
	}
	append_word(a, "--perms");
	add3(a, "0755", "--dir", "/etc");
	for (size_t i = 0; i < ARGV_ETC_FILES; i++)
		if (facts->has_etc[i])
			add3(a, "--ro-bind", ETC_FILES[i], ETC_FILES[i]);
	if (facts->localtime[0])
		add3(a, "--symlink", facts->localtime, "/etc/localtime");
	for (size_t i = 0; i < N_FILES; i++) {
		add2(a, "--perms", "0444");
		add_number(a, "--file", BWRAP_FILES + i);
		append_word(a, FILES[i].path);
	}
	if (facts->net)
		add_net_etc(a, facts->net);
	add2(a, "--perms", "0555"); /* a copy, because the sandbox does not see the host's file */
	add_number(a, "--file", BWRAP_AGENT);
	append_word(a, AGENT_PATH);
}

/* The settings of the namespaces belong to the user who made them, which is the sandbox's own user. They
 * must stay unchanged, but bubblewrap leaves them writable when it is not root. */
static void add_proc(struct args *a, const struct argv_facts *facts)
{
	add2(a, "--proc", "/proc");
	add3(a, "--ro-bind", "/proc/sys", "/proc/sys");
	for (size_t i = 0; i < ARGV_MASKS; i++) {
		if (!facts->has_mask[i])
			continue;
		if (MASKS[i].is_dir) {
			add2(a, "--size", "4096");
			add2(a, "--tmpfs", MASKS[i].path);
			add2(a, "--remount-ro", MASKS[i].path);
		} else {
			add3(a, "--ro-bind", "/dev/null", MASKS[i].path);
		}
	}
}

static void add_tmpfs(struct args *a, const char *perms, uint64_t size, const char *path)
{
	add_number(a, "--size", size);
	add2(a, "--perms", perms);
	add2(a, "--tmpfs", path);
}

static void add_dev(struct args *a, bool is_shared)
{
	add2(a, "--dev", "/dev");
	if (is_shared) {
		add3(a, "--bind", SHM_SOURCE, "/dev/shm");
	} else {
		add2(a, "--size", SHM_BYTES);
		add2(a, "--perms", "1777");
		add2(a, "--tmpfs", "/dev/shm");
	}
	add2(a, "--remount-ro", "/dev");
}

/* Packages that were fetched once for all sandboxes: terrarium/install.h. */
static void add_cache(struct args *a, const struct argv_facts *facts, bool is_shared)
{
	if (facts->has_cache && is_shared)
		add3(a, "--ro-bind", CACHE_SOURCE, CACHEDIR_INSIDE);
}

/* `terrarium langs --prepare` has made it. */
static void add_prepared(struct args *a, const struct argv_facts *facts)
{
	if (*facts->prepared)
		add3(a, "--ro-bind-try", facts->prepared, BATCH_PREPARED);
}

/* Last, so that nothing is made below a directory that the sandbox can write. */
static void add_writable(struct args *a, bool is_shared, uint64_t disk_bytes)
{
	for (size_t i = 0; i < sizeof WRITABLE / sizeof *WRITABLE; i++) {
		if (is_shared)
			add3(a, "--bind", WRITABLE[i].source, WRITABLE[i].path);
		else
			add_tmpfs(a, WRITABLE[i].perms, disk_bytes, WRITABLE[i].path);
	}
}

/* Mount points are made in directories that are still empty, and never inside mounts, where links may be.
 * The source of a mount lies where the supervisor has put it, or comes by its descriptor. */
static void add_mounts(struct args *a, const struct argv_facts *facts, bool is_shared)
{
	const struct argv_net *net = facts->net;
	const struct argv_request *request = &facts->request;
	const size_t first = BWRAP_FILES + N_FILES + (net ? 1 + (net->env.certs.len > 0) : 0);
	for (size_t i = 0; i < request->n_mounts; i++) {
		char source[40];
		bool is_writable = request->mounts[i].is_writable;
		snprintf(source, sizeof source, is_shared ? MOUNT_SOURCE "/%zu" : "%zu",
				is_shared ? i : first + i);
		append_word(a, is_shared      ? is_writable ? "--bind" : "--ro-bind"
				: is_writable ? "--bind-fd"
					      : "--ro-bind-fd");
		add2(a, source, request->mounts[i].guest);
	}
}

static bool is_in_mount(const struct argv_request *request, const char *path)
{
	bool is = false;
	for (size_t i = 0; i < request->n_mounts; i++)
		is |= mount_is_below(path, request->mounts[i].guest);
	return is;
}

/* Make a working directory that exists nowhere yet, writable like /workspace. Inside a writable directory
 * it is an ordinary directory. */
static void add_workdir(
		struct args *a, const struct argv_request *request, bool is_shared, uint64_t disk_bytes)
{
	const char *path = request->workdir;
	bool is_in_writable = false;
	if (!path || is_in_mount(request, path) || !strcmp(path, "/"))
		return;
	for (size_t i = 0; i < sizeof WRITABLE / sizeof *WRITABLE; i++)
		is_in_writable |= mount_is_below(path, WRITABLE[i].path);
	if (is_in_writable) {
		add2(a, "--perms", "0755");
		add2(a, "--dir", path);
	} else if (mount_check_guest(path, NULL) < 0) {
		return; /* it exists already, or cannot be made */
	} else if (is_shared) {
		add3(a, "--bind", WORKDIR_SOURCE, path);
	} else {
		add_tmpfs(a, "0755", disk_bytes, path);
	}
}

static void add_end(struct args *a, const struct argv_request *request)
{
	add2(a, "--remount-ro", "/");
	add2(a, "--chdir", request->workdir ? request->workdir : "/workspace");
}

int argv_build(struct buf *out, const struct argv_facts *facts, bool is_shared, uint64_t disk_bytes)
{
	struct args a = {.out = out};
	add_namespaces(&a, facts);
	add_system(&a, facts);
	add_proc(&a, facts);
	add_cache(&a, facts, is_shared);
	add_prepared(&a, facts);
	add_dev(&a, is_shared);
	add_writable(&a, is_shared, disk_bytes);
	add_workdir(&a, &facts->request, is_shared, disk_bytes);
	add_mounts(&a, facts, is_shared);
	add_end(&a, &facts->request);
	add_number(&a, "--add-seccomp-fd", BWRAP_ARGUMENTS);
	add_number(&a, "--add-seccomp-fd", BWRAP_CALLS);
	return a.error;
}

size_t argv_files(struct slice *ret, size_t cap)
{
	size_t n = 0;
	for (; n < N_FILES && n < cap; n++)
		ret[n] = (struct slice){FILES[n].text, strlen(FILES[n].text)};
	return n;
}
