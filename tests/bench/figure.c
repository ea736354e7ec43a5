/* SPDX-License-Identifier: MIT */
/* A figure of 10 MB out of a sandbox, through the server's event stream, against the same bytes from a
 * libmicrohttpd: curl fetches both. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { FETCHES = 21 };

static bool begin_figure(struct peer *c)
{
	static const char code[] = ",\"language\":\"python\",\"code\":\"import os\\n"
				   "class Figure:\\n"
				   "    def __init__(self): self.bytes = os.urandom(10000000)\\n"
				   "    def _repr_png_(self): return self.bytes\\n"
				   "figure = Figure()\"";
	const char *body = "";
	const char *start = call_text("sandbox.start", "bench", "figure",
			",\"config\":{\"image\":\"microsandbox/python\",\"memory\":512}");
	if (peer_call(c, start, strlen(start), &body) != 200)
		return false;
	const char *run = call_text("sandbox.repl.run", "bench", "figure", code);
	return peer_call(c, run, strlen(run), &body) == 200 && strstr(body, "\"status\":\"success\"");
}

static double fetch_ms(uint16_t port, const char *request)
{
	char address[64];
	snprintf(address, sizeof address, "http://127.0.0.1:%u/api/v1/rpc", (unsigned)port);
	const char *plain[] = {"/usr/bin/curl", "-sSNf", "-o", "/dev/null", address, NULL};
	const char *stream[] = {"/usr/bin/curl", "-sSNf", "-o", "/dev/null", "-H",
			"Content-Type: application/json", "-H", "Accept: text/event-stream", "-d", request,
			address, NULL};
	return spawn_ms(request ? stream : plain, false);
}

static void report_fetches(const struct served *ours, const struct served *bare)
{
	struct samples figure = {0}, same = {0};
	const char *request = call_text("sandbox.repl.run", "bench", "figure",
			",\"language\":\"python\",\"code\":\"display(figure)\"");
	for (int i = 0; i < FETCHES; i++) {
		double took = fetch_ms(ours->port, request), bare_took = fetch_ms(bare->port, NULL);
		if (took < 0 || bare_took < 0)
			break;
		samples_add(&figure, took);
		samples_add(&same, bare_took);
	}
	if (figure.n < FETCHES)
		report_missing("a figure of 10 MB through the event stream", "curl failed");
	else
		report("a figure of 10 MB through the event stream", samples_at(&figure, 0.5), "ms",
				samples_at(&same, 0.5), 3);
	samples_free(&figure);
	samples_free(&same);
}

void bench_figure(void)
{
	struct served ours = {0}, bare = {0};
	struct peer c = {.fd = -1};
	if (!program_exists("/usr/bin/curl"))
		report_missing("a figure of 10 MB through the event stream", "curl is missing");
	else if (served_start(&ours, BENCH_PROGRAM, NULL) && echo_start(&bare, false)
			&& peer_open(&c, ours.port) && begin_figure(&c))
		report_fetches(&ours, &bare);
	else
		report_missing("a figure of 10 MB through the event stream", "a server did not start");
	peer_close(&c);
	served_stop(&ours);
	echo_stop(&bare);
}
