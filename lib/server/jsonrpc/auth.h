/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_AUTH_H
#define TRM_SERVER_JSONRPC_AUTH_H

/* Authenticates the caller by the key in Proxy-Authorization or Authorization. The prefix "Bearer " is
 * optional. */

#include <stdbool.h>

#include "rpc/fault.h"
#include "server/http/http.h"
#include "server/jsonrpc/call.h"

struct cJSON;

/* In developers' mode everybody is allowed. Returns false and sets *ret_fault if the caller is refused. */
bool auth_caller(const struct trm_server *server, const struct http_request *request, struct caller *ret,
		enum rpc_fault_id *ret_fault);

/* Check that the caller may call a method with these params. A key for one namespace requires that the
 * params name it. Returns false, *ret_fault and a text for the client if not. */
bool auth_covers(const struct caller *who, const struct cJSON *params, enum rpc_fault_id *ret_fault,
		char *text, size_t cap);

#endif
