/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {{"warm", bench_warm}, {"cold", bench_cold}, {"flood", bench_flood}, {"tui", bench_tui},
		{"big", bench_big}, {"output", bench_output}, {"typing", bench_typing}, {"cp", bench_copy},
		{"kept", bench_kept}, {"serve", bench_serve}, {"docker", bench_docker}};

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN); /* who reads the first lines only leaves no sandboxes behind */
	/* With arguments only those groups. */
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		bool wanted = argc < 2;
		for (int k = 1; k < argc; k++)
			wanted |= strcmp(argv[k], groups[i].name) == 0;
		if (wanted)
			groups[i].run();
	}
	int missed = report_write(BENCH_JSON);
	if (missed < 0) {
		fprintf(stderr, "bench: cannot write %s\n", BENCH_JSON);
		return 1;
	}
	printf("%d targets missed; figures are in %s\n", missed, BENCH_JSON);
	return 0;
}
