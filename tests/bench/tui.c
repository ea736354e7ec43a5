/* SPDX-License-Identifier: MIT */
/* How the workbench feels, beside nano, micro and htop on the same terminal. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

enum {
	STARTS = 21,
	KEYS = 100,
	RUNS = 200,
	INTERRUPTS = 100,
	IDLE_S = 60,
	BIG_LINES = 100000,
	PASTE_LINES = 10000
};

static const char *const nano[] = {"/usr/bin/nano", NULL};
static const char *const ours[] = {BENCH_PROGRAM, NULL};

static const char *const *tui_env(void)
{
	static const char *env[16];
	size_t n = 0;
	for (const char *const *e = bench_env(); *e; e++)
		env[n++] = *e;
	env[n++] = "TERRARIUM_CONFIRM=off";
	env[n++] = "TERRARIUM_TIMEOUT=0";
	env[n] = NULL;
	return env;
}

static bool start(struct pty *p, const char *const *argv, const char *ready)
{
	if (!pty_start(p, argv, tui_env()))
		return false;
	if (pty_wait(p, ready, 10000) >= 0)
		return true;
	pty_stop(p);
	return false;
}

/* The workbench with a sandbox that has come up. */
static bool start_ready(struct pty *p, const char *file)
{
	const char *argv[] = {BENCH_PROGRAM, file, NULL};
	return start(p, argv, "idle");
}

static void leave(struct pty *p)
{
	pty_send(p, "\033[21~", 5); /* F10 */
	pty_drain(p, 300);
	pty_stop(p);
}

static void write_file(const char *path, const char *line, int lines, const char *last)
{
	FILE *f = fopen(path, "w");
	if (!f)
		exit(1);
	for (int i = 0; i < lines; i++)
		fprintf(f, "%s%d\n", line, i);
	fputs(last, f);
	fclose(f);
}

/* ---- first frame ---- */

static bool first_frame(struct samples *s, const char *const *argv, const char *last_text)
{
	for (int i = 0; i < STARTS; i++) {
		struct pty p;
		if (!start(&p, argv, last_text))
			return false;
		samples_add(s, (double)(p.last_read_ns - p.start_ns) / 1e6);
		leave(&p);
	}
	return true;
}

static void bench_first_frame(void)
{
	struct samples a = {0}, b = {0};
	if (first_frame(&a, ours, "Quit") && first_frame(&b, nano, "Exit"))
		report("first frame", samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1.5);
	else
		report_missing("first frame", "nano or terrarium does not start");
	samples_free(&a);
	samples_free(&b);
}

/* ---- key to cell ---- */

static bool key_echo(struct samples *s, const char *program, const char *file, const char *ready)
{
	const char *argv[] = {program, file, NULL};
	struct pty p;
	if (!start(&p, argv, ready))
		return false;
	pty_drain(&p, 300);
	for (int i = 0; i < KEYS; i++) {
		char key[2] = {(char)('a' + i % 26), 0};
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, key, 1);
		if (pty_wait(&p, key, 2000) < 0)
			break;
		samples_add(s, (double)(p.last_read_ns - start_ns) / 1e6);
		pty_drain(&p, 4); /* what else belongs to this key */
	}
	pty_stop(&p);
	return s->n == KEYS;
}

static void bench_keys(const char *name, const char *file)
{
	struct samples a = {0}, b = {0};
	if (key_echo(&a, BENCH_PROGRAM, file, "Quit") && key_echo(&b, nano[0], file, "Exit"))
		report(name, samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1.5);
	else
		report_missing(name, "a key was not echoed");
	samples_free(&a);
	samples_free(&b);
}

/* ---- paste ---- */

static double paste_ms(const char *const *argv, const char *ready)
{
	struct pty p;
	char *text = malloc(PASTE_LINES * 64 + 64);
	size_t n = 0;
	if (!text || !start(&p, argv, ready)) {
		free(text);
		return -1;
	}
	pty_drain(&p, 300);
	n += (size_t)sprintf(text, "\033[200~");
	for (int i = 0; i < PASTE_LINES; i++)
		n += (size_t)sprintf(text + n, "value_%05d = compute(some, arguments, %d)\n", i, i);
	n += (size_t)sprintf(text + n, "PASTE_ENDS_HERE\033[201~");
	pty_forget(&p);
	uint64_t start_ns = now_ns();
	pty_send(&p, text, n);
	double seen = pty_wait(&p, "PASTE_ENDS_HERE", 20000);
	double ms = seen < 0 ? -1 : (double)(p.last_read_ns - start_ns) / 1e6;
	pty_stop(&p);
	free(text);
	return ms;
}

static void bench_paste(void)
{
	const char *micro[] = {"/usr/bin/micro", NULL};
	struct samples a = {0}, b = {0};
	for (int i = 0; i < 5; i++) {
		double ms = paste_ms(ours, "Quit"), peer = paste_ms(micro, "Ctrl-g");
		if (ms >= 0)
			samples_add(&a, ms);
		if (peer >= 0)
			samples_add(&b, peer);
	}
	if (a.n && b.n)
		report("paste of 10 000 lines", samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1);
	else
		report_missing("paste of 10 000 lines",
				a.n ? "micro did not take the paste" : "the paste was not shown");
	samples_free(&a);
	samples_free(&b);
}

/* ---- what the machine is worth ---- */

/* Most of a millisecond is spent on waking processes up, which takes ten times as long on a busy host. */
static void bench_cat(void)
{
	static const char *const argv[] = {"/bin/sh", "-c", "stty raw -echo; echo ready; exec cat", NULL};
	struct samples s = {0};
	struct pty p;
	if (!start(&p, argv, "ready"))
		return;
	for (int i = 0; i < KEYS; i++) {
		pty_drain(&p, 5);
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, "x", 1);
		if (pty_wait(&p, "x", 2000) >= 0)
			samples_add(&s, (double)(p.last_read_ns - start_ns) / 1e6);
	}
	pty_stop(&p);
	report_beside("a key through a terminal to cat and back", samples_at(&s, 0.5), "ms");
	report_beside("the same, p99", samples_at(&s, 0.99), "ms");
	samples_free(&s);
}

/* ---- run: Enter to result ---- */

static void bench_run(const char *path)
{
	struct samples s = {0};
	struct pty p;
	write_file(path, "# ", 0, "print(6*7*1001)\n");
	if (!start_ready(&p, path)) {
		report_missing("run key to painted result", "the sandbox did not start");
		return;
	}
	for (int i = 0; i < RUNS; i++) {
		pty_drain(&p, 5);
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, "\033[15~", 5); /* F5 */
		if (pty_wait(&p, "42042", 5000) < 0)
			break;
		if (i >= 20)
			samples_add(&s, (double)(p.last_read_ns - start_ns) / 1e6);
	}
	leave(&p);
	if (s.n == RUNS - 20)
		report("run key to painted result", samples_at(&s, 0.5), "ms", 0, 1);
	else
		report_missing("run key to painted result", "a result was not shown");
	samples_free(&s);
}

/* ---- flood and interrupt ---- */

static double status_mib(pid_t pid, const char *file, const char *key)
{
	char path[64], line[256];
	double kib = -1;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			kib = atof(line + strlen(key));
	if (f)
		fclose(f);
	return kib / 1024;
}

static void bench_tui_flood(const char *path)
{
	struct pty p;
	write_file(path, "# ", 0,
			"for i in range(10**6): print('%08d ' % i + 'x' * 90)\nprint('flood', 'over')\n");
	if (!start_ready(&p, path)) {
		report_missing("flood in the workbench, longest gap of frames", "the sandbox did not start");
		return;
	}
	pty_drain(&p, 300);
	pty_forget(&p);
	p.last_read_ns = now_ns();
	p.largest_gap_ns = 0;
	pty_send(&p, "\033[15~", 5);
	bool is_over = pty_wait(&p, "flood over", 60000) >= 0;
	double peak = status_mib(p.pid, "status", "VmHWM:");
	if (is_over) {
		report("flood in the workbench, longest gap of frames", (double)p.largest_gap_ns / 1e6, "ms",
				0, 50);
		report("flood in the workbench, peak memory", peak, "MiB", 0, 64);
	} else {
		report_missing("flood in the workbench, longest gap of frames", "the flood did not end");
	}
	leave(&p);
}

static void bench_interrupt(const char *path)
{
	struct samples s = {0};
	struct pty p;
	write_file(path, "# ", 0, "while True: print('%08d ' % 7 + 'x' * 90)\n");
	if (!start_ready(&p, path)) {
		report_missing("Ctrl-C in a flood, worst of 100", "the sandbox did not start");
		return;
	}
	for (int i = 0; i < INTERRUPTS; i++) {
		pty_drain(&p, 20);
		pty_forget(&p);
		pty_send(&p, "\033[15~", 5);
		if (pty_wait(&p, "00000007 x", 5000) < 0)
			break;
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, "\003", 1);
		/* The title is painted anew for each run; the run's own words may already be in their place.
		 */
		if (pty_wait(&p, "idle", 5000) < 0)
			break;
		samples_add(&s, (double)(p.last_read_ns - start_ns) / 1e6);
	}
	leave(&p);
	if (s.n == INTERRUPTS) {
		report("Ctrl-C in a flood, median of 100", samples_at(&s, 0.5), "ms", 0, 10);
		report("Ctrl-C in a flood, worst of 100", samples_at(&s, 1), "ms", 0, 10);
	} else {
		char why[64];
		snprintf(why, sizeof why, "only %zu of 100 ended", s.n);
		report_missing("Ctrl-C in a flood, worst of 100", why);
	}
	samples_free(&s);
}

/* ---- idle ---- */

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	char *end = strrchr(text, ')');
	return end ? (pid_t)atoi(end + 3) : 0;
}

static double cpu_of(pid_t pid)
{
	char path[64];
	unsigned long long ns = 0;
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	return (double)ns / 1e9;
}

/* CPU seconds of a process and everything below it. */
static double tree_cpu_s(pid_t root)
{
	double s = 0;
	DIR *proc = opendir("/proc");
	struct dirent *e;
	while (proc && (e = readdir(proc))) {
		pid_t pid = (pid_t)atoi(e->d_name), at = pid;
		for (int depth = 0; at > 1 && at != root && depth < 32; depth++)
			at = parent_of(at);
		if (pid > 0 && at == root)
			s += cpu_of(pid);
	}
	if (proc)
		closedir(proc);
	return s;
}

static void wait_quiet(struct pty *p, struct pty *q, int ms)
{
	uint64_t start_ns = now_ns();
	while (ms_since(start_ns) < ms) {
		pty_drain(p, 5);
		pty_drain(q, 5);
	}
}

static void bench_idle(const char *path)
{
	const char *htop[] = {"/usr/bin/htop", "-d", "10", NULL};
	struct pty p, q;
	write_file(path, "# ", 0, "print(1)\n");
	if (!start_ready(&p, path)) {
		report_missing("idle for a minute", "the sandbox did not start");
		return;
	}
	if (!start(&q, htop, "Quit")) {
		leave(&p);
		report_missing("idle for a minute", "htop does not start");
		return;
	}
	wait_quiet(&p, &q, 2500);
	double pss = status_mib(p.pid, "smaps_rollup", "Pss:");
	double ours_s = tree_cpu_s(p.pid), peer_s = tree_cpu_s(q.pid);
	uint64_t bytes = p.bytes;
	wait_quiet(&p, &q, IDLE_S * 1000);
	ours_s = tree_cpu_s(p.pid) - ours_s;
	peer_s = tree_cpu_s(q.pid) - peer_s;
	report("idle for a minute, CPU against htop", ours_s, "s", peer_s, 0.2);
	report("idle for a minute, bytes to the terminal", (double)(p.bytes - bytes) / IDLE_S, "B/s", 0, 200);
	report("idle, PSS of the workbench", pss, "MiB", 0, 5);
	pty_stop(&q);
	leave(&p);
}

void bench_tui(void)
{
	char dir[] = "/tmp/terrarium-bench-XXXXXX", path[64], big[64];
	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof path, "%s/code.py", dir);
	snprintf(big, sizeof big, "%s/big.py", dir);
	write_file(big, "line = ", BIG_LINES, "");
	bench_first_frame();
	write_file(path, "# ", 0, "");
	bench_keys("key to cell, empty buffer", path);
	bench_keys("key to cell, 100 000 lines", big);
	bench_paste();
	bench_cat();
	bench_run(path);
	bench_tui_flood(path);
	bench_interrupt(path);
	bench_idle(path);
	bench_remove_edited(path);
	bench_remove_edited(big);
	rmdir(dir);
}
