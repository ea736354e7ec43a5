/* SPDX-License-Identifier: MIT */
#include "rpc/envelope.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"
#include "rpc/check.h"

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Read a required text. */
static int need_text(const cJSON *json, const char *name, const char **ret, struct trm_error *reterr)
{
	const cJSON *item = member(json, name);
	if (!item)
		return trm_error_set(reterr, TRM_EPROTO, "missing field `%s`", name);
	if (!cJSON_IsString(item))
		return trm_error_set(reterr, TRM_EPROTO, "invalid type: `%s` must be a string", name);
	*ret = item->valuestring;
	return 0;
}

static int read_id(
		struct rpc_request *request, const char *text, struct rpc_span span, struct trm_error *reterr)
{
	const cJSON *id = member(request->json, "id");
	if (!id || cJSON_IsNull(id) || !span.n)
		return 0;
	char *raw = strndup(text + span.at, span.n);
	request->id = raw ? cJSON_CreateRaw(raw) : NULL;
	free(raw);
	return request->id ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

static int read_json(struct rpc_request *request, const char *text, size_t n, struct rpc_span *ret_id,
		bool *ret_has_nul, struct trm_error *reterr)
{
	int e = rpc_check(text, n, "id", ret_id, reterr);
	*ret_has_nul = e == TRM_EINVAL;
	if (e < 0 && !*ret_has_nul)
		return e;
	request->json = cJSON_ParseWithLength(text, n);
	if (!request->json)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	return rpc_check_names(request->json, reterr);
}

static int read_members(struct rpc_request *request, struct trm_error *reterr)
{
	const char *version = NULL;
	if (!cJSON_IsObject(request->json))
		return trm_error_set(reterr, TRM_EPROTO, "expected one JSON-RPC request object%s",
				cJSON_IsArray(request->json) ? ", not a batch of them" : "");
	int e = need_text(request->json, "jsonrpc", &version, reterr);
	if (e == 0)
		e = need_text(request->json, "method", &request->method, reterr);
	request->params = member(request->json, "params");
	if (cJSON_IsNull(request->params))
		request->params = NULL;
	return e;
}

int rpc_request_read(struct rpc_request *ret, const char *text, size_t n, enum rpc_fault_id *ret_fault,
		struct trm_error *reterr)
{
	struct trm_error why = {0};
	struct rpc_span id;
	bool has_nul;
	*ret = (struct rpc_request){0};
	*ret_fault = RPC_BROKEN;
	int e = read_json(ret, text, n, &id, &has_nul, &why);
	if (e == 0) {
		*ret_fault = RPC_MISSHAPEN;
		e = read_members(ret, &why);
	}
	if (e == 0)
		e = read_id(ret, text, id, &why);
	if (e == TRM_ENOMEM) {
		*ret_fault = RPC_INTERNAL;
		return trm_error_set(reterr, e, "%s", why.msg);
	}
	if (e < 0)
		return trm_error_set(reterr, e, "%s: %s", rpc_fault(*ret_fault)->text, why.msg);
	*ret_fault = RPC_PARAMS; /* the reply has no id, because the NUL may be in it */
	if (has_nul)
		return trm_error_set(reterr, TRM_EPROTO, "Invalid params for %s: a NUL character in a string",
				ret->method);
	*ret_fault = RPC_VERSION;
	if (strcmp(member(ret->json, "jsonrpc")->valuestring, "2.0") != 0)
		return trm_error_set(reterr, TRM_EPROTO, "Invalid Request: jsonrpc must be \"2.0\"");
	return 0;
}

void rpc_request_finish(struct rpc_request *request)
{
	cJSON_Delete(request->json);
	cJSON_Delete(request->id);
	*request = (struct rpc_request){0};
}

/* ---- replies ---- */

/* Put an envelope around `item`, which it takes over. */
static cJSON *wrap(const cJSON *id, const char *name, cJSON *item)
{
	cJSON *reply = cJSON_CreateObject();
	cJSON *copy = id ? cJSON_Duplicate(id, 1) : NULL;
	if (!reply || !item || (id && !copy) || !cJSON_AddStringToObject(reply, "jsonrpc", "2.0")
			|| !cJSON_AddItemToObject(reply, name, item)) {
		cJSON_Delete(reply);
		cJSON_Delete(item);
		cJSON_Delete(copy);
		return NULL;
	}
	if (copy && !cJSON_AddItemToObject(reply, "id", copy)) {
		cJSON_Delete(reply); /* frees `item`, too */
		cJSON_Delete(copy);
		return NULL;
	}
	return reply;
}

cJSON *rpc_reply_result(const cJSON *id, cJSON *result)
{
	return wrap(id, "result", result);
}

cJSON *rpc_reply_error(const cJSON *id, int code, const char *message)
{
	cJSON *error = cJSON_CreateObject();
	if (error
			&& (!cJSON_AddNumberToObject(error, "code", code)
					|| !cJSON_AddStringToObject(error, "message", message))) {
		cJSON_Delete(error);
		error = NULL;
	}
	return wrap(id, "error", error);
}

static char *print(cJSON *json)
{
	char *text = json ? cJSON_PrintUnformatted(json) : NULL;
	cJSON_Delete(json);
	return text;
}

/* Built as text, because the nodes of a tree would take more memory than the text. */
char *rpc_reply_text(const cJSON *id, cJSON *result)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"result\":", name[] = ",\"id\":";
	char *printed = print(result);
	size_t front = sizeof head - 1, n = printed ? strlen(printed) : 0,
	       id_len = id ? strlen(id->valuestring) : 0;
	char *text = printed ? realloc(printed, front + n + sizeof name + id_len + 1) : NULL, *at = text;
	if (!text) {
		free(printed);
		return NULL;
	}
	memmove(at + front, at, n);
	memcpy(at, head, front);
	at += front + n;
	if (id) {
		memcpy(at, name, sizeof name - 1);
		memcpy(at + sizeof name - 1, id->valuestring, id_len);
		at += sizeof name - 1 + id_len;
	}
	memcpy(at, "}", 2);
	return text;
}

static cJSON *plain(int code, const char *text)
{
	cJSON *json = cJSON_CreateObject();
	if (json && cJSON_AddStringToObject(json, "error", text)
			&& cJSON_AddNumberToObject(json, "code", code))
		return json;
	cJSON_Delete(json);
	return NULL;
}

char *rpc_fault_body(const struct rpc_fault *fault, const cJSON *id, const char *text, const char **ret_type)
{
	*ret_type = fault->shape == RPC_SHAPE_TEXT ? "text/plain; charset=utf-8" : "application/json";
	switch (fault->shape) {
	case RPC_SHAPE_PLAIN: return print(plain(fault->code, text));
	case RPC_SHAPE_ERROR: return print(rpc_reply_error(id, fault->code, text));
	case RPC_SHAPE_TEXT: return strdup(text);
	case RPC_SHAPE_EMPTY: break;
	}
	return strdup("");
}
