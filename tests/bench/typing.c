/* SPDX-License-Identifier: MIT */
/* Typing and paging in a colored file of 100 000 lines, beside nano and micro with the same file and keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

enum { PIECES = 12500, TIMES = 10, PAGES = 100 };

/* No brackets and quotes, which micro adds to on its own. */
static const char typed[] = "value=other+12#and_a_comment";

struct program {
	const char *path, *ready;
};
static const struct program ours = {BENCH_PROGRAM, "Quit"}, nano = {"/usr/bin/nano", "Exit"},
			    micro = {"/usr/bin/micro", "Ctrl-g"};

/* The first line is empty: there the keys go, with a new line for each text. */
static bool write_code(const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fputc('\n', f);
	for (int i = 0; i < PIECES; i++)
		fprintf(f,
				"def func_%d(a, b=1):\n    \"\"\"doc %d\"\"\"\n    x = [a, b, %d]\n    if a > b:\n"
				"        return f\"{a} is {b}\"\n    print(\"hello\", x)\n    return None\n\n",
				i, i, i);
	return fclose(f) == 0;
}

static bool start(struct pty *p, const struct program *program, const char *path)
{
	const char *argv[] = {program->path, path, NULL};
	if (!program_exists(program->path) || !pty_start(p, argv, bench_env()))
		return false;
	if (pty_wait(p, program->ready, 10000) < 0) {
		pty_stop(p);
		return false;
	}
	pty_drain(p, 500);
	return true;
}

/* One of those that are typed into, and what it took. */
struct typist {
	struct pty pty;
	struct samples ms; /* until a key is seen */
	uint64_t bytes;    /* that the keys cost in all */
	bool is_running;
};

static void type_key(struct typist *t, char key)
{
	char text[2] = {key, '\0'};
	pty_drain(&t->pty, 0); /* what it painted while others had their turn */
	uint64_t before = t->pty.bytes;
	pty_forget(&t->pty);
	uint64_t start_ns = now_ns();
	pty_send(&t->pty, text, 1);
	t->is_running = pty_wait(&t->pty, text, 2000) >= 0;
	samples_add(&t->ms, (double)(t->pty.last_read_ns - start_ns) / 1e6);
	pty_drain(&t->pty, 5);
	t->bytes += t->pty.bytes - before;
}

/* All get the same keys in turns, so that what else the machine does strikes them alike. */
static void type(struct typist *typists, size_t n)
{
	for (size_t i = 0; i < TIMES * (sizeof typed - 1); i++) {
		for (size_t k = 0; k < n; k++) {
			struct typist *t = &typists[k];
			if (t->is_running && i > 0 && i % (sizeof typed - 1) == 0) {
				pty_send(&t->pty, "\r", 1);
				pty_drain(&t->pty, 100);
			}
			if (t->is_running)
				type_key(t, typed[i % (sizeof typed - 1)]);
		}
	}
}

static double bytes_per_key(const struct typist *t)
{
	return (double)t->bytes / (double)t->ms.n;
}

static void report_typing(struct typist *a, struct typist *b, struct typist *c)
{
	if (a->is_running && b->is_running) {
		report("key to screen in 100 000 colored lines", samples_at(&a->ms, 0.5), "ms",
				samples_at(&b->ms, 0.5), 1.5);
		report("key to screen in 100 000 colored lines, p99", samples_at(&a->ms, 0.99), "ms", 0, 2);
		report_beside("that of nano, p99", samples_at(&b->ms, 0.99), "ms");
		report("bytes to the terminal per key, against nano", bytes_per_key(a), "B", bytes_per_key(b),
				6);
	} else {
		report_missing("key to screen in 100 000 colored lines", "a key was not echoed");
	}
	if (a->is_running && c->is_running)
		report("bytes to the terminal per key, against micro", bytes_per_key(a), "B",
				bytes_per_key(c), 1);
	else
		report_missing("bytes to the terminal per key, against micro", "micro did not echo a key");
}

static void bench_keys(const char *path)
{
	static const struct program *const programs[] = {&ours, &nano, &micro};
	struct typist typists[3] = {0};
	for (size_t i = 0; i < 3; i++)
		typists[i].is_running = start(&typists[i].pty, programs[i], path);
	type(typists, 3);
	report_typing(&typists[0], &typists[1], &typists[2]);
	for (size_t i = 0; i < 3; i++) {
		pty_stop(&typists[i].pty);
		samples_free(&typists[i].ms);
	}
}

/* Milliseconds from PgDn until the new page is there, whole. */
static void page_on(struct pty *p, struct samples *ms)
{
	uint64_t start_ns = now_ns(), before = p->bytes;
	pty_send(p, "\033[6~", 4);
	while (p->bytes == before && ms_since(start_ns) < 2000)
		pty_drain(p, 0);
	pty_drain(p, 5);
	samples_add(ms, (double)(p->last_read_ns - start_ns) / 1e6);
}

static void bench_pages(const char *path)
{
	struct pty p, q;
	struct samples a = {0}, b = {0};
	bool has_ours = start(&p, &ours, path), has_nano = start(&q, &nano, path);
	for (int i = 0; i < PAGES && has_ours && has_nano; i++) {
		page_on(&p, &a);
		page_on(&q, &b);
	}
	if (a.n)
		report("a page further in 100 000 colored lines", samples_at(&a, 0.5), "ms",
				samples_at(&b, 0.5), 1.5);
	else
		report_missing("a page further in 100 000 colored lines", "nano or terrarium does not start");
	if (has_ours)
		pty_stop(&p);
	if (has_nano)
		pty_stop(&q);
	samples_free(&a);
	samples_free(&b);
}

void bench_typing(void)
{
	char dir[] = "/tmp/terrarium-bench-XXXXXX", path[64];
	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof path, "%s/code.py", dir);
	if (write_code(path)) {
		bench_keys(path);
		bench_pages(path);
	} else {
		report_missing("key to screen in 100 000 colored lines", "the file cannot be written");
	}
	bench_remove_edited(path);
	rmdir(dir);
}
