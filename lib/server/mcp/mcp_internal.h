/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_MCP_INTERNAL_H
#define TRM_SERVER_MCP_INTERNAL_H

/* Private to the files that answer a POST to /mcp. */

#include <stdbool.h>

#include "rpc/envelope.h"
#include "server/jsonrpc/server.h"
#include "server/mcp/mcp.h"

struct cJSON;

enum { MCP_BAD_REQUEST = -32600, MCP_NOT_FOUND = -32601, MCP_BAD_PARAMS = -32602, MCP_INTERNAL = -32603 };

/* A random session number. initialize returns it and later requests send it, so that equal request ids of
 * different clients stay apart. The server stores nothing for it. */
enum { SESSION_BYTES = 16, SESSION_TEXT = 2 * SESSION_BYTES + 1 };

/* One POST: a single message or a batch. */
struct post {
	struct trm_server *server;
	struct post *next;
	struct http_request *http; /* NULL: the client has left */
	struct caller who;
	char session[SESSION_TEXT]; /* "": none */
	bool begins_session;
	struct message *messages; /* not answered yet */
	bool is_batch;
	bool has_response;     /* one of the messages was a response */
	bool is_read;          /* all messages have been handled */
	bool is_short;         /* memory was lacking for one of the replies */
	struct cJSON *replies; /* array */
};

/* A message, and the call of a method if it became one. */
struct message {
	struct message *next;
	struct post *post;
	struct rpc_request request;
	struct call call;
	bool is_gone;         /* the call has been told that the client has left */
	bool wants_no_answer; /* a notification, or canceled */
};

/* Answer and free the message. Takes over `result`; if it is NULL, memory is lacking and the whole post
 * fails. */
void mcp_reply_result(struct message *m, struct cJSON *result);
void mcp_reply_error(struct message *m, int code, const char *text);

/* The method tools/call. */
void mcp_call_tool(struct message *m);

#endif
