/* SPDX-License-Identifier: MIT */
/* A file of 100 MB and a million lines in the editor, beside nano with the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

enum { LINES = 1000000, KEYS = 100, OPENS = 5 };

static const char path[] = "/tmp/terrarium-bench-big.py";

static bool write_big(void)
{
	FILE *f = fopen(path, "w");

	for (int i = 0; f && i < LINES; i++)
		fprintf(f, "    value_%07d = compute(%07d, 'some text in a line', [1, 2, 3])  # what it is good for, and why\n",
				i, i);
	return f && fclose(f) == 0;
}

static const char *const *big_env(void)
{
	static const char *env[16];
	size_t n = 0;

	for (const char *const *e = bench_env(); *e; e++)
		env[n++] = *e;
	env[n++] = "TERRARIUM_BACKEND=fake";
	env[n] = NULL;
	return env;
}

static bool open_big(struct pty *p, const char *program)
{
	const char *argv[] = {program, path, NULL};

	if (!pty_start(p, argv, big_env()))
		return false;
	if (pty_wait(p, "value_0000003", 60000) >= 0)
		return true;
	pty_stop(p);
	return false;
}

static bool opens(struct samples *s, const char *program)
{
	for (int i = 0; i < OPENS; i++) {
		struct pty p;
		if (!open_big(&p, program))
			return false;
		samples_add(s, (double)(p.last_read_ns - p.start_ns) / 1e6);
		pty_stop(&p);
	}
	return true;
}

/* Keys in the middle of the file, after `go` has led there. */
static bool keys(struct samples *s, const char *program, const char *go)
{
	struct pty p;

	if (!open_big(&p, program))
		return false;
	pty_drain(&p, 300);
	pty_send(&p, go, strlen(go));
	pty_drain(&p, 500);
	for (int i = 0; i < KEYS; i++) {
		char key[2] = {(char)('A' + i % 26), 0};
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, key, 1);
		if (pty_wait(&p, key, 2000) < 0)
			break;
		samples_add(s, (double)(p.last_read_ns - start_ns) / 1e6);
		pty_drain(&p, 4);
	}
	pty_stop(&p);
	return s->n == KEYS;
}

void bench_big(void)
{
	struct samples a = {0}, b = {0};

	if (!write_big())
		report_missing("a file of 100 MB", "it cannot be written to /tmp");
	else if (opens(&a, BENCH_PROGRAM) && opens(&b, "/usr/bin/nano"))
		report("open 100 MB, 1 000 000 lines", samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 0.5);
	else
		report_missing("open 100 MB, 1 000 000 lines", "nano or terrarium does not show it");
	samples_free(&a);
	samples_free(&b);
	if (keys(&a, BENCH_PROGRAM, "\007500001\r") && keys(&b, "/usr/bin/nano", "\037500001\r"))
		report("key in the middle of 100 MB", samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1.5);
	else
		report_missing("key in the middle of 100 MB", "nano or terrarium does not echo");
	samples_free(&a);
	samples_free(&b);
	unlink(path);
}
