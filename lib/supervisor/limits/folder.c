/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/folder.h"

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
#include "supervisor/limits/seed.h"
#include "supervisor/limits/shm.h"
#include "wire/folder.h"

/* ---- making it ------------------------------------------------------------------------ */

static bool make_dir(const char *folder, const char *name, mode_t mode, uint32_t uid)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
	return mkdir(path, 0700) == 0 && chmod(path, mode) == 0 && (!uid || chown(path, uid, uid) == 0);
}

static bool copy_file(int from, int dir_fd, const char *name, mode_t mode)
{
	char bytes[16384];
	ssize_t n = 0;
	off_t at = 0;
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	while (fd >= 0 && (n = pread(from, bytes, sizeof bytes, at)) > 0 && write(fd, bytes, (size_t)n) == n)
		at += n;
	if (fd >= 0)
		close(fd);
	return fd >= 0 && n == 0;
}

static bool copy_script(int from_dir, int to_dir, const char *name)
{
	int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_copied = from >= 0 && copy_file(from, to_dir, name, 0755);
	if (from >= 0)
		close(from);
	return is_copied;
}

/* Copies a server's scripts. They are in the server's home, which a sandbox's own user cannot enter. The
 * directory is small and has no subdirectories. */
static bool copy_scripts(int mount_fd, const char *path)
{
	int from = openat(mount_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int to = mkdir(path, 0755) == 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = from < 0 ? NULL : fdopendir(from);
	struct dirent *entry;
	bool is_copied = dir && to >= 0;
	while (is_copied && (entry = readdir(dir)))
		is_copied = entry->d_name[0] == '.' || copy_script(from, to, entry->d_name);
	if (dir)
		closedir(dir);
	else if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return is_copied;
}

static bool is_script_dir(const char *guest)
{
	return strcmp(guest, "/.sandbox/scripts") == 0;
}

/* Directories between the folder and the link belong to the sandbox. */
static bool make_link(const char *folder, int mount_fd, const char *host, const char *guest, uint32_t uid)
{
	char path[PATH_MAX];
	if (!folder_path(folder, guest, path, sizeof path))
		return true; /* it is visible at its own path */
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		if (mkdir(path, 0755) == 0 && uid && lchown(path, uid, uid) < 0)
			return false;
	}
	return is_script_dir(guest) ? copy_scripts(mount_fd, path) : symlink(host, path) == 0;
}

/* The text has a line "HOST:GUEST:ro
 * " for each mount. HOST ends at the last colon that a slash follows. Copies the first line and returns its
 * GUEST, or NULL if the line is invalid. */
static char *split_mount(const char *at, char *line, size_t cap)
{
	char *guest = NULL;
	int n = (int)strcspn(at, "\n") - 3;
	if (n <= 0 || (size_t)snprintf(line, cap, "%.*s", n, at) >= cap)
		return NULL;
	for (char *colon = line; (colon = strstr(colon, ":/")); colon++)
		guest = colon;
	if (guest)
		*guest++ = '\0';
	return guest;
}

static bool make_links(const struct spec_msg *spec, uint32_t uid)
{
	char line[PATH_MAX];
	int mount_fd = SUPERVISOR_MOUNTS;
	for (const char *at = spec->mounts; *at; at += strcspn(at, "\n") + 1) {
		const char *guest = split_mount(at, line, sizeof line);
		if (!guest || !make_link(spec->folder, mount_fd++, line, guest, uid))
			return false;
	}
	return true;
}

bool folder_copies(const struct spec_msg *spec, uint32_t i)
{
	char line[PATH_MAX];
	const char *at = spec->mounts;
	for (; i && *at; i--)
		at += strcspn(at, "\n") + 1;
	const char *guest = split_mount(at, line, sizeof line);
	return guest && is_script_dir(guest);
}

static bool copy_certs(const struct spec_msg *spec)
{
	char path[PATH_MAX];
	if (!spec->has_certs)
		return true;
	snprintf(path, sizeof path, "%s/" FOLDER_CERTS, spec->folder);
	return copy_file(SUPERVISOR_CERTS, AT_FDCWD, path, 0444);
}

static bool note_path(const char *folder)
{
	int fd = openat(SUPERVISOR_ENTRY_DIR, FOLDER_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_noted = fd >= 0 && write(fd, folder, strlen(folder)) == (ssize_t)strlen(folder);
	if (fd >= 0)
		close(fd);
	return is_noted;
}

/* No process of that user can escape by forking: the kernel signals all of them under one lock. */
static void folder_kill_user(uint32_t uid)
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

const char *folder_make(const struct spec_msg *spec, uint32_t uid)
{
	static const char *const names[] = {"", FOLDER_WORKSPACE, FOLDER_HOME, FOLDER_TMP};
	umask(0);
	if (uid) { /* a killed supervisor and its killed cleanup process may have left objects */
		folder_kill_user(uid);
		shm_clear(uid);
	}
	if (!note_path(spec->folder))
		return "note the sandbox's folder";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!make_dir(spec->folder, names[i], 0700, uid))
			return "make the sandbox's folder";
	char workspace[PATH_MAX], home[PATH_MAX];
	snprintf(workspace, sizeof workspace, "%s/" FOLDER_WORKSPACE, spec->folder);
	snprintf(home, sizeof home, "%s/" FOLDER_HOME, spec->folder);
	if (*spec->from && seed_copy(workspace, home, uid))
		return "copy the files of the snapshot into";
	if (!copy_certs(spec))
		return "copy certificates into the sandbox's folder";
	return make_links(spec, uid) ? NULL : "link a mount into the sandbox's folder";
}

/* ---- the end of processes --------------------------------------------------------------- */

enum { MARKS_PER_SUPERVISOR = 1 << 18, MOST_ROUNDS = 100, QUIET_ROUNDS = 2 };

uint64_t folder_mark(pid_t supervisor)
{
	return ((uint64_t)supervisor + 1) * MARKS_PER_SUPERVISOR;
}

static bool is_marked(pid_t pid, uint64_t mark)
{
	uint64_t tag = procstat_tag(pid);
	return tag <= mark && tag > mark - MARKS_PER_SUPERVISOR;
}

/* Scan /proc once and send the signal to all tagged processes except those that have already received it.
 * Returns true if there was another one. */
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

/* One scan may miss a process that is just being forked. Two scans in a row do not. */
static void signal_all_marked(uint64_t mark, int signo)
{
	for (int round = 0, quiet = 0; round < MOST_ROUNDS && quiet < QUIET_ROUNDS; round++)
		quiet = signal_marked(mark, signo) ? 0 : quiet + 1;
}

void folder_kill(pid_t supervisor, uint32_t uid)
{
	if (uid) {
		folder_kill_user(uid);
		return;
	}
	signal_all_marked(folder_mark(supervisor), SIGSTOP); /* stopped processes cannot fork */
	signal_all_marked(folder_mark(supervisor), SIGKILL);
}
