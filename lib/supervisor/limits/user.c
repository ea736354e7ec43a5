/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/sysfile.h"
#include "sweep/sweep.h"
#include "wire/folder.h"

/* Shared by all of root's sandboxes, whatever their runtime directory is. Those after the first are for a
 * read-only root, whose only writable places are in memory. */
static const char *const LOCK_DIRS[] = {"/run/terrarium", "/tmp/terrarium-0", "/dev/shm/terrarium-0"};
enum { N_LOCK_DIRS = sizeof LOCK_DIRS / sizeof *LOCK_DIRS };

/* The ':' cannot be part of a sandbox's name. These files may share a directory with entries. */
#define LOCK_PREFIX "uid:"

static int open_ours(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == 0 && !(st.st_mode & 077))
		return fd;
	int error = fd < 0 ? -errno : -EPERM;
	if (fd >= 0)
		close(fd);
	return error;
}

/* Returns -ENOENT if another process has just removed the directory. Trying the next directory then would
 * miss the locks of all others, and could take a user twice. */
static int open_lock_dir(void)
{
	int r = -EACCES;
	for (size_t i = 0; i < N_LOCK_DIRS && r < 0; i++) {
		bool is_there = mkdir(LOCK_DIRS[i], 0700) == 0 || errno == EEXIST;
		r = is_there && access(LOCK_DIRS[i], W_OK) == 0 ? open_ours(LOCK_DIRS[i]) : -errno;
		if (is_there && r == -ENOENT)
			return r;
	}
	return r;
}

/* Lock a file. Fails if another process holds it or has just removed it. */
static int lock(int dir_fd, const char *name, int flags)
{
	struct stat st;
	int fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_nlink > 0)
		return fd;
	close(fd);
	return -EWOULDBLOCK;
}

/* The uid of the nth user of a search that begins with the user `first`; 0: with the first range. A search
 * that begins in the second range goes round in it, and then takes the first range. */
static uint32_t nth(uint32_t first, uint32_t i)
{
	if (!first)
		return i < USER_COUNT ? USER_FIRST + i : USER_MORE_FIRST + (i - USER_COUNT);
	return i < USER_MORE_COUNT ? USER_MORE_FIRST + (first - USER_COUNT + i) % USER_MORE_COUNT
				   : USER_FIRST + (i - USER_MORE_COUNT);
}

/* The number of a namespace; 0: unknown. */
static unsigned long namespace_number(const char *path)
{
	char text[64] = "";
	if (readlink(path, text, sizeof text - 1) <= 0)
		return 0;
	return strtoul(text + strcspn(text, "0123456789"), NULL, 10);
}

/* Ending a sandbox kills all visible processes of its user. Root of the machine also sees those in
 * containers, and a process in a mount namespace of its own, as of a hardened service, may not see the locks
 * of others. So the search begins elsewhere in a PID namespace other than the machine's
 * (include/linux/proc_ns.h: PROC_PID_INIT_INO), and in a mount namespace other than that of process 1. */
static uint32_t first_of(uint32_t count)
{
	const unsigned long machines = 4026531836;
	unsigned long mounts = namespace_number("/proc/self/ns/mnt");
	bool is_machines = namespace_number("/proc/self/ns/pid") == machines && mounts
			   && namespace_number("/proc/1/ns/mnt") == mounts;
	return count <= USER_COUNT || is_machines ? 0 : USER_COUNT + (uint32_t)(mounts % USER_MORE_COUNT);
}

static int lock_free_user(struct user *ret, uint32_t count)
{
	uint32_t first = first_of(count);
	int dir_fd = open_lock_dir();
	int r = dir_fd < 0 ? dir_fd : -EUSERS;
	for (uint32_t i = 0; dir_fd >= 0 && i < count; i++) {
		char name[32];
		uint32_t uid = nth(first, i);
		snprintf(name, sizeof name, LOCK_PREFIX "%u", uid);
		int fd = lock(dir_fd, name, O_CREAT);
		if (fd >= 0) {
			*ret = (struct user){.uid = uid, .dir_fd = dir_fd, .lock_fd = fd};
			return 0;
		}
		if (fd != -EWOULDBLOCK) {
			r = fd;
			break;
		}
	}
	if (dir_fd >= 0)
		close(dir_fd);
	return r;
}

bool user_take_over(struct user *ret, uint32_t uid)
{
	char name[32];
	int dir_fd = folder_is_user(uid) && geteuid() == 0 ? open_lock_dir() : -1;
	snprintf(name, sizeof name, LOCK_PREFIX "%u", uid);
	int lock_fd = dir_fd < 0 ? -1 : lock(dir_fd, name, O_CREAT);
	*ret = (struct user){.uid = uid, .dir_fd = dir_fd, .lock_fd = lock_fd};
	if (lock_fd < 0 && dir_fd >= 0)
		close(dir_fd);
	return lock_fd >= 0;
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

bool user_map_holds(const char *map, uint32_t first, uint32_t count)
{
	unsigned long long inside, n;
	for (; *map; map = next_line(map))
		if (sscanf(map, "%llu %*u %llu", &inside, &n) == 2 && inside <= first
				&& inside + n >= (unsigned long long)first + count)
			return true;
	return false;
}

bool user_map_moves_root(const char *map)
{
	unsigned inside, outside;
	for (; *map; map = next_line(map))
		if (sscanf(map, "%u %u", &inside, &outside) == 2 && inside == 0)
			return outside != 0;
	return false;
}

/* Root of a container may lack the capabilities that changing the owner of files and processes needs. */
static bool may_change_user(void)
{
	enum { CHOWN = 1 << 0, KILL = 1 << 5, SETGID = 1 << 6, SETUID = 1 << 7 };
	const unsigned long long needed = CHOWN | KILL | SETGID | SETUID;
	char held[24];
	return !procstat_status(getpid(), "CapEff", held, sizeof held)
	       || (strtoull(held, NULL, 16) & needed) == needed;
}

int user_take(struct user *ret)
{
	int r = -ENOENT;
	char map[4096];
	*ret = (struct user){.dir_fd = -1, .lock_fd = -1};
	sysfile_read("/proc/self/uid_map", map, sizeof map);
	if (geteuid() != 0 || !may_change_user()
			|| (!user_map_holds(map, USER_FIRST, USER_COUNT) && user_map_moves_root(map)))
		return 0;
	/* ENOENT: the last user of the directory has removed it meanwhile. With many short-lived sandboxes
	 * that may happen repeatedly. */
	for (int tries = 0; r == -ENOENT && tries < 1000; tries++)
		r = lock_free_user(
				ret, USER_COUNT
						     + (user_map_holds(map, USER_MORE_FIRST, USER_MORE_COUNT)
										     ? USER_MORE_COUNT
										     : 0));
	return r;
}

/* Call `fn` for each of our directories, and remove those that are then empty. Somebody else may have made
 * one of that name. */
static void leave_lock_dirs(void (*fn)(int dir_fd))
{
	for (size_t i = 0; i < N_LOCK_DIRS; i++) {
		int fd = open_ours(LOCK_DIRS[i]);
		if (fd < 0)
			continue;
		if (fn)
			fn(fd);
		close(fd);
		rmdir(LOCK_DIRS[i]);
	}
}

void user_release(struct user *u)
{
	if (!u->uid)
		return;
	char name[32];
	snprintf(name, sizeof name, LOCK_PREFIX "%u", u->uid);
	/* While locked: whoever opened the file in between sees that it is gone. */
	unlinkat(u->dir_fd, name, 0);
	close(u->lock_fd);
	close(u->dir_fd);
	leave_lock_dirs(NULL);
	u->uid = 0;
}

bool user_become(uint32_t uid)
{
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return false;
	/* The change of user has closed our own /proc entries to us, and a user namespace may still need
	 * them. */
	prctl(PR_SET_DUMPABLE, 1);
	return true;
}

static bool remove_unlocked(int dir_fd, const char *name)
{
	int fd = lock(dir_fd, name, 0);
	if (fd < 0)
		return false;
	unlinkat(dir_fd, name, 0);
	close(fd);
	return true;
}

void user_sweep(int dir_fd)
{
	sweep_each(dir_fd, LOCK_PREFIX, remove_unlocked);
}

void user_inherit(void)
{
	if (geteuid() == 0)
		leave_lock_dirs(user_sweep);
}
