/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_FAULT_H
#define TRM_RPC_FAULT_H

/* The failures that a client may see, as microsandbox 0.2.x reports them: HTTP status, shape of the body
 * and code. The text is ours and states the real reason. (Facts: route.rs, handler.rs, middleware.rs and
 * error.rs of its server.) */

#include <stddef.h>

/* The shape of a reply's body. */
enum rpc_shape {
	RPC_SHAPE_EMPTY,
	RPC_SHAPE_TEXT,  /* text/plain */
	RPC_SHAPE_PLAIN, /* {"error":TEXT,"code":CODE} */
	RPC_SHAPE_ERROR, /* {"jsonrpc":"2.0","error":{"code":CODE,"message":TEXT},"id":ID} */
};

/* X(name, HTTP status, shape, code, general text) */
/* clang-format off */
#define RPC_FAULTS(X) \
	X(NO_ROUTE, 404, EMPTY, 0, "Not Found") \
	X(WRONG_VERB, 405, EMPTY, 0, "Method Not Allowed") \
	X(TOO_BIG, 413, TEXT, 0, "Failed to buffer the request body: length limit exceeded: it may have 2 MiB; files go in pieces") \
	X(NOT_JSON, 415, TEXT, 0, "Expected request with `Content-Type: application/json`") \
	X(BROKEN, 400, TEXT, 0, "Failed to parse the request body as JSON") \
	X(MISSHAPEN, 422, TEXT, 0, "Failed to deserialize the JSON body into the target type") \
	X(VERSION, 400, ERROR, -32600, "Invalid Request") \
	X(NO_METHOD, 404, ERROR, -32601, "Method not found") \
	X(CREDENTIALS, 401, PLAIN, 1001, "Invalid credentials") \
	X(TOKEN, 401, PLAIN, 1004, "Invalid or expired token") \
	X(PARAMS, 400, PLAIN, 2001, "Invalid params") \
	X(DENIED, 403, PLAIN, 3001, "Access denied") \
	X(INTERNAL, 500, PLAIN, 5002, "Internal server error") \
	X(OVERLOADED, 503, PLAIN, 5002, "Too many requests at once")
/* clang-format on */

enum rpc_fault_id {
#define X(name, http, shape, code, text) RPC_##name,
	RPC_FAULTS(X)
#undef X
			RPC_N_FAULTS
};

struct rpc_fault {
	int http;
	enum rpc_shape shape;
	int code;
	const char *text; /* used if no better text is known */
};

const struct rpc_fault *rpc_fault(enum rpc_fault_id id);

#endif
