/* SPDX-License-Identifier: MIT */
/* soak PROGRAM SECONDS: a server that is used for that long, by clients that start, run, ask, stop, err and
 * leave in the middle. Nothing may have grown at the end: descriptors, processes, memory. Exit status 1 if
 * something has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { STAYING = 5, COMING = 3, PER_S = 200, ROUND_S = 4, QUIET_MS = 10000 };
/* What an allocator may keep in reserve, of which a leak of a hundred bytes per request is ten times as much.
 */
#define GROWTH_MIB 1.5
#define LEAST_ROUNDS 4u

struct state {
	double mib;
	int descriptors, processes;
};

static bool call(struct peer *c, const char *text)
{
	const char *body = "";
	int status = peer_call(c, text, strlen(text), &body);
	if (status != 200)
		fprintf(stderr, "soak: %s: %d %.300s\n", text, status, body);
	return status == 200;
}

static bool start(struct peer *c, const char *name)
{
	return call(c, call_text("sandbox.start", "soak", name,
				       ",\"config\":{\"image\":\"microsandbox/python\",\"memory\":64}"));
}

static const char *run_text(const char *name, const char *code)
{
	static char more[256];
	snprintf(more, sizeof more, ",\"language\":\"python\",\"code\":\"%s\"", code);
	return call_text("sandbox.repl.run", "soak", name, more);
}

/* ---- the load ------------------------------------------------------------------------------- */

enum kind { RUN, COMMAND, METRICS, RAISE, PRINT, UNKNOWN, NO_METHOD, BROKEN, KINDS };

static const char *request(void *user, unsigned n)
{
	char name[32];
	(void)user;
	snprintf(name, sizeof name, "stays-%u", n / KINDS % STAYING);
	switch ((enum kind)(n % KINDS)) {
	case COMMAND: return call_text("sandbox.command.run", "soak", name, ",\"command\":\"true\"");
	case METRICS: return call_text("sandbox.metrics.get", "*", NULL, "");
	case RAISE: return run_text(name, "1/0");
	case PRINT: return run_text(name, "print('x' * 20000)");
	case UNKNOWN: return run_text("nobody", "1");
	case NO_METHOD: return call_text("sandbox.none", "soak", name, "");
	case BROKEN: return "{\"jsonrpc\":";
	default: return run_text(name, "1+1");
	}
}

static bool is_right(void *user, unsigned n, int status, const char *body)
{
	static const int wanted[KINDS] = {[UNKNOWN] = 500, [NO_METHOD] = 404, [BROKEN] = 400};
	int want = wanted[n % KINDS] ? wanted[n % KINDS] : 200;
	(void)user, (void)body;
	return status == want;
}

/* Sandboxes that come and go, and a client that goes in the middle of a run. */
static bool come_and_go(struct peer *c, uint16_t port)
{
	struct peer leaving = {.fd = -1};
	char name[32];
	for (int i = 0; i < COMING; i++) {
		snprintf(name, sizeof name, "comes-%d", i);
		if (!start(c, name) || !call(c, run_text(name, "open('/tmp/f', 'w').write('x' * 100000)"))
				|| !call(c, call_text("sandbox.stop", "soak", name, "")))
			return false;
	}
	const char *text = run_text("stays-0", "while True: pass");
	bool is_open = peer_open(&leaving, port) && peer_send(&leaving, text, strlen(text));
	peer_close(&leaving);
	return is_open && call(c, run_text("stays-0", "1"));
}

static bool one_round(struct peer *c, const struct served *s)
{
	struct load load = {.port = s->port,
			.per_s = PER_S,
			.seconds = ROUND_S,
			.request = request,
			.is_right = is_right};
	struct samples ms = {0};
	bool is_well = load_run(&load, &ms) && load.n_errors == 0 && come_and_go(c, s->port);
	if (load.n_errors)
		fprintf(stderr, "soak: %u errors, the first: %s\n", load.n_errors, load.error);
	samples_free(&ms);
	return is_well;
}

/* ---- what it holds ---------------------------------------------------------------------------- */

static struct state state_of(const struct served *s)
{
	/* Of the program's own pages its share grows when other programs that have them end. */
	return (struct state){.mib = served_mib(s, "Pss_Anon"),
			.descriptors = served_descriptors(s),
			.processes = served_processes(s)};
}

/* What was just closed or stopped may take a moment. */
static struct state quiet(const struct served *s, const struct state *before)
{
	static const struct timespec moment = {.tv_nsec = 50000000};
	uint64_t start_ns = now_ns();
	struct state now = state_of(s);
	while (before && (now.descriptors > before->descriptors || now.processes > before->processes)
			&& ms_since(start_ns) < QUIET_MS) {
		nanosleep(&moment, NULL);
		now = state_of(s);
	}
	return now;
}

static bool has_grown(const struct state *before, const struct state *after)
{
	return after->descriptors > before->descriptors || after->processes > before->processes
	       || after->mib > before->mib + GROWTH_MIB;
}

static void print(double seconds, const struct state *state)
{
	printf("%6.0f s  %3d descriptors  %3d processes  %.1f MiB\n", seconds, state->descriptors,
			state->processes, state->mib);
	fflush(stdout);
}

/* The first rounds fill caches, pools and the heap: how far, depends on how many requests had to wait at
 * once. */
static bool soak(struct peer *c, const struct served *s, double seconds)
{
	uint64_t start_ns = now_ns();
	char name[32];
	for (int i = 0; i < STAYING; i++) {
		snprintf(name, sizeof name, "stays-%d", i);
		if (!start(c, name) || !call(c, run_text(name, "1")))
			return false;
	}
	if (!one_round(c, s) || !one_round(c, s))
		return false;
	struct state before = quiet(s, NULL), after = before;
	print(ms_since(start_ns) / 1000, &before);
	for (unsigned round = 0; round < LEAST_ROUNDS || ms_since(start_ns) < seconds * 1000; round++) {
		if (!one_round(c, s))
			return false;
		after = quiet(s, &before);
		if (round < LEAST_ROUNDS / 2 && after.mib > before.mib)
			before.mib = after.mib;
		print(ms_since(start_ns) / 1000, &after);
	}
	if (has_grown(&before, &after))
		puts("it has grown");
	return !has_grown(&before, &after);
}

int main(int argc, char **argv)
{
	struct served s;
	struct peer c = {.fd = -1};
	if (argc != 3) {
		fputs("Usage: soak PROGRAM SECONDS\n", stderr);
		return 2;
	}
	if (!served_start(&s, argv[1], NULL) || !peer_open(&c, s.port)) {
		fputs("soak: the server did not start\n", stderr);
		return 1;
	}
	bool is_well = soak(&c, &s, atof(argv[2]));
	peer_close(&c);
	served_stop(&s);
	return !is_well;
}
