/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rpc/envelope.h"
#include "rpc/names.h"
#include "server/jsonrpc/auth.h"
#include "server/jsonrpc/exposition.h"
#include "server/jsonrpc/server.h"
#include "server/mcp/mcp.h"

static void health(struct trm_server *server, struct http_request *request, const struct caller *who)
{
	const char *const headers[] = {"Terrarium-Network", server->opts.limits.net ? "on" : "off", NULL};
	(void)who;
	http_reply(request, 200, "application/json", headers, strdup(RPC_HEALTHY), strlen(RPC_HEALTHY));
}

/* Older and other clients start, stop and run commands at separate paths, with the same envelope. */
static const struct route {
	const char *path;
	const char *verbs; /* for the header Allow */
	void (*fn)(struct trm_server *server, struct http_request *request, const struct caller *who);
	bool is_open;  /* needs no key */
	bool has_body; /* JSON */
} routes[] = {
		{RPC_PATH_HEALTH, "GET,HEAD", health, .is_open = true},
		{RPC_PATH_METRICS, "GET,HEAD", exposition_handle, .is_open = false},
		{RPC_PATH_RPC, "POST", rpc_handle, .has_body = true},
		{RPC_PATH_MCP, "POST", mcp_handle, .has_body = true},
		{"/api/v1/sandbox/start", "POST", rpc_handle, .has_body = true},
		{"/api/v1/sandbox/stop", "POST", rpc_handle, .has_body = true},
		{"/api/v1/sandbox/command/run", "POST", rpc_handle, .has_body = true},
};

static const struct route *find(const char *path)
{
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
		if (!strcmp(path, routes[i].path))
			return &routes[i];
	return NULL;
}

void server_refuse(struct http_request *request, enum rpc_fault_id id, const struct cJSON *call_id,
		const char *text, const char *const *headers)
{
	const struct rpc_fault *fault = rpc_fault(id);
	const char *type;
	char *body = rpc_fault_body(fault, call_id, text ? text : fault->text, &type);
	http_reply(request, fault->http, body && *body ? type : NULL, headers, body, body ? strlen(body) : 0);
}

static bool has_verb(const struct route *route, const char *method)
{
	size_t n = strlen(method);
	for (const char *at = route->verbs; (at = strstr(at, method)); at += n)
		if (at[n] == ',' || !at[n])
			return true;
	return false;
}

/* Any origin may call, because keys protect the server. */
static void preflight(struct http_request *request)
{
	static const char *const headers[] = {"Access-Control-Allow-Methods", "GET,POST,PUT,DELETE",
			"Access-Control-Allow-Headers",
			"authorization,accept,content-type,mcp-session-id,mcp-protocol-version",
			"Access-Control-Max-Age", "600", NULL};
	http_reply(request, 200, NULL, headers, NULL, 0);
}

/* application/json or application/ANYTHING+json, whatever parameters follow. */
static bool is_json(const struct http_request *request)
{
	const char *type = http_header(request, "Content-Type");
	size_t main = strlen("application/"), json = strlen("json");
	size_t n = type ? strcspn(type, "; \t") : 0;
	if (n < main + json || strncasecmp(type, "application/", main) != 0
			|| strncasecmp(type + n - json, "json", json) != 0)
		return false;
	return n == main + json || type[n - json - 1] == '+';
}

void route_peek(void *user, struct http_request *request)
{
	const struct route *route = find(request->path);
	struct trm_server *server = user;
	struct caller who;
	enum rpc_fault_id fault;
	if (!strcmp(request->method, "OPTIONS"))
		preflight(request);
	else if (!route)
		server_refuse(request, RPC_NO_ROUTE, NULL, NULL, NULL);
	else if (!has_verb(route, request->method))
		server_refuse(request, RPC_WRONG_VERB, NULL, NULL,
				(const char *const[]){"Allow", route->verbs, NULL});
	else if (route->is_open)
		route->fn(server, request, NULL);
	else if (!auth_caller(server, request, &who, &fault))
		server_refuse(request, fault, NULL, NULL, NULL);
	else if (!route->has_body)
		route->fn(server, request, &who);
	else if (request->is_too_big)
		server_refuse(request, RPC_TOO_BIG, NULL, NULL, NULL);
	else if (!is_json(request))
		server_refuse(request, RPC_NOT_JSON, NULL, NULL, NULL);
}

void route_handle(void *user, struct http_request *request)
{
	struct caller who;
	enum rpc_fault_id fault;
	if (request->is_too_big)
		server_refuse(request, RPC_TOO_BIG, NULL, NULL, NULL);
	else if (request->is_refused)
		server_refuse(request, RPC_OVERLOADED, NULL, NULL, NULL);
	/* The key may have expired since the headers came. */
	else if (!auth_caller(user, request, &who, &fault))
		server_refuse(request, fault, NULL, NULL, NULL);
	else
		find(request->path)->fn(user, request, &who);
}
