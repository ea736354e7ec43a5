/* SPDX-License-Identifier: MIT */
/* Refused allocations in the server: requests as the front hands them over, a fleet on the fake backend,
 * replies as the front takes them. memory_listener_test.c has the front itself. (walk.h says how.) */
#include "cmocka_all.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "fault/alloc.h"
#include "fault/walk.h"
#include "server/jsonrpc/server.h"

enum { ASKED_MAX = 24 };

/* One request, and what came of it. */
struct asked {
	struct http_request base; /* first */
	bool is_live;             /* events are wanted */
	bool is_over;
	char *text; /* of a plain reply */
	int status; /* 0: a reply that the front cannot send, for want of memory */
};

static const char server_key[TRM_SERVER_KEY] = "0123456789abcdefghijklmnopqrstuv";
static struct hmac hmac;
static const char *key; /* that is sent along; NULL: none is asked for */

/* ---- the front's part (the linker leads its calls here) ---------------------------------------- */

const char *__wrap_http_header(const struct http_request *base, const char *name);
void __wrap_http_reply(struct http_request *base, int status, const char *content_type,
		const char *const *headers, char *body, size_t n);
void __wrap_http_stream_begin(
		struct http_request *base, int status, const char *content_type, const char *const *headers);
int __wrap_http_stream_write(struct http_request *base, const void *bytes, size_t n);
size_t __wrap_http_stream_room(const struct http_request *base);
void __wrap_http_stream_end(struct http_request *base);

static void end(struct asked *a, int status)
{
	if (a->is_over)
		walk_fail("a request is answered twice: %s", a->base.body);
	a->status = status;
	a->is_over = true;
}

const char *__wrap_http_header(const struct http_request *base, const char *name)
{
	const struct asked *a = (const struct asked *)(const void *)base;
	if (strcasecmp(name, "Content-Type") == 0)
		return "application/json";
	if (strcasecmp(name, "Authorization") == 0)
		return key;
	return a->is_live && strcasecmp(name, "Accept") == 0 ? "text/event-stream" : NULL;
}

void __wrap_http_reply(struct http_request *base, int status, const char *content_type,
		const char *const *headers, char *body, size_t n)
{
	(void)content_type, (void)headers;
	struct asked *a = (struct asked *)base;
	end(a, n && !body ? 0 : status);
	a->text = body;
}

void __wrap_http_stream_begin(
		struct http_request *base, int status, const char *content_type, const char *const *headers)
{
	(void)content_type, (void)headers;
	((struct asked *)base)->status = status;
}

int __wrap_http_stream_write(struct http_request *base, const void *bytes, size_t n)
{
	(void)bytes, (void)n;
	if (!((struct asked *)base)->status)
		walk_fail("a stream is written to before its beginning");
	return 0;
}

size_t __wrap_http_stream_room(const struct http_request *base)
{
	(void)base;
	return HTTP_QUEUE_MAX;
}

void __wrap_http_stream_end(struct http_request *base)
{
	struct asked *a = (struct asked *)base;
	end(a, a->status);
}

/* ---- a server ------------------------------------------------------------------------------------ */

static char dir[] = "/tmp/terrarium-fault-server-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type;
	return at->level ? remove(path) : 0;
}

static void on_closed(void *user)
{
	*(bool *)user = true;
}

/* What is asked, one after the other. */
struct question {
	const char *path, *body;
	int status; /* that it has when nothing is refused */
	enum manner {
		PLAIN,
		LIVE = 1,   /* events are wanted */
		LEAVES = 2, /* the client does not wait */
		VARIES = 4  /* else a reply that is no failure is always the same one, and whole */
	} manner;
};

static uint64_t hash(const char *text)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

static bool says_so(const char *text)
{
	return text && (strstr(text, "out of memory") || strstr(text, "left out"));
}

/* The first time nothing is refused. */
static void compare(const struct question *q, const char *text)
{
	static struct {
		const struct question *q;
		uint64_t hash;
	} known[64];
	size_t i = 0;
	while (known[i].q && known[i].q != q)
		i++;
	if (!known[i].q) {
		known[i].q = q;
		known[i].hash = hash(text);
	} else if (known[i].hash != hash(text) && !says_so(text)) {
		walk_fail("another reply than usual: %.300s, to %.100s", text, q->body);
	}
}

/* `is_well`: nothing has failed before. */
static int ask(struct trm_server *server, const struct question *q, bool is_well)
{
	struct asked a = {
			.is_live = q->manner & LIVE, .base = {.body = q->body, .body_len = strlen(q->body)}};
	snprintf(a.base.method, sizeof a.base.method, "%s", *q->body ? "POST" : "GET");
	snprintf(a.base.path, sizeof a.base.path, "%s", q->path);
	route_peek(server, &a.base);
	if (!a.is_over)
		route_handle(server, &a.base);
	if (!a.is_over && q->manner & LEAVES) {
		if (a.base.on_gone)
			a.base.on_gone(&a.base, a.base.user);
		return 0;
	}
	walk_until(server->loop, &a.is_over, NULL);
	struct trm_error why = {0};
	int r = 0;
	if (a.status < 300 && q->status >= 300)
		walk_fail("this may not be: %s", q->body);
	if (a.status != q->status)
		r = reported(trm_error_set(&why, TRM_ENOMEM, "%d, and not %d: %.120s, to %s", a.status,
					     q->status, a.text, q->body),
				&why);
	else if (is_well && a.status < 300 && !(q->manner & VARIES))
		compare(q, a.text);
	free(a.text);
	return r;
}

static int serve(const struct question *questions)
{
	struct trm_error why = {0};
	struct trm_server server = {0};
	struct fleet_opts opts = {.dir = dir, .backend = "fake", .max_sandboxes = 2};
	bool is_closed = false;
	trm_limits_default(&opts.limits);
	server.hmac = hmac;
	if (key)
		server.opts.key = memcpy(server.key, server_key, sizeof server_key);
	int r = reported(trm_loop_create(&server.loop, &why), &why);
	if (r < 0)
		return r;
	r = reported(fleet_open(server.loop, &opts, &server.fleet, &why), &why);
	for (const struct question *q = questions; q->path && server.fleet; q++) {
		int e = ask(&server, q, r == 0);
		r = r ? r : e;
	}
	if (server.fleet) {
		fleet_close(server.fleet, on_closed, &is_closed);
		walk_until(server.loop, &is_closed, NULL);
	}
	trm_loop_destroy(server.loop);
	while (wait(NULL) > 0) /* for who removes old files */
		;
	nftw(dir, remove_one, 16, FTW_PHYS | FTW_DEPTH);
	return r;
}

#define RPC(method, params) \
	"/api/v1/rpc", "{\"jsonrpc\":\"2.0\",\"id\":[7,\"x\"],\"method\":\"" method "\",\"params\":" params \
		       "}"
#define BOX "{\"sandbox\":\"a\""
#define START \
	{ \
		RPC("sandbox.start", BOX \
				",\"config\":{\"image\":\"terrarium/all\",\"memory\":64,\"depends_on\":[\"x\"],\"ports\":[\"80:80\"],\"cpus\":1}}"), \
				200, PLAIN \
	}

static int path_lives(void)
{
	static const struct question questions[] = {START,
			{RPC("sandbox.metrics.get", "{\"namespace\":\"*\"}"), 200, VARIES},
			{RPC("sandbox.start",
					 "{\"sandbox\":\"b\",\"namespace\":\"n\",\"config\":{\"image\":\"microsandbox/node\"}}"),
					200, PLAIN},
			{RPC("sandbox.stop", BOX "}"), 200, PLAIN},
			{RPC("sandbox.start", BOX "}"), 200, PLAIN},
			{RPC("sandbox.metrics.get", BOX "}"), 200, VARIES}, {NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

static int path_refuses(void)
{
	static const struct question questions[] = {{"/api/v1/health", "", 200, PLAIN},
			{"/nowhere", "", 404, PLAIN}, {"/api/v1/rpc", "", 405, PLAIN},
			{"/api/v1/rpc", "{\"jsonrpc\":", 400, PLAIN},
			{"/api/v1/rpc", "{\"jsonrpc\":\"2.0\",\"id\":1}", 422, PLAIN},
			{RPC("sandbox.none", "{}"), 404, PLAIN},
			{RPC("sandbox.start", "{\"sandbox\":\"-\"}"), 400, PLAIN},
			{RPC("sandbox.start", BOX ",\"config\":{\"image\":\"no/such\"}}"), 500, PLAIN},
			{RPC("sandbox.repl.run", BOX ",\"code\":\"1\",\"language\":\"python\"}"), 500, PLAIN},
			{RPC("sandbox.stop", BOX "}"), 500, PLAIN}, {NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

static int path_runs(void)
{
	static const struct question questions[] = {START,
			{RPC("sandbox.repl.run", BOX
					 ",\"language\":\"python\",\"code\":\"print hello\\nerr oh\\nvalue 42\"}"),
					200, VARIES},
			{RPC("sandbox.repl.run",
					 BOX ",\"language\":\"python\",\"code\":\"fail ValueError no\"}"),
					200, VARIES},
			{RPC("sandbox.repl.run", BOX ",\"language\":\"python\",\"code\":\"flood 40\"}"), 200,
					LIVE},
			{RPC("sandbox.repl.run",
					 BOX ",\"language\":\"python\",\"code\":\"display image/png AAAA\"}"),
					200, LIVE},
			{NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

static int path_commands(void)
{
	static const struct question questions[] = {START,
			{RPC("sandbox.command.run", BOX ",\"command\":\"echo\",\"args\":[\"a b\",\"c\"]}"),
					200, PLAIN},
			{RPC("sandbox.command.run", BOX ",\"command\":\"nosuch\"}"), 500, PLAIN},
			{RPC("sandbox.command.run", BOX ",\"command\":\"echo\",\"args\":[\"a\"]}"), 200,
					LIVE},
			{RPC("sandbox.command.run", BOX ",\"command\":\"sleep\",\"args\":[\"100\"]}"), 0,
					LEAVES},
			{RPC("sandbox.command.run", BOX ",\"command\":\"sleep\",\"args\":[\"100\"]}"), 0,
					LIVE | LEAVES},
			{NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

static int path_extensions(void)
{
	static const struct question questions[] = {START,
			{RPC("sandbox.file.put", BOX ",\"path\":\"f\",\"base64\":\"aGVsbG8=\"}"), 200, PLAIN},
			{RPC("sandbox.file.get", BOX ",\"path\":\"f\"}"), 200, PLAIN},
			{RPC("sandbox.repl.ask", BOX
					 ",\"language\":\"python\",\"question\":\"is_complete\",\"code\":\"a\"}"),
					200, PLAIN},
			{RPC("sandbox.metrics.get", BOX ",\"full\":true}"), 200, VARIES},
			{RPC("sandbox.run.input", BOX ",\"run\":\"0123456789abcdef\",\"text\":\"x\"}"), 400,
					PLAIN},
			{RPC("sandbox.run.interrupt", BOX ",\"run\":\"0123456789abcdef\",\"step\":\"kill\"}"),
					400, PLAIN},
			{NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

#define MCP(id, method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"

static int path_mcp(void)
{
	static const struct question questions[] = {
			{"/mcp", MCP("1", "initialize", "{\"protocolVersion\":\"2025-03-26\"}"), 200, PLAIN},
			{"/mcp", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 200,
					PLAIN},
			{"/mcp",
					"[" MCP("1", "ping", "{}") "," MCP("\"a\"", "tools/list",
							"{}") "," MCP("3", "prompts/list", "{}") "]",
					200, PLAIN},
			{"/mcp",
					MCP("4", "tools/call",
							"{\"name\":\"sandbox_start\",\"arguments\":{\"sandbox\":\"a\",\"namespace\":\"default\","
							"\"config\":{\"image\":\"microsandbox/python\"}}}"),
					200, VARIES},
			{"/mcp",
					MCP("5", "tools/call",
							"{\"name\":\"sandbox_run_code\",\"arguments\":{\"sandbox\":\"a\",\"namespace\":\"default\","
							"\"language\":\"python\",\"code\":\"print x\"}}"),
					200, VARIES},
			{"/mcp", MCP("6", "tools/call", "{\"name\":\"none\"}"), 200, VARIES},
			{"/mcp", MCP("7", "none", "{}"), 200, VARIES}, {"/mcp", "{", 400, PLAIN},
			{NULL, NULL, 0, PLAIN}};
	return serve(questions);
}

static int path_keys(void)
{
	static char token[TRM_SERVER_TOKEN];
	static const struct question questions[] = {
			{RPC("sandbox.metrics.get", "{\"namespace\":\"mine\"}"), 400, PLAIN},
			{RPC("sandbox.metrics.get", "{\"namespace\":\"other\"}"), 403, PLAIN},
			{RPC("sandbox.metrics.get", "{}"), 400, PLAIN},
			{"/mcp", MCP("1", "tools/call", "{\"name\":\"sandbox_get_metrics\"}"), 200, VARIES},
			{NULL, NULL, 0, PLAIN}};
	struct trm_error why = {0};
	int r = reported(trm_server_token(server_key, "mine", 1000000, token, &why), &why);
	key = token;
	r = r ? r : serve(questions);
	key = NULL;
	return r;
}

static const struct {
	const char *name;
	path_fn *path;
} paths[] = {{"server, refusing", path_refuses}, {"server, sandboxes", path_lives},
		{"server, runs", path_runs}, {"server, commands", path_commands},
		{"server, extensions", path_extensions}, {"server, MCP", path_mcp},
		{"server, keys", path_keys}};

static void test_server(void **state)
{
	struct trm_error why;
	(void)state;
	bool has_keys = hmac_load(&hmac, &why) == 0; /* else they are the last, and left out */
	for (size_t i = 0; i + !has_keys < sizeof paths / sizeof *paths; i++)
		assert_true(walk_all(paths[i].path, paths[i].name) > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_server)};
	walk_begin();
	if (!mkdtemp(dir))
		return 1;
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	nftw(dir, remove_one, 16, FTW_PHYS | FTW_DEPTH); /* what it was refused the memory for before */
	rmdir(dir);
	return r;
}
