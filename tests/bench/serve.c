/* SPDX-License-Identifier: MIT */
/* The server: how long a call takes, what a start costs, and two hundred sandboxes under load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { CROWD = 200, ROUNDS = 2001, STARTS = 41, LISTINGS = 41, PER_S = 1000, LOAD_S = 10 };

static bool call(struct peer *c, const char *text, double *ret_ms)
{
	const char *body = "";
	uint64_t start_ns = now_ns();
	int status = peer_call(c, text, strlen(text), &body);
	if (ret_ms)
		*ret_ms = ms_since(start_ns);
	if (status != 200)
		fprintf(stderr, "bench: %d %.300s\n", status, body);
	return status == 200;
}

static bool start(struct peer *c, const char *name, double *ret_ms)
{
	return call(c,
			call_text("sandbox.start", "bench", name,
					",\"config\":{\"image\":\"microsandbox/python\",\"memory\":64}"),
			ret_ms);
}

static bool stop(struct peer *c, const char *name)
{
	return call(c, call_text("sandbox.stop", "bench", name, ""), NULL);
}

/* ---- one call ----------------------------------------------------------------------------- */

enum { SERVE, ECHO, BARE, N_SERVERS }; /* ours, the echo, and that with an interpreter */

static void round_trips(struct peer peers[N_SERVERS], const char *name)
{
	struct samples took[N_SERVERS] = {{0}};
	double ms[N_SERVERS];
	for (int i = 0; i < ROUNDS; i++) {
		const char *text = sum_text("one");
		if (!call(&peers[SERVE], text, &ms[SERVE]) || !call(&peers[ECHO], text, &ms[ECHO])
				|| !call(&peers[BARE], text, &ms[BARE]))
			break;
		for (int k = 0; k < N_SERVERS; k++)
			samples_add(&took[k], ms[k]);
	}
	double echo_ms = samples_at(&took[ECHO], 0.5);
	if (took[SERVE].n < ROUNDS) {
		report_missing(name, "it failed");
	} else {
		report(name, samples_at(&took[SERVE], 0.5), "ms", echo_ms, 3);
		report_beside("  an interpreter right behind the echo",
				samples_at(&took[BARE], 0.5) / echo_ms, "times the echo");
	}
	for (int k = 0; k < N_SERVERS; k++)
		samples_free(&took[k]);
}

/* All servers live, and are asked in turns by one client, over connections that stay. Their processors are
 * said here, the same for all: a wake-up costs ten times as much on another processor as on one's own, and
 * left alone the scheduler now puts the echo beside its client and now away from it, so that the quotient
 * would be its choice. Apart from the client is where a server is whose client is anybody else. */
static void bench_call(enum placement where, const char *name)
{
	struct served servers[N_SERVERS] = {{0}};
	struct peer peers[N_SERVERS] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
	place_servers(where);
	bool is_ready = served_start(&servers[SERVE], BENCH_PROGRAM, NULL)
			&& echo_start(&servers[ECHO], false) && echo_start(&servers[BARE], true);
	place_client(where);
	for (int i = 0; i < N_SERVERS && is_ready; i++)
		is_ready = peer_open(&peers[i], servers[i].port);
	if (is_ready && start(&peers[SERVE], "one", NULL) && call(&peers[SERVE], sum_text("one"), NULL)
			&& call(&peers[BARE], sum_text("one"), NULL))
		round_trips(peers, name);
	else
		report_missing(name, "a server did not start");
	place_client(PLACE_ANYWHERE);
	for (int i = 0; i < N_SERVERS; i++)
		peer_close(&peers[i]);
	served_stop(&servers[SERVE]);
	echo_stop(&servers[ECHO]);
	echo_stop(&servers[BARE]);
}

static void bench_start(struct peer *c)
{
	struct samples started = {0}, ready = {0};
	double start_ms, run_ms;
	char name[32];
	for (int i = 0; i < STARTS; i++) {
		snprintf(name, sizeof name, "start-%d", i);
		if (!start(c, name, &start_ms) || !call(c, sum_text(name), &run_ms) || !stop(c, name))
			break;
		samples_add(&started, start_ms);
		samples_add(&ready, start_ms + run_ms);
	}
	if (started.n < STARTS) {
		report_missing("sandbox.start", "it failed");
	} else {
		report("sandbox.start, python", samples_at(&started, 0.5), "ms", 0, 60);
		report("sandbox.start and the first run", samples_at(&ready, 0.5), "ms", 0, 60);
	}
	samples_free(&started);
	samples_free(&ready);
}

/* ---- two hundred ---------------------------------------------------------------------------- */

static void bench_load(const struct served *s)
{
	unsigned n = CROWD;
	struct load load = {.port = s->port,
			.per_s = PER_S,
			.seconds = LOAD_S,
			.request = crowd_request,
			.is_right = crowd_is_right,
			.user = &n};
	struct samples ms = {0};
	if (!load_run(&load, &ms)) {
		report_missing("1000 requests/s", "could not connect");
		return;
	}
	if (load.n_errors)
		fprintf(stderr, "bench: the first error: %s\n", load.error);
	report("1000 requests/s to 200 sandboxes, median", samples_at(&ms, 0.5), "ms", 0, 50);
	report("the same, 99th percentile", samples_at(&ms, 0.99), "ms", 0, 50);
	report("the same, errors", load.n_errors, "", 0, 0);
	samples_free(&ms);
}

static void bench_metrics(struct peer *c)
{
	struct samples ms = {0};
	double took;
	for (int i = 0; i < LISTINGS && call(c, call_text("sandbox.metrics.get", "*", NULL, ""), &took); i++)
		samples_add(&ms, took);
	if (ms.n < LISTINGS)
		report_missing("metrics of 200 sandboxes", "it failed");
	else
		report("metrics of 200 sandboxes", samples_at(&ms, 0.5), "ms", 0, 20);
	samples_free(&ms);
}

static void bench_crowd(struct peer *c, const struct served *s)
{
	char name[32];
	for (int i = 0; i < CROWD; i++) {
		snprintf(name, sizeof name, "crowd-%d", i);
		if (!start(c, name, NULL) || !call(c, sum_text(name), NULL)) {
			report_missing("200 sandboxes", "not all of them started");
			return;
		}
	}
	bench_metrics(c);
	bench_load(s);
	report("memory of the server with 200 sandboxes", served_mib(s, "Pss"), "MiB", 0, 30);
}

void bench_serve(void)
{
	struct served s;
	struct peer c = {.fd = -1};
	bench_call(PLACE_APART, "repl.run over HTTP against an echo by libmicrohttpd");
	bench_call(PLACE_TOGETHER, "the same, all on one processor");
	bench_call(PLACE_ANYWHERE, "the same, where the scheduler puts them");
	if (!served_start(&s, BENCH_PROGRAM, NULL) || !peer_open(&c, s.port)) {
		report_missing("terrarium serve", "it did not start");
	} else {
		bench_start(&c);
		bench_crowd(&c, &s);
	}
	peer_close(&c);
	served_stop(&s);
}
