/* SPDX-License-Identifier: MIT */
/* An open loop: requests that come when their time is there, as those of many people do. A client that waited
 * for each answer before it asked again would not notice a server that stands still. */
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/served.h"

enum { LANES = 128, LATE_S = 300 };

struct lane {
	struct peer client;
	bool is_busy;
	unsigned n;      /* of its request */
	uint64_t due_ns; /* of its request */
};

struct crowd {
	struct load *load;
	struct lane lanes[LANES];
	int epoll_fd;
	unsigned n_begun, n_wanted, n_busy;
	struct samples *latency_ms;
};

static void fail(struct crowd *w, const char *what, int status, const char *body)
{
	if (!w->load->n_errors++)
		snprintf(w->load->error, sizeof w->load->error, "%s %d %.200s", what, status, body);
}

static bool lane_open(struct crowd *w, struct lane *lane)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = lane}};
	lane->is_busy = false;
	return peer_open(&lane->client, w->load->port)
	       && epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, lane->client.fd, &event) == 0;
}

/* A server may close a connection that nobody has used for a minute. */
static void lane_broke(struct crowd *w, struct lane *lane)
{
	if (lane->is_busy)
		fail(w, "the connection broke", 0, "");
	peer_close(&lane->client);
	w->n_busy -= lane->is_busy;
	lane_open(w, lane);
}

static void lane_read(struct crowd *w, struct lane *lane)
{
	const char *body = "";
	int status = 0, got = peer_receive(&lane->client, &status, &body);
	if (got < 0) {
		lane_broke(w, lane);
	} else if (got > 0 && lane->is_busy) {
		samples_add(w->latency_ms, ms_since(lane->due_ns));
		if (!w->load->is_right(w->load->user, lane->n, status, body))
			fail(w, "a reply", status, body);
		lane->is_busy = false;
		w->n_busy--;
	}
}

static struct lane *idle_lane(struct crowd *w)
{
	for (size_t i = 0; i < LANES; i++)
		if (!w->lanes[i].is_busy && w->lanes[i].client.fd >= 0)
			return &w->lanes[i];
	return NULL;
}

/* Milliseconds until the next is due. */
static int begin_due(struct crowd *w, uint64_t start_ns)
{
	uint64_t step_ns = (uint64_t)(1e9 / w->load->per_s);
	for (; w->n_begun < w->n_wanted; w->n_begun++) {
		uint64_t due_ns = start_ns + w->n_begun * step_ns, now = now_ns();
		struct lane *lane;
		if (due_ns > now)
			return (int)((due_ns - now) / 1000000);
		if (!(lane = idle_lane(w)))
			return 1;
		const char *text = w->load->request(w->load->user, w->n_begun);
		lane->n = w->n_begun;
		lane->due_ns = due_ns;
		lane->is_busy = true;
		w->n_busy++;
		if (!peer_send(&lane->client, text, strlen(text)))
			lane_broke(w, lane);
	}
	return 100;
}

/* How many wait, and what the one that has done so the longest has asked: one among hundreds tells of a slow
 * machine, one alone of an answer that was lost. */
static void fail_late(struct crowd *w)
{
	const struct lane *oldest = NULL;
	for (size_t i = 0; i < LANES; i++)
		if (w->lanes[i].is_busy && (!oldest || w->lanes[i].n < oldest->n))
			oldest = &w->lanes[i];
	char what[128];
	snprintf(what, sizeof what, "no answer within %.0f s to %u of %u (%u asked), the oldest: request",
			w->load->seconds + LATE_S, w->n_busy, w->n_wanted, w->n_begun);
	fail(w, what, oldest ? (int)oldest->n : 0, oldest ? w->load->request(w->load->user, oldest->n) : "");
}

static void run(struct crowd *w)
{
	struct epoll_event events[LANES];
	uint64_t start_ns = now_ns();
	while (w->n_begun < w->n_wanted || w->n_busy) {
		int n = epoll_wait(w->epoll_fd, events, LANES, begin_due(w, start_ns));
		for (int i = 0; i < n; i++)
			lane_read(w, events[i].data.ptr);
		if (ms_since(start_ns) > (w->load->seconds + LATE_S) * 1000) {
			fail_late(w);
			return;
		}
	}
}

bool load_run(struct load *l, struct samples *latency_ms)
{
	struct crowd w = {.load = l, .latency_ms = latency_ms, .n_wanted = (unsigned)(l->per_s * l->seconds)};
	bool is_open = (w.epoll_fd = epoll_create1(EPOLL_CLOEXEC)) >= 0;
	l->n_errors = 0;
	for (size_t i = 0; i < LANES; i++)
		is_open = is_open && lane_open(&w, &w.lanes[i]);
	if (is_open)
		run(&w);
	for (size_t i = 0; i < LANES; i++)
		peer_close(&w.lanes[i].client);
	close(w.epoll_fd);
	return is_open;
}
