/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_ENVELOPE_H
#define TRM_RPC_ENVELOPE_H

/* JSON-RPC 2.0 as microsandbox speaks it: reads requests and writes replies. Absent members are left out,
 * never null, because its clients test for the key "error". A request whose id is absent or null gets a
 * full reply without id. */

#include <stddef.h>

#include "rpc/fault.h"

struct cJSON;
struct trm_error;

struct rpc_request {
	struct cJSON *json;         /* the whole request; owns what the other members point to */
	const char *method;         /* NULL only if reading failed */
	const struct cJSON *params; /* NULL: none */
	struct cJSON *id;           /* the exact bytes that were sent (cJSON_Raw); NULL: none */
};

/* Read a request. Returns 0, or TRM_EPROTO (TRM_ENOMEM) with a message for the client. *ret_fault then says
 * how to answer, and `id` is set if it could be read. In either case rpc_request_finish() frees it. */
int rpc_request_read(struct rpc_request *ret, const char *text, size_t n, enum rpc_fault_id *ret_fault,
		struct trm_error *reterr);
void rpc_request_finish(struct rpc_request *request); /* accepts a zeroed object */

/* Replies as objects, which the caller owns, or as text. NULL: out of memory. */
/* Takes over result, which may be NULL. */
struct cJSON *rpc_reply_result(const struct cJSON *id, struct cJSON *result);
struct cJSON *rpc_reply_error(const struct cJSON *id, int code, const char *message);
/* The text of rpc_reply_result(), malloc'd. The id must come from rpc_request_read(). */
char *rpc_reply_text(const struct cJSON *id, struct cJSON *result);
/* The body of a failure in its shape, malloc'd. *ret_type is its content type. An empty body is "". */
char *rpc_fault_body(const struct rpc_fault *fault, const struct cJSON *id, const char *text,
		const char **ret_type);

#endif
