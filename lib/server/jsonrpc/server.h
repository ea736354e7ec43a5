/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_SERVER_H
#define TRM_SERVER_JSONRPC_SERVER_H

/* The inside of a server, for the files of this room.
 *
 *   server.c     the handle: opening, closing
 *   listener.h      sockets, connections, HTTP
 *   route.c      which path and verb goes where
 *   auth.c       who may
 *   rpc.c        JSON-RPC over HTTP: carrier of calls
 *   call.h       one call
 *   events.h     its answer as a stream of events
 *   run_stream.h a run that tells such events, and is reached by other calls
 *   mcp.h        the Model Context Protocol: another carrier of calls
 *   method.h     the methods' table
 *   exposition.h the figures at /metrics
 *   fleet.h      the sandboxes */

#include <terrarium/error.h>
#include <terrarium/server.h>

#include "server/http/listener.h"
#include "server/jsonrpc/call.h"
#include "server/sandboxes/fleet.h"

struct post;

struct trm_server {
	struct trm_loop *loop;
	struct trm_serve_opts opts; /* the texts are copied into the buffers below */
	const struct trm_server_cb *cb;
	void *user;
	struct listener *listener;
	struct fleet *fleet;   /* NULL: not open */
	struct trm_timer *end; /* while closing: when to check again whether all is over */
	uint64_t last_call;
	struct run_stream *runs; /* whose clients want events */
	struct post *posts;      /* to /mcp, not answered yet (mcp.c) */
	bool is_closing;
	uint64_t ended_ns;        /* when all sandboxes were gone */
	struct hmac hmac;         /* zeroed in developers' mode */
	char key[TRM_SERVER_KEY]; /* opts.key points here */
	char host[256];
	char group[32]; /* "serve:5555" */
};

/* Callbacks of the listener. `user` is the server. */
void route_peek(void *user, struct http_request *request);
void route_handle(void *user, struct http_request *request);

/* Answer a request that is no call with a failure. */
void server_refuse(struct http_request *request, enum rpc_fault_id id, const struct cJSON *call_id,
		const char *text, const char *const *headers);

/* POST /api/v1/rpc and its other paths, with the body. */
void rpc_handle(struct trm_server *server, struct http_request *request, const struct caller *who);

#endif
