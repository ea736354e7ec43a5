/* SPDX-License-Identifier: MIT */
/* sandbox.repl.run. If the client leaves, the run is interrupted by the session's stop escalation, so that
 * the next run need not wait for it. With events, a run may also ask for input and be stopped step by
 * step. */
#include <cJSON.h>
#include <inttypes.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/magic.h>
#include <terrarium/session.h>

#include "rpc/params.h"
#include "rpc/put.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/display_list.h"
#include "server/methods/install_note.h"
#include "server/methods/lines.h"
#include "server/methods/run_stream.h"
#include "server/methods/use.h"
#include "server/sandboxes/fleet.h"
#include "server/sandboxes/image.h"

enum { TIMEOUT_MAX_S = 1000000000, LIBRARIES_MAX = 64, ARGS_MAX = 256 };

struct run_call {
	struct use use;
	const char *code, *language; /* of the call's params */
	const char *file;            /* for tracebacks; NULL: none */
	const cJSON *args;           /* of the call's params; NULL: none */
	uint64_t timeout_s;          /* 0: none */
	const cJSON *libraries;      /* of the call's params; NULL: none */
	bool echoes, wants_stdin;
	bool is_program;
	bool is_leave;       /* no code: only run the exit handlers, as at the end of a program */
	struct trm_run *run; /* NULL: not started, or ended */
	struct run_stream *stream;
	bool has_started;
};

/* ---- the reply --------------------------------------------------------------------------- */

static void add_error(struct lines *lines, const struct trm_result *result)
{
	for (char **row = result->traceback; row && *row; row++)
		lines_add(lines, TRM_STDERR, **row ? *row : "\n");
	if (result->error_name && !(result->traceback && *result->traceback))
		lines_add_format(lines, "%s: %s", result->error_name,
				result->error_message ? result->error_message : "");
	else if (!result->error_name)
		lines_add_format(lines, "Error: exit code %d", result->exit_code);
}

/* The reason may begin with the word "interrupted" already. */
static void add_interrupt(struct lines *lines, const char *reason)
{
	static const char word[] = "interrupted";
	if (reason && strncmp(reason, word, sizeof word - 1) == 0)
		lines_add_format(lines, "Error: Execution was %s", reason);
	else
		lines_add_format(lines, "Error: Execution was %s%s%s", word, reason ? ": " : "",
				reason ? reason : "");
}

/* Add what the output does not show. The value gets a line of its own, as at a prompt. */
static void add_outcome(const struct run_call *c, struct lines *lines, const struct trm_result *result)
{
	char note[INSTALL_NOTE];
	switch (result->status) {
	case TRM_STATUS_ERROR: add_error(lines, result); break;
	case TRM_STATUS_TIMEOUT:
		lines_add_format(lines, "Error: Execution timed out after %" PRIu64 " seconds", c->timeout_s);
		break;
	case TRM_STATUS_INTERRUPTED: add_interrupt(lines, result->reason); break;
	case TRM_STATUS_KILLED:
		lines_add_format(lines, "Error: %s",
				result->reason ? result->reason : "the interpreter was killed");
		break;
	default: break;
	}
	if (result->value)
		lines_add(lines, TRM_STDOUT, *result->value ? result->value : "\n");
	if (result->hint && result->status != TRM_STATUS_OK)
		lines_add_format(lines, "%s", result->hint);
	else if (!c->use.call->server->opts.forbids_libraries && c->use.served->sandbox
			&& install_note_find(c->use.served->sandbox, result, note))
		lines_add_format(lines, "%s", note);
	if (result->state_lost)
		lines_add_format(lines, "The interpreter was restarted: its variables are lost");
}

/* To a client with events each display was sent when it came. */
static cJSON *make_result(const struct run_call *c, const struct trm_result *result, bool has_events)
{
	struct lines lines;
	cJSON *json = cJSON_CreateObject();
	rpc_put_text(&json, "status", "success");
	rpc_put_text(&json, "language", c->language);
	if (!has_events)
		display_list_put(&json, result);
	lines_init(&lines);
	lines_feed_kept(&lines, result);
	add_outcome(c, &lines, result);
	return lines_end_in(&lines, json);
}

/* ---- the run ----------------------------------------------------------------------------- */

static void on_started(void *user, struct trm_run *run)
{
	struct run_call *c = user;
	(void)run;
	c->has_started = true;
}

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

static void on_answered(void *user, struct trm_run *run)
{
	struct run_call *c = user;
	(void)run;
	run_stream_answered(c->stream);
}

static void on_drained(void *user, struct trm_run *run)
{
	struct run_call *c = user;
	(void)run;
	run_stream_drained(c->stream);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_call *c = user;
	(void)run;
	c->run = NULL;
	fleet_waste(c->use.call->server->fleet, result->output_len);
	bool has_events = c->stream != NULL;
	run_stream_result(c->stream, result);
	run_stream_close(&c->stream);
	if (result->status == TRM_STATUS_LOST)
		call_fail(c->use.call, RPC_INTERNAL,
				"sandbox '%s' in namespace '%s' ended while the code ran: %s",
				c->use.target.name, c->use.target.space,
				c->use.served->state == SERVED_STOPPING || !result->reason ? "it was stopped"
											   : result->reason);
	else
		call_result(c->use.call, make_result(c, result, has_events));
	use_end(&c->use);
}

/* A client without events gets everything at the end, and cannot be asked for input. */
static const struct trm_run_cb PLAIN_CB = {.done = on_done};
static const struct trm_run_cb STREAM_CB = {.started = on_started,
		.output = on_output,
		.display = on_display,
		.input = on_input,
		.answered = on_answered,
		.drained = on_drained,
		.done = on_done};

/* ---- what other calls do with it ------------------------------------------------------------ */

static int send_input(void *user, const void *bytes, size_t n, struct trm_error *reterr)
{
	return trm_run_write(((struct run_call *)user)->run, bytes, n, reterr);
}

static void send_eof(void *user)
{
	trm_run_close_stdin(((struct run_call *)user)->run);
}

static size_t queued(void *user)
{
	return trm_run_queued(((struct run_call *)user)->run);
}

static void consumed(void *user, size_t n)
{
	struct run_call *c = user;
	if (c->run)
		trm_run_consumed(c->run, n);
}

/* Kill the interpreter only if it is busy with this run. */
static void kill_run(struct run_call *c)
{
	const struct trm_lang *lang;
	if (c->has_started && image_language(c->use.served->languages, c->language, &lang, NULL) == 0)
		trm_session_restart(c->use.served->session, lang, NULL);
	else
		trm_run_interrupt(c->run);
}

static void take_step(void *user, enum run_step step, bool holds)
{
	struct run_call *c = user;
	switch (step) {
	case RUN_STEP_INTERRUPT:
		trm_run_interrupt(c->run);
		if (holds && c->run)
			trm_run_hold_clock(c->run, true);
		break;
	case RUN_STEP_TERMINATE:
	case RUN_STEP_KILL: kill_run(c); break;
	case RUN_STEP_PAUSE:
	case RUN_STEP_RESUME: trm_run_pause(c->run, step == RUN_STEP_PAUSE); break;
	}
}

static const struct run_stream_ops STREAM_OPS = {.input = send_input,
		.eof = send_eof,
		.queued = queued,
		.step = take_step,
		.consumed = consumed};

/* ---- the beginning --------------------------------------------------------------------------- */

/* The packages that are to be installed first: those of the call, and those that the code names with %pip.
 * Who runs the server may forbid that. */
static int take_libraries(const struct use *u, const cJSON *libraries, char *const *of_code,
		const char *names[LIBRARIES_MAX + 1], struct trm_error *why)
{
	size_t n = 0;
	const cJSON *name;
	if (((libraries && libraries->child) || of_code) && u->call->server->opts.forbids_libraries)
		return trm_error_set(why, TRM_EPERM,
				"this server was started with '--net off', which also forbids fetching libraries");
	cJSON_ArrayForEach(name, libraries)
	{
		if (n == LIBRARIES_MAX)
			return trm_error_set(why, TRM_ETOOBIG, "at most %d libraries at once", LIBRARIES_MAX);
		names[n++] = name->valuestring;
	}
	for (; of_code && *of_code; of_code++) {
		if (n == LIBRARIES_MAX)
			return trm_error_set(why, TRM_ETOOBIG, "at most %d libraries at once", LIBRARIES_MAX);
		names[n++] = *of_code;
	}
	names[n] = NULL;
	return 0;
}

static const char *const *list_args(const struct run_call *c, const char **args)
{
	size_t n = 0;
	for (const cJSON *arg = c->args ? c->args->child : NULL; arg && n <= ARGS_MAX; arg = arg->next)
		args[n++] = arg->valuestring;
	return args;
}

static int begin(struct use *u, struct trm_error *why)
{
	struct run_call *c = (struct run_call *)u;
	const struct trm_lang *lang;
	const char *libraries[LIBRARIES_MAX + 1];
	struct trm_run_opts opts;
	const char *args[ARGS_MAX + 2] = {NULL}; /* one more, so that too many are refused */
	bool streams = call_streams(u->call);
	int r = image_language(u->served->languages, c->language, &lang, why);
	char **of_code = NULL;
	if (r == 0)
		r = trm_magic_libraries(&of_code, lang, c->code, strlen(c->code), why);
	if (r == 0)
		r = take_libraries(u, c->libraries, of_code, libraries, why);
	if (r < 0) {
		trm_libraries_free(of_code);
		return r;
	}
	trm_run_opts_default(&opts);
	opts.lang = lang;
	opts.code = c->code;
	opts.code_len = strlen(c->code);
	opts.timeout_ms = (int64_t)c->timeout_s * 1000;
	opts.filename = c->file;
	opts.libraries = libraries;
	opts.echoes = c->echoes;
	opts.is_program = c->is_program;
	opts.args = list_args(c, args);
	opts.manual_credit = streams;
	opts.offers_stdin = streams && c->wants_stdin;
	r = run_stream_open(u->call, u->target.space, u->target.name, &STREAM_OPS, c, &c->stream, why);
	if (r == 0)
		r = (c->is_leave ? trm_session_run_exit : trm_session_run)(
				u->served->session, &opts, streams ? &STREAM_CB : &PLAIN_CB, c, &c->run, why);
	trm_libraries_free(of_code);
	if (r == 0)
		run_stream_begin(c->stream);
	else
		run_stream_close(&c->stream);
	return r;
}

static void leave(struct use *u)
{
	struct run_call *c = (struct run_call *)u;
	if (!c->run)
		return;
	trm_run_hold_clock(c->run, false);
	trm_run_interrupt(c->run);
}

static int read_params(struct use *u, struct trm_error *why)
{
	struct run_call *c = (struct run_call *)u;
	const cJSON *params = u->call->params;
	c->echoes = true;
	int r = rpc_need_text(params, "code", &c->code, why);
	if (r == 0)
		r = rpc_need_text(params, "language", &c->language, why);
	if (r == 0)
		r = rpc_get_number(params, "timeout", TIMEOUT_MAX_S, &c->timeout_s, why);
	if (r == 0)
		r = rpc_get_texts(params, "libraries", &c->libraries, why);
	if (r < 0 || !call_streams(u->call))
		return r;
	r = rpc_get_text(params, "file", &c->file, why);
	if (r == 0)
		r = rpc_get_bool(params, "echo", &c->echoes, why);
	if (r == 0)
		r = rpc_get_bool(params, "program", &c->is_program, why);
	if (r == 0)
		r = rpc_get_texts(params, "args", &c->args, why);
	if (r == 0)
		r = rpc_get_bool(params, "stdin", &c->wants_stdin, why);
	if (r == 0)
		r = rpc_get_bool(params, "leave", &c->is_leave, why);
	return r;
}

static const struct use_kind KIND = {.size = sizeof(struct run_call),
		.wrong_params = RPC_INTERNAL,
		.read = read_params,
		.begin = begin,
		.gone = leave};

void method_run(struct call *call)
{
	use_begin(call, &KIND);
}
