/* SPDX-License-Identifier: MIT */
/* What an MCP client posts: answered exactly once, and in JSON that we can read ourselves. Calls of methods
 * end at once, as failures or not, or late: when they are cancelled, or at the end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "fuzz/fuzz.h"
#include "rpc/check.h"
#include "rpc/names.h"
#include "server/jsonrpc/server.h"
#include "server/mcp/mcp.h"

static unsigned n_replies;
static struct call *late[64]; /* a batch has no more */
static size_t n_late;

void http_reply(struct http_request *request, int status, const char *content_type,
		const char *const *headers, char *body, size_t n)
{
	struct rpc_span span;
	(void)request, (void)content_type, (void)headers;
	n_replies++;
	if (status == 200 && n && rpc_check(body, n, NULL, &span, NULL) < 0)
		abort();
	free(body);
}

const char *http_header(const struct http_request *request, const char *name)
{
	(void)request, (void)name;
	return "text/event-stream";
}

void server_refuse(struct http_request *request, enum rpc_fault_id fault, const struct cJSON *id,
		const char *text, const char *const *headers)
{
	(void)request, (void)fault, (void)id, (void)headers;
	n_replies++;
	if (!*text)
		abort();
}

void call_begin(struct call *call)
{
	static const struct rpc_fault fault;
	switch (cJSON_GetArraySize(call->params) % 3) {
	case 0: call->carrier->fail(call, &fault, "it cannot be"); break;
	case 1: call->carrier->result(call, cJSON_CreateString("done")); break;
	default: late[n_late++] = call;
	}
}

static void end_late(size_t i)
{
	struct call *call = late[i];
	late[i] = late[--n_late];
	call->carrier->result(call, cJSON_CreateString("late"));
}

void call_gone(struct call *call)
{
	size_t i = 0;
	while (late[i] != call)
		if (++i == n_late)
			abort();
	end_late(i);
}

void call_format(const struct call *call, char out[static CALL_REPORTED])
{
	snprintf(out, CALL_REPORTED, "%s", call->method);
}

size_t fleet_images(const struct fleet *fleet, const char **names, size_t cap)
{
	(void)fleet, (void)names, (void)cap;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct trm_server server;
	static const struct caller who = {.namespace = "team"};
	struct http_request request = {0};
	char *body = malloc(n + 1);
	if (!body)
		return 0;
	memcpy(body, bytes, n);
	body[n] = '\0';
	request.body = body;
	request.body_len = n;
	n_replies = 0;
	mcp_handle(&server, &request, &who);
	while (n_late)
		end_late(0);
	if (server.posts)
		abort();
	if (n_replies != 1)
		abort();
	free(body);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2024-11-05\"}}"),
		SEED("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
		     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"},{\"id\":1}]"),
		SEED("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"sandbox_run_code\","
		     "\"arguments\":{\"sandbox\":\"a\",\"language\":\"python\",\"code\":\"1\",\"timeout\":3}}}"),
		SEED("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"prompts/get\",\"params\":{\"name\":\"create_python_sandbox\","
		     "\"arguments\":{\"sandbox_name\":\"a\",\"namespace\":\"b\"}}}"),
		SEED("[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"sandbox_stop\","
		     "\"arguments\":{\"sandbox\":\"a\",\"namespace\":\"team\"}}},{\"jsonrpc\":\"2.0\","
		     "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}]"),
		{NULL, 0},
};
