/* SPDX-License-Identifier: MIT */
/* sandbox.repl.run. A run whose client leaves is interrupted, by the session's steps, so that the next one need not wait
 * for it. */
#include <cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/session.h>

#include "base/err.h"
#include "rpc/params.h"
#include "server/call.h"
#include "server/fleet.h"
#include "server/image.h"
#include "server/lines.h"
#include "server/method.h"
#include "server/run_stream.h"
#include "server/server.h"
#include "server/target.h"

enum { TIMEOUT_MAX_S = 1000000000 };

struct run_call {
	struct call *call;
	struct target target;
	const char *code, *language; /* of the call's params */
	uint64_t timeout_s;          /* 0: none */
	struct served *served;
	struct trm_run *run; /* NULL: not yet, or no more */
	const struct trm_lang *lang;
	struct run_stream *stream; /* NULL: the client wants no events */
	bool is_gone;
};

/* ---- the reply --------------------------------------------------------------------------- */

static void tell_error(struct lines *lines, const struct trm_result *result)
{
	for (char **row = result->traceback; row && *row; row++)
		lines_add(lines, TRM_STDERR, **row ? *row : "\n");
	if (result->error_name && !(result->traceback && *result->traceback))
		lines_tell(lines, "%s: %s", result->error_name, result->error_message ? result->error_message : "");
	else if (!result->error_name)
		lines_tell(lines, "Error: exit code %d", result->exit_code);
}

/* What the output does not say by itself. The value is a line of its own, as a prompt shows it. */
static void tell_end(const struct run_call *c, struct lines *lines, const struct trm_result *result)
{
	switch (result->status) {
	case TRM_STATUS_ERROR: tell_error(lines, result); break;
	case TRM_STATUS_TIMEOUT:
		lines_tell(lines, "Error: Execution timed out after %" PRIu64 " seconds", c->timeout_s);
		break;
	case TRM_STATUS_INTERRUPTED:
		lines_tell(lines, "Error: Execution was interrupted%s%s", result->reason ? ": " : "",
				result->reason ? result->reason : "");
		break;
	case TRM_STATUS_KILLED:
		lines_tell(lines, "Error: %s", result->reason ? result->reason : "the interpreter was killed");
		break;
	default: break;
	}
	if (result->value)
		lines_add(lines, TRM_STDOUT, *result->value ? result->value : "\n");
	if (result->hint && result->status != TRM_STATUS_OK)
		lines_tell(lines, "%s", result->hint);
	if (result->state_lost)
		lines_tell(lines, "The interpreter was started anew: its variables are gone");
}

static cJSON *make_result(const struct run_call *c, const struct trm_result *result)
{
	struct lines lines;
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "status", "success");
	cJSON_AddStringToObject(json, "language", c->language);
	lines_init(&lines);
	lines_feed_kept(&lines, result);
	tell_end(c, &lines, result);
	cJSON *output = lines_end(&lines);
	lines_finish(&lines);
	if (output && json && cJSON_AddItemToObject(json, "output", output))
		return json;
	cJSON_Delete(output);
	cJSON_Delete(json);
	return NULL;
}

/* ---- the run ----------------------------------------------------------------------------- */

static void finish(struct run_call *c)
{
	if (c->served)
		served_unuse(c->served);
	free(c);
}

static void fail(struct run_call *c, const struct trm_error *why)
{
	call_fail(c->call, RPC_INTERNAL, "%s", why->msg);
	finish(c);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_call *c = user;
	(void)run;
	c->run = NULL;
	fleet_waste(c->call->server->fleet, result->output_len);
	run_stream_result(c->stream, result);
	run_stream_close(c->stream);
	if (result->status == TRM_STATUS_LOST)
		call_fail(c->call, RPC_INTERNAL, "sandbox '%s' in namespace '%s' ended while the code ran: %s",
				c->target.name, c->target.space,
				c->served->state == SERVED_STOPPING || !result->reason ? "it was stopped"
										   : result->reason);
	else
		call_result(c->call, make_result(c, result));
	finish(c);
}

static const struct trm_run_cb RUN_CB = {.done = on_done};

/* ---- with events --------------------------------------------------------------------------- */

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct run_call *c = user;
	(void)run;
	run_stream_output(c->stream, stream, bytes, n);
}

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct run_call *c = user;
	(void)run;
	run_stream_display(c->stream, display);
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct run_call *c = user;
	(void)run;
	run_stream_input(c->stream, prompt, is_secret);
}

static void on_drained(void *user, struct trm_run *run)
{
	struct run_call *c = user;
	(void)run;
	run_stream_drained(c->stream);
}

static const struct trm_run_cb STREAM_CB = {.output = on_output,
		.display = on_display,
		.input = on_input,
		.drained = on_drained,
		.done = on_done};

static int stream_input(void *user, const void *bytes, size_t n, struct trm_error *reterr)
{
	return trm_run_send(((struct run_call *)user)->run, bytes, n, reterr);
}

static void stream_eof(void *user)
{
	trm_run_send_eof(((struct run_call *)user)->run);
}

static size_t stream_queued(void *user)
{
	return trm_run_queued(((struct run_call *)user)->run);
}

static void stream_interrupt(void *user, bool is_kill)
{
	struct run_call *c = user;
	if (is_kill)
		trm_session_restart(c->served->session, c->lang, NULL);
	else
		trm_run_interrupt(c->run);
}

static void stream_consumed(void *user, size_t n)
{
	struct run_call *c = user;
	if (c->run)
		trm_run_consumed(c->run, n);
}

static const struct run_stream_ops STREAM_OPS = {.input = stream_input,
		.eof = stream_eof,
		.queued = stream_queued,
		.interrupt = stream_interrupt,
		.consumed = stream_consumed};

/* ---- begun ------------------------------------------------------------------------------- */

static int begin(struct run_call *c, struct trm_error *why)
{
	bool streams = call_streams(c->call);
	struct trm_run_opts opts;
	int r = image_language(c->served->languages, c->language, &c->lang, why);
	if (r < 0)
		return r;
	trm_run_opts_default(&opts);
	opts.lang = c->lang;
	opts.code = c->code;
	opts.code_len = strlen(c->code);
	opts.timeout_ms = (int64_t)c->timeout_s * 1000;
	opts.echoes = true;
	opts.offers_stdin = opts.manual_credit = streams;
	r = trm_session_run(c->served->session, &opts, streams ? &STREAM_CB : &RUN_CB, c, &c->run, why);
	if (r == 0)
		run_stream_open(c->call, c->target.space, c->target.name, &STREAM_OPS, c, &c->stream);
	return r;
}

static void on_use(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	struct run_call *c = user;
	struct trm_error own = *why;
	(void)note;
	c->served = why->code ? NULL : served;
	if (!own.code && c->is_gone)
		trm_error_set(&own, TRM_ECANCELED, "the client has gone");
	if (own.code || begin(c, &own) < 0)
		fail(c, &own);
}

static void on_gone(struct call *call, void *user)
{
	struct run_call *c = user;
	(void)call;
	c->is_gone = true;
	if (c->run)
		trm_run_interrupt(c->run);
}

static int read_params(struct run_call *c, struct trm_error *why)
{
	const cJSON *params = c->call->params;
	int r = rpc_need_text(params, "code", &c->code, why);
	if (r == 0)
		r = rpc_need_text(params, "language", &c->language, why);
	if (r == 0)
		r = rpc_get_number(params, "timeout", TIMEOUT_MAX_S, &c->timeout_s, why);
	return r;
}

void method_run(struct call *call)
{
	struct trm_error why = {0};
	struct target target;
	if (!target_read(call, true, &target))
		return;
	struct run_call *c = calloc(1, sizeof *c);
	if (!c) {
		call_fail(call, RPC_INTERNAL, "out of memory");
		return;
	}
	*c = (struct run_call){.call = call, .target = target};
	call->on_gone = on_gone;
	call->user = c;
	if (read_params(c, &why) < 0) {
		call_fail(call, RPC_INTERNAL, "Invalid params for %s: %s", call->method, why.msg);
		free(c);
		return;
	}
	fleet_use(call->server->fleet, target.space, target.name, on_use, c);
}
