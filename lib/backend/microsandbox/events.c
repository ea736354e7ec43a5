/* SPDX-License-Identifier: MIT */
/* Runs and commands that the server reports as events. Nearly everything is as in a local sandbox. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/reply.h"
#include "backend/microsandbox/run_control.h"
#include "base/base64.h"
#include "base/err.h"
#include "base/log.h"
#include "rpc/check.h"
#include "rpc/names.h"

/* ---- events ---------------------------------------------------------------------------------------- */

static void take_output(struct msb_proc *p, const cJSON *data)
{
	const char *stream = kernel_json_text(data, "stream"), *text = kernel_json_text(data, "text");
	const char *letters = kernel_json_text(data, "base64");
	uint8_t channel = stream && strcmp(stream, "stderr") == 0 ? CHANNEL_STDERR : CHANNEL_STDOUT;
	size_t n = 0;
	char *bytes = !text && letters ? base64_decode(letters, strlen(letters), &n) : NULL;
	if (text)
		msb_proc_print(p, channel, text, strlen(text));
	else if (bytes)
		msb_proc_print(p, channel, bytes, n);
	free(bytes);
}

/* The server sends the forms of one object one after the other; a kernel sends them together. */
static void take_display(struct msb_proc *p, const cJSON *data)
{
	struct reach *r = p->own;
	const char *mime = kernel_json_text(data, "mime"), *text = kernel_json_text(data, "data");
	double more = 0;
	if (!p->lang || !mime || !text)
		return;
	if (!r->bundle)
		r->bundle = cJSON_CreateObject();
	cJSON_AddStringToObject(r->bundle, mime, text);
	if (kernel_json_number(data, "more", 1e6, &more) && more > 0)
		return;
	cJSON *event = msb_kernel_event(p, "display");
	const char *title = kernel_json_text(data, "title"), *source = kernel_json_text(data, "source");
	if (title)
		cJSON_AddStringToObject(event, "title", title);
	if (source)
		cJSON_AddStringToObject(event, "source", source);
	cJSON_AddItemToObject(event, "data", r->bundle);
	r->bundle = NULL;
	msb_kernel_send(p, event);
}

static void take_input(struct msb_proc *p, const cJSON *data)
{
	const char *prompt = kernel_json_text(data, "prompt");
	if (!p->lang)
		return;
	cJSON *event = msb_kernel_event(p, "input");
	cJSON_AddStringToObject(event, "prompt", prompt ? prompt : "");
	cJSON_AddBoolToObject(
			event, "secret", cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(data, "secret")));
	msb_kernel_send(p, event);
}

static void take_lost(struct msb_proc *p, const cJSON *data)
{
	char sentence[128];
	double bytes = 0;
	if (!kernel_json_number(data, "bytes", 1e15, &bytes))
		return;
	snprintf(sentence, sizeof sentence, "%.0f bytes of output were not kept by the server", bytes);
	msb_proc_say(p, sentence);
}

static void replace_copy(cJSON **to, const cJSON *data)
{
	cJSON_Delete(*to);
	*to = cJSON_Duplicate(data, true);
}

static void take_result(struct msb_proc *p, const cJSON *data)
{
	struct reach *r = p->own;
	const char *status = kernel_json_text(data, "status");
	r->is_lost = status && strcmp(status, "lost") == 0;
	if (!r->is_lost) /* otherwise the answer says why */
		replace_copy(&r->result, data);
}

static void take_exited(struct msb_proc *p, const cJSON *data)
{
	replace_copy(&((struct reach *)p->own)->exited, data);
}

static void take_response(struct msb_proc *p, const cJSON *data)
{
	struct reach *r = p->own;
	if (!r->result && !r->exited) /* otherwise it adds nothing */
		replace_copy(&r->response, data);
}

static const struct {
	const char *name;
	void (*fn)(struct msb_proc *p, const cJSON *data);
} TAKERS[] = {
		{"output", take_output},
		{"display", take_display},
		{"input", take_input},
		{"result", take_result},
		{"exited", take_exited},
		{"lost", take_lost},
		{"response", take_response},
};

static int on_event(void *user, const char *name, const char *data, size_t n)
{
	struct reach *r = user;
	struct msb_proc *p = r->p;
	struct rpc_span span;
	if (!data) /* too long: only the server's own answer can be, and its contents are known */
		return 0;
	if (strcmp(name, "response") == 0 && (r->result || r->exited))
		return 0;
	int e = rpc_check(data, n, NULL, &span, &r->why);
	if (e < 0)
		return e;
	cJSON *json = cJSON_ParseWithLength(data, n);
	for (size_t i = 0; json && i < sizeof TAKERS / sizeof *TAKERS && p->own == r; i++) {
		if (strcmp(name, TAKERS[i].name) == 0)
			TAKERS[i].fn(p, json);
	}
	cJSON_Delete(json);
	/* The event may have ended the process and this reader: stop reading. */
	return p->own == r ? 0 : TRM_ECANCELED;
}

/* ---- the answer as HTTP -------------------------------------------------------------------------------- */

/* A program that does not exist or is no program ends `terrarium exec` as it would end a shell. */
static void take_reason(struct reach *r, const struct http_request *http)
{
	char word[24] = "";
	http_request_field(http, "Terrarium-Reason", word, sizeof word);
	r->is_lost = strcmp(word, "not-running") == 0;
	r->reason = strcmp(word, "not-found") == 0        ? TRM_ENOENT
		    : strcmp(word, "not-executable") == 0 ? TRM_EPERM
							  : 0;
}

static void on_head(void *user, struct http_request *http, int status, const char *content_type)
{
	struct reach *r = user;
	r->status = status;
	take_reason(r, http);
	r->streams = status == 200 && strncmp(content_type, "text/event-stream", 17) == 0;
	if (!r->streams || !http_request_field(http, "Terrarium-Run", r->run, sizeof r->run))
		return;
	reach_pump(r);
}

/* Earlier output goes first. */
static void fail_process(struct msb_proc *p, const struct trm_error *why)
{
	msb_proc_flush(p);
	if (p->stream)
		msb_proc_fail(p, why);
}

static void stop_reading(struct reach *r)
{
	struct msb_proc *p = r->p;
	struct trm_error why;
	trm_error_set(&why, TRM_EPROTO, "the server's events cannot be understood%s%s",
			r->why.code ? ": " : "", r->why.code ? r->why.msg : "");
	fail_process(p, &why);
}

static void on_body(void *user, struct http_request *http, const char *bytes, size_t n)
{
	struct reach *r = user;
	struct msb_proc *p = r->p;
	if (!r->streams) {
		if (r->plain.len + n < r->plain.max) /* more of it would not help */
			buf_append(&r->plain, bytes, n);
		return;
	}
	int e = event_reader_feed(&r->reader, bytes, n, on_event, r);
	if (p->own != r)
		return;
	if (e < 0) {
		stop_reading(r);
		return;
	}
	if (p->pieces.len > REACH_PAUSE && !r->is_paused) {
		r->is_paused = true;
		http_pause(http, true);
	}
	msb_proc_flush(p);
}

static void room(struct msb_proc *p)
{
	struct reach *r = p->own;
	if (!r || !r->is_paused || !r->http || p->pieces.len > REACH_RESUME)
		return;
	r->is_paused = false;
	http_pause(r->http, false);
}

/* ---- the end of a run
 * ---------------------------------------------------------------------------------- */

/* Report the end of the interpreter as a wait status would. */
static void end_by(struct msb_proc *p, const cJSON *result)
{
	struct reach *r = p->own;
	const char *reason = kernel_json_text(result, "reason");
	double code = 137;
	kernel_json_number(result, "exit_code", 255, &code);
	if (r->killed_by) {
		msb_proc_end(p, 0, r->killed_by);
		return;
	}
	if (p->is_leaving && r->has_interrupted) {
		msb_proc_end(p, 0, SIGINT);
		return;
	}
	bool is_signal = r->has_interrupted || code > 128;
	if (reason && is_signal && !r->has_interrupted) { /* only the server knows which limit it was */
		cJSON *event = msb_kernel_event(p, "fate");
		cJSON_AddStringToObject(event, "reason", reason);
		msb_kernel_send(p, event);
	}
	if (!p->stream)
		return;
	if (is_signal)
		msb_proc_end(p, 0, r->has_interrupted || code > 128 + 64 ? SIGKILL : (uint32_t)code - 128);
	else
		msb_proc_end(p, (int)code, 0);
}

static void move_member(cJSON *from, const char *name, cJSON *to)
{
	cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(from, name);
	if (item && !cJSON_IsNull(item))
		cJSON_AddItemToObject(to, name, item);
	else
		cJSON_Delete(item);
}

static void end_run(struct msb_proc *p, cJSON *result)
{
	static const char *const reported[] = {"exit_code", "value", "error"};
	const char *status = kernel_json_text(result, "status");
	bool is_done = status
		       && (strcmp(status, "ok") == 0 || strcmp(status, "error") == 0
				       || strcmp(status, "interrupted") == 0);
	double cpu_ms = 0;
	if (!is_done || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "state_lost"))
			|| p->is_leaving) {
		end_by(p, result);
		return;
	}
	const char *reason = kernel_json_text(result, "reason");
	if (reason && !((const struct reach *)p->own)->has_interrupted) /* the server interrupted the run */
		msb_proc_say(p, reason);
	cJSON *event = msb_kernel_event(p, "done");
	cJSON_AddStringToObject(event, "status", status);
	if (kernel_json_number(result, "cpu_ms", 1e12, &cpu_ms))
		cJSON_AddNumberToObject(event, "cpu_us", cpu_ms * 1000);
	for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
		move_member(result, reported[i], event);
	msb_kernel_end(p, event);
}

static void end_command(struct msb_proc *p, const cJSON *exited)
{
	double code = 0, signo = 0, user = 0, system = 0, rss = 0;
	kernel_json_number(exited, "exit_code", 255, &code);
	kernel_json_number(exited, "signal", 64, &signo);
	kernel_json_number(exited, "user_us", 1e15, &user);
	kernel_json_number(exited, "system_us", 1e15, &system);
	kernel_json_number(exited, "max_rss_bytes", 1e15, &rss);
	p->exit.user_us = (uint64_t)user;
	p->exit.system_us = (uint64_t)system;
	p->exit.max_rss_bytes = (uint64_t)rss;
	const char *reason = kernel_json_text(exited, "reason");
	if (reason) { /* the server interrupted it */
		msb_proc_say(p, reason);
		code = 128 + SIGINT;
		signo = 0;
	}
	msb_proc_end(p, (int)code, (uint32_t)signo);
}

/* The server answered with a failure. */
static void end_failed(struct msb_proc *p, int status, const char *body, size_t n)
{
	const struct msb *m = p->msb;
	const struct http_answer answer = {
			.status = status, .content_type = "application/json", .body = body, .n = n};
	char what[128];
	const struct reply_about about = {.what = what,
			.url = m->settings.url,
			.space = m->settings.space,
			.key = m->settings.key};
	struct trm_error why = {0};
	cJSON *root = NULL;
	const cJSON *result;
	snprintf(what, sizeof what, "run %s in sandbox '%s'", p->lang ? p->lang->name : p->argv[0],
			p->box->name);
	if (reply_read(&answer, &about, &root, &result, &why) == 0)
		trm_error_set(&why, TRM_EPROTO, "cannot %s: the server's events have no end", what);
	cJSON_Delete(root);
	if (!p->lang && ((struct reach *)p->own)->reason)
		why.code = ((struct reach *)p->own)->reason;
	if (((struct reach *)p->own)->is_lost) /* not only the run has ended, but also its sandbox */
		msb_fail(p->msb, &why);
	else
		fail_process(p, &why);
}

static void end_by_plain(struct msb_proc *p)
{
	struct reach *r = p->own;
	size_t n = r->plain.len;
	/* Readers of the text need its NUL. */
	bool is_whole = buf_append(&r->plain, "", 1) == 0;
	end_failed(p, r->status, is_whole ? buf_at(&r->plain) : "", is_whole ? n : 0);
}

static void end_by_response(struct msb_proc *p, const cJSON *response)
{
	char *text = cJSON_PrintUnformatted(response);
	/* The status that a plain answer would have had. */
	bool is_plain = kernel_json_text(response, "error") != NULL;
	end_failed(p, is_plain ? 500 : 200, text ? text : "", text ? strlen(text) : 0);
	cJSON_free(text);
}

static void end_lost(struct msb_proc *p, const struct trm_error *failure)
{
	const struct msb_settings *s = &p->msb->settings;
	char what[128];
	const struct reply_about about = {.what = what, .url = s->url, .space = s->space, .key = s->key};
	struct trm_error why = {0};
	snprintf(what, sizeof what, "run %s in sandbox '%s'", p->lang ? p->lang->name : p->argv[0],
			p->box->name);
	reply_missing(failure, &about, &why);
	if (msb_is_gone(&why))
		msb_fail(p->msb, &why);
	else
		fail_process(p, &why);
}

static void on_done(void *user, const struct http_answer *answer, const struct trm_error *failure)
{
	struct reach *r = user;
	struct msb_proc *p = r->p;
	(void)answer;
	cJSON *result = r->result, *exited = r->exited, *response = r->response;
	r->result = r->exited = r->response = NULL;
	r->http = NULL;
	event_reader_finish(&r->reader);
	cJSON_Delete(r->bundle);
	r->bundle = NULL;
	reach_forget_run(r);
	if (result)
		end_run(p, result);
	else if (exited)
		end_command(p, exited);
	else if (r->killed_by)
		msb_proc_end(p, 0, r->killed_by);
	else if (response)
		end_by_response(p, response);
	else if (failure->code || r->streams)
		end_lost(p, failure->code ? failure
					  : &(struct trm_error){TRM_ECLOSED, "the connection was lost"});
	else
		end_by_plain(p);
	cJSON_Delete(result);
	cJSON_Delete(exited);
	cJSON_Delete(response);
}

/* ---- the beginning of a run
 * ---------------------------------------------------------------------------- */

static const struct http_cb HTTP_CB = {.head = on_head, .body = on_body, .done = on_done};

static void start_stream(struct msb_proc *p, struct msb_request *request)
{
	struct reach *r = reach_of(p);
	struct trm_error why;
	if (!r) {
		cJSON_Delete(request->params);
		return;
	}
	event_reader_init(&r->reader, MSB_RESULT_MAX);
	buf_clear(&r->plain);
	r->run[0] = '\0';
	r->why = (struct trm_error){0};
	r->status = r->reason = 0;
	r->streams = r->is_paused = r->has_interrupted = r->is_lost = false;
	r->killed_by = 0;
	r->owes_step = NULL;
	request->is_once = true;
	request->max_bytes = REACH_READ;
	if (p->stdin_is_open || r->input.len || r->owes_eof)
		cJSON_AddTrueToObject(request->params, "stdin");
	if (msb_post(p->msb, request, "text/event-stream", &HTTP_CB, r, &r->http, &why) < 0)
		fail_process(p, &why);
}

static void events_begin_run(struct msb_proc *p)
{
	struct msb_request request = {.method = RPC_RUN, .params = msb_params(p->msb, p->box->name)};
	const char *file = kernel_json_text(p->request, "file");
	const cJSON *args = cJSON_GetObjectItemCaseSensitive(p->request, "args");
	cJSON_AddStringToObject(request.params, "language", p->lang->name);
	cJSON_AddStringToObject(request.params, "code", p->code);
	if (file)
		cJSON_AddStringToObject(request.params, "file", file);
	cJSON_AddBoolToObject(request.params, "echo",
			cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(p->request, "echo")));
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(p->request, "program")))
		cJSON_AddTrueToObject(request.params, "program");
	if (args)
		cJSON_AddItemToObject(request.params, "args", cJSON_Duplicate(args, true));
	if (p->is_leaving)
		cJSON_AddTrueToObject(request.params, "leave");
	start_stream(p, &request);
}

static void events_begin_command(struct msb_proc *p)
{
	struct msb_request request = {.method = RPC_COMMAND, .params = msb_command_params(p)};
	if (p->has_terminal) {
		cJSON *terminal = cJSON_AddObjectToObject(request.params, "terminal");
		cJSON_AddNumberToObject(terminal, "rows", p->rows);
		cJSON_AddNumberToObject(terminal, "cols", p->cols);
	}
	start_stream(p, &request);
}

const struct msb_dialect msb_events = {
		.run = events_begin_run,
		.command = events_begin_command,
		.input = reach_input,
		.eof = reach_eof,
		.resize = reach_resize,
		.signal = reach_signal,
		.ask = reach_ask,
		.drop = reach_drop,
		.room = room,
};
