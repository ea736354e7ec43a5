/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/envelope.h"
#include "rpc/names.h"
#include "server/jsonrpc/events.h"
#include "server/jsonrpc/server.h"

/* A call over HTTP: one request, and one reply or a stream of events whose last one is the reply. */
struct rpc_call {
	struct call call;
	struct caller who;
	struct rpc_request request;
	struct http_request *http; /* NULL: the client has left */
};

static void reply(struct rpc_call *c, int status, const char *type, char *body)
{
	const char *const reason[] = {"Terrarium-Reason", c->call.reason, NULL};
	if (!c->http)
		free(body);
	else if (body)
		http_reply(c->http, status, *body ? type : NULL, c->call.reason ? reason : NULL, body,
				strlen(body));
	else
		server_refuse(c->http, RPC_INTERNAL, NULL, "out of memory", NULL);
}

static void rpc_call_end(struct rpc_call *c, int status, const char *type, char *body)
{
	struct events *events = c->call.events;
	if (events && events->has_begun) {
		const char *last = body ? body : "{\"error\":\"out of memory\",\"code\":5002}";
		events_end(events, "response", last, strlen(last));
		free(body);
	} else {
		reply(c, status, type, body);
		if (events)
			events_end(events, "", "", 0);
	}
	rpc_request_finish(&c->request);
	free(c);
}

static void send_result(struct call *call, cJSON *result)
{
	struct rpc_call *c = call->carrier_data;
	rpc_call_end(c, 200, "application/json", rpc_reply_text(c->request.id, result));
}

static void send_failure(struct call *call, const struct rpc_fault *fault, const char *text)
{
	struct rpc_call *c = call->carrier_data;
	const char *type;
	char *body = rpc_fault_body(fault, c->request.id, text, &type);
	rpc_call_end(c, fault->http, type, body);
}

static const struct call_carrier plain = {.result = send_result, .fail = send_failure};

static void on_gone(struct http_request *http, void *user)
{
	struct rpc_call *c = user;
	(void)http;
	c->http = NULL;
	call_gone(&c->call);
}

static void on_events_gone(void *user)
{
	on_gone(NULL, user);
}

/* If the client accepts events, runs and commands report while they go on. Returns false if memory is
 * lacking. */
static bool offer_events(struct rpc_call *c)
{
	const char *accept = http_header(c->http, "Accept");
	if (!accept || !strcasestr(accept, "text/event-stream"))
		return true;
	if (strcmp(c->call.method, RPC_RUN) != 0 && strcmp(c->call.method, RPC_COMMAND) != 0)
		return true;
	c->call.events = events_create(c->http, c->call.server->loop);
	if (!c->call.events)
		return false;
	c->call.events->on_gone = on_events_gone;
	c->call.events->carrier = c;
	return true;
}

static struct rpc_call *rpc_call_create(
		struct trm_server *server, struct http_request *http, const struct caller *who)
{
	struct rpc_call *c = malloc(sizeof *c);
	if (!c)
		return NULL;
	*c = (struct rpc_call){.http = http,
			.call = {.server = server, .who = &c->who, .carrier = &plain, .carrier_data = c},
			.who = *who};
	http->on_gone = on_gone;
	http->user = c;
	return c;
}

void rpc_handle(struct trm_server *server, struct http_request *http, const struct caller *who)
{
	struct trm_error why = {0};
	enum rpc_fault_id fault;
	struct rpc_call *c = rpc_call_create(server, http, who);
	if (!c) {
		server_refuse(http, RPC_INTERNAL, NULL, "out of memory", NULL);
		return;
	}
	if (rpc_request_read(&c->request, http->body, http->body_len, &fault, &why) < 0) {
		send_failure(&c->call, rpc_fault(fault), why.msg);
		return;
	}
	c->call.method = rpc_method_today(c->request.method);
	c->call.params = c->request.params;
	if (!offer_events(c)) {
		call_fail(&c->call, RPC_INTERNAL, "out of memory");
		return;
	}
	call_format(&c->call, http->note);
	call_begin(&c->call);
}
