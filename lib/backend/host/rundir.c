/* SPDX-License-Identifier: MIT */
#include "backend/host/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "sweep/sweep.h"
#include "wire/control.h"

/* How often to make something again that another process removes at the same moment. */
enum { TRIES = 100 };

/* ---- the directory ----------------------------------------------------------------- */

/* Check a directory. `mask` are the mode bits that it must not have. 0: it is fine. */
static int check_directory(const char *path, const struct stat *st, unsigned mask, struct trm_error *reterr)
{
	if (!S_ISDIR(st->st_mode))
		return trm_error_set(reterr, TRM_EPERM,
				"the runtime directory %s is not a directory: remove it, or set"
				" XDG_RUNTIME_DIR to another one",
				path);
	if (st->st_uid != geteuid())
		return trm_error_set(reterr, TRM_EPERM,
				"the runtime directory %s belongs to user %u and not to you (user %u): set"
				" XDG_RUNTIME_DIR to one of your own, or unset it",
				path, (unsigned)st->st_uid, (unsigned)geteuid());
	if (st->st_mode & mask)
		return trm_error_set(reterr, TRM_EPERM,
				"the runtime directory %s is open to others (mode %04o): chmod 700 it, or set"
				" XDG_RUNTIME_DIR to another one",
				path, (unsigned)st->st_mode & 07777);
	if (!(st->st_mode & S_IXUSR))
		return trm_error_set(reterr, TRM_EPERM,
				"the runtime directory %s is closed to you, too (mode %04o): chmod 700 it, or set"
				" XDG_RUNTIME_DIR to another one",
				path, (unsigned)st->st_mode & 07777);
	return 0;
}

/* A read-only root may leave only places in memory. */
static void choose_usual(char path[RUNDIR_PATH])
{
	unsigned uid = geteuid();
	bool is_in_memory = access("/tmp", W_OK) < 0 && access("/dev/shm", W_OK) == 0;
	if (uid == 0 && access("/run", W_OK) == 0)
		snprintf(path, RUNDIR_PATH, "/run/terrarium");
	else
		snprintf(path, RUNDIR_PATH, "%s/terrarium-%u", is_in_memory ? "/dev/shm" : "/tmp", uid);
}

/* Others may look into XDG_RUNTIME_DIR itself, as long as its contents are closed to them. */
static int choose_directory(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	enum { OTHERS_WRITE = 022 };
	const char *base = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	if (base && base[0] == '/' && stat(base, &st) == 0) {
		if (strlen(base) >= RUNDIR_PATH - 16)
			return trm_error_set(reterr, TRM_EINVAL, "the path in XDG_RUNTIME_DIR is too long");
		snprintf(path, RUNDIR_PATH, "%s/terrarium", base);
		return check_directory(base, &st, OTHERS_WRITE, reterr);
	}
	choose_usual(path);
	return 0;
}

static int cannot_open(const char *path, int error, struct trm_error *reterr)
{
	return error == ENOENT ? trm_error_set(reterr, TRM_ENOENT, "no sandbox is running")
			       : trm_error_set_errno(
					       reterr, error, "cannot open the runtime directory %s", path);
}

static int open_chosen(const char *path, struct trm_error *reterr)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno;
	if (fd < 0 && (error == EACCES || error == ELOOP || error == ENOTDIR) && lstat(path, &st) == 0) {
		int r = check_directory(path, &st, 077, reterr);
		if (r < 0)
			return r;
	}
	if (fd < 0)
		return cannot_open(path, error, reterr);
	int r = fstat(fd, &st) < 0 ? trm_error_set_errno(reterr, errno, "cannot look at %s", path)
				   : check_directory(path, &st, 077, reterr);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int rundir_open(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	int r = choose_directory(path, reterr);
	if (r < 0)
		return r;
	/* The last sandbox to end may remove it in between. */
	r = TRM_ENOENT;
	for (int tries = 0; r == TRM_ENOENT && tries < TRIES; tries++) {
		int error = mkdir(path, 0700) < 0 ? errno : 0;
		if (error && error != EEXIST)
			return trm_error_set(reterr, err_code_of(error),
					"cannot make the runtime directory %s (%s): set XDG_RUNTIME_DIR to a "
					"directory of your own in which you can write",
					path, strerror(error));
		r = open_chosen(path, reterr);
	}
	return r;
}

int rundir_find(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	int r = choose_directory(path, reterr);
	return r < 0 ? r : open_chosen(path, reterr);
}

/* Nobody else can replace the directory: its parent is closed to others, or sticky. */
int rundir_find_path(char path[RUNDIR_PATH], struct trm_error *reterr)
{
	struct stat st;
	int r = choose_directory(path, reterr);
	if (r < 0)
		return r;
	return lstat(path, &st) < 0 ? cannot_open(path, errno, reterr)
				    : check_directory(path, &st, 077, reterr);
}

/* ---- entries --------------------------------------------------------------------- */

enum taken { TAKEN, BUSY, AGAIN, FAILED /* errno says why */ };

static enum taken try_claim(int run_fd, const char *name, int *ret_fd)
{
	struct stat here, there;
	bool is_new = mkdirat(run_fd, name, 0700) == 0;
	if (!is_new && errno != EEXIST)
		return errno == ENOENT ? AGAIN : FAILED; /* ENOENT: the last sandbox to end has removed the
							    directory */
	int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;
		if (is_new)
			unlinkat(run_fd, name, AT_REMOVEDIR);
		errno = error;
		return error == ENOENT ? AGAIN : FAILED;
	}
	bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
	bool is_there = fstat(fd, &here) == 0 && fstatat(run_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0
			&& here.st_ino == there.st_ino;
	if (is_locked && is_there) {
		unlinkat(fd, INFO_FILE, 0); /* Left behind by a dead supervisor … */
		unlinkat(fd, STATE_FILE, 0);
		unlinkat(fd, AGENT_FILE, 0);
		unlinkat(fd, CONTROL_FILE,
				0); /* … except the groups, which our supervisor must remove first */
		*ret_fd = fd;
		return TAKEN;
	}
	close(fd);
	/* New but locked: another supervisor checks whether the entry was left behind. */
	return is_new || !is_there ? AGAIN : BUSY;
}

int rundir_entry_make(struct rundir_entry *ret, const char *name, struct trm_error *reterr)
{
	enum { LOOKS = 5 };
	struct rundir_entry e = {.run_fd = -1, .entry_fd = -1};
	snprintf(e.name, sizeof e.name, "%s", name);
	const struct timespec nap = {.tv_nsec = 1000000};
	for (int tries = 0; tries < TRIES; tries++) {
		e.run_fd = rundir_open(e.path, reterr);
		if (e.run_fd < 0)
			return e.run_fd;
		enum taken t = try_claim(e.run_fd, name, &e.entry_fd);
		if (t == TAKEN) {
			*ret = e;
			return 0;
		}
		int error = errno;
		close(e.run_fd);
		if (t == FAILED)
			return trm_error_set_errno(reterr, error,
					"cannot make an entry for sandbox '%s' in %s", name, e.path);
		if (t == BUSY && tries >= LOOKS)
			break;
		if (t == BUSY)
			nanosleep(&nap, NULL); /* it may be locked only for a moment, by a list or a sweep */
		else
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
	sweep_held(e->run_fd, e->entry_fd, e->name);
	sweep_directory(e->run_fd, e->path);
	rundir_entry_leave(e);
}

/* ---- sockets ------------------------------------------------------------------------ */

/* A path that is unknown or too long for a socket's address goes through the directory's descriptor.
 * Other paths do not, because the descriptor's path makes the kernel build up a part of /proc. */
static void address(struct sockaddr_un *addr, const char *path, int entry_fd, const char *file)
{
	size_t n = path ? strlen(path) : sizeof addr->sun_path, file_n = strlen(file);
	addr->sun_family = AF_UNIX;
	if (n + 1 + file_n < sizeof addr->sun_path) {
		memcpy(addr->sun_path, path, n);
		addr->sun_path[n] = '/';
		memcpy(addr->sun_path + n + 1, file, file_n + 1);
	} else {
		snprintf(addr->sun_path, sizeof addr->sun_path, "/proc/self/fd/%d/%s", entry_fd, file);
	}
}

static int type_of(const char *file)
{
	return strcmp(file, CONTROL_FILE) == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
}

/* Close it and keep errno. */
static int close_and_fail(int fd)
{
	int saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return -1;
}

static int listen_at(int entry_fd, const char *file)
{
	struct sockaddr_un addr;
	address(&addr, NULL, entry_fd, file);
	int fd = socket(AF_UNIX, type_of(file) | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof addr) == 0 && listen(fd, 64) == 0)
		return fd;
	return close_and_fail(fd);
}

/* The backlog is full, or the other side is stopped: do not wait without end. */
static bool connect_patiently(int fd, const struct sockaddr_un *addr)
{
	const struct timeval timeout = {.tv_sec = RUNDIR_TIMEOUT_S};
	return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0
	       && fcntl(fd, F_SETFL, 0) == 0 && connect(fd, (const struct sockaddr *)addr, sizeof *addr) == 0
	       && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

static int connect_at(const char *path, int entry_fd, const char *file)
{
	struct sockaddr_un addr;
	address(&addr, path, entry_fd, file);
	int fd = socket(AF_UNIX, type_of(file) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0
			&& (connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0
					|| (errno == EAGAIN && connect_patiently(fd, &addr))))
		return fd;
	return close_and_fail(fd);
}

int rundir_listen(const struct rundir_entry *e, int *ret_agent_fd, int *ret_control_fd, int *ret_stream_fd,
		struct trm_error *reterr)
{
	int agent = listen_at(e->entry_fd, AGENT_FILE);
	int control = agent < 0 ? -1 : listen_at(e->entry_fd, CONTROL_FILE);
	int stream = control < 0 ? -1 : connect_at(NULL, e->entry_fd, AGENT_FILE);
	if (stream >= 0) {
		*ret_agent_fd = agent;
		*ret_control_fd = control;
		*ret_stream_fd = stream;
		return 0;
	}
	int r = trm_error_set_errno(reterr, errno, "cannot make the sockets in %s/%s%s", e->path, e->name,
			errno == ENOENT && access("/proc/self/fd", F_OK) < 0
					? ", as /proc is not mounted (mount -t proc proc /proc)"
					: "");
	if (agent >= 0)
		close(agent);
	if (control >= 0)
		close(control);
	return r;
}

int rundir_connect(
		const char *path, int entry_fd, const char *name, const char *file, struct trm_error *reterr)
{
	struct ucred who;
	socklen_t n = sizeof who;
	int fd = connect_at(path, entry_fd, file);
	if (fd < 0 && errno == EAGAIN)
		return trm_error_set(reterr, TRM_ETIMEDOUT,
				"sandbox '%s' accepts no connection: too many are waiting, or it is stopped",
				name);
	if (fd < 0)
		return errno == ENOENT || errno == ECONNREFUSED
				       ? trm_error_set(reterr, TRM_ENOENT, "there is no running sandbox '%s'",
						       name)
				       : trm_error_set_errno(
						       reterr, errno, "cannot connect to sandbox '%s'", name);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.uid == geteuid())
		return fd;
	close(fd);
	return trm_error_set(
			reterr, TRM_EPERM, "the socket %s of sandbox '%s' is not one of yours", file, name);
}

static bool say_look(int fd)
{
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	bool is_said = control_put(&b, &(struct control_msg){.type = CONTROL_OBSERVE}) == 0
		       && send(fd, buf_at(&b), b.len, MSG_NOSIGNAL) > 0;
	buf_finish(&b);
	return is_said && shutdown(fd, SHUT_WR) == 0;
}

/* Does not block: a supervisor that was stopped accepts nobody. */
void rundir_wait_noted(int entry_fd)
{
	struct sockaddr_un addr;
	address(&addr, NULL, entry_fd, CONTROL_FILE);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd line = {.fd = fd, .events = POLLIN};
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0 && say_look(fd))
		poll(&line, 1, RUNDIR_NOTE_MS);
	if (fd >= 0)
		close(fd);
}

void rundir_list_env(const char *const *env, size_t n_env, char out[TRM_ENV_BYTES])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n_env; i++) {
		int n = snprintf(out + used, TRM_ENV_BYTES - used, "%s%.*s", used ? "," : "",
				(int)strcspn(env[i], "="), env[i]);
		used += n > 0 ? (size_t)n : 0;
	}
}
