/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/served.h"

/* The line on which it says where it listens. */
static uint16_t read_port(int fd)
{
	char text[1024];
	size_t n = 0;
	ssize_t got;
	while (n < sizeof text - 1 && (got = read(fd, text + n, sizeof text - 1 - n)) > 0) {
		n += (size_t)got;
		text[n] = '\0';
		const char *at = strstr(text, "http://127.0.0.1:");
		if (at && strchr(at, '\n'))
			return (uint16_t)atoi(at + strlen("http://127.0.0.1:"));
	}
	return 0;
}

bool served_spawn(struct served *s, const char *const *argv, const char *const *env)
{
	posix_spawn_file_actions_t actions;
	int fds[2];
	*s = (struct served){0};
	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	if (posix_spawn(&s->pid, argv[0], &actions, NULL, (char *const *)argv, (char *const *)env) != 0)
		s->pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	s->port = s->pid ? read_port(fds[0]) : 0;
	close(fds[0]);
	if (s->pid && !s->port)
		served_stop(s);
	return s->pid > 0;
}

bool served_start(struct served *s, const char *program, const char *pool)
{
	const char *const argv[] = {program, "serve", "--dev", "--port", "0", "--max-sandboxes", "1000",
			pool ? "--pool" : NULL, pool, NULL};
	return served_spawn(s, argv, bench_env());
}

void served_stop(struct served *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGINT);
		waitpid(s->pid, NULL, 0);
	}
	*s = (struct served){0};
}

static size_t read_text(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strlen(text);
}

double served_mib(const struct served *s, const char *field)
{
	char path[64], text[4096], line[32];
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)s->pid);
	read_text(text, sizeof text, path);
	int n = snprintf(line, sizeof line, "\n%s:", field);
	const char *at = strstr(text, line);
	return at ? strtod(at + n, NULL) / 1024 : 0;
}

int served_descriptors(const struct served *s)
{
	char path[64];
	int n = 0;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)s->pid);
	DIR *dir = opendir(path);
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n > 2 ? n - 2 : 0;
}

static int descendants(pid_t pid)
{
	static const char form[] = "/proc/%d/task/%d/children";
	char path[64], *text = malloc(65536), *end;
	int n = 0;
	snprintf(path, sizeof path, form, (int)pid, (int)pid);
	if (text && read_text(text, 65536, path) > 0)
		for (char *at = text;; at = end) {
			pid_t child = (pid_t)strtol(at, &end, 10);
			if (end == at)
				break;
			n += 1 + descendants(child);
		}
	free(text);
	return n;
}

int served_processes(const struct served *s)
{
	return descendants(s->pid);
}
