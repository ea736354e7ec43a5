/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

static char states[] = "/tmp/terrarium-bench-XXXXXX";

static void remove_states(void)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", states);
	if (system(command) != 0)
		fprintf(stderr, "bench: %s stays behind\n", states);
}

/* A directory for each program: what a killed one has kept is not offered to the next. */
static const char *fresh_state(void)
{
	static char text[96];
	static unsigned n;
	if (!n++ && mkdtemp(states))
		atexit(remove_states);
	snprintf(text, sizeof text, "XDG_STATE_HOME=%s/%u", states, n);
	return text;
}

/* An environment in which nothing slows a program down by accident
 * (PYTHONUNBUFFERED makes a flood four times slower). */
const char *const *bench_env(void)
{
	static const char *const passed[] = {
			"HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "DOCKER_HOST", "DOCKER_CONFIG"};
	static char words[5][512];
	static const char *env[10] = {
			"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color"};
	size_t n = 3;
	env[n++] = fresh_state();
	for (size_t i = 0; i < 5; i++)
		if (getenv(passed[i])) {
			snprintf(words[i], sizeof words[i], "%s=%s", passed[i], getenv(passed[i]));
			env[n++] = words[i];
		}
	env[n] = NULL;
	return env;
}

bool program_exists(const char *path)
{
	return access(path, X_OK) == 0;
}

void bench_remove_edited(const char *path)
{
	char saved[96];
	snprintf(saved, sizeof saved, "%s.save", path);
	unlink(saved);
	unlink(path);
}

double spawn_ms(const char *const *argv, bool drain)
{
	static char block[1 << 16];
	posix_spawn_file_actions_t actions;
	int fds[2], status;
	pid_t pid;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (drain)
		posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	else
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	uint64_t start_ns = now_ns();
	int r = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, (char *const *)bench_env());
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r == 0) {
		while (drain && read(fds[0], block, sizeof block) > 0)
			;
		waitpid(pid, &status, 0);
	}
	double ms = ms_since(start_ns);
	close(fds[0]);
	return r == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ms : -1;
}
