/* SPDX-License-Identifier: MIT */
/* Requests to the server. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/msb.h"
#include "backend/microsandbox/reply.h"
#include "base/err.h"
#include "base/log.h"

struct msb_call {
	struct msb_call *next;
	struct msb *msb;
	struct http_request *http;
	msb_reply_fn *fn;
	void *user;
	char method[32];
	char what[128];
};

cJSON *msb_params(const struct msb *m, const char *box_name)
{
	cJSON *params = cJSON_CreateObject();
	cJSON_AddStringToObject(params, "sandbox", box_name);
	cJSON_AddStringToObject(params, "namespace", m->settings.space);
	return params;
}

/* The envelope as text, malloc'd by cJSON. Consumes params. */
static char *envelope(struct msb *m, const char *method, cJSON *params)
{
	char id[32];
	cJSON *json = cJSON_CreateObject();
	snprintf(id, sizeof id, "%" PRIu64, ++m->last_call);
	cJSON_AddStringToObject(json, "jsonrpc", "2.0");
	cJSON_AddStringToObject(json, "method", method);
	if (!params || !cJSON_AddItemToObject(json, "params", params))
		cJSON_Delete(params);
	cJSON_AddStringToObject(json, "id", id);
	char *text = cJSON_PrintUnformatted(json);
	cJSON_Delete(json);
	return text;
}

int msb_post(struct msb *m, const struct msb_request *request, const char *accept, const struct http_cb *cb,
		void *user, struct http_request **ret, struct trm_error *reterr)
{
	char accepted[96];
	const char *headers[] = {"Content-Type: application/json", accepted, m->settings.authorization, NULL};
	char *body = envelope(m, request->method, request->params);
	if (!body)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	snprintf(accepted, sizeof accepted, "Accept: %s", accept ? accept : "application/json");
	const struct http_opts opts = {.url = m->settings.rpc_url,
			.headers = headers,
			.body = body,
			.body_len = strlen(body),
			.ca_file = m->settings.ca_file,
			.timeout_ms = request->timeout_ms,
			.max_bytes = request->max_bytes ? request->max_bytes : MSB_ANSWER_MAX,
			.is_once = request->is_once};
	int r = http_send(m->loop, &opts, cb, user, ret, reterr);
	cJSON_free(body);
	return r;
}

int msb_get_health(struct msb *m, const struct http_cb *cb, void *user, struct http_request **ret,
		struct trm_error *reterr)
{
	uint32_t left_ms = msb_start_left_ms(m);
	/* Without the key: it is not known yet whether the server needs it, nor which server answers. */
	const struct http_opts opts = {.url = m->settings.health_url,
			.ca_file = m->settings.ca_file,
			.timeout_ms = left_ms < MSB_HEALTH_MS ? left_ms : MSB_HEALTH_MS,
			.max_bytes = MSB_ANSWER_MAX};
	return http_send(m->loop, &opts, cb, user, ret, reterr);
}

static void unlink_call(struct msb_call *call)
{
	struct msb_call **at = &call->msb->calls;
	while (*at && *at != call)
		at = &(*at)->next;
	if (*at)
		*at = call->next;
}

void msb_call_cancel(struct msb_call *call)
{
	if (!call)
		return;
	unlink_call(call);
	http_cancel(call->http);
	free(call);
}

/* The likely meaning of "Internal server error" from a server that hides its reasons. */
static const char *hidden_reason(const char *method)
{
	static const struct {
		const char *method, *reason;
	} table[] = {
			{"sandbox.start",
					"perhaps the image cannot be fetched or the sandbox cannot be started: "
					"see the server's own log"},
			{"sandbox.repl.run",
					"perhaps the sandbox does not run, or is not up yet, or its image "
					"lacks this language"},
			{"sandbox.command.run", "perhaps the image lacks this program, the command took too "
						"long, or the sandbox does not run"},
			{"sandbox.stop", "perhaps there is no sandbox of this name"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(table[i].method, method) == 0)
			return table[i].reason;
	return NULL;
}

static void on_done(void *user, const struct http_answer *answer, const struct trm_error *failure)
{
	struct msb_call *call = user;
	const struct msb_settings *s = &call->msb->settings;
	const struct reply_about about = {.what = call->what,
			.url = s->url,
			.space = s->space,
			.key = s->key,
			.hidden = hidden_reason(call->method)};
	struct trm_error why = {0};
	cJSON *root = NULL;
	const cJSON *result = NULL;
	int r = failure->code ? reply_missing(failure, &about, &why)
			      : reply_read(answer, &about, &root, &result, &why);
	if (r < 0)
		log_write(LOG_INFO, "%s", why.msg);
	msb_reply_fn *fn = call->fn;
	void *for_whom = call->user;
	unlink_call(call);
	free(call);
	fn(for_whom, r < 0 ? NULL : result, &why);
	cJSON_Delete(root);
}

int msb_call(struct msb *m, const struct msb_request *request, msb_reply_fn *fn, void *user,
		struct msb_call **ret, struct trm_error *reterr)
{
	static const struct http_cb CB = {.done = on_done};
	struct msb_call *call = calloc(1, sizeof *call);
	if (!call) {
		cJSON_Delete(request->params);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	*call = (struct msb_call){.msb = m, .fn = fn, .user = user};
	snprintf(call->method, sizeof call->method, "%s", request->method);
	snprintf(call->what, sizeof call->what, "%s", request->what);
	int r = msb_post(m, request, NULL, &CB, call, &call->http, reterr);
	if (r < 0) {
		free(call);
		return r;
	}
	call->next = m->calls;
	m->calls = call;
	*ret = call;
	return 0;
}
