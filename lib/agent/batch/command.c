/* SPDX-License-Identifier: MIT */
#include "agent/batch/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

extern char **environ;

bool step_folder_make(char folder[PATH_MAX])
{
	static const char *const places[] = {"/tmp", "/var/tmp", "."};
	const char *asked = getenv("TMPDIR");
	for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
		const char *place = i ? places[i - 1] : asked;
		if (!place || snprintf(folder, PATH_MAX, "%s/terrarium-XXXXXX", place) >= PATH_MAX)
			continue;
		if (mkdtemp(folder))
			return true;
	}
	folder[0] = '\0';
	return false;
}

void step_folder_remove(const char *folder)
{
	/* Programs may have put anything there. */
	pid_t pid;
	const char *const argv[] = {"rm", "-rf", "--", folder, NULL};
	if (rmdir(folder) == 0 || posix_spawnp(&pid, "rm", NULL, NULL, (char *const *)argv, environ) != 0)
		return;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int step_start(char **argv, int said_fd, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &ours);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	int r = posix_spawn_file_actions_init(&actions);
	if (!r && said_fd >= 0)
		r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	for (int fd = 1; !r && fd <= 2 && said_fd >= 0; fd++)
		r = posix_spawn_file_actions_adddup2(&actions, said_fd, fd);
	if (!r)
		r = posix_spawnp(ret_pid, argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return r;
}

int step_listen(char **argv, struct buf *said, int *ret_status)
{
	int fds[2];
	pid_t pid;
	char piece[16 * 1024];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	int error = step_start(argv, fds[1], &pid);
	close(fds[1]);
	for (ssize_t n = 1; !error && n;) {
		n = read(fds[0], piece, sizeof piece);
		if (n > 0)
			buf_append(said, piece, (size_t)n); /* the rest is dropped */
		else if (n < 0 && errno != EINTR)
			break;
	}
	close(fds[0]);
	while (!error && waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return error;
}
