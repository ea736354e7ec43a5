/* SPDX-License-Identifier: MIT */
/* tools/call: a tool is a method of JSON-RPC, and its result becomes text and images. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/names.h"
#include "rpc/put.h"
#include "server/mcp/mcp_internal.h"
#include "server/mcp/mcp_tools.h"

enum { IMAGE_LETTERS_MAX = 32 << 20 }; /* base64 of all images of a reply together */

/* Takes over `images`, a list of content, or NULL. */
static void reply_tool(struct message *m, const char *text, cJSON *images, bool is_error)
{
	cJSON *result = cJSON_CreateObject(), *list = cJSON_CreateArray(), *content = cJSON_CreateObject();
	rpc_put_text(&content, "type", "text");
	rpc_put_text(&content, "text", text);
	rpc_append(&list, content);
	while (images && images->child)
		rpc_append(&list, cJSON_DetachItemFromArray(images, 0));
	cJSON_Delete(images);
	rpc_put(&result, "content", list);
	rpc_put_bool(&result, "isError", is_error);
	mcp_reply_result(m, result);
}

/* Those that models are shown. */
static bool is_model_image(const char *mime)
{
	static const char *const known[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(mime, known[i]) == 0)
			return true;
	return false;
}

/* Images become content of their own. The text tells of all displays, but has no data of those that are no
 * plain text: a page of a plotting library would fill a model's memory. */
static cJSON *take_images(cJSON *result)
{
	cJSON *images = cJSON_CreateArray(), *display;
	size_t total = 0;
	cJSON_ArrayForEach(display, cJSON_GetObjectItemCaseSensitive(result, "displays"))
	{
		const char *mime = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(display, "mime"));
		const char *data = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(display, "data"));
		size_t n = data ? strlen(data) : 0;
		bool is_sent = mime && data && is_model_image(mime) && n <= IMAGE_LETTERS_MAX - total;
		if (mime && strcmp(mime, "text/plain") == 0)
			continue;
		if (is_sent) {
			cJSON *image = cJSON_CreateObject();
			rpc_put_text(&image, "type", "image");
			rpc_put_text(&image, "data", data);
			rpc_put_text(&image, "mimeType", mime);
			rpc_append(&images, image);
			total += n;
		}
		cJSON_DeleteItemFromObjectCaseSensitive(display, "data");
		cJSON_AddBoolToObject(display, "attached", is_sent);
	}
	return images;
}

static void on_tool_result(struct call *call, cJSON *result)
{
	struct message *m = call->carrier_data;
	cJSON *images = take_images(result);
	char *text = cJSON_Print(result);
	cJSON_Delete(result);
	if (text)
		reply_tool(m, text, images, false);
	else
		mcp_reply_error(m, MCP_INTERNAL, "out of memory");
	if (!text)
		cJSON_Delete(images);
	cJSON_free(text);
}

/* A failure is a result too, so that the calling model sees the reason. */
static void on_tool_failure(struct call *call, const struct rpc_fault *fault, const char *text)
{
	static const char intro[] = "Error: ";
	struct message *m = call->carrier_data;
	size_t n = sizeof intro + strlen(text);
	char *whole = malloc(n);
	(void)fault;
	if (whole)
		snprintf(whole, n, "%s%s", intro, text);
	reply_tool(m, whole ? whole : text, NULL, true);
	free(whole);
}

static const struct call_carrier tool_carrier = {.result = on_tool_result, .fail = on_tool_failure};

/* A key for one namespace implies that namespace, unless the arguments name another. Returns false if
 * memory is lacking. */
static bool name_space(const struct message *m, cJSON *params, cJSON **arguments)
{
	const char *namespace = m->post->who.namespace;
	const cJSON *named = cJSON_GetObjectItemCaseSensitive(*arguments, "namespace");
	if (strcmp(namespace, RPC_EVERYWHERE) == 0 || (named && !cJSON_IsNull(named)))
		return true;
	if (!*arguments)
		*arguments = cJSON_AddObjectToObject(params, "arguments");
	cJSON_DeleteItemFromObjectCaseSensitive(*arguments, "namespace");
	return cJSON_AddStringToObject(*arguments, "namespace", namespace);
}

void mcp_call_tool(struct message *m)
{
	cJSON *params = cJSON_GetObjectItemCaseSensitive(m->request.json, "params");
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(params, "name");
	cJSON *arguments = cJSON_GetObjectItemCaseSensitive(params, "arguments");
	if (cJSON_IsNull(arguments)) {
		cJSON_DeleteItemFromObjectCaseSensitive(params, "arguments");
		arguments = NULL;
	}
	struct trm_error why = {0};
	const struct mcp_tool *tool = cJSON_IsString(name) ? mcp_tool_find(name->valuestring) : NULL;
	if (!cJSON_IsString(name))
		trm_error_set(&why, TRM_EINVAL, "'name' is missing, or not a string");
	else if (!tool)
		trm_error_set(&why, TRM_EINVAL, "there is no tool '%s'", name->valuestring);
	else
		mcp_tool_check(tool, arguments, &why);
	if (why.code) {
		mcp_reply_error(m, MCP_BAD_PARAMS, why.msg);
		return;
	}
	if (!name_space(m, params, &arguments)) {
		mcp_reply_error(m, MCP_INTERNAL, "out of memory");
		return;
	}
	m->call = (struct call){.server = m->post->server,
			.who = &m->post->who,
			.method = tool->method,
			.params = arguments,
			.carrier = &tool_carrier,
			.carrier_data = m};
	if (m->post->http && !m->post->is_batch)
		call_format(&m->call, m->post->http->note);
	call_begin(&m->call);
}
