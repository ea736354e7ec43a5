/* SPDX-License-Identifier: MIT */

/* What of the host's files, devices, /proc and /sys can be seen or written. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "isolation/attack/attack.h"

#define EACH(list) ((struct attempts){list, sizeof list / sizeof *list})

/* ---- files ------------------------------------------------------------------------ */

static enum verdict read_bait(const struct target *t, struct found *f)
{
	char path[512];
	snprintf(path, sizeof path, "%s/bait", t->dir);
	return file_has(path, t->word) ? say(f, OPEN, "%s", path) : say(f, SHUT, "not there");
}

/* The bait by the root or working directory of any process that can be seen. */
static enum verdict read_by_process(const struct target *t, struct found *f)
{
	static const char *const doors[] = {"root", "cwd"};
	DIR *proc = opendir("/proc");
	struct dirent *e;
	while (proc && (e = readdir(proc))) {
		for (size_t i = 0; i < 2; i++) {
			char path[700];
			snprintf(path, sizeof path, "/proc/%s/%s/../../../../../..%s/bait", e->d_name,
					doors[i], t->dir);
			if (atoi(e->d_name) > 0 && file_has(path, t->word))
				return say(f, OPEN, "/proc/%s/%s", e->d_name, doors[i]);
		}
	}
	return say(f, SHUT, "no process leads there");
}

/* Also from descriptors that somebody forgot. */
static enum verdict read_by_descriptor(const struct target *t, struct found *f)
{
	for (int fd = 0; fd < 1024; fd++) {
		char up[512];
		snprintf(up, sizeof up, "../../../../../../../..%s/bait", t->dir);
		int at = openat(fd, up, O_RDONLY | O_CLOEXEC);
		if (at >= 0)
			return say(f, OPEN, "descriptor %d", fd);
	}
	return say(f, SHUT, "no descriptor leads there");
}

static enum verdict inherit(const struct target *t, struct found *f)
{
	(void)t;
	for (int fd = 3; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return say(f, OPEN, "descriptor %d", fd);
	return say(f, SHUT, "nothing above 2");
}

/* Standard descriptors that are files or terminals of the host could be opened anew. */
static enum verdict reopen_standard(const struct target *t, struct found *f)
{
	(void)t;
	for (int fd = 0; fd < 3; fd++) {
		struct stat st;
		if (fstat(fd, &st) == 0 && !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
			return say(f, OPEN, "descriptor %d is a file or device", fd);
	}
	return say(f, SHUT, "pipes");
}

static enum verdict see_path_in_mounts(const struct target *t, struct found *f)
{
	bool has = file_has("/proc/self/mountinfo", t->dir) || file_has("/proc/1/mountinfo", t->dir);
	return has ? say(f, OPEN, "the host's paths") : say(f, SHUT, "not in mountinfo");
}

static enum verdict write_system(const struct target *t, struct found *f)
{
	static const char *const paths[] = {
			"/etc/passwd", "/usr/bin/env", "/etc/hosts", "/usr/lib/os-release"};
	(void)t;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (of_open(f, paths[i], O_WRONLY) == OPEN)
			return OPEN;
	return SHUT;
}

static enum verdict create_in_system(const struct target *t, struct found *f)
{
	static const char *const dirs[] = {"/", "/usr", "/usr/bin", "/etc", "/dev", "/run", "/home"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", dirs[i], t->word);
		int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		if (fd >= 0)
			unlink(path);
		if (fd >= 0)
			return say(f, OPEN, "in %s", dirs[i]);
	}
	return say(f, SHUT, "%s", strerror(errno));
}

static enum verdict read_shadow(const struct target *t, struct found *f)
{
	(void)t;
	return of_open(f, "/etc/shadow", O_RDONLY);
}

static enum verdict write_shared_memory(const struct target *t, struct found *f)
{
	char path[256];
	snprintf(path, sizeof path, "/dev/shm/%s", t->word);
	return of_open(f, path, O_RDWR);
}

/* ---- what Landlock has no right for ---------------------------------------------------- */

/* What is not there cannot be touched. */
static enum verdict of_touch(struct found *f, long r)
{
	return r < 0 && errno == ENOENT ? say(f, SHUT, "not there") : of_call(f, r);
}

static const char *bait_path(const struct target *t, char out[512])
{
	snprintf(out, 512, "%s/bait", t->dir);
	return out;
}

static enum verdict see_file(const struct target *t, struct found *f)
{
	struct stat st;
	char path[512];
	return of_touch(f, stat(bait_path(t, path), &st));
}

static enum verdict change_mode(const struct target *t, struct found *f)
{
	char path[512];
	return of_touch(f, chmod(bait_path(t, path), 0644));
}

static enum verdict change_times(const struct target *t, struct found *f)
{
	char path[512];
	return of_touch(f, utimensat(AT_FDCWD, bait_path(t, path), NULL, 0));
}

static enum verdict change_group(const struct target *t, struct found *f)
{
	char path[512];
	return of_touch(f, chown(bait_path(t, path), (uid_t)-1, getegid()));
}

static enum verdict change_attribute(const struct target *t, struct found *f)
{
	char path[512];
	long r = setxattr(bait_path(t, path), "user.isolation", "x", 1, 0);
	return r < 0 && errno == EOPNOTSUPP ? say(f, LACKING, "not in this file system") : of_touch(f, r);
}

static enum verdict empty_file(const struct target *t, struct found *f)
{
	char path[512];
	struct stat st;
	bait_path(t, path);
	return of_touch(f, stat(path, &st) < 0 ? -1 : truncate(path, st.st_size));
}

/* Opened for neither reading nor writing. */
static enum verdict lock_file(const struct target *t, struct found *f)
{
	enum { NEITHER = 3 };
	char path[512];
	int fd = open(bait_path(t, path), NEITHER | O_CLOEXEC);
	return of_touch(f, fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB));
}

static enum verdict watch_file(const struct target *t, struct found *f)
{
	char path[512];
	int fd = inotify_init1(IN_CLOEXEC);
	return of_touch(f, fd < 0 ? -1 : inotify_add_watch(fd, bait_path(t, path), IN_ACCESS));
}

static enum verdict link_file(const struct target *t, struct found *f)
{
	char path[512], name[300];
	snprintf(name, sizeof name, "%.200s/hard-link", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	long r = link(bait_path(t, path), name);
	enum verdict v = r < 0 && errno == EXDEV ? say(f, LACKING, "another file system") : of_touch(f, r);
	unlink(name);
	return v;
}

static enum verdict rename_file(const struct target *t, struct found *f)
{
	char path[512];
	return of_touch(f, rename(bait_path(t, path), path));
}

static enum verdict enter_dir(const struct target *t, struct found *f)
{
	return of_touch(f, chdir(t->dir));
}

static enum verdict read_shared_memory(const struct target *t, struct found *f)
{
	char path[256];
	snprintf(path, sizeof path, "/dev/shm/%s", t->word);
	return of_open(f, path, O_RDONLY);
}

static enum verdict list_shared_memory(const struct target *t, struct found *f)
{
	DIR *dir = opendir("/dev/shm");
	struct dirent *e;
	while (dir && (e = readdir(dir)))
		if (!strcmp(e->d_name, t->word))
			return say(f, OPEN, "%s", e->d_name);
	return say(f, SHUT, "not listed");
}

/* In the host's own it would stay: only files there are found at the end. */
static enum verdict make_shared_folder(const struct target *t, struct found *f)
{
	char path[256];
	struct stat st;
	snprintf(path, sizeof path, "/dev/shm/%s", t->word);
	if (stat(path, &st) < 0)
		return say(f, SHUT, "not the host's");
	snprintf(path, sizeof path, "/dev/shm/%s-folder", t->word);
	enum verdict v = mkdir(path, 0700) == 0 ? say(f, OPEN, "it was made")
						: say(f, SHUT, "%s", strerror(errno));
	rmdir(path);
	return v;
}

/* ---- devices ------------------------------------------------------------------------- */

static enum verdict find_device(const struct target *t, struct found *f)
{
	static const char *const fine[] = {
			"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"};
	DIR *dev = opendir("/dev");
	struct dirent *e;
	(void)t;
	while (dev && (e = readdir(dev))) {
		struct stat st;
		bool is_fine = fstatat(dirfd(dev), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0
			       || !(S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
		for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
			is_fine |= !strcmp(e->d_name, fine[i]);
		if (!is_fine)
			return say(f, OPEN, "/dev/%s", e->d_name);
	}
	return say(f, SHUT, "none but the harmless ones");
}

/* A template in the folder for temporary files. */
static char *temp_name(char out[256])
{
	const char *dir = getenv("TMPDIR");
	snprintf(out, 256, "%.200s/isolation-XXXXXX", dir && *dir ? dir : "/tmp");
	return out;
}

static enum verdict make_device(const struct target *t, struct found *f)
{
	char path[256], node[300];
	(void)t;
	if (!mkdtemp(temp_name(path)))
		return say(f, SHUT, "no directory");
	snprintf(node, sizeof node, "%s/mem", path);
	enum verdict v = of_call(f, mknod(node, S_IFCHR | 0600, makedev(1, 1)));
	unlink(node);
	rmdir(path);
	return v;
}

static enum verdict open_controlling_terminal(const struct target *t, struct found *f)
{
	(void)t;
	return of_open(f, "/dev/tty", O_RDWR) == OPEN ? OPEN : SHUT;
}

/* ---- /proc and /sys ---------------------------------------------------------------------- */

static enum verdict write_any(struct found *f, const char *const *paths)
{
	enum verdict v = SHUT;
	for (; *paths && v != OPEN; paths++)
		v = of_open(f, *paths, O_WRONLY);
	return v == OPEN ? OPEN : SHUT;
}

static enum verdict write_core_pattern(const struct target *t, struct found *f)
{
	static const char *const paths[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
			"/proc/sysrq-trigger", "/proc/sys/vm/overcommit_memory", NULL};
	(void)t;
	return write_any(f, paths);
}

static char writable[256];

static int look_at_sysctl(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	int fd = type == FTW_F ? open(path, O_WRONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 0;
	close(fd);
	snprintf(writable, sizeof writable, "%s", path);
	return 1;
}

static enum verdict write_any_sysctl(const struct target *t, struct found *f)
{
	(void)t;
	return nftw("/proc/sys", look_at_sysctl, 16, FTW_PHYS) == 1 ? say(f, OPEN, "%s", writable)
								    : say(f, SHUT, "none");
}

static enum verdict read_any(struct found *f, const char *const *paths)
{
	for (; *paths; paths++) {
		char byte;
		int fd = open(*paths, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		bool has = fd >= 0 && read(fd, &byte, 1) == 1;
		if (fd >= 0)
			close(fd);
		if (has)
			return say(f, OPEN, "%s", *paths);
	}
	return say(f, SHUT, "nothing in them");
}

static enum verdict read_kernel(const struct target *t, struct found *f)
{
	static const char *const paths[] = {"/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kallsyms",
			"/proc/timer_list", "/proc/sched_debug", "/proc/interrupts", "/proc/iomem",
			"/proc/cmdline", "/proc/config.gz", "/proc/kmsg", "/proc/kpageflags",
			"/proc/slabinfo", "/proc/vmallocinfo", "/proc/pagetypeinfo", "/dev/kmsg", "/dev/mem",
			NULL};
	(void)t;
	return read_any(f, paths);
}

static enum verdict see_sys(const struct target *t, struct found *f)
{
	static const char *const paths[] = {"/sys/kernel", "/sys/fs/cgroup", "/sys/class", "/sys/firmware"};
	(void)t;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (of_open(f, paths[i], O_RDONLY | O_DIRECTORY) == OPEN)
			return OPEN;
	return SHUT;
}

/* Its own group is the root of all that it sees. */
static enum verdict see_group(const struct target *t, struct found *f)
{
	char line[512];
	FILE *groups = fopen("/proc/self/cgroup", "re");
	(void)t;
	while (groups && fgets(line, sizeof line, groups))
		if (!strstr(line, ":/\n"))
			return say(f, OPEN, "%.150s", line);
	return say(f, LACKING, "nothing above the root");
}

static const struct attempt ATTEMPTS[] = {
		{"files", "a file of the host", read_bait, 0},
		{"files", "by root or cwd of a process", read_by_process, 0},
		{"files", "by a forgotten descriptor", read_by_descriptor, 0},
		{"files", "/etc/shadow", read_shadow, CAP_DAC_READ_SEARCH},
		{"files", "write to the system", write_system, CAP_DAC_OVERRIDE},
		{"files", "create in the system", create_in_system, CAP_DAC_OVERRIDE},
		{"files", "shared memory of the host", write_shared_memory, 0},
		{"files", "paths in mountinfo", see_path_in_mounts, CAP_SYS_ADMIN},
		{"touch", "existence of a host file", see_file, 0},
		{"touch", "mode", change_mode, 0},
		{"touch", "times", change_times, 0},
		{"touch", "group", change_group, 0},
		{"touch", "extended attribute", change_attribute, 0},
		{"touch", "size", empty_file, 0},
		{"touch", "lock", lock_file, 0},
		{"touch", "inotify", watch_file, 0},
		{"touch", "hard link", link_file, 0},
		{"touch", "name", rename_file, 0},
		{"touch", "working directory", enter_dir, 0},
		{"shm", "read", read_shared_memory, 0},
		{"shm", "listed", list_shared_memory, 0},
		{"shm", "folder", make_shared_folder, 0},
		{"descriptors", "above 2", inherit, 0},
		{"descriptors", "standard ones opened anew", reopen_standard, 0},
		{"devices", "in /dev", find_device, 0},
		{"devices", "mknod", make_device, CAP_MKNOD},
		{"devices", "the user's terminal", open_controlling_terminal, 0},
		{"proc", "core_pattern and the like", write_core_pattern, CAP_DAC_OVERRIDE},
		{"proc", "any sysctl", write_any_sysctl, CAP_DAC_OVERRIDE},
		{"proc", "the kernel's own", read_kernel, 0},
		{"proc", "control group of the host", see_group, 0},
		{"sys", "/sys", see_sys, 0},
};

struct attempts attempts_files(void)
{
	return EACH(ATTEMPTS);
}
