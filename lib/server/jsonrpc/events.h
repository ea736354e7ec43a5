/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_EVENTS_H
#define TRM_SERVER_JSONRPC_EVENTS_H

/* The reply to one call as a stream of events (<terrarium/server.h>, "Extension"). Nothing is sent before
 * the stream begins, so that an earlier failure can be answered plainly, with its status. Events that the
 * client does not read are queued here. The writer has to pause when it is told that events are queued, and
 * is told when the queue is empty again. */

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
/* The longest queue. Writers of output pause long before; the displays of a run are 64 MiB at most. */
#define EVENTS_WAITING_MAX ((size_t)512 << 20)

struct events {
	struct http_request *http; /* NULL: the client has left, or the stream has ended */
	struct trm_timer *beat;
	struct buf waiting;
	char run[EVENTS_ID]; /* the client's id of this run */
	bool has_begun, is_last;
	/* Set by the writer; may be NULL. Not called after events_end(). */
	void (*on_flushed)(void *user);
	void *user;
	/* Set by the carrier: the client has left. Not called after events_end(). */
	void (*on_gone)(void *user);
	void *carrier;
};

/* NULL: out of memory. */
struct events *events_create(struct http_request *http, struct trm_loop *loop);
/* From now on, `http` is answered by the stream. */
void events_begin(struct events *events);
/* Write one event. Returns false if events are queued now; on_flushed follows when they are sent. If the
 * client has left, or memory is lacking, the event is lost and the result is true. */
bool events_put(struct events *events, const char *name, const char *json, size_t n);
/* Write the last event, if the stream has begun. The queue is still sent. `events` must not be used any
 * more. */
void events_end(struct events *events, const char *name, const char *json, size_t n);

#endif
