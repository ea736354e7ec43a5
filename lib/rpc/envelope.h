/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_ENVELOPE_H
#define TRM_RPC_ENVELOPE_H

/* JSON-RPC 2.0 as microsandbox speaks it: requests read, replies written. Members that are absent are left
 * out, never null (its clients test for the key "error"). A request without id, or with null, gets a full
 * reply without id. */

#include <stddef.h>

#include "rpc/fault.h"

struct cJSON;
struct trm_error;

struct rpc_request {
	struct cJSON *json;         /* all of it; owns what the others point to */
	const char *method;         /* NULL only when reading failed */
	const struct cJSON *params; /* NULL: none */
	struct cJSON *id;           /* as it was sent, to the byte (cJSON_Raw); NULL: none */
};

/* Read a request. 0; or TRM_EPROTO (TRM_ENOMEM) with the sentence for the client, and *ret_fault says how it
 * is answered; `id` is then there if it could be read. In either case rpc_request_finish() ends it. */
int rpc_request_read(struct rpc_request *ret, const char *text, size_t n, enum rpc_fault_id *ret_fault,
		struct trm_error *reterr);
void rpc_request_finish(struct rpc_request *request); /* takes a zeroed object */

/* Replies, as objects (the caller's) for whoever sends them on, and as text. NULL: out of memory. */
struct cJSON *rpc_reply_result(const struct cJSON *id, struct cJSON *result); /* owns result, NULL too */
struct cJSON *rpc_reply_error(const struct cJSON *id, int code, const char *message);
/* The text of rpc_reply_result(), malloc'd, for an id of rpc_request_read()'s. */
char *rpc_reply_text(const struct cJSON *id, struct cJSON *result);
/* The body of a failure by its shape: malloc'd, *ret_type its content type. An empty body is "". */
char *rpc_fault_body(const struct rpc_fault *fault, const struct cJSON *id, const char *text,
		const char **ret_type);

#endif
