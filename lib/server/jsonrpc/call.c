/* SPDX-License-Identifier: MIT */
#include "server/jsonrpc/call.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rpc/names.h"
#include "server/jsonrpc/auth.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"

enum { TEXT = 4096 };

void call_result(struct call *call, cJSON *result)
{
	call->carrier->result(call, result);
}

static void fail(struct call *call, enum rpc_fault_id fault, const char *text)
{
	char clean[TEXT];
	trm_text_clean_line(clean, sizeof clean, text, strlen(text));
	call->carrier->fail(call, rpc_fault(fault), clean);
}

void call_fail(struct call *call, enum rpc_fault_id fault, const char *fmt, ...)
{
	char text[TEXT], whole[TEXT + 32];
	bool is_ending = call->server->is_closing && fault == RPC_INTERNAL;
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	snprintf(whole, sizeof whole, "%s%s", is_ending ? "the server is being stopped: " : "", text);
	fail(call, fault, whole);
}

void call_fail_params(struct call *call, const char *why)
{
	call_fail(call, RPC_PARAMS, "Invalid params for %s: %s", call->method, why);
}

bool call_streams(const struct call *call)
{
	return call->events != NULL;
}

void call_begin(struct call *call)
{
	const struct method *method = method_find(call->method);
	enum rpc_fault_id fault;
	char text[256];
	call->id = ++call->server->last_call;
	if (!method)
		call_fail(call, RPC_NO_METHOD, "Method not found: %s", call->method);
	else if (!auth_covers(call->who, call->params, &fault, text, sizeof text))
		call_fail(call, fault, "%s", text);
	else if (!call->server->fleet)
		call_fail(call, RPC_INTERNAL, "no sandbox is left");
	else
		method->fn(call);
}

static const char *param(const struct call *call, const char *name, const char *fallback)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call->params, name));
	return value ? value : fallback;
}

static char *append_text(char *at, const char *text, size_t max, char next)
{
	size_t n = strnlen(text, max);
	memcpy(at, text, n);
	at[n] = next;
	return at + n + 1;
}

/* Built by hand: each request is logged, and printf() would take longer than finding its method. */
void call_format(const struct call *call, char out[static CALL_REPORTED])
{
	out = append_text(out, call->method, CALL_REPORTED_METHOD, ' ');
	out = append_text(out, param(call, "namespace", RPC_NAMESPACE), CALL_REPORTED_NAME, '/');
	append_text(out, param(call, "sandbox", RPC_EVERYWHERE), CALL_REPORTED_NAME, '\0');
}

void call_gone(struct call *call)
{
	if (call->on_gone)
		call->on_gone(call, call->user);
}
