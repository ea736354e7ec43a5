/* SPDX-License-Identifier: MIT */
/* 100 MB in a million lines, printed by Python: through `terrarium run`, against a pipe into cat. */
#include <stdio.h>

#include "bench/bench.h"

#define FLOOD "for i in range(10**6): print('%08d ' % i + 'x' * 90)"

void bench_flood(void)
{
	const char *ours[] = {BENCH_PROGRAM, "run", "--yes", "-l", "python", "-c", FLOOD, NULL};
	const char *pipe_to_cat[] = {
			"/bin/sh", "-c", "/usr/bin/python3 -c \"" FLOOD "\" | cat >/dev/null", NULL};
	struct samples a = {0}, b = {0};
	for (int i = 0; i < 5; i++) {
		double ms = spawn_ms(ours, false);
		if (ms < 0) {
			report_missing("flood of 100 MB, terrarium run", "terrarium run failed");
			return;
		}
		samples_add(&a, ms);
		samples_add(&b, spawn_ms(pipe_to_cat, false));
	}
	report("flood of 100 MB, terrarium run", samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1.5);
	samples_free(&a);
	samples_free(&b);
}
