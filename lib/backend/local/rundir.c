/* SPDX-License-Identifier: MIT */
#include "backend/local/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "wire/lifeline.h"

/* Opened; ours and closed to others. -1 with *ret_errno, which is EPERM if it is somebody else's. */
static int open_private(const char *path, int *ret_errno)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		*ret_errno = errno;
		return -1;
	}
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	*ret_errno = EPERM;
	return -1;
}

static bool is_private(const char *path)
{
	int error;
	int fd = open_private(path, &error);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void choose(char path[RUNDIR_PATH])
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	unsigned uid = geteuid();
	if (base && base[0] == '/' && strlen(base) < RUNDIR_PATH - 16 && is_private(base))
		snprintf(path, RUNDIR_PATH, "%s/terrarium", base);
	else if (uid == 0 && access("/run", W_OK) == 0)
		snprintf(path, RUNDIR_PATH, "/run/terrarium");
	else
		snprintf(path, RUNDIR_PATH, "/tmp/terrarium-%u", uid);
}

int rundir_open(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	choose(path);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return trm_error_set_errno(reterr, errno, "cannot make the runtime directory %s", path);
	return rundir_find(path, reterr);
}

int rundir_find(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	int error;
	choose(path);
	int fd = open_private(path, &error);
	if (fd < 0 && (error == EPERM || error == ELOOP || error == ENOTDIR))
		return trm_error_set(reterr, TRM_EPERM,
				"the runtime directory %s is not a directory of yours that is"
				" closed to others: remove it, or set XDG_RUNTIME_DIR",
				path);
	if (fd < 0 && error == ENOENT)
		return trm_error_set(reterr, TRM_ENOENT, "no sandbox is running");
	if (fd < 0)
		return trm_error_set_errno(reterr, error, "cannot open the runtime directory %s", path);
	return fd;
}

/* ---- entries --------------------------------------------------------------------- */

enum taken { TAKEN, BUSY, AGAIN };

static enum taken take(int run_fd, const char *name, int *ret_fd)
{
	struct stat here, there;
	bool is_new = mkdirat(run_fd, name, 0700) == 0;
	if (!is_new && errno != EEXIST)
		return errno == ENOENT ? AGAIN
				       : BUSY; /* ENOENT: the last to leave has removed the directory */
	int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? AGAIN : BUSY;
	bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
	bool is_there = fstat(fd, &here) == 0 && fstatat(run_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0
			&& here.st_ino == there.st_ino;
	if (is_locked && is_there) {
		unlinkat(fd, "agent.sock", 0); /* of one that was left behind */
		unlinkat(fd, INFO_FILE, 0);
		*ret_fd = fd;
		return TAKEN;
	}
	close(fd);
	/* New, yet locked: a sweeping keeper looks whether it was left behind. */
	return is_new || !is_there ? AGAIN : BUSY;
}

int rundir_entry_make(struct rundir_entry *ret, const char *name, struct trm_error *reterr)
{
	struct rundir_entry e = {.run_fd = -1, .entry_fd = -1};
	snprintf(e.name, sizeof e.name, "%s", name);
	for (int tries = 0; tries < 100; tries++) {
		e.run_fd = rundir_open(e.path, reterr);
		if (e.run_fd < 0)
			return e.run_fd;
		enum taken t = take(e.run_fd, name, &e.entry_fd);
		if (t == TAKEN) {
			*ret = e;
			return 0;
		}
		close(e.run_fd);
		if (t == BUSY)
			break;
		sched_yield();
	}
	return trm_error_set(reterr, TRM_EEXIST, "a sandbox called '%s' is already running", name);
}

void rundir_entry_leave(struct rundir_entry *e)
{
	if (!e->name[0])
		return;
	close(e->entry_fd);
	close(e->run_fd);
	e->name[0] = '\0';
}

void rundir_entry_remove(struct rundir_entry *e)
{
	if (!e->name[0])
		return;
	unlinkat(e->entry_fd, "agent.sock", 0);
	unlinkat(e->entry_fd, "groups", 0); /* of one that was left behind */
	unlinkat(e->entry_fd, INFO_FILE, 0);
	unlinkat(e->run_fd, e->name, AT_REMOVEDIR);
	rmdir(e->path); /* if it was the last */
	rundir_entry_leave(e);
}

/* ---- socket ------------------------------------------------------------------------ */

int rundir_listen(const struct rundir_entry *e, int *ret_listen_fd, int *ret_stream_fd,
		struct trm_error *reterr)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int n = snprintf(addr.sun_path, sizeof addr.sun_path, "%s/%s/agent.sock", e->path, e->name);
	if ((size_t)n >= sizeof addr.sun_path) /* too long for a socket: through the descriptor */
		snprintf(addr.sun_path, sizeof addr.sun_path, "/proc/self/fd/%d/agent.sock", e->entry_fd);
	int l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int c = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l >= 0 && c >= 0 && bind(l, (struct sockaddr *)&addr, sizeof addr) == 0 && listen(l, 64) == 0
			&& connect(c, (struct sockaddr *)&addr, sizeof addr) == 0
			&& fcntl(c, F_SETFL, O_NONBLOCK) == 0) {
		*ret_listen_fd = l;
		*ret_stream_fd = c;
		return 0;
	}
	int r = trm_error_set_errno(
			reterr, errno, "cannot make the socket %s/%s/agent.sock", e->path, e->name);
	if (l >= 0)
		close(l);
	if (c >= 0)
		close(c);
	return r;
}
