/* SPDX-License-Identifier: MIT */
/* A hundred pods of a real cluster behind one server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { PODS = 100, STARTS_PER_S = 2, PODS_PER_S = 300, PODS_S = 10 };

/* BENCH_PODS in the environment: another number, for a machine that cannot hold so many. */
static unsigned count_pods(void)
{
	const char *asked = getenv("BENCH_PODS");
	return asked && atoi(asked) > 0 ? (unsigned)atoi(asked) : PODS;
}

static const char *start_request(void *user, unsigned n)
{
	char name[32];
	(void)user;
	snprintf(name, sizeof name, "crowd-%u", n);
	return call_text("sandbox.start", "bench", name, ",\"config\":{\"image\":\"python\",\"memory\":64}");
}

static bool is_started(void *user, unsigned n, int status, const char *body)
{
	(void)user, (void)n;
	return status == 200 && strstr(body, "successfully");
}

static const char *first_sum(void *user, unsigned n)
{
	char name[32];
	(void)user;
	snprintf(name, sizeof name, "crowd-%u", n);
	return sum_text(name);
}

static bool is_two(void *user, unsigned n, int status, const char *body)
{
	(void)user, (void)n;
	return status == 200 && strstr(body, "\"text\":\"2\"");
}

/* Start all of them, and their interpreters. */
static bool start_pods(uint16_t port, unsigned n_pods)
{
	struct samples ms = {0};
	struct load start = {.port = port,
			.per_s = STARTS_PER_S,
			.seconds = (double)n_pods / STARTS_PER_S,
			.request = start_request,
			.is_right = is_started};
	struct load sum = start;
	sum.request = first_sum;
	sum.is_right = is_two;
	bool is_good = load_run(&start, &ms) && !start.n_errors;
	if (is_good)
		report_beside("sandbox.start of a pod, two each second", samples_at(&ms, 0.5), "ms");
	is_good = is_good && load_run(&sum, &ms) && !sum.n_errors;
	if (!is_good)
		report_missing("pods behind one server", start.n_errors ? start.error : sum.error);
	samples_free(&ms);
	return is_good;
}

static void use_pods(const struct served *s, unsigned n_pods, const char *dir)
{
	struct samples ms = {0};
	struct load mixed = {.port = s->port,
			.per_s = PODS_PER_S,
			.seconds = PODS_S,
			.request = crowd_request,
			.is_right = crowd_is_right,
			.user = &n_pods};
	uint64_t start_ns = now_ns();
	bool is_done = load_run(&mixed, &ms);
	const double per_s = (double)ms.n / (ms_since(start_ns) / 1000);
	report_beside("pods behind one server", n_pods, "alive");
	report("memory of the server, the supervisors and the proxy", helpers_mib(dir, s->pid), "MiB", 0,
			100);
	report_beside("of these the server", served_mib(s, "Pss"), "MiB");
	report_beside("and all but supervisors", helpers_mib(dir, -1), "MiB");
	report_beside("mixed requests to them, 300 asked", per_s, "per second");
	report("p99 of these", samples_at(&ms, 0.99), "ms", 0, 150);
	report("errors", is_done ? mixed.n_errors : 1, "", 0, 0);
	if (mixed.n_errors)
		fprintf(stderr, "bench: %s\n", mixed.error);
	samples_free(&ms);
}

void bench_served_pods(const char *dir)
{
	const unsigned n_pods = count_pods();
	char files[64]; /* of its own: another server may hold the usual folder */
	snprintf(files, sizeof files, "%s/namespaces", dir);
	const char *const argv[] = {BENCH_PROGRAM, "serve", "--dev", "--port", "0", "--backend", "kubernetes",
			"--image", "localhost/tt:deb", "--max-sandboxes", "1000", "--namespace-dir", files,
			NULL};
	struct served s;
	if (!served_spawn(&s, argv, (const char *const *)environ)) {
		report_missing("pods behind one server", "terrarium serve did not start");
		return;
	}
	if (start_pods(s.port, n_pods))
		use_pods(&s, n_pods, dir);
	served_stop(&s);
}
