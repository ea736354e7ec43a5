/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_AUTH_H
#define TRM_SERVER_JSONRPC_AUTH_H

/* Who calls, by the key in Proxy-Authorization or else Authorization; "Bearer " in front of it may be left
 * out. */

#include <stdbool.h>

#include "rpc/fault.h"
#include "server/http/http.h"
#include "server/jsonrpc/call.h"

struct cJSON;

/* A server in developers' mode lets in everybody. False: *ret_fault. */
bool auth_caller(const struct trm_server *server, const struct http_request *request, struct caller *ret,
		enum rpc_fault_id *ret_fault);

/* May they call a method with these params? A key for one namespace wants it to be named. False: *ret_fault
 * and the text for the client. */
bool auth_covers(const struct caller *who, const struct cJSON *params, enum rpc_fault_id *ret_fault,
		char *text, size_t cap);

#endif
