/* SPDX-License-Identifier: MIT */
/* 1 GiB, and ten thousand small files, into a sandbox and out of it: against cp between two tmpfs
 * directories. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum { ROUNDS = 6, BIG_MIB = 1024, SMALL_FILES = 10000 };

struct copies {
	char dir[64], box[40];
	pid_t pid;
};

static double time_cp(const char *from, const char *to)
{
	const char *argv[] = {"/bin/cp", "-r", "--preserve=mode,timestamps", from, to, NULL};
	return spawn_ms(argv, false);
}

static double time_ours(const char *from, const char *to)
{
	const char *argv[] = {BENCH_PROGRAM, "cp", from, to, NULL};
	return spawn_ms(argv, false);
}

static void remove_tree(const char *path)
{
	const char *argv[] = {"/bin/rm", "-rf", path, NULL};
	spawn_ms(argv, false);
}

static bool start_sandbox(struct copies *c)
{
	snprintf(c->box, sizeof c->box, "bench-cp-%d", (int)getpid());
	const char *argv[] = {BENCH_PROGRAM, "exec", "--name", c->box, "--memory", "3G", "--disk", "1300",
			"--file-size", "1200", "--", "sleep", "600", NULL};
	char probe[80], place[80];
	if (posix_spawn(&c->pid, argv[0], NULL, NULL, (char *const *)argv, (char *const *)bench_env()) != 0)
		return false;
	snprintf(probe, sizeof probe, "%s/empty", c->dir);
	snprintf(place, sizeof place, "%s:/tmp/x", c->box);
	for (int i = 0; i < 1000; i++)
		if (time_ours(probe, place) >= 0)
			return true;
	return false;
}

static bool make_files(struct copies *c)
{
	static char block[1 << 20];
	char path[200];
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool is_good = fd >= 0 && read(fd, block, sizeof block) == sizeof block;
	close(fd);
	snprintf(path, sizeof path, "%s/big", c->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; is_good && i < BIG_MIB; i++)
		is_good = write(fd, block, sizeof block) == sizeof block;
	close(fd);
	snprintf(path, sizeof path, "%s/empty", c->dir);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	snprintf(path, sizeof path, "mkdir %s/small && cd %s/small && seq %d | split -l 1 -a 4 -", c->dir,
			c->dir, SMALL_FILES);
	return is_good && system(path) == 0;
}

/* One after the other, so that a noisy machine is as noisy for all of them. */
static void measure(const struct copies *c, const char *source, const char *name, double target)
{
	struct samples cp = {0}, in = {0}, out = {0};
	char from[128], to[128], empty[128], box[128], title[96];
	snprintf(from, sizeof from, "%s/%s", c->dir, source);
	snprintf(to, sizeof to, "%s/copy", c->dir);
	snprintf(empty, sizeof empty, "%s/empty", c->dir);
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(box, sizeof box, "%s:%s%d", c->box, source, i);
		samples_add(&in, time_ours(from, box));
		/* Memory that has just been used is quicker to get: the two take turns in being the first. */
		for (int k = 0; k < 2; k++) {
			if ((i + k) % 2)
				samples_add(&cp, time_cp(from, to));
			else
				samples_add(&out, time_ours(box, to));
			remove_tree(to);
		}
		time_ours(empty, box); /* makes room again; into a directory it only goes */
	}
	snprintf(title, sizeof title, "cp of %s into a sandbox", name);
	if (samples_at(&in, 0) < 0 || samples_at(&out, 0) < 0) {
		report_missing(title, "terrarium cp failed");
	} else {
		report(title, samples_at(&in, 0.5), "ms", samples_at(&cp, 0.5), target);
		snprintf(title, sizeof title, "cp of %s out of a sandbox", name);
		report(title, samples_at(&out, 0.5), "ms", samples_at(&cp, 0.5), target);
	}
	samples_free(&cp);
	samples_free(&in);
	samples_free(&out);
}

void bench_copy(void)
{
	struct copies c = {.dir = "/dev/shm/terrarium-bench-XXXXXX"};
	struct statvfs space;
	if (!mkdtemp(c.dir) || statvfs(c.dir, &space) < 0
			|| (double)space.f_bavail * (double)space.f_frsize < 4.0 * BIG_MIB * (1 << 20)) {
		report_missing("cp of 1 GiB", "there are no 4 GiB free in /dev/shm");
		rmdir(c.dir);
		return;
	}
	if (make_files(&c) && start_sandbox(&c)) {
		measure(&c, "big", "1 GiB", 2);
		measure(&c, "small", "10 000 files", 5);
	} else {
		report_missing("cp of 1 GiB", "no files or no sandbox to copy them to");
	}
	if (c.pid > 0) {
		kill(c.pid, SIGTERM);
		waitpid(c.pid, NULL, 0);
	}
	remove_tree(c.dir);
}
