/* SPDX-License-Identifier: MIT */
/* Typing and paging in a coloured file of 100 000 lines, beside nano and micro with the same file and keys.
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

/* Milliseconds until a key is seen; bytes that it costs in all. */
static bool type(const struct program *program, const char *path, struct samples *ms, double *ret_bytes)
{
	struct pty p;
	uint64_t bytes;
	if (!start(&p, program, path))
		return false;
	bytes = p.bytes;
	for (size_t i = 0; i < TIMES * (sizeof typed - 1); i++) {
		if (i > 0 && i % (sizeof typed - 1) == 0) {
			uint64_t before = p.bytes;
			pty_send(&p, "\r", 1);
			pty_drain(&p, 100);
			bytes += p.bytes - before;
		}
		char key[2] = {typed[i % (sizeof typed - 1)], '\0'};
		pty_forget(&p);
		uint64_t start_ns = now_ns();
		pty_send(&p, key, 1);
		if (pty_wait(&p, key, 2000) < 0)
			break;
		samples_add(ms, (double)(p.last_read_ns - start_ns) / 1e6);
		pty_drain(&p, 5);
	}
	*ret_bytes = ms->n ? (double)(p.bytes - bytes) / (double)ms->n : 0;
	pty_stop(&p);
	return ms->n == TIMES * (sizeof typed - 1);
}

/* Milliseconds from PgDn to the first of the new page. */
static bool page(const struct program *program, const char *path, struct samples *ms)
{
	struct pty p;
	if (!start(&p, program, path))
		return false;
	for (int i = 0; i < PAGES; i++) {
		uint64_t start_ns = now_ns(), before = p.bytes;
		pty_send(&p, "\033[6~", 4);
		while (p.bytes == before && ms_since(start_ns) < 2000)
			pty_drain(&p, 0);
		samples_add(ms, (double)(p.last_read_ns - start_ns) / 1e6);
		pty_drain(&p, 5);
	}
	pty_stop(&p);
	return true;
}

void bench_typing(void)
{
	struct samples a = {0}, b = {0}, c = {0}, d = {0}, e = {0};
	double bytes = 0, nano_bytes = 0, micro_bytes = 0;
	char dir[] = "/tmp/terrarium-bench-XXXXXX", path[64];
	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof path, "%s/code.py", dir);
	bool is_written = write_code(path), has_ours = is_written && type(&ours, path, &a, &bytes);
	if (has_ours && type(&nano, path, &b, &nano_bytes)) {
		report("key to screen in 100 000 coloured lines", samples_at(&a, 0.5), "ms",
				samples_at(&b, 0.5), 1.5);
		report("key to screen in 100 000 coloured lines, p99", samples_at(&a, 0.99), "ms", 0, 2);
		report("bytes to the terminal per key, against nano", bytes, "B", nano_bytes, 6);
	} else {
		report_missing("key to screen in 100 000 coloured lines", "a key was not echoed");
	}
	if (has_ours && type(&micro, path, &c, &micro_bytes))
		report("bytes to the terminal per key, against micro", bytes, "B", micro_bytes, 1);
	else
		report_missing("bytes to the terminal per key, against micro", "micro did not echo a key");
	if (is_written && page(&ours, path, &d) && page(&nano, path, &e))
		report("a page further in 100 000 coloured lines", samples_at(&d, 0.5), "ms",
				samples_at(&e, 0.5), 1.5);
	else
		report_missing("a page further in 100 000 coloured lines",
				"nano or terrarium does not start");
	samples_free(&a);
	samples_free(&b);
	samples_free(&c);
	samples_free(&d);
	samples_free(&e);
	unlink(path);
	rmdir(dir);
}
