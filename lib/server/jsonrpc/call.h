/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_CALL_H
#define TRM_SERVER_JSONRPC_CALL_H

/* One call of a method, whoever carries it: a plain JSON-RPC reply, a stream of events, an MCP tool's result.
 * A method gets it (method.h) and ends it, at once or later, exactly once and in any case: by call_result()
 * or call_fail(). When the client leaves before, on_gone says so, and the call is still to be ended (which
 * then reaches nobody). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/fault.h"

struct cJSON;
struct call;
struct events;
struct trm_server;

/* Who calls. */
struct caller {
	char namespace[64]; /* the only one that the token is for; "*": all */
};

/* What carries a call, and how it ends it. */
struct call_carrier {
	void (*result)(struct call *call, struct cJSON *result); /* owns it; NULL: out of memory */
	void (*fail)(struct call *call, const struct rpc_fault *fault, const char *text);
};

struct call {
	struct trm_server *server;
	const struct caller *who;
	const char *method;         /* today's name */
	const struct cJSON *params; /* NULL: none */
	uint64_t id;                /* never 0, never used twice in this server */
	const struct call_carrier *carrier;
	void *carrier_data;
	/* Of a failure, in a header of the plain reply, for clients that end as the command would have: NULL
	 * or a word of <terrarium/server.h>. */
	const char *reason;
	struct events *events; /* NULL: the client wants none. What a run does with it: run_stream.h */
	/* The method's. */
	void (*on_gone)(struct call *call, void *user); /* may end the call, or later */
	void *user;
};

void call_result(struct call *call, struct cJSON *result);
/* The text is for a person: the real reason. */
void call_fail(struct call *call, enum rpc_fault_id fault, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
/* "Invalid params for METHOD: " in front. */
void call_fail_params(struct call *call, const char *why);

/* The client wants events. */
bool call_streams(const struct call *call);

/* For carriers: find the method and let it begin; an unknown one fails, and one for a namespace that the
 * caller has no key for. Everything that `call` points to stays until it is ended. */
void call_begin(struct call *call);
/* For carriers: what is said of it in logs, "METHOD NAMESPACE/SANDBOX". */
enum {
	CALL_REPORTED_METHOD = 40,
	CALL_REPORTED_NAME = 64,
	CALL_REPORTED = CALL_REPORTED_METHOD + 2 * CALL_REPORTED_NAME + 3
};
void call_tell(const struct call *call, char out[static CALL_REPORTED]);
/* For carriers: the client has left. */
void call_gone(struct call *call);

#endif
