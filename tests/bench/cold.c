/* SPDX-License-Identifier: MIT */
/* A cold `terrarium run -c 'print(1)'`, whole process, against bubblewrap
 * starting python3 -c 'print(1)': with our very own arguments, and with
 * nothing but --unshare-all. The same at the level Landlock, against that. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/argv.h"
#include "bench/bench.h"
#include "embed/embed.h"
#include "seccomp_filters.h"

enum { COLD_RUNS = 41, DISK_BYTES = 256 << 20 };

/* A memory file, at a number that no later open can take by accident. */
static int file_with(const void *bytes, size_t n)
{
	int fd = memfd_create("bench", 0);
	if (write(fd, bytes, n) != (ssize_t)n)
		return -1;
	int high = fcntl(fd, F_DUPFD, 100);
	close(fd);
	return high;
}

static size_t make_fds(int fds[BWRAP_FILES + CONTROL_MAX_FILES])
{
	struct argv_facts facts;
	struct slice files[CONTROL_MAX_FILES];
	struct embed agent = embed_agent();
	struct buf args;
	buf_init(&args, 1 << 16);
	argv_facts_find(&facts);
	argv_build(&args, &facts, false, DISK_BYTES);
	size_t n = argv_files(files, CONTROL_MAX_FILES);
	fds[BWRAP_LISTEN] = file_with("", 0);
	fds[BWRAP_ARGS] = file_with(buf_at(&args), args.len);
	fds[BWRAP_CALLS] = file_with(seccomp_calls, sizeof seccomp_calls);
	fds[BWRAP_ARGUMENTS] = file_with(seccomp_arguments, sizeof seccomp_arguments);
	fds[BWRAP_AGENT] = file_with(agent.bytes, agent.n);
	for (size_t i = 0; i < n; i++)
		fds[BWRAP_FILES + i] = file_with(files[i].bytes, files[i].n);
	buf_finish(&args);
	return BWRAP_FILES + n;
}

static double same_arguments_ms(const int *fds, size_t n)
{
	const char *argv[] = {
			"/usr/bin/bwrap", "--args", "4", "--", "/usr/bin/python3", "-c", "print(1)", NULL};
	const char *env[] = {NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	for (size_t i = BWRAP_LISTEN; i < n; i++) {
		lseek(fds[i], 0, SEEK_SET);
		posix_spawn_file_actions_adddup2(&actions, fds[i], (int)i);
	}
	uint64_t start_ns = now_ns();
	if (posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, (char *const *)env) == 0)
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return status == 0 ? ms_since(start_ns) : -1;
}

void bench_cold(void)
{
	static const char *const ours[] = {BENCH_PROGRAM, "run", "--yes", "--isolation", "namespaces", "-l",
			"python", "-c", "print(1)", NULL};
	static const char *const landlock[] = {BENCH_PROGRAM, "run", "--yes", "--isolation", "landlock", "-l",
			"python", "-c", "print(1)", NULL};
	static const char *const plain[] = {"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/",
			"--proc", "/proc", "--dev", "/dev", "/usr/bin/python3", "-c", "print(1)", NULL};
	struct samples a = {0}, b = {0}, c = {0}, d = {0};
	int fds[BWRAP_FILES + CONTROL_MAX_FILES];
	size_t n = make_fds(fds);
	for (int i = 0; i < COLD_RUNS; i++) {
		double x = spawn_ms(ours, true), y = same_arguments_ms(fds, n), z = spawn_ms(plain, true),
		       w = spawn_ms(landlock, true);
		if (x < 0 || y < 0 || z < 0 || w < 0) {
			report_missing("cold run -c 'print(1)'",
					x < 0 || w < 0 ? "terrarium run failed" : "bwrap failed");
			break;
		}
		samples_add(&a, x);
		samples_add(&b, y);
		samples_add(&c, z);
		samples_add(&d, w);
	}
	if (a.n == COLD_RUNS) {
		report("cold run, against bwrap with our arguments", samples_at(&a, 0.5), "ms",
				samples_at(&b, 0.5), 1.5);
		report("cold run, against bwrap --unshare-all", samples_at(&a, 0.5), "ms",
				samples_at(&c, 0.5), 2);
		report("cold run, Landlock against namespaces", samples_at(&d, 0.5), "ms",
				samples_at(&a, 0.5), 1.2);
	}
	for (size_t i = BWRAP_LISTEN; i < n; i++)
		close(fds[i]);
	samples_free(&a);
	samples_free(&b);
	samples_free(&c);
	samples_free(&d);
}
