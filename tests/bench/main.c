/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {{"warm", bench_warm}, {"cold", bench_cold}, {"flood", bench_flood}, {"tui", bench_tui},
		{"big", bench_big}, {"output", bench_output}, {"typing", bench_typing}, {"cp", bench_copy},
		{"kept", bench_kept}, {"serve", bench_serve}, {"figure", bench_figure}, {"scan", bench_scan},
		{"pool", bench_pool}, {"lang", bench_lang}, {"docker", bench_docker},
		{"cluster", bench_cluster}, {"pods", bench_pods}};

struct time_spent {
	unsigned long long busy, stolen;
};

/* Of all processors. False: nobody tells. */
static bool time_spent(struct time_spent *ret)
{
	enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STOLEN, N }; /* proc_stat(5) */
	unsigned long long t[N];
	FILE *f = fopen("/proc/stat", "re");
	int n = f ? fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[USER], &t[NICE], &t[SYSTEM],
				&t[IDLE], &t[IO_WAIT], &t[IRQ], &t[SOFT_IRQ], &t[STOLEN])
		  : 0;
	if (f)
		fclose(f);
	if (n < N)
		return false;
	*ret = (struct time_spent){t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFT_IRQ], t[STOLEN]};
	return true;
}

/* A virtual machine's host may give its processors to others meanwhile: then whoever waits for another
 * process waits much longer, and the figures tell more of the host than of the program. */
static void run_group(size_t i)
{
	struct time_spent before, after;
	bool is_known = time_spent(&before);
	groups[i].run();
	if (!is_known || !time_spent(&after))
		return;
	double stolen = (double)(after.stolen - before.stolen);
	report_beside("taken by other machines meanwhile",
			100 * stolen / (stolen + (double)(after.busy - before.busy)),
			"% of the processors' time");
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN); /* who reads the first lines only leaves no sandboxes behind */
	/* With arguments only those groups. */
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		bool wanted = argc < 2;
		for (int k = 1; k < argc; k++)
			wanted |= strcmp(argv[k], groups[i].name) == 0;
		if (wanted)
			run_group(i);
	}
	int missed = report_write(BENCH_JSON);
	if (missed < 0) {
		fprintf(stderr, "bench: cannot write %s\n", BENCH_JSON);
		return 1;
	}
	printf("%d targets missed; figures are in %s\n", missed, BENCH_JSON);
	return 0;
}
