/* SPDX-License-Identifier: MIT */
#include "keeper/entry.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path)
{
	unlinkat(entry_fd, "agent.sock", 0);
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
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			unlinkat(fd, "agent.sock", 0);
			unlinkat(run_fd, entry->d_name, AT_REMOVEDIR);
		}
		close(fd);
	}
	if (dir)
		closedir(dir);
}
