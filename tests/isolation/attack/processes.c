/* SPDX-License-Identifier: MIT */

/* Other processes: those of the host, and the agent. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/attack/attack.h"

/* ---- of the host -------------------------------------------------------------------- */

/* The word in a file of any process but those of the attack, which have it in their own arguments. */
static enum verdict find_word(const struct target *t, struct found *f, const char *file)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	while (proc && (e = readdir(proc))) {
		char path[300];
		pid_t pid = atoi(e->d_name);
		snprintf(path, sizeof path, "/proc/%s/%s", e->d_name, file);
		if (pid > 0 && getpgid(pid) != getpgrp() && file_has(path, t->word))
			return say(f, OPEN, "%s", path);
	}
	return say(f, SHUT, "in none");
}

static enum verdict read_arguments(const struct target *t, struct found *f)
{
	return find_word(t, f, "cmdline");
}

static enum verdict read_environments(const struct target *t, struct found *f)
{
	return find_word(t, f, "environ");
}

static enum verdict inherit_environment(const struct target *t, struct found *f)
{
	const char *secret = getenv("ISOLATION_SECRET");
	(void)t;
	return secret ? say(f, OPEN, "%s", secret) : say(f, SHUT, "not there");
}

static enum verdict see_process(const struct target *t, struct found *f)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)t->bait);
	return file_has(path, t->word) ? say(f, OPEN, "%s", path) : say(f, SHUT, "not there");
}

static enum verdict signal_process(const struct target *t, struct found *f)
{
	return kill(t->bait, 0) == 0 ? say(f, OPEN, "it can be killed") : say(f, SHUT, "%s", strerror(errno));
}

/* Only where that reaches the host as well: in a sandbox there are other processes of its own. */
static enum verdict signal_all(const struct target *t, struct found *f)
{
	if (kill(-1, 0) < 0)
		return say(f, SHUT, "%s", strerror(errno));
	return kill(t->bait, 0) == 0 ? say(f, OPEN, "all can be killed") : say(f, SHUT, "only its own");
}

static enum verdict share_namespace(const struct target *t, struct found *f)
{
	static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char path[64], link[64];
		snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
		ssize_t n = readlink(path, link, sizeof link - 1);
		link[n > 0 ? n : 0] = '\0';
		if (n <= 0 || strstr(t->spaces, link))
			return say(f, OPEN, "%s", kinds[i]);
	}
	return say(f, SHUT, "all its own");
}

static enum verdict know_name(const struct target *t, struct found *f)
{
	struct utsname u;
	bool is = uname(&u) < 0 || !strcmp(u.nodename, t->host)
		  || file_has("/proc/sys/kernel/hostname", t->host);
	return is ? say(f, OPEN, "%s", t->host) : say(f, SHUT, "%s", u.nodename);
}

static enum verdict share_queue(const struct target *t, struct found *f)
{
	return msgget(t->key, 0) >= 0 ? say(f, OPEN, "queue") : say(f, SHUT, "%s", strerror(errno));
}

static enum verdict share_semaphore(const struct target *t, struct found *f)
{
	return semget(t->key, 1, 0) >= 0 ? say(f, OPEN, "semaphore") : say(f, SHUT, "%s", strerror(errno));
}

static enum verdict share_segment(const struct target *t, struct found *f)
{
	return shmget(t->key, 0, 0) >= 0 ? say(f, OPEN, "segment") : say(f, SHUT, "%s", strerror(errno));
}

/* ---- the agent -------------------------------------------------------------------------- */

static enum verdict open_of(const struct target *t, struct found *f, const char *file, int flags)
{
	char path[64], byte;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)t->victim, file);
	int fd = open(path, flags | O_CLOEXEC);
	/* Some of them only refuse to be read. */
	bool is_open = fd >= 0 && (flags != O_RDONLY || read(fd, &byte, 1) >= 0 || errno == EIO);
	if (fd >= 0)
		close(fd);
	return say(f, is_open ? OPEN : SHUT, "%s%s", path, is_open ? "" : " is closed");
}

static enum verdict read_victim(const struct target *t, struct found *f)
{
	static const char *const files[] = {"mem", "environ", "maps", "smaps", "auxv", "syscall", "stack",
			"io", "personality", "pagemap", "numa_maps"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (open_of(t, f, files[i], O_RDONLY) == OPEN)
			return OPEN;
	return SHUT;
}

static enum verdict write_victim(const struct target *t, struct found *f)
{
	static const char *const files[] = {"mem", "oom_score_adj", "oom_adj", "coredump_filter", "comm",
			"clear_refs", "uid_map", "gid_map", "setgroups", "loginuid", "autogroup", "sched"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (open_of(t, f, files[i], O_WRONLY) == OPEN)
			return OPEN;
	return SHUT;
}

static enum verdict list_victim(const struct target *t, struct found *f)
{
	static const char *const dirs[] = {"fd", "fdinfo", "map_files", "root/", "cwd/"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		char path[64];
		snprintf(path, sizeof path, "/proc/%d/%s", (int)t->victim, dirs[i]);
		DIR *dir = opendir(path);
		if (dir && readdir(dir))
			return say(f, OPEN, "%s", path);
	}
	return say(f, SHUT, "all closed");
}

static enum verdict read_program(const struct target *t, struct found *f)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/exe", (int)t->victim);
	return of_open(f, path, O_RDONLY) == OPEN ? OPEN : SHUT;
}

static enum verdict trace(const struct target *t, struct found *f)
{
	return of_call(f, ptrace(PTRACE_SEIZE, t->victim, NULL, NULL));
}

static char mark; /* lies at the same place in a victim of our own */

static enum verdict read_memory(const struct target *t, struct found *f)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {&mark, 1};
	return of_call(f, process_vm_readv(t->victim, &to, 1, &from, 1, 0));
}

static enum verdict write_memory(const struct target *t, struct found *f)
{
	static char byte;
	struct iovec to = {&byte, 1}, from = {&byte, 1};
	return of_call(f, process_vm_writev(t->victim, &from, 1, &to, 1, 0));
}

static enum verdict take_descriptor(const struct target *t, struct found *f)
{
	int fd = (int)syscall(SYS_pidfd_open, t->victim, 0);
	return of_call(f, fd < 0 ? -1 : syscall(SYS_pidfd_getfd, fd, 0, 0));
}

static enum verdict compare(const struct target *t, struct found *f)
{
	return of_call(f, syscall(SYS_kcmp, getpid(), t->victim, 1, 0, 0));
}

/* A victim of our own can be waited for; with the agent we would have ended, too. */
static enum verdict of_end(const struct target *t, struct found *f)
{
	enum { LONGEST_MS = 500 };
	for (int ms = 0; ms < LONGEST_MS; ms += 10, usleep(10000))
		if (waitpid(t->victim, NULL, WNOHANG) == t->victim)
			return say(f, OPEN, "it has ended");
	return say(f, SHUT, "it lives");
}

static enum verdict end_it(const struct target *t, struct found *f)
{
	if (t->spares)
		return say(f, LACKING, "it is spared");
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGSTOP, SIGKILL};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		kill(t->victim, signals[i]);
	return of_end(t, f);
}

static enum verdict signal_by_handle(const struct target *t, struct found *f)
{
	if (t->spares)
		return say(f, LACKING, "it is spared");
	int fd = (int)syscall(SYS_pidfd_open, t->victim, 0);
	syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	return of_end(t, f);
}

static enum verdict limit_it(const struct target *t, struct found *f)
{
	struct rlimit now;
	return of_call(f, prlimit(t->victim, RLIMIT_NOFILE, NULL, &now));
}

static enum verdict renice(const struct target *t, struct found *f)
{
	return of_call(f, setpriority(PRIO_PROCESS, (id_t)t->victim, 19));
}

/* Of a user who has no processes: what works for that one would change all of the machine. */
enum { NOBODYS_UID = 2000000000 };

static enum verdict renice_all(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, setpriority(PRIO_USER, NOBODYS_UID, 19));
}

/* Likewise a group that is none, outside a sandbox. */
static enum verdict renice_group(const struct target *t, struct found *f)
{
	return of_call(f, setpriority(PRIO_PGRP, t->victim == 1 ? 1 : NOBODYS_UID, 19));
}

static enum verdict make_idle(const struct target *t, struct found *f)
{
	struct sched_param p = {0};
	return of_call(f, sched_setscheduler(t->victim, SCHED_IDLE, &p));
}

static enum verdict make_idle_by_attr(const struct target *t, struct found *f)
{
	struct {
		unsigned size, policy;
		unsigned long long rest[6];
	} attr = {.size = 48, .policy = SCHED_IDLE};
	return of_call(f, syscall(SYS_sched_setattr, t->victim, &attr, 0));
}

static enum verdict pin(const struct target *t, struct found *f)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) < 0)
		CPU_SET(0, &set);
	return of_call(f, sched_setaffinity(t->victim, sizeof set, &set));
}

static enum verdict slow_disk(const struct target *t, struct found *f)
{
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3 << 13 };
	return of_call(f, syscall(SYS_ioprio_set, WHO_PROCESS, t->victim, CLASS_IDLE));
}

static enum verdict slow_disk_of_all(const struct target *t, struct found *f)
{
	enum { WHO_USER = 3, CLASS_IDLE = 3 << 13 };
	(void)t;
	return of_call(f, syscall(SYS_ioprio_set, WHO_USER, NOBODYS_UID, CLASS_IDLE));
}

static enum verdict move_memory(const struct target *t, struct found *f)
{
	unsigned long nodes = 1;
	return of_call(f, syscall(SYS_migrate_pages, t->victim, 2, &nodes, &nodes));
}

static enum verdict advise_memory(const struct target *t, struct found *f)
{
	struct iovec all = {(void *)4096, 4096};
	int fd = (int)syscall(SYS_pidfd_open, t->victim, 0);
	return of_call(f, fd < 0 ? -1 : syscall(SYS_process_madvise, fd, &all, 1, 20, 0));
}

static const struct attempt ATTEMPTS[] = {
		{"secrets", "arguments of processes", read_arguments, 0},
		{"secrets", "environments of processes", read_environments, 0},
		{"secrets", "environment", inherit_environment, 0},
		{"processes", "of the host", see_process, 0},
		{"processes", "signals to the host's", signal_process, 0},
		{"processes", "one signal to all", signal_all, 0},
		{"processes", "namespaces", share_namespace, 0},
		{"processes", "name of the host", know_name, 0},
		{"ipc", "message queue", share_queue, 0},
		{"ipc", "semaphores", share_semaphore, 0},
		{"ipc", "shared memory", share_segment, 0},
		{"agent", "read by /proc", read_victim, 0},
		{"agent", "written by /proc", write_victim, 0},
		{"agent", "descriptors, root, cwd", list_victim, 0},
		{"agent", "its program", read_program, 0},
		{"agent", "ptrace", trace, 0},
		{"agent", "process_vm_readv", read_memory, 0},
		{"agent", "process_vm_writev", write_memory, 0},
		{"agent", "pidfd_getfd", take_descriptor, 0},
		{"agent", "kcmp", compare, 0},
		{"agent", "pidfd_send_signal", signal_by_handle, 0},
		{"agent", "prlimit", limit_it, 0},
		{"agent", "setpriority", renice, 0},
		{"agent", "setpriority of the user", renice_all, 0},
		{"agent", "setpriority of the group", renice_group, 0},
		{"agent", "sched_setscheduler", make_idle, 0},
		{"agent", "sched_setattr", make_idle_by_attr, 0},
		{"agent", "sched_setaffinity", pin, 0},
		{"agent", "ioprio_set", slow_disk, 0},
		{"agent", "ioprio_set of the user", slow_disk_of_all, 0},
		{"agent", "migrate_pages", move_memory, 0},
		{"agent", "process_madvise", advise_memory, CAP_SYS_NICE},
		{"agent", "signals", end_it, 0},
};

struct attempts attempts_processes(void)
{
	return (struct attempts){ATTEMPTS, sizeof ATTEMPTS / sizeof *ATTEMPTS};
}
