/* SPDX-License-Identifier: MIT */
#include "server/jsonrpc/events.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include <terrarium/loop.h>

#include "rpc/events.h"
#include "server/http/http.h"

static void destroy(struct events *e)
{
	trm_timer_remove(e->beat);
	buf_finish(&e->waiting);
	free(e);
}

static void send_beat(void *user)
{
	struct events *e = user;
	if (e->http && e->has_begun && !e->waiting.len)
		http_stream_write(e->http, ":\n\n", 3);
}

struct events *events_create(struct http_request *http, struct trm_loop *loop)
{
	struct events *e = calloc(1, sizeof *e);
	uint64_t id;
	if (!e || trm_loop_add_timer(loop, send_beat, e, &e->beat, NULL) < 0
			|| getrandom(&id, sizeof id, 0) != sizeof id) {
		if (e)
			destroy(e);
		return NULL;
	}
	snprintf(e->run, sizeof e->run, "%016llx", (unsigned long long)id);
	buf_init(&e->waiting, EVENTS_WAITING_MAX);
	e->http = http;
	return e;
}

/* Send as much of the queue as there is room for. */
static void send_waiting(struct events *e)
{
	while (e->http && e->waiting.len) {
		size_t room = http_stream_room(e->http), n = e->waiting.len < room ? e->waiting.len : room;
		/* A write that does not fit makes the stream call on_room later. */
		if (http_stream_write(e->http, buf_at(&e->waiting), n ? n : 1) < 0)
			return;
		buf_take(&e->waiting, n ? n : 1);
	}
}

static void end_stream(struct events *e)
{
	http_stream_end(e->http);
	destroy(e);
}

static void on_room(struct http_request *http, void *user)
{
	struct events *e = user;
	(void)http;
	send_waiting(e);
	if (e->waiting.len)
		return;
	if (e->is_last)
		end_stream(e);
	else if (e->on_flushed)
		e->on_flushed(e->user);
}

static void on_gone(struct http_request *http, void *user)
{
	struct events *e = user;
	(void)http;
	e->http = NULL;
	buf_finish(&e->waiting);
	if (e->is_last)
		destroy(e);
	else if (e->on_gone)
		e->on_gone(e->carrier);
}

void events_begin(struct events *e)
{
	if (!e->http || e->has_begun)
		return;
	e->has_begun = true;
	e->http->on_gone = on_gone;
	e->http->on_room = on_room;
	e->http->user = e;
	http_stream_begin(e->http, 200, "text/event-stream",
			(const char *const[]){"Cache-Control", "no-cache", "X-Accel-Buffering", "no",
					"Terrarium-Run", e->run, NULL});
	trm_timer_start(e->beat, EVENTS_BEAT_MS, EVENTS_BEAT_MS);
}

bool events_put(struct events *e, const char *name, const char *json, size_t n)
{
	if (!e->http)
		return true;
	size_t before = e->waiting.len;
	if (event_put(&e->waiting, name, json, n) < 0) {
		e->waiting.len = before; /* drop the partial event */
		return true;
	}
	send_waiting(e);
	return !e->waiting.len;
}

void events_end(struct events *e, const char *name, const char *json, size_t n)
{
	if (e->has_begun)
		events_put(e, name, json, n);
	e->is_last = true;
	if (!e->has_begun || !e->http)
		destroy(e);
	else if (!e->waiting.len)
		end_stream(e);
}
