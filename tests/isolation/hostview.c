/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/host/rundir.h"
#include "cmocka_all.h"
#include "isolation/inside.h"
#include "wire/control.h"

ssize_t host_read(const char *path, char *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, cap - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (!out[i])
			out[i] = ' ';
	return n;
}

pid_t host_child_of(pid_t pid)
{
	char path[64], text[256];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	return host_read(path, text, sizeof text) > 0 ? (pid_t)atoi(text) : 0;
}

/* The first child that is wanted; 0: there is none. */
static pid_t find_child(pid_t parent, bool (*is_wanted)(pid_t pid, const char *comm))
{
	char path[64], text[256], comm[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
	host_read(path, text, sizeof text);
	for (char *at = text, *end;; at = end) {
		pid_t pid = (pid_t)strtol(at, &end, 10);
		if (end == at)
			return 0;
		snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
		if (host_read(path, comm, sizeof comm) > 0 && is_wanted(pid, comm))
			return pid;
	}
}

static bool is_parent(pid_t pid, const char *comm)
{
	(void)comm;
	return host_child_of(pid) > 0;
}

static bool is_supervisor(pid_t pid, const char *comm)
{
	(void)pid;
	return strcmp(comm, "terrarium-super\n") == 0;
}

/* The supervisor's other child cleans up after it. */
static bool is_no_cleanup(pid_t pid, const char *comm)
{
	(void)pid;
	return strcmp(comm, "terrarium-clean\n") != 0;
}

pid_t host_bwrap(pid_t supervisor)
{
	return find_child(supervisor, is_parent);
}

pid_t host_agent(pid_t supervisor)
{
	return inside_isolation == TRM_ISOLATION_NAMESPACES ? host_child_of(host_bwrap(supervisor))
							    : find_child(supervisor, is_no_cleanup);
}

pid_t host_supervisor(void)
{
	pid_t pid = find_child(getpid(), is_supervisor);
	assert_true(pid > 0);
	return pid;
}

bool host_is_alive(pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (host_read(path, text, sizeof text) <= 0)
		return false;
	const char *state = strrchr(text, ')');
	return !state || state[2] != 'Z';
}

unsigned host_count_processes(const char *word)
{
	unsigned count = 0;
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[300], text[8192];
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
		if (host_read(path, text, sizeof text) > 0)
			count += strstr(text, word) != NULL;
	}
	closedir(dir);
	return count;
}

unsigned host_count_groups(pid_t supervisor)
{
	/* Every controller that the supervisor may use, wherever this process's own group is. */
	char self[4096], want[32];
	unsigned count = 0;
	snprintf(want, sizeof want, "terrarium-%d", (int)supervisor);
	host_read("/proc/self/cgroup", self, sizeof self);
	for (char *line = strtok(self, "\n"); line; line = strtok(NULL, "\n")) {
		char list[64] = "", where[256] = "", path[512];
		struct stat st;
		if (sscanf(line, "%*u:%63[^:\n]:%255[^\n]", list, where) != 2)
			continue;
		snprintf(path, sizeof path, "/sys/fs/cgroup/%s%s/%s", list, where, want);
		count += stat(path, &st) == 0;
	}
	return count;
}

void host_folder(const char *name, char *out, size_t cap)
{
	char path[RUNDIR_PATH], file[RUNDIR_PATH + 128];
	int fd = rundir_open(path, NULL);
	assert_true(fd >= 0);
	close(fd);
	snprintf(file, sizeof file, "%s/%s/" FOLDER_FILE, path, name);
	host_read(file, out, cap);
}

bool host_has_entry(const char *name)
{
	char path[RUNDIR_PATH], entry[RUNDIR_PATH + 128];
	int fd = rundir_open(path, NULL);
	assert_true(fd >= 0);
	close(fd);
	snprintf(entry, sizeof entry, "%s/%s", path, name);
	bool has = access(entry, F_OK) == 0;
	rmdir(path); /* as it was, if nobody else is in it */
	return has;
}

double host_wait(bool (*holds)(void *user), void *user)
{
	double start = host_now_ms();
	while (!holds(user)) {
		if (host_now_ms() - start > INSIDE_DEADLINE_MS)
			fail_msg("it did not happen in %d ms", INSIDE_DEADLINE_MS);
		usleep(500);
	}
	return host_now_ms() - start;
}
