/* SPDX-License-Identifier: MIT */
/* Pools of a server: what a start from one costs, and a thousand sandboxes alive behind one server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { N_IDLE = 4, STARTS = 41, FILL_S = 120, CROWD = 1000, PER_S = 1000, LOAD_S = 10, SANDBOX_MIB = 12 };

struct crowd {
	unsigned n;
	char title[64];
};

static bool ask(struct peer *c, const char *text, const char *right, double *ret_ms)
{
	const char *body = "";
	uint64_t start_ns = now_ns();
	int status = peer_call(c, text, strlen(text), &body);
	*ret_ms = ms_since(start_ns);
	bool is_right = status == 200 && strstr(body, right);
	if (!is_right)
		fprintf(stderr, "bench: %d %.300s\n", status, body);
	return is_right;
}

static bool start(struct peer *c, const char *name, double *ret_ms)
{
	return ask(c, call_text("sandbox.start", "bench", name, ",\"config\":{\"image\":\"python\"}"),
			"started", ret_ms);
}

/* Wait until so many sandboxes of the pool are idle. */
static bool wait_full(struct peer *c, unsigned n)
{
	static const char key[] = "terrarium_pool_sandboxes{image=\"python\",state=\"idle\"} ";
	const struct timespec pause = {.tv_nsec = 20000000};
	const char *body = "", *at;
	uint64_t start_ns = now_ns();
	while (ms_since(start_ns) < FILL_S * 1000.0) {
		if (peer_get(c, "/metrics", &body) != 200 || !(at = strstr(body, key)))
			return false;
		if (strtoul(at + sizeof key - 1, NULL, 10) >= n)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* ---- a start, with a full pool --------------------------------------------------------------- */

static void bench_taking(struct peer *c)
{
	struct samples started = {0}, ran = {0};
	double start_ms, run_ms;
	char name[32];
	for (int i = 0; i < STARTS; i++) {
		snprintf(name, sizeof name, "taken-%d", i);
		if (!wait_full(c, N_IDLE) || !start(c, name, &start_ms)
				|| !ask(c, sum_text(name), "\"2\"", &run_ms))
			break;
		samples_add(&started, start_ms);
		samples_add(&ran, run_ms);
	}
	if (started.n < STARTS) {
		report_missing("sandbox.start from a pool", "it failed");
	} else {
		report("sandbox.start from a pool, python", samples_at(&started, 0.5), "ms", 0, 1.5);
		report("the first run after it", samples_at(&ran, 0.5), "ms", 0, 3);
	}
	samples_free(&started);
	samples_free(&ran);
}

/* ---- a thousand ------------------------------------------------------------------------------ */

static void bench_requests(const struct served *s, struct crowd *crowd)
{
	struct load load = {.port = s->port,
			.per_s = PER_S,
			.seconds = LOAD_S,
			.request = crowd_request,
			.is_right = crowd_is_right,
			.user = &crowd->n};
	struct samples ms = {0};
	if (!load_run(&load, &ms)) {
		report_missing("1000 requests/s", "could not connect");
		return;
	}
	if (load.n_errors)
		fprintf(stderr, "bench: the first error: %s\n", load.error);
	report_beside("  their median", samples_at(&ms, 0.5), "ms");
	report("  their 99th percentile", samples_at(&ms, 0.99), "ms", 0, 50);
	report("  errors", load.n_errors, "", 0, 0);
	samples_free(&ms);
}

static double available_mib(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %llu", &kib) != 1)
		;
	if (f)
		fclose(f);
	return (double)kib / 1024;
}

static bool fill_crowd(struct peer *c, struct crowd *crowd)
{
	double ms, before = available_mib();
	char name[32];
	uint64_t start_ns = now_ns();
	for (unsigned i = 0; i < crowd->n; i++) {
		snprintf(name, sizeof name, "crowd-%u", i);
		if (!start(c, name, &ms) || !ask(c, sum_text(name), "\"2\"", &ms))
			return false;
	}
	report_beside("  started, with a first run each, within", ms_since(start_ns) / 1000, "s");
	report_beside("  memory of the machine for each", (before - available_mib()) / crowd->n, "MiB");
	return true;
}

/* As many as fit into the machine's memory. */
static void bench_thousand(struct peer *c, const struct served *s)
{
	double fit = available_mib() / SANDBOX_MIB;
	struct crowd crowd = {.n = fit < CROWD ? (unsigned)fit : CROWD};
	if (crowd.n < CROWD)
		report_missing("1000 sandboxes", "this machine has not the memory: fewer are tried");
	snprintf(crowd.title, sizeof crowd.title, "%u sandboxes, 1000 requests/s", crowd.n);
	report_beside(crowd.title, crowd.n, "sandboxes");
	if (!crowd.n || !fill_crowd(c, &crowd)) {
		report_missing(crowd.title, "not all of them started");
		return;
	}
	bench_requests(s, &crowd);
	report("  memory of the server (RSS)", served_mib(s, "Rss"), "MiB", 0, 40);
	report_beside("  its descriptors", served_descriptors(s), "");
}

void bench_pool(void)
{
	struct served s;
	struct peer c = {.fd = -1};
	if (!served_start(&s, BENCH_PROGRAM, "python=4") || !peer_open(&c, s.port)) {
		report_missing("terrarium serve --pool python=4", "it did not start");
	} else {
		bench_taking(&c);
	}
	peer_close(&c);
	served_stop(&s);
	if (!served_start(&s, BENCH_PROGRAM, "python=4") || !peer_open(&c, s.port))
		report_missing("terrarium serve --pool python=4", "it did not start");
	else
		bench_thousand(&c, &s);
	peer_close(&c);
	served_stop(&s);
}
