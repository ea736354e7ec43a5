/* SPDX-License-Identifier: MIT */
/* Kept sandboxes: coming back to one, running in one from a shell, and a hundred of them at rest. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "bench/bench.h"

enum { CROWD = 100, ROUNDS = 101, REST_S = 10 };
#define NAME "bench-kept"

static bool terrarium(const char *const *words)
{
	return spawn_ms(words, true) >= 0;
}

static bool keep(const char *name, const char *memory)
{
	const char *const argv[] = {BENCH_PROGRAM, "run", "--yes", "--keep", "--memory", memory, "--name",
			name, "-c", "1", NULL};
	return terrarium(argv);
}

static void stop_all(void)
{
	const char *const argv[] = {BENCH_PROGRAM, "stop", "--all", "--yes", NULL};
	if (!terrarium(argv))
		fprintf(stderr, "bench: kept sandboxes may be left running\n");
}

/* ---- from a shell --------------------------------------------------------------------- */

/* In turns, so that what else the machine does strikes both alike. */
static bool measure_in_turns(const char *const *const argv[2], struct samples ms[2])
{
	for (int i = 0; i < 2 * ROUNDS; i++) {
		double took = spawn_ms(argv[i % 2], true);
		if (took < 0)
			return false;
		samples_add(&ms[i % 2], took);
	}
	return true;
}

/* A whole process, against an interpreter that starts, runs one number and ends. */
static void bench_process(const char *name, const char *const *process, double target)
{
	static const char *const python[] = {"/usr/bin/python3", "-c", "1", NULL};
	const char *const *const argv[2] = {process, python};
	struct samples ms[2] = {{0}};
	if (measure_in_turns(argv, ms))
		report(name, samples_at(&ms[0], 0.5), "ms", samples_at(&ms[1], 0.5), target);
	else
		report_missing(name, "it failed");
	samples_free(&ms[0]);
	samples_free(&ms[1]);
}

static void bench_run(void)
{
	static const char *const run[] = {BENCH_PROGRAM, "run", "--yes", "--name", NAME, "-c", "1", NULL},
				 *const exec[] = {BENCH_PROGRAM, "exec", NAME, "--", "/bin/true", NULL};
	bench_process("run --name N -c 1, against python3 -c 1", run, 0.25);
	bench_process("exec N -- true, against python3 -c 1", exec, 0.5);
}

/* ---- attaching ------------------------------------------------------------------------- */

/* Until the workbench shows that it is idle, and the REPL its prompt. */
static void bench_attach(const char *name, const char *const *argv, const char *sign)
{
	struct samples ms = {0};
	for (int i = 0; i < 21; i++) {
		struct pty p;
		double took = pty_start(&p, argv, bench_env()) ? pty_wait(&p, sign, 5000) : -1;
		if (took < 0)
			break;
		samples_add(&ms, took);
		pty_stop(&p);
	}
	if (ms.n < 21)
		report_missing(name, "nothing was shown");
	else
		report(name, samples_at(&ms, 0.5), "ms", 0, 20);
	samples_free(&ms);
}

/* ---- a hundred at rest ------------------------------------------------------------------- */

static double number_in(const char *path, const char *key)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, key);
	return at ? strtod(at + strlen(key), NULL) : 0;
}

static double pss_kib(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	return number_in(path, "\nPss:");
}

/* User and system time, in ticks. */
static double ticks(pid_t pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	char *at = strrchr(text, ')');
	for (int field = 2; at && field < 14; field++)
		at = strchr(at + 1, ' ');
	return at ? strtod(at, &at) + strtod(at, NULL) : 0;
}

/* All processes of the kept sandboxes, summed up: what descends from supervisors. */
static double sum_of(double (*measure)(pid_t), pid_t root)
{
	char path[64], text[4096];
	double sum = measure(root);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)root, (int)root);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	for (char *at = text, *end;; at = end) {
		pid_t child = (pid_t)strtol(at, &end, 10);
		if (end == at)
			return sum;
		sum += sum_of(measure, child);
	}
}

static double sum_of_all(double (*measure)(pid_t), const struct trm_entry *entries, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += sum_of(measure, (pid_t)entries[i].supervisor_pid);
	return sum;
}

static double interpreter_kib(pid_t pid)
{
	char path[64], name[16] = "";
	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 && strncmp(name, "python3", 7) == 0 ? pss_kib(pid) : 0;
}

/* As many interpreters that wait for somebody to type something. */
static double prompts_pss_kib(void)
{
	static const char *const argv[] = {"/usr/bin/python3", "-q", "-i", "-c", "1", NULL};
	static struct pty p[CROWD];
	double sum = 0;
	int n = 0;
	while (n < CROWD && pty_start(&p[n], argv, bench_env()))
		if (pty_wait(&p[n++], ">>>", 5000) < 0)
			break;
	for (int i = 0; i < n; i++)
		sum += pss_kib(p[i].pid);
	for (int i = 0; i < n; i++)
		pty_stop(&p[i]);
	return n == CROWD ? sum / CROWD : 0;
}

static void bench_ps(void)
{
	static const char *const argv[] = {BENCH_PROGRAM, "ps", NULL};
	struct samples ms = {0};
	for (int i = 0; i < 21; i++)
		samples_add(&ms, spawn_ms(argv, true));
	report("ps with 100 kept sandboxes", samples_at(&ms, 0.5), "ms", 0, 50);
	samples_free(&ms);
}

static void bench_rest(void)
{
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n;
	if (trm_registry_create(&registry, NULL) < 0)
		return;
	if (trm_registry_refresh(registry, &entries, &n, NULL) == 0 && n >= CROWD) {
		double mib = sum_of_all(pss_kib, entries, n) / (double)n / 1024;
		double own = sum_of_all(interpreter_kib, entries, n) / (double)n / 1024;
		report("memory of one of 100, against its interpreter", mib, "MiB", own, 1.15);
		report("the same, against python3 at its prompt", mib, "MiB", prompts_pss_kib() / 1024, 1.15);
		double before = sum_of_all(ticks, entries, n);
		sleep(REST_S);
		double used = sum_of_all(ticks, entries, n) - before;
		report("CPU of 100 at rest, in 10 s", used * 1000 / (double)sysconf(_SC_CLK_TCK), "ms", 0, 0);
	} else {
		report_missing("100 kept sandboxes", "they are not there");
	}
	trm_registry_destroy(registry);
}

void bench_kept(void)
{
	static const char *const workbench[] = {BENCH_PROGRAM, "attach", NAME, "--confirm", "off", NULL},
				 *const repl[] = {BENCH_PROGRAM, "attach", NAME, "--repl", "--yes", NULL};
	char name[40], dir[] = "/tmp/terrarium-bench-run-XXXXXX";
	/* A runtime directory of its own: what is stopped at the end is ours alone. */
	if (!mkdtemp(dir) || setenv("XDG_RUNTIME_DIR", dir, 1) < 0 || !keep(NAME, "512")) {
		report_missing("kept sandboxes", "terrarium run --keep failed");
		rmdir(dir);
		return;
	}
	bool are_there = true;
	for (int i = 1; i < CROWD && are_there; i++) {
		snprintf(name, sizeof name, NAME "-%d", i);
		are_there = keep(name, "64");
	}
	/* All the others are there, too. */
	bench_run();
	bench_attach("attach to the workbench, until it is idle", workbench, "idle");
	bench_attach("attach to the REPL, until its prompt", repl, ">");
	if (are_there) {
		bench_ps();
		bench_rest();
	} else {
		report_missing("100 kept sandboxes", "not all of them started");
	}
	stop_all();
	rmdir(dir);
}
