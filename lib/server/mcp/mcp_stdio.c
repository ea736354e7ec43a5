/* SPDX-License-Identifier: MIT */
/* Messages that do not come by HTTP: for programs that speak over standard input and output. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/server.h>

#include "rpc/envelope.h"
#include "rpc/names.h"
#include "server/jsonrpc/server.h"
#include "server/mcp/mcp.h"

struct local_message {
	struct http_request http;
	char *body;
	trm_server_reply_fn *fn;
	void *user;
};

/* A refusal of HTTP is plain text; here it becomes an error of JSON-RPC, which has no id. */
static char *refusal_json(const char *text)
{
	enum { PARSE_ERROR = -32700 };
	cJSON *reply = rpc_reply_error(NULL, PARSE_ERROR, text);
	char *json = cJSON_PrintUnformatted(reply);
	cJSON_Delete(reply);
	return json;
}

static void answer_local(struct http_request *http, int status, char *body, size_t n)
{
	struct local_message *m = (struct local_message *)http;
	(void)status;
	if (n && *body != '{' && *body != '[') {
		char *json = refusal_json(body);
		free(body);
		body = json;
		n = body ? strlen(body) : 0;
	}
	m->fn(m->user, n ? body : NULL, n);
	free(body);
	free(m->body);
	free(m);
}

int trm_server_mcp(struct trm_server *server, const char *message, size_t n, trm_server_reply_fn *fn,
		void *user, struct trm_error *reterr)
{
	static const struct caller everybody = {.namespace = RPC_EVERYWHERE};
	struct local_message *m;
	if (server->is_closing)
		return trm_error_set(reterr, TRM_ECLOSED, "the server is closing");
	if (n > HTTP_BODY_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "the message is longer than %d MiB",
				HTTP_BODY_MAX >> 20);
	m = calloc(1, sizeof *m);
	char *body = m ? malloc(n + 1) : NULL;
	if (!body) {
		free(m);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	memcpy(body, message, n);
	body[n] = '\0';
	*m = (struct local_message){.http = {.method = "POST",
						    .path = RPC_PATH_MCP,
						    .body = body,
						    .body_len = n,
						    .answer = answer_local},
			.body = body,
			.fn = fn,
			.user = user};
	mcp_handle(server, &m->http, &everybody);
	return 0;
}
