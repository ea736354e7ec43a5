/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_EVENTS_H
#define TRM_SERVER_JSONRPC_EVENTS_H

/* The answer to one call as a stream of events (<terrarium/server.h>, "Extension"). Nothing is sent until it
 * is begun, so that what fails before can still be answered plainly, with its status. What the client does
 * not read waits here; who writes has to hold back when told that something waits, and is told when all of it
 * has gone. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct http_request;
struct trm_loop;
struct trm_timer;

enum {
	EVENTS_BEAT_MS = 15000,
	EVENTS_ID = 17, /* 16 hex digits and a NUL */
};
/* What waits at most. Output is held back long before; a run's displays are 64 MiB at most. */
#define EVENTS_WAITING_MAX ((size_t)512 << 20)

struct events {
	struct http_request *http; /* NULL: the client has left, or all was said */
	struct trm_timer *beat;
	struct buf waiting;
	char run[EVENTS_ID]; /* what the client calls this run */
	bool has_begun, is_last;
	/* To be set by who writes; may be NULL. Not called after events_end(). */
	void (*on_flushed)(void *user);
	void *user;
	/* The carrier's: the client has left. Not called after events_end(). */
	void (*on_gone)(void *user);
	void *carrier;
};

/* NULL: out of memory. */
struct events *events_create(struct http_request *http, struct trm_loop *loop);
/* From now on `http` is answered by the stream. */
void events_begin(struct events *events);
/* One event. False: something waits now, on_flushed follows when it has gone. When the client has left, or
 * memory is lacking, it is lost, and the answer is true. */
bool events_put(struct events *events, const char *name, const char *json, size_t n);
/* The last event, if the stream was begun (else nothing is said); what waits is still sent, by and by.
 * `events` may not be touched any more. */
void events_end(struct events *events, const char *name, const char *json, size_t n);

#endif
