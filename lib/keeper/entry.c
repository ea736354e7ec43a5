/* SPDX-License-Identifier: MIT */
#include "keeper/entry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "keeper/file.h"

enum { NOTE_BYTES = GROUP_MAX_DIRS * (GROUP_PATH + 1) + 1 };

/* Only directories that look like a keeper's are touched, whatever the note says. */
static bool remove_noted_groups(int entry_fd)
{
	char note[NOTE_BYTES];
	bool is_done = true;
	file_read_at(entry_fd, "groups", note, sizeof note);
	for (char *path = strtok(note, "\n"); path; path = strtok(NULL, "\n")) {
		const char *base = strrchr(path, '/');
		if (strncmp(path, CGROUP_ROOT "/", strlen(CGROUP_ROOT "/")) || !group_is_keepers(base + 1))
			continue;
		if (rmdir(path) == 0 || errno == ENOENT)
			continue;
		group_kill(path); /* nobody else will */
		is_done &= rmdir(path) == 0;
	}
	return is_done;
}

void entry_note_groups(int entry_fd, const struct groups *groups)
{
	char note[NOTE_BYTES];
	size_t n = 0;
	remove_noted_groups(entry_fd); /* of one of the same name that was left behind */
	int fd = groups->n ? openat(entry_fd, "groups", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return;
	for (size_t i = 0; i < groups->n; i++)
		n += (size_t)snprintf(note + n, sizeof note - n, "%s\n", groups->dir[i].path);
	if (write(fd, note, n) < 0)
		unlinkat(entry_fd, "groups", 0);
	close(fd);
}

static void remove_files(int entry_fd)
{
	static const char *const files[] = {"agent.sock", "groups", INFO_FILE, INFO_FILE ".new"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlinkat(entry_fd, files[i], 0);
}

void entry_note_info(int entry_fd, const void *bytes, size_t n)
{
	static const char unfinished[] = INFO_FILE ".new";
	int fd = openat(entry_fd, unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	bool is_whole = write(fd, bytes, n) == (ssize_t)n;
	close(fd);
	if (!is_whole || renameat(entry_fd, unfinished, entry_fd, INFO_FILE) < 0)
		unlinkat(entry_fd, unfinished, 0);
}

void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path)
{
	remove_files(entry_fd);
	unlinkat(run_fd, name, AT_REMOVEDIR);
	rmdir(run_path);
}

void entry_sweep(int run_fd)
{
	int copy = openat(run_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		int fd = openat(run_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && remove_noted_groups(fd)) {
			remove_files(fd);
			unlinkat(run_fd, entry->d_name, AT_REMOVEDIR);
		}
		close(fd);
	}
	if (dir)
		closedir(dir);
}
