/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_EXPOSITION_H
#define TRM_SERVER_JSONRPC_EXPOSITION_H

/* Answers GET /metrics. */

#include "server/jsonrpc/server.h"

void exposition_handle(struct trm_server *server, struct http_request *request, const struct caller *who);

#endif
