/* SPDX-License-Identifier: MIT */
#include "backend/supervised/found.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/host/rundir.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mount.h"
#include "base/procstat.h"
#include "base/sysfile.h"
#include "kernel/kernel.h"
#include "sweep/sweep.h"

enum { CHILDREN_MAX = 512 };

int found_open_dir(struct trm_error *reterr)
{
	char path[RUNDIR_PATH];
	return rundir_find(path, reterr);
}

static bool is_ours(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077);
}

/* -1 with EPERM: others can access it. */
static int open_entry(int run_fd, const char *name)
{
	int dir = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || is_ours(dir))
		return dir;
	close(dir);
	errno = EPERM;
	return -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static ssize_t read_from(int dir, const char *file, char *out, size_t cap)
{
	/* O_NONBLOCK, because a FIFO must not block us. */
	int fd = openat(dir, file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, cap) : -1;
	close_fd(&fd);
	return n;
}

/* `dir` is the result of open_entry(), with its errno. */
static int read_info(int dir, const char *name, struct info_msg *ret, struct trm_error *reterr)
{
	int error = errno;
	char few[1024], *bytes = few; /* enough except for many mounts or variables */
	ssize_t n = -1;
	if (dir >= 0) {
		n = read_from(dir, INFO_FILE, few, sizeof few);
		error = errno;
	}
	if (n == sizeof few && (bytes = malloc(INFO_MAX_BYTES)))
		n = read_from(dir, INFO_FILE, bytes, INFO_MAX_BYTES);
	if (!bytes)
		n = -1, error = ENOMEM;
	int r = n > 0 ? info_msg_get(bytes, (size_t)n, ret) : TRM_ENOENT;
	if (bytes != few)
		free(bytes);
	/* Without descriptors, memory or permission we cannot know whether the sandbox exists. */
	if (r == TRM_ENOMEM)
		n = -1, error = ENOMEM;
	if (dir < 0 && error == EPERM)
		return trm_error_set(reterr, TRM_EPERM,
				"the directory of sandbox '%s' belongs to another user, or is open to others: chmod 700 it, or"
				" remove it",
				name);
	if (n < 0 && (error == EMFILE || error == ENFILE || error == ENOMEM || error == EACCES))
		return trm_error_set_errno(reterr, error, "cannot look for sandbox '%s'", name);
	return r < 0 ? trm_error_set(reterr, TRM_ENOENT, "there is no running sandbox '%s'", name) : 0;
}

int found_read(int run_fd, const char *name, struct info_msg *ret, struct trm_error *reterr)
{
	int dir = open_entry(run_fd, name);
	int r = read_info(dir, name, ret, reterr);
	close_fd(&dir);
	return r;
}

static bool read_state(int fd, struct state_msg *ret)
{
	char bytes[STATE_MAX_BYTES];
	ssize_t n = fd >= 0 ? pread(fd, bytes, sizeof bytes, 0) : -1;
	return n > 0 && state_msg_get(bytes, (size_t)n, ret) == 0;
}

static int open_state(int dir)
{
	return dir >= 0 ? openat(dir, STATE_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
}

bool found_state(int run_fd, const char *name, struct state_msg *ret)
{
	int dir = open_entry(run_fd, name);
	int fd = open_state(dir);
	bool is_known = read_state(fd, ret);
	if (is_known && ret->n_clients) { /* some clients may have disconnected since */
		rundir_wait_noted(dir);
		is_known = read_state(fd, ret);
	}
	close_fd(&fd);
	close_fd(&dir);
	return is_known;
}

int found_open(struct found_entry *ret, const char *name, struct info_msg *ret_info, struct trm_error *reterr)
{
	char path[RUNDIR_PATH];
	ret->fd = ret->state_fd = -1;
	int r = rundir_find_path(path, reterr);
	if (r < 0)
		return r;
	snprintf(ret->path, sizeof ret->path, "%s/%s", path, name);
	ret->fd = open_entry(AT_FDCWD, ret->path);
	int error = errno;
	/* First, because it is removed last: a sandbox that ends now can still say why. */
	ret->state_fd = open_state(ret->fd);
	errno = error;
	return read_info(ret->fd, name, ret_info, reterr);
}

void found_close(struct found_entry *entry)
{
	close_fd(&entry->fd);
	close_fd(&entry->state_fd);
}

void found_close_directory(struct found_entry *entry)
{
	close_fd(&entry->fd);
}

bool found_entry_state(const struct found_entry *entry, struct state_msg *ret)
{
	return read_state(entry->state_fd, ret);
}

bool found_entry_gone(const struct found_entry *entry, struct control_msg *ret)
{
	char *bytes = malloc(CONTROL_MAX_BYTES);
	ssize_t n = bytes && entry->state_fd >= 0
				    ? pread(entry->state_fd, bytes, CONTROL_MAX_BYTES, STATE_GONE_AT)
				    : -1;
	bool is_reported = n > 0 && control_get(bytes, (size_t)n, ret) == 0;
	free(bytes);
	if (!is_reported || ret->type == CONTROL_GONE)
		return is_reported;
	control_finish(ret);
	return false;
}

bool found_entry_is_held(const struct found_entry *entry)
{
	return sweep_is_held(entry->fd);
}

/* Process numbers and start times begin again with each boot, so compare the boot. */
static bool is_of_this_boot(const struct info_msg *info)
{
	char id[BOOT_ID_BYTES];
	sysfile_read("/proc/sys/kernel/random/boot_id", id, sizeof id);
	return !*id || !*info->boot_id || strcmp(id, info->boot_id) == 0;
}

static bool is_held(int run_fd, const char *name)
{
	int dir = open_entry(run_fd, name);
	bool is = dir >= 0 && sweep_is_held(dir);
	close_fd(&dir);
	return is;
}

bool found_is_alive(int run_fd, const char *name, const struct info_msg *info)
{
	struct procstat stat;
	return procstat_read(info->supervisor, &stat) && stat.start == info->supervisor_start
	       && stat.state != 'Z' && is_of_this_boot(info) && is_held(run_fd, name);
}

void found_limits(const struct info_msg *info, struct trm_limits *ret)
{
	*ret = (struct trm_limits){.mem_bytes = info->mem_bytes,
			.cpus = info->cpus,
			.procs = info->procs,
			.disk_bytes = info->disk_bytes,
			.file_bytes = info->file_bytes,
			.open_files = info->open_files,
			.net = info->has_net};
	snprintf(ret->net_allow, sizeof ret->net_allow, "%s", info->net_allow);
	snprintf(ret->net_allow_host, sizeof ret->net_allow_host, "%s", info->net_hosts);
}

enum trm_isolation found_isolation(const struct ready_msg *ready)
{
	static const enum trm_isolation levels[] = {[ISOLATION_NAMESPACES] = TRM_ISOLATION_NAMESPACES,
			[ISOLATION_LANDLOCK] = TRM_ISOLATION_LANDLOCK,
			[ISOLATION_NONE] = TRM_ISOLATION_NONE};
	return *ready->origin.backend ? TRM_ISOLATION_AUTO : levels[ready->isolation];
}

const char *found_workdir(const struct info_msg *info)
{
	return *info->workdir ? info->workdir : "/workspace";
}

/* Copy a text unless it is empty. */
static void copy_unless_empty(char *out, size_t cap, const char *text)
{
	if (*text)
		snprintf(out, cap, "%s", text);
}

void found_requested(const struct info_msg *info, struct trm_requested *ret)
{
	copy_unless_empty(ret->text, sizeof ret->text, info->mounts);
	if (*info->mounts)
		ret->n_mounts = mount_read_lines(ret->text, ret->mounts);
	copy_unless_empty(ret->workdir, sizeof ret->workdir, found_workdir(info));
	copy_unless_empty(ret->group, sizeof ret->group, info->group);
	copy_unless_empty(ret->env, sizeof ret->env, info->env);
	copy_unless_empty(ret->engine, sizeof ret->engine, info->engine);
	copy_unless_empty(ret->from, sizeof ret->from, info->from);
}

/* ---- its supervisor -------------------------------------------------------------------------- */

/* The pidfd pins the process: after that, its number means this process or none. */
static int open_supervisor(pid_t supervisor, uint64_t supervisor_start, struct trm_error *reterr)
{
	struct procstat stat;
	int pidfd = supervisor > 1 ? (int)syscall(SYS_pidfd_open, supervisor, 0) : -1;
	if (pidfd < 0 && errno == ENOSYS)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"stopping other programs' sandboxes safely needs Linux 5.3");
	bool is_it = pidfd >= 0 && supervisor_start && procstat_read(supervisor, &stat)
		     && stat.start == supervisor_start
		     && strncmp(stat.name, SWEEP_SUPERVISOR_NAME, sizeof stat.name - 1) == 0;
	if (is_it)
		return pidfd;
	if (pidfd >= 0)
		close(pidfd);
	return trm_error_set(reterr, TRM_ENOENT, "the sandbox has ended already");
}

int found_kill(pid_t supervisor, uint64_t supervisor_start, int signo, struct trm_error *reterr)
{
	int pidfd = open_supervisor(supervisor, supervisor_start, reterr);
	if (pidfd < 0)
		return pidfd;
	int error = syscall(SYS_pidfd_send_signal, pidfd, signo, NULL, 0) < 0 ? errno : 0;
	close(pidfd);
	if (error == ESRCH)
		return trm_error_set(reterr, TRM_ENOENT, "the sandbox has ended already");
	return error ? trm_error_set_errno(reterr, error, "cannot tell the sandbox's supervisor to end it")
		     : 0;
}

int found_wait(pid_t supervisor, uint64_t supervisor_start, uint64_t timeout_ms, struct trm_error *reterr)
{
	int pidfd = open_supervisor(supervisor, supervisor_start, NULL);
	if (pidfd < 0)
		return pidfd == TRM_ENOENT ? 0 : trm_error_set(reterr, pidfd, "cannot watch for its end");
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	int n = poll(&p, 1, timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);
	close(pidfd);
	return n == 1 ? 0 : trm_error_set(reterr, TRM_ETIMEDOUT, "the sandbox has not ended in time");
}

/* ---- its kernels --------------------------------------------------------------------------- */

/* Bubblewrap, the agent and interpreters fork from their first thread. */
static size_t children_of(pid_t pid, pid_t children[CHILDREN_MAX])
{
	ssize_t n = procstat_children(pid, pid, children, CHILDREN_MAX);
	return n > 0 ? (size_t)n : 0;
}

static bool is_kernel(const char *line, size_t n, const struct kernel_spec *spec)
{
	/* In a container the interpreter is found by PATH, and its command line begins without a folder. */
	const char *slash = strrchr(spec->argv[0], '/');
	const char *program = line[0] == '/' || !slash ? spec->argv[0] : slash + 1;
	size_t at = 0;
	for (const char *const *word = spec->argv; *word; word++) {
		const char *want = word == spec->argv ? program : *word;
		size_t len = strlen(want) + 1;
		if (n - at < len || memcmp(line + at, want, len))
			return false;
		at += len;
	}
	return true;
}

static unsigned kernel_of(pid_t pid)
{
	char path[64], line[512];
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	ssize_t n = sysfile_read(path, line, sizeof line);
	for (unsigned i = 0; n > 0 && i < trm_lang_count(); i++)
		if (is_kernel(line, (size_t)n, kernel_spec(trm_lang_at(i))))
			return 1u << i;
	return 0;
}

/* The supervisor's only child that has children: the agent itself, or with namespaces bubblewrap's outer
 * process, which is above the agent. */
static pid_t agent_below(pid_t supervisor, enum isolation isolation)
{
	pid_t children[CHILDREN_MAX], below[CHILDREN_MAX];
	size_t n = children_of(supervisor, children);
	for (size_t i = 0; i < n; i++)
		if (children_of(children[i], below))
			return isolation == ISOLATION_NAMESPACES ? below[0] : children[i];
	return 0;
}

bool found_kernels(const struct info_msg *info, unsigned *ret_mask)
{
	pid_t children[CHILDREN_MAX];
	const struct origin_msg *origin = &info->ready.origin;
	pid_t agent = *origin->backend ? origin->root_pid
				       : agent_below(info->supervisor, info->ready.isolation);
	if (*origin->backend && agent <= 0)
		return false;
	size_t n = children_of(agent, children);
	*ret_mask = 0;
	for (size_t i = 0; i < n; i++)
		*ret_mask |= kernel_of(children[i]);
	return true;
}

/* ---- a tree of processes ----------------------------------------------------------- */

static uint64_t memory_below(pid_t pid, unsigned depth)
{
	enum { MAX_DEPTH = 16 };
	pid_t children[CHILDREN_MAX];
	struct procstat child;
	uint64_t bytes = 0;
	size_t n = depth < MAX_DEPTH ? children_of(pid, children) : 0;
	for (size_t i = 0; i < n; i++)
		if (procstat_read(children[i], &child))
			bytes += child.mem_bytes + memory_below(children[i], depth + 1);
	return bytes;
}

uint64_t found_memory_below(pid_t root)
{
	return memory_below(root, 0);
}

/* ---- all processes ------------------------------------------------------------------- */

static bool make_room(struct crowd *crowd)
{
	enum { FIRST = 256 };
	if (crowd->n < crowd->cap)
		return true;
	size_t cap = crowd->cap ? crowd->cap * 2 : FIRST;
	struct procstat *all = realloc(crowd->all, cap * sizeof *all);
	if (!all)
		return false;
	crowd->all = all;
	crowd->cap = cap;
	return true;
}

bool crowd_take(struct crowd *crowd)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool ok = dir != NULL;
	crowd->n = 0;
	while (ok && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		ok = make_room(crowd);
		if (ok)
			crowd->n += procstat_read(
					(pid_t)strtol(entry->d_name, NULL, 10), &crowd->all[crowd->n]);
	}
	if (dir)
		closedir(dir);
	return ok;
}

void crowd_finish(struct crowd *crowd)
{
	free(crowd->all);
	*crowd = (struct crowd){0};
}

/* How deep the process is below root, 0 if it is not. Parents are looked up as often as a tree is deep. */
static unsigned depth_below(const struct crowd *crowd, const struct procstat *p, pid_t root)
{
	enum { MAX_DEPTH = 64 };
	for (unsigned depth = 1; depth < MAX_DEPTH; depth++) {
		if (p->ppid == root)
			return depth;
		const struct procstat *parent = NULL;
		for (size_t i = 0; i < crowd->n && !parent; i++)
			parent = crowd->all[i].pid == p->ppid ? &crowd->all[i] : NULL;
		if (!parent)
			return 0;
		p = parent;
	}
	return 0;
}

void crowd_sample(const struct crowd *crowd, pid_t root, struct trm_sample *sample)
{
	for (size_t i = 0; i < crowd->n; i++) {
		const struct procstat *p = &crowd->all[i];
		unsigned depth = depth_below(crowd, p, root);
		if (!depth)
			continue;
		sample->cpu_ns += p->cpu_ns;
		sample->mem_bytes += p->mem_bytes;
		sample->procs += depth > 1;
	}
	sample->known |= TRM_METRIC_CPU_TIME | TRM_METRIC_MEM | TRM_METRIC_PROCS;
	snprintf(sample->source, sizeof sample->source, "/proc");
}

/* ---- leftovers ----------------------------------------------------------------------- */

void found_sweep(void)
{
	const struct timespec nap = {.tv_nsec = 1000 * 1000};
	char path[RUNDIR_PATH];
	int run_fd = rundir_find(path, NULL);
	if (run_fd < 0)
		return;
	/* The cleanup process does the same, so there may be nothing left, or soon nothing. */
	for (unsigned tries = 0; sweep_left(run_fd) && tries < FOUND_SWEEP_MS; tries++) {
		sweep_all(run_fd);
		nanosleep(&nap, NULL);
	}
	sweep_directory(run_fd, path);
	close(run_fd);
}
