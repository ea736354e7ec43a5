/* SPDX-License-Identifier: MIT */
#include "keeper/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procstat.h"
#include "wire/folder.h"

/* ---- making it ------------------------------------------------------------------------ */

static bool make_dir(const char *folder, const char *name, mode_t mode, uint32_t uid)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
	return mkdir(path, 0700) == 0 && chmod(path, mode) == 0 && (!uid || chown(path, uid, uid) == 0);
}

/* Directories between the folder and the link are the sandbox's. */
static bool make_link(const char *folder, const char *host, const char *guest, uint32_t uid)
{
	char path[PATH_MAX];
	if (!folder_path(folder, guest, path, sizeof path))
		return true; /* it is seen at its own path */
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		if (mkdir(path, 0755) == 0 && uid && lchown(path, uid, uid) < 0)
			return false;
	}
	return symlink(host, path) == 0;
}

/* The text is "HOST:GUEST:ro\n" for each mount; the last colon that a slash follows ends HOST. */
static bool make_links(const struct spec_msg *spec, uint32_t uid)
{
	char line[PATH_MAX];
	for (const char *at = spec->mounts; *at; at += strcspn(at, "\n") + 1) {
		int n = (int)strcspn(at, "\n") - 3;
		if (n <= 0 || (size_t)snprintf(line, sizeof line, "%.*s", n, at) >= sizeof line)
			return false;
		char *guest = NULL;
		for (char *colon = line; (colon = strstr(colon, ":/")); colon++)
			guest = colon;
		if (!guest)
			return false;
		*guest++ = '\0';
		if (!make_link(spec->folder, line, guest, uid))
			return false;
	}
	return true;
}

static bool copy_certs(const struct spec_msg *spec)
{
	char path[PATH_MAX], bytes[16384];
	ssize_t n = 0;
	off_t at = 0;
	if (!spec->has_certs)
		return true;
	snprintf(path, sizeof path, "%s/" FOLDER_CERTS, spec->folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	while (fd >= 0 && (n = pread(KEEPER_CERTS, bytes, sizeof bytes, at)) > 0
			&& write(fd, bytes, (size_t)n) == n)
		at += n;
	if (fd >= 0)
		close(fd);
	return fd >= 0 && n == 0;
}

static bool note_path(const char *folder)
{
	int fd = openat(KEEPER_ENTRY_DIR, FOLDER_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_noted = fd >= 0 && write(fd, folder, strlen(folder)) == (ssize_t)strlen(folder);
	if (fd >= 0)
		close(fd);
	return is_noted;
}

const char *folder_make(const struct spec_msg *spec, uint32_t uid)
{
	static const char *const names[] = {"", FOLDER_WORKSPACE, FOLDER_HOME, FOLDER_TMP};
	umask(0);
	if (uid) { /* a keeper and its cleanup may both have been killed */
		folder_kill_user(uid);
		folder_clear_shm(uid);
	}
	if (!note_path(spec->folder))
		return "note the sandbox's folder";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!make_dir(spec->folder, names[i], 0700, uid))
			return "make the sandbox's folder";
	if (!copy_certs(spec))
		return "copy certificates into the sandbox's folder";
	return make_links(spec, uid) ? NULL : "link a mount into the sandbox's folder";
}

/* ---- the end of processes --------------------------------------------------------------- */

enum { MARKS_PER_KEEPER = 1 << 18, MOST_ROUNDS = 100, QUIET_ROUNDS = 2 };

uint64_t folder_mark(pid_t keeper)
{
	return ((uint64_t)keeper + 1) * MARKS_PER_KEEPER;
}

static bool is_marked(pid_t pid, uint64_t mark)
{
	uint64_t tag = procstat_tag(pid);
	return tag <= mark && tag > mark - MARKS_PER_KEEPER;
}

/* A look at /proc: sends the signal to all that bear the mark, but to those that have it behind them. True if
 * there was somebody else. */
static bool signal_marked(uint64_t mark, int signo)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool has_found = false;
	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		struct procstat stat;
		if (pid <= 1 || pid == getpid() || !is_marked(pid, mark) || !procstat_read(pid, &stat))
			continue;
		bool is_done = stat.state == 'Z' || (signo == SIGSTOP && stat.state == 'T');
		has_found |= !is_done && kill(pid, signo) == 0;
	}
	if (dir)
		closedir(dir);
	return has_found;
}

/* What is just being forked may be missed by one look, not by two. */
static void signal_all_marked(uint64_t mark, int signo)
{
	for (int round = 0, quiet = 0; round < MOST_ROUNDS && quiet < QUIET_ROUNDS; round++)
		quiet = signal_marked(mark, signo) ? 0 : quiet + 1;
}

/* Nobody of that user can fork away meanwhile: the kernel signals all of them under one lock. */
void folder_kill_user(uint32_t uid)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0)
			kill(-1, SIGKILL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void folder_kill(pid_t keeper, uint32_t uid)
{
	if (uid) {
		folder_kill_user(uid);
		return;
	}
	signal_all_marked(folder_mark(keeper), SIGSTOP); /* who stands still cannot fork */
	signal_all_marked(folder_mark(keeper), SIGKILL);
}

/* The rules let no code make a directory there. */
static void for_each_object(uint32_t uid,
		void (*visit)(void *user, int dir_fd, const char *name, uint64_t bytes), void *user)
{
	enum { BLOCK_BYTES = 512 };
	DIR *dir = uid ? opendir("/dev/shm") : NULL;
	struct dirent *entry;
	struct stat st;
	while (dir && (entry = readdir(dir)))
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid == uid
				&& !S_ISDIR(st.st_mode))
			visit(user, dirfd(dir), entry->d_name, (uint64_t)st.st_blocks * BLOCK_BYTES);
	if (dir)
		closedir(dir);
}

static void add_object(void *user, int dir_fd, const char *name, uint64_t bytes)
{
	enum { ENTRY_BYTES = 4096 }; /* as in base/dirsize.c */
	(void)dir_fd, (void)name;
	*(uint64_t *)user += bytes > ENTRY_BYTES ? bytes : ENTRY_BYTES;
}

static void remove_object(void *user, int dir_fd, const char *name, uint64_t bytes)
{
	(void)user, (void)bytes;
	unlinkat(dir_fd, name, 0);
}

uint64_t folder_shm_bytes(uint32_t uid)
{
	uint64_t bytes = 0;
	for_each_object(uid, add_object, &bytes);
	return bytes;
}

void folder_clear_shm(uint32_t uid)
{
	for_each_object(uid, remove_object, NULL);
}
