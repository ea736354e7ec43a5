/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_CALL_H
#define TRM_SERVER_JSONRPC_CALL_H

/* One call of a method, whichever carrier it has: a plain JSON-RPC reply, a stream of events, or an MCP
 * tool. A method (method.h) ends the call exactly once, at once or later, by call_result() or call_fail().
 * If the client leaves earlier, on_gone is called. The call must still be ended then, although nobody reads
 * the result. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/fault.h"

struct cJSON;
struct call;
struct events;
struct trm_server;

/* The authenticated caller. */
struct caller {
	char namespace[64]; /* the only one that the token allows; "*": all */
};

/* The carrier of a call, and how it receives the end. */
struct call_carrier {
	/* Takes over `result`; NULL: out of memory. */
	void (*result)(struct call *call, struct cJSON *result);
	void (*fail)(struct call *call, const struct rpc_fault *fault, const char *text);
};

struct call {
	struct trm_server *server;
	const struct caller *who;
	const char *method;         /* its current name */
	const struct cJSON *params; /* NULL: none */
	uint64_t id;                /* never 0, and unique in this server */
	const struct call_carrier *carrier;
	void *carrier_data;
	/* For a header of a plain failure, so that clients can exit as the command would have: NULL or a
	 * word of <terrarium/server.h>. */
	const char *reason;
	struct events *events; /* NULL: the client wants none. Runs use it as run_stream.h says */
	/* Set by the method. */
	void (*on_gone)(struct call *call, void *user); /* the client has left; may end the call */
	void *user;
};

void call_result(struct call *call, struct cJSON *result);
/* The text is for a person and states the real reason. */
void call_fail(struct call *call, enum rpc_fault_id fault, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
/* Puts "Invalid params for METHOD: " before the text. */
void call_fail_params(struct call *call, const char *why);

/* The client wants events. */
bool call_streams(const struct call *call);

/* For carriers: find the method and begin it. Unknown methods fail, and so do namespaces that the caller
 * has no key for. Everything that `call` points to must live until its end. */
void call_begin(struct call *call);
/* For carriers: the text for logs, "METHOD NAMESPACE/SANDBOX". */
enum {
	CALL_REPORTED_METHOD = 40,
	CALL_REPORTED_NAME = 64,
	CALL_REPORTED = CALL_REPORTED_METHOD + 2 * CALL_REPORTED_NAME + 3
};
void call_format(const struct call *call, char out[static CALL_REPORTED]);
/* For carriers: the client has left. */
void call_gone(struct call *call);

#endif
