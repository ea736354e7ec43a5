/* SPDX-License-Identifier: MIT */
#include "server/mcp/mcp.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <terrarium/terrarium.h>

#include "rpc/check.h"
#include "rpc/envelope.h"
#include "rpc/names.h"
#include "rpc/put.h"
#include "server/jsonrpc/server.h"
#include "server/mcp/mcp_internal.h"
#include "server/mcp/mcp_tools.h"

enum { BATCH_MAX = 64, IMAGES_MAX = 64 };

#define SESSION_HEADER "Mcp-Session-Id"

/* ---- replies ---- */

/* The original takes one notification and replies 200. Its clients neither read events nor have sessions. */
static bool is_as_of_old(const struct post *post)
{
	const char *accept = http_header(post->http, "Accept");
	return !post->is_batch && !post->has_response && !http_header(post->http, SESSION_HEADER)
	       && !(accept && strcasestr(accept, "text/event-stream"));
}

/* Notifications and responses get no reply. */
static void send_nothing(const struct post *post)
{
	http_reply(post->http, is_as_of_old(post) ? 200 : 202, NULL, NULL, NULL, 0);
}

static void make_session(char out[static SESSION_TEXT])
{
	unsigned char bytes[SESSION_BYTES];
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void send_replies(struct post *post)
{
	cJSON *reply = post->is_batch ? post->replies : cJSON_GetArrayItem(post->replies, 0);
	char *body = cJSON_PrintUnformatted(reply);
	char session[SESSION_TEXT] = "";
	const char *const headers[] = {SESSION_HEADER, session, NULL};
	if (post->begins_session)
		make_session(session);
	if (body)
		http_reply(post->http, 200, "application/json", *session ? headers : NULL, body,
				strlen(body));
	else
		server_refuse(post->http, RPC_INTERNAL, NULL, "out of memory", NULL);
}

static void post_end_when_answered(struct post *post)
{
	struct post **link = &post->server->posts;
	if (!post->is_read || post->messages)
		return;
	while (*link != post)
		link = &(*link)->next;
	*link = post->next;
	if (post->http && post->is_short)
		server_refuse(post->http, RPC_INTERNAL, NULL, "out of memory", NULL);
	else if (post->http && cJSON_GetArraySize(post->replies))
		send_replies(post);
	else if (post->http)
		send_nothing(post);
	cJSON_Delete(post->replies);
	free(post);
}

/* Takes over `reply`. NULL: there is none. */
static void message_end(struct message *m, cJSON *reply)
{
	struct post *post = m->post;
	struct message **link = &post->messages;
	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	if (reply)
		cJSON_AddItemToArray(post->replies, reply);
	rpc_request_finish(&m->request);
	free(m);
	post_end_when_answered(post);
}

/* If memory is lacking for a reply, the whole post fails. */
static void reply_with(struct message *m, cJSON *reply)
{
	if (m->wants_no_answer) {
		cJSON_Delete(reply);
		message_end(m, NULL);
		return;
	}
	m->post->is_short |= !reply;
	message_end(m, reply);
}

void mcp_reply_result(struct message *m, cJSON *result)
{
	reply_with(m, rpc_reply_result(m->request.id, result));
}

void mcp_reply_error(struct message *m, int code, const char *text)
{
	reply_with(m, rpc_reply_error(m->request.id, code, text));
}

/* ---- methods ---- */

static cJSON *never_changing(void)
{
	cJSON *json = cJSON_CreateObject();
	rpc_put_bool(&json, "listChanged", false);
	return json;
}

static void initialize(struct message *m)
{
	static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
	const cJSON *asked = cJSON_GetObjectItemCaseSensitive(m->request.params, "protocolVersion");
	const char *version = versions[0];
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		if (cJSON_IsString(asked) && strcmp(asked->valuestring, versions[i]) == 0)
			version = versions[i];
	}
	cJSON *result = cJSON_CreateObject(), *capabilities = cJSON_CreateObject(),
	      *info = cJSON_CreateObject();
	rpc_put(&capabilities, "tools", never_changing());
	rpc_put(&capabilities, "prompts", never_changing());
	/* Clients of this protocol know this name; the title is ours. */
	rpc_put_text(&info, "name", "microsandbox-server");
	rpc_put_text(&info, "title", "Terrarium");
	rpc_put_text(&info, "version", trm_version());
	rpc_put_text(&result, "protocolVersion", version);
	rpc_put(&result, "capabilities", capabilities);
	rpc_put(&result, "serverInfo", info);
	m->post->begins_session = true;
	mcp_reply_result(m, result);
}

static void ping(struct message *m)
{
	mcp_reply_result(m, cJSON_CreateObject());
}

static void list_tools(struct message *m)
{
	const char *images[IMAGES_MAX + 1] = {NULL};
	const struct fleet *fleet = m->post->server->fleet;
	images[fleet ? fleet_images(fleet, images, IMAGES_MAX) : 0] = NULL;
	mcp_reply_result(m, mcp_tools_list(images));
}

static void list_prompts(struct message *m)
{
	mcp_reply_result(m, mcp_prompts_list());
}

static void get_prompt(struct message *m)
{
	struct trm_error why = {0};
	cJSON *result = NULL;
	int r = mcp_prompt_get(m->request.params, &result, &why);
	if (r < 0)
		mcp_reply_error(m, r == TRM_EINVAL ? MCP_BAD_PARAMS : MCP_INTERNAL, why.msg);
	else
		mcp_reply_result(m, result);
}

/* The call ends as if its client had left, and the post is answered without it. */
static void cancel(const struct message *notification)
{
	const struct post *by = notification->post;
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(notification->request.params, "requestId");
	/* Calls never have an object as their id, and comparing objects may take very long. */
	bool is_one = cJSON_IsString(id) || cJSON_IsNumber(id);
	for (struct post *post = is_one && *by->session ? by->server->posts : NULL; post; post = post->next) {
		if (strcmp(post->session, by->session) != 0)
			continue;
		for (struct message *m = post->messages; m; m = m->next) {
			const cJSON *its = cJSON_GetObjectItemCaseSensitive(m->request.json, "id");
			if (!m->call.server || m->is_gone || !cJSON_Compare(its, id, true))
				continue;
			m->is_gone = m->wants_no_answer = true;
			call_gone(&m->call); /* may free both */
			return;
		}
	}
}

static const struct {
	const char *name;
	void (*fn)(struct message *m);
} methods[] = {
		{"initialize", initialize},
		{"ping", ping},
		{"tools/list", list_tools},
		{"tools/call", mcp_call_tool},
		{"prompts/list", list_prompts},
		{"prompts/get", get_prompt},
};

static bool is_notification(const struct message *m)
{
	return !cJSON_GetObjectItemCaseSensitive(m->request.json, "id");
}

static void begin_message(struct message *m)
{
	const char *method = m->request.method;
	struct trm_error why = {0};
	m->wants_no_answer = is_notification(m);
	if (m->post->http && !m->post->is_batch)
		snprintf(m->post->http->note, sizeof m->post->http->note, "%.40s", method);
	if (strcmp(method, "notifications/cancelled") == 0)
		cancel(m);
	if (strncmp(method, "notifications/", strlen("notifications/")) == 0) {
		message_end(m, NULL);
		return;
	}
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (strcmp(method, methods[i].name) == 0) {
			methods[i].fn(m);
			return;
		}
	}
	trm_error_set(&why, TRM_EINVAL, "Method not found: %s", method);
	mcp_reply_error(m, MCP_NOT_FOUND, why.msg);
}

/* ---- posts ---- */

static void on_gone(struct http_request *http, void *user)
{
	struct post *post = user;
	struct message *m = post->messages;
	(void)http;
	post->http = NULL;
	/* A call may end inside call_gone(), which frees its message. The end of the last call would also
	 * free the post, so is_read is false meanwhile. After each call the walk begins again: `m` may be
	 * gone. */
	bool was_read = post->is_read;
	post->is_read = false;
	while (m) {
		if (m->is_gone) {
			m = m->next;
			continue;
		}
		m->is_gone = true;
		call_gone(&m->call);
		m = post->messages;
	}
	post->is_read = was_read;
	post_end_when_answered(post);
}

static struct message *message_create(struct post *post)
{
	struct message *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->post = post;
	m->next = post->messages;
	post->messages = m;
	return m;
}

/* A response to a request of ours, although we make none. */
static bool is_response(const struct message *m)
{
	const cJSON *json = m->request.json, *version = cJSON_GetObjectItemCaseSensitive(json, "jsonrpc");
	bool has_result = cJSON_GetObjectItemCaseSensitive(json, "result"),
	     has_error = cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "error"));
	return cJSON_IsString(version) && strcmp(version->valuestring, "2.0") == 0 && has_result != has_error
	       && cJSON_GetObjectItemCaseSensitive(json, "id")
	       && !cJSON_GetObjectItemCaseSensitive(json, "method");
}

static void take_response(struct message *m)
{
	m->post->has_response = true;
	message_end(m, NULL);
}

/* Handle one message of a batch. An invalid message is answered with an error and does not affect the
 * others. */
static void handle_item(struct post *post, const cJSON *item)
{
	struct trm_error why = {0};
	enum rpc_fault_id fault;
	char *text = cJSON_PrintUnformatted(item);
	struct message *m = text ? message_create(post) : NULL;
	int r = m ? rpc_request_read(&m->request, text, strlen(text), &fault, &why) : TRM_ENOMEM;
	post->is_short |= r == TRM_ENOMEM;
	if (m && r == TRM_ENOMEM)
		message_end(m, NULL);
	else if (m && r < 0 && is_response(m))
		take_response(m);
	else if (m && r < 0)
		mcp_reply_error(m, MCP_BAD_REQUEST, why.msg);
	else if (m)
		begin_message(m);
	cJSON_free(text);
}

static bool is_list(const char *body)
{
	return body[strspn(body, " \t\r\n")] == '[';
}

static void take_list(struct post *post)
{
	struct trm_error why = {0};
	const struct http_request *http = post->http;
	struct rpc_span span;
	cJSON *list = NULL;
	if (rpc_check(http->body, http->body_len, NULL, &span, &why) == 0)
		list = cJSON_ParseWithLength(http->body, http->body_len);
	int n = cJSON_GetArraySize(list);
	if (!n || n > BATCH_MAX) {
		if (list)
			trm_error_set(&why, TRM_EINVAL, "a batch has 1 to %d messages", BATCH_MAX);
		server_refuse(post->http, why.code ? RPC_BROKEN : RPC_INTERNAL, NULL,
				why.code ? why.msg : "out of memory", NULL);
		post->http = NULL;
	}
	const cJSON *item = NULL;
	if (post->http) {
		snprintf(post->http->note, sizeof post->http->note, "a batch of %d", n);
		cJSON_ArrayForEach(item, list)
		{
			handle_item(post, item);
		}
	}
	cJSON_Delete(list);
}

static void take_one(struct post *post)
{
	struct trm_error why = {0};
	enum rpc_fault_id fault;
	struct message *m = message_create(post);
	post->is_short = !m;
	if (!m)
		return;
	int r = rpc_request_read(&m->request, post->http->body, post->http->body_len, &fault, &why);
	if (r == 0) {
		begin_message(m);
	} else if (is_response(m)) {
		take_response(m);
	} else if (fault == RPC_PARAMS) {
		m->wants_no_answer = is_notification(m);
		mcp_reply_error(m, MCP_BAD_PARAMS, why.msg);
	} else {
		server_refuse(post->http, fault, m->request.id, why.msg, NULL);
		post->http = NULL;
		message_end(m, NULL);
	}
}

void mcp_handle(struct trm_server *server, struct http_request *http, const struct caller *who)
{
	struct post *post = calloc(1, sizeof *post);
	cJSON *replies = cJSON_CreateArray();
	const char *session = http_header(http, SESSION_HEADER);
	if (!post || !replies) {
		free(post);
		cJSON_Delete(replies);
		server_refuse(http, RPC_INTERNAL, NULL, "out of memory", NULL);
		return;
	}
	*post = (struct post){.server = server,
			.next = server->posts,
			.http = http,
			.who = *who,
			.replies = replies,
			.is_batch = is_list(http->body)};
	if (http->answer) /* there is one client */
		session = "local";
	if (session && strlen(session) < sizeof post->session)
		snprintf(post->session, sizeof post->session, "%s", session);
	server->posts = post;
	http->on_gone = on_gone;
	http->user = post;
	if (post->is_batch)
		take_list(post);
	else
		take_one(post);
	post->is_read = true;
	post_end_when_answered(post);
}
