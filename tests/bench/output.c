/* SPDX-License-Identifier: MIT */
/* The output pane under a million lines (100 MB), beside a tmux pane on the same terminal: taking them in,
 * scrolling through them, searching them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

enum { FLOODS = 5, SCROLLS = 100 };

#define PLAIN "for i in range(10**6): print('%08d ' % i + 'x' * 90)"
#define COLORED "for i in range(10**6): print('\\033[3%dm%08d\\033[0m ' % (i % 8, i) + 'x' * 81)"
#define ENDING "\nprint('flood', 'over')\n"
#define F5 "\033[15~"
#define F6 "\033[17~"
#define F10 "\033[21~"

static const char *const *ours_env(void)
{
	static const char *env[16];
	size_t n = 0;

	for (const char *const *e = bench_env(); *e; e++)
		env[n++] = *e;
	env[n++] = "TERRARIUM_CONFIRM=off";
	env[n++] = "TERRARIUM_TIMEOUT=0";
	env[n++] = "TERRARIUM_RESTORE=off";
	env[n++] = "TERRARIUM_SCROLLBACK=256";
	env[n++] = "TERRARIUM_METRICS_INTERVAL=60"; /* nothing but the pane changes on the screen */
	env[n] = NULL;
	return env;
}

static void write_code(const char *path, const char *code)
{
	FILE *f = fopen(path, "w");

	if (!f)
		exit(1);
	fputs(code, f);
	fclose(f);
}

/* Milliseconds from the key that starts it until the last line is on the screen; negative: never. */
static double flood_ms(struct pty *p, const char *key)
{
	pty_drain(p, 300);
	pty_forget(p);
	uint64_t start_ns = now_ns();
	pty_send(p, key, strlen(key));
	return pty_wait(p, "flood over", 120000) < 0 ? -1 : (double)(p->last_read_ns - start_ns) / 1e6;
}

static bool start_ours(struct pty *p, const char *path)
{
	const char *argv[] = {BENCH_PROGRAM, path, NULL};

	if (!pty_start(p, argv, ours_env()))
		return false;
	if (pty_wait(p, "idle", 10000) >= 0)
		return true;
	pty_stop(p);
	return false;
}

static double ours_ms(const char *path)
{
	struct pty p;

	if (!start_ours(&p, path))
		return -1;
	double ms = flood_ms(&p, F5);
	pty_send(&p, F10, strlen(F10));
	pty_drain(&p, 300);
	pty_stop(&p);
	return ms;
}

/* A server of its own, without anybody's configuration; the code starts at a key, as ours does. */
static double tmux_ms(const char *dir, const char *path)
{
	char socket[128], command[256];
	const char *argv[] = {"/usr/bin/tmux", "-S", socket, "-f", "/dev/null", "new-session", command, NULL};
	struct pty p;

	snprintf(socket, sizeof socket, "%s/tmux", dir);
	snprintf(command, sizeof command, "echo re''ady; read x; /usr/bin/python3 %s; read x", path);
	if (!pty_start(&p, argv, bench_env()))
		return -1;
	double ms = pty_wait(&p, "ready", 10000) < 0 ? -1 : flood_ms(&p, "\r");
	pty_send(&p, "\r", 1);
	pty_drain(&p, 300);
	pty_stop(&p);
	unlink(socket);
	return ms;
}

static void bench_flood_of(const char *name, const char *dir, const char *path, const char *code)
{
	struct samples ours = {0}, tmux = {0};

	write_code(path, code);
	for (int i = 0; i < FLOODS; i++) {
		double ms = ours_ms(path), peer_ms = tmux_ms(dir, path);
		if (ms >= 0)
			samples_add(&ours, ms);
		if (peer_ms >= 0)
			samples_add(&tmux, peer_ms);
	}
	if (ours.n == FLOODS && tmux.n == FLOODS)
		report(name, samples_at(&ours, 0.5), "ms", samples_at(&tmux, 0.5), 1);
	else
		report_missing(name,
				ours.n < FLOODS ? "the flood was not shown" : "tmux did not show the flood");
	samples_free(&ours);
	samples_free(&tmux);
}

/* ---- looking at it ---- */

/* Milliseconds from a key until the last of what it changes is on the screen: then nothing more comes for
 * `quiet_ms`. (Texts cannot be waited for: only what differs from the screen before is drawn.) */
static double key_ms(struct pty *p, const char *key, int quiet_ms)
{
	pty_drain(p, 30);
	uint64_t start_ns = now_ns();
	p->last_read_ns = 0;
	pty_send(p, key, strlen(key));
	pty_drain(p, quiet_ms);
	return p->last_read_ns > start_ns ? (double)(p->last_read_ns - start_ns) / 1e6 : -1;
}

static void report_ms(const char *name, double ms, double target)
{
	if (ms >= 0)
		report(name, ms, "ms", 0, target);
	else
		report_missing(name, "it was not shown");
}

static void bench_looking(const char *path)
{
	struct samples pages = {0};
	struct pty p;

	write_code(path, PLAIN ENDING);
	if (!start_ours(&p, path) || flood_ms(&p, F5) < 0) {
		report_missing("scrolling a million lines", "the flood was not shown");
		return;
	}
	pty_send(&p, F6, strlen(F6));
	report_ms("a million lines: to the first", key_ms(&p, "\033[H", 50), 16);
	for (int i = 0; i < SCROLLS; i++) {
		double ms = key_ms(&p, "\033[6~", 20);
		if (ms >= 0)
			samples_add(&pages, ms);
	}
	report_ms("a million lines: a page, median", samples_at(&pages, 0.5), 5);
	report_ms("a million lines: to the last", key_ms(&p, "\033[F", 50), 16);
	pty_send(&p, "/", 1);
	pty_send(&p, "0012345", 7);
	report_ms("a million lines: a search for one of them", key_ms(&p, "6", 1000), 500);
	pty_send(&p, "\025", 1); /* ^U */
	pty_send(&p, "\033x", 2);
	report_ms("a million lines: by a regular expression", key_ms(&p, "\033[200~^0+77 x+$\033[201~", 500),
			3000);
	pty_send(&p, "\033", 1);
	pty_drain(&p, 100);
	pty_send(&p, F10, strlen(F10));
	pty_drain(&p, 300);
	pty_stop(&p);
	samples_free(&pages);
}

void bench_output(void)
{
	char dir[] = "/tmp/terrarium-bench-XXXXXX", path[64];

	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof path, "%s/code.py", dir);
	bench_flood_of("flood of 100 MB in the output pane, against tmux", dir, path, PLAIN ENDING);
	bench_flood_of("the same in colors, against tmux", dir, path, COLORED ENDING);
	bench_looking(path);
	unlink(path);
	rmdir(dir);
}
