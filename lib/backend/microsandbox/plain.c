/* SPDX-License-Identifier: MIT */
/* Runs and commands at a server of 0.2.x: one request, and all output at its end. A run or command gets
 * no input, and only the end of its sandbox stops it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "backend/microsandbox/feed.h"
#include "backend/microsandbox/is_complete.h"
#include "backend/microsandbox/msb.h"
#include "backend/microsandbox/traceback_parse.h"
#include "base/err.h"
#include "rpc/names.h"

enum { LINES_MAX = 1 << 20 };

/* ---- output -------------------------------------------------------------------------------------- */

struct lines {
	struct traceback_line *at;
	size_t n;
};

static void add_text(struct lines *lines, const cJSON *text, bool is_stderr)
{
	size_t n = cJSON_IsString(text) ? strlen(text->valuestring) : 0;
	if (n)
		lines->at[lines->n++] = (struct traceback_line){.text = text->valuestring,
				.is_stderr = is_stderr,
				.is_open = text->valuestring[n - 1]
					   == '\n'}; /* the text has its own newline */
}

/* Borrow the lines of a result. The protocol's manual has texts `output` and `error` instead of lines,
 * but no known server sends these. False: out of memory, and the process has been told. */
static bool take_lines(struct msb_proc *p, const cJSON *result, struct lines *ret)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(result, "output"), *item;
	int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
	*ret = (struct lines){.at = calloc((size_t)size + 2, sizeof *ret->at)};
	if (!ret->at) {
		msb_proc_fail(p, &(struct trm_error){.code = TRM_ENOMEM, .msg = "out of memory"});
		return false;
	}
	if (!cJSON_IsArray(array)) {
		add_text(ret, array, false);
		add_text(ret, cJSON_GetObjectItemCaseSensitive(result, "error"), true);
		return true;
	}
	cJSON_ArrayForEach(item, array)
	{
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "text"));
		const char *stream = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "stream"));
		bool is_stderr = stream && strcmp(stream, "stderr") == 0;
		/* Clients of 0.2.x do not show other streams. */
		if (!text || !stream || (!is_stderr && strcmp(stream, "stdout") != 0) || ret->n >= LINES_MAX)
			continue;
		ret->at[ret->n++] = (struct traceback_line){.text = text, .is_stderr = is_stderr};
	}
	return true;
}

/* Print consecutive lines of one stream as one piece. If a terminal was requested, the caller's terminal
 * shows them in raw mode. */
static void print_lines(struct msb_proc *p, const struct lines *lines)
{
	struct buf piece;
	buf_init(&piece, MSB_OUT_MAX);
	for (size_t i = 0; i < lines->n; i++) {
		const struct traceback_line *line = &lines->at[i];
		if (!line->is_blame && buf_append(&piece, line->text, strlen(line->text)) == 0
				&& !line->is_open)
			buf_append(&piece, p->has_terminal ? "\r\n" : "\n", p->has_terminal ? 2 : 1);
		if (i + 1 < lines->n && lines->at[i + 1].is_stderr == line->is_stderr)
			continue;
		if (piece.len)
			msb_proc_print(p, line->is_stderr ? CHANNEL_STDERR : CHANNEL_STDOUT, buf_at(&piece),
					piece.len);
		buf_clear(&piece);
	}
	buf_finish(&piece);
}

static cJSON *exception(const struct lines *lines, const struct blame *blame)
{
	cJSON *error = cJSON_CreateObject();
	cJSON_AddStringToObject(error, "name", blame->name);
	cJSON_AddStringToObject(error, "message", blame->message);
	cJSON *traceback = cJSON_AddArrayToObject(error, "traceback");
	for (size_t i = blame->first; i <= blame->last; i++)
		if (lines->at[i].is_blame)
			cJSON_AddItemToArray(traceback, cJSON_CreateString(lines->at[i].text));
	return error;
}

/* A call that ran something has been answered. False: it failed, and the process has been told. */
static bool is_answered(struct msb_proc *p, const cJSON *result, const struct trm_error *why)
{
	struct msb *m = p->msb;
	struct msb_box *box = p->box;
	struct trm_error strange;
	p->call = NULL;
	if (cJSON_IsObject(result))
		return true;
	if (!result && msb_is_gone(why)) {
		msb_fail(m, why);
		return false;
	}
	if (result) {
		trm_error_set(&strange, TRM_EPROTO, "the server %s answered a run with an invalid result",
				m->settings.url);
		why = &strange;
	}
	msb_proc_fail(p, why);
	msb_box_check(box);
	return false;
}

/* ---- runs in an interpreter -------------------------------------------------------------------------- */

/* Code that still runs would block the next run, so stop the sandbox and with it the interpreter. */
static void abandon_run(struct msb_proc *p, uint32_t signo)
{
	msb_call_cancel(p->call);
	p->call = NULL;
	msb_box_restart(p->box);
	msb_proc_end(p, 0, signo);
}

/* A server's report of success is not reliable; its report of a failure is. */
static bool is_failure(const cJSON *result)
{
	const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(result, "status"));
	return (status && (strcmp(status, "error") == 0 || strcmp(status, "exception") == 0))
	       || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "has_error"));
}

static void on_run(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_proc *p = user;
	struct lines lines;
	struct blame blame;
	if (!is_answered(p, result, why) || !take_lines(p, result, &lines))
		return;
	size_t late = traceback_timeout(lines.at, lines.n);
	if (late < lines.n) {
		lines.n = late;
		print_lines(p, &lines);
		abandon_run(p, SIGKILL);
		free(lines.at);
		return;
	}
	int exit_code = feed_unwrap(dialect_of(p->lang), p->tag, lines.at, &lines.n);
	if (dialect_of(p->lang) == DIALECT_JAVASCRIPT)
		traceback_node(lines.at, lines.n, &blame);
	else
		traceback_python(lines.at, lines.n, &blame);
	print_lines(p, &lines);
	bool has_failed = blame.is_found || is_failure(result) || exit_code > 0;
	msb_kernel_done(p, has_failed ? "error" : "ok", exit_code >= 0 ? exit_code : has_failed,
			blame.is_found ? exception(&lines, &blame) : NULL);
	free(lines.at);
}

static void add_timeout(const struct msb_proc *p, cJSON *params)
{
	if (p->timeout_ms)
		cJSON_AddNumberToObject(params, "timeout", (double)((p->timeout_ms + 999) / 1000));
}

static void send_off(struct msb_proc *p, struct msb_request *request, msb_reply_fn *fn)
{
	struct trm_error why;
	request->is_once = true;
	request->max_bytes = MSB_RESULT_MAX;
	if (msb_call(p->msb, request, fn, p, &p->call, &why) < 0)
		msb_proc_fail(p, &why);
}

/* ---- runs in a shell
 * ------------------------------------------------------------------------------------ */

static int exit_code_of(const cJSON *result)
{
	double code = 0;
	const cJSON *success = cJSON_GetObjectItemCaseSensitive(result, "success");
	if (kernel_json_number(result, "exit_code", 255, &code))
		return (int)code;
	return cJSON_IsTrue(success) ? 0 : 1;
}

static void on_bash(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_proc *p = user;
	struct lines lines;
	if (!is_answered(p, result, why) || !take_lines(p, result, &lines))
		return;
	print_lines(p, &lines);
	free(lines.at);
	int code = exit_code_of(result);
	msb_kernel_done(p, code ? "error" : "ok", code, NULL);
}

static void run_bash(struct msb_proc *p)
{
	struct msb_request request = {.method = RPC_COMMAND, .params = msb_params(p->msb, p->box->name)};
	cJSON_AddStringToObject(request.params, "command", "bash");
	cJSON *args = cJSON_AddArrayToObject(request.params, "args");
	cJSON_AddItemToArray(args, cJSON_CreateString("-c"));
	cJSON_AddItemToArray(args, cJSON_CreateString(p->code));
	add_timeout(p, request.params);
	snprintf(request.what, sizeof request.what, "run bash in sandbox '%s'", p->box->name);
	if (p->n_runs == 2)
		msb_proc_say(p, "on this server each Bash run is a separate shell: variables and directory "
				"of the last run are lost");
	send_off(p, &request, on_bash);
}

/* A tag that is hard to guess. Code that guesses it only harms its own run. */
static void make_tag(char tag[MSB_TAG_BYTES])
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof number, 0) < 0)
		number = 0;
	snprintf(tag, MSB_TAG_BYTES, "end%016llxof", (unsigned long long)number);
}

static cJSON *no_arguments(void)
{
	static const char why[] = "this server passes no arguments to code: a server of Terrarium does";
	cJSON *error = cJSON_CreateObject();
	cJSON_AddStringToObject(error, "name", "ArgumentsError");
	cJSON_AddStringToObject(error, "message", why);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(error, "traceback"), cJSON_CreateString(why));
	return error;
}

static void plain_begin_run(struct msb_proc *p)
{
	if (cJSON_GetObjectItemCaseSensitive(p->request, "args")) {
		msb_kernel_done(p, "error", -1, no_arguments());
		return;
	}
	if (p->lang->style == TRM_STYLE_SHELL) {
		run_bash(p);
		return;
	}
	struct msb_request request = {.method = RPC_RUN, .params = msb_params(p->msb, p->box->name)};
	cJSON_AddStringToObject(request.params, "language", p->lang->name);
	char *wrapped;
	make_tag(p->tag);
	if (feed_wrap(dialect_of(p->lang), p->code, p->tag, &wrapped) < 0) {
		cJSON_Delete(request.params);
		msb_proc_fail(p, &(struct trm_error){.code = TRM_ENOMEM, .msg = "out of memory"});
		return;
	}
	cJSON_AddStringToObject(request.params, "code", wrapped ? wrapped : p->code);
	free(wrapped);
	add_timeout(p, request.params);
	snprintf(request.what, sizeof request.what, "run %s in sandbox '%s'", p->lang->name, p->box->name);
	send_off(p, &request, on_run);
}

/* ---- commands
 * ------------------------------------------------------------------------------------------- */

static void on_command(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_proc *p = user;
	struct lines lines;
	if (!is_answered(p, result, why) || !take_lines(p, result, &lines))
		return;
	print_lines(p, &lines);
	free(lines.at);
	msb_proc_end(p, exit_code_of(result), 0);
}

static void add_all(cJSON *array, char *const *words)
{
	for (; words && *words; words++)
		cJSON_AddItemToArray(array, cJSON_CreateString(*words));
}

/* A server of 0.2.x starts a program unchanged, in the image's own directory and environment. */
cJSON *msb_command_params(const struct msb_proc *p)
{
	cJSON *params = msb_params(p->msb, p->box->name);
	bool has_env = p->env && p->env[0],
	     has_cwd = p->cwd && *p->cwd && strcmp(p->cwd, p->msb->settings.workdir) != 0;
	cJSON *args = cJSON_CreateArray();
	char **words = p->argv;
	const char *program = has_cwd ? "sh" : has_env ? "env" : p->argv[0];
	if (has_cwd) {
		cJSON_AddItemToArray(args, cJSON_CreateString("-c"));
		cJSON_AddItemToArray(args, cJSON_CreateString("cd \"$1\" && shift && exec \"$@\""));
		cJSON_AddItemToArray(args, cJSON_CreateString("sh"));
		cJSON_AddItemToArray(args, cJSON_CreateString(p->cwd));
	}
	if (has_cwd && has_env)
		cJSON_AddItemToArray(args, cJSON_CreateString("env"));
	if (has_env)
		add_all(args, p->env);
	add_all(args, has_env || has_cwd ? words : words + 1);
	cJSON_AddStringToObject(params, "command", program);
	cJSON_AddItemToObject(params, "args", args);
	return params;
}

static void plain_begin_command(struct msb_proc *p)
{
	struct msb_request request = {.method = RPC_COMMAND, .params = msb_command_params(p)};
	snprintf(request.what, sizeof request.what, "run '%.40s' in sandbox '%s'", p->argv[0], p->box->name);
	if (p->has_terminal && !p->msb->has_reported_terminal) {
		p->msb->has_reported_terminal = p->has_reported_stdin = true;
		msb_proc_say(p, "this server has no terminals: the command runs without one, has no input, and its output appears at "
				"its end");
	}
	send_off(p, &request, on_command);
}

/* ---- unsupported requests
 * ------------------------------------------------------------------------------- */

static void signal_proc(struct msb_proc *p, uint32_t signo);

/* Of the keys with which a terminal would send a signal only ^C, the interrupt, counts. */
static void input(struct msb_proc *p, const char *bytes, size_t n)
{
	msb_proc_taken(p, n);
	if (p->has_terminal && memchr(bytes, 3, n)) {
		signal_proc(p, SIGINT);
		return;
	}
	if (p->has_reported_stdin)
		return;
	p->has_reported_stdin = true;
	msb_proc_say(p, "this server accepts no input for runs: it is dropped, and reads see "
			"end of file");
}

static void eof(struct msb_proc *p, bool is_reset)
{
	(void)p;
	(void)is_reset;
}

/* A time-out is no interrupt of the user: the server knows the time, too, and may answer in a moment. */
static bool is_timeout(const struct msb_proc *p)
{
	return p->timeout_ms
	       && trm_loop_now_ns(p->msb->loop) - p->begun_ns >= p->timeout_ms * UINT64_C(1000000);
}

static void interrupt_process(struct msb_proc *p)
{
	p->is_interrupted = true;
	if (p->has_reported_interrupt || is_timeout(p))
		return;
	p->has_reported_interrupt = true;
	msb_proc_say(p, "this server cannot interrupt a run; the next step stops the sandbox, and its "
			"state is lost");
}

static void signal_proc(struct msb_proc *p, uint32_t signo)
{
	bool is_busy = p->lang ? p->run_id[0] != '\0' : true;
	if (signo == SIGSTOP || signo == SIGCONT || !signo || (p->lang && !is_busy && signo == SIGINT))
		return;
	if (p->lang && signo == SIGINT) {
		interrupt_process(p);
	} else if (p->lang) {
		abandon_run(p, signo);
	} else {
		msb_call_cancel(p->call);
		p->call = NULL;
		msb_proc_say(p, "given up: the command may keep running at the server until its sandbox is stopped");
		msb_proc_end(p, 0, signo);
	}
}

static void tell_is_complete(struct msb_proc *p, const char *id, const cJSON *request)
{
	const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "code"));
	char indent[128];
	bool is_whole = is_complete_is(dialect_of(p->lang), code ? code : "", indent, sizeof indent);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddStringToObject(answer, "status", is_whole ? "complete" : "incomplete");
	cJSON_AddStringToObject(answer, "indent", indent);
	msb_kernel_reply(p, id, answer, NULL);
}

static void send_question(struct msb_proc *p, const char *op, const char *id, const cJSON *request)
{
	if (strcmp(op, "is_complete") == 0) {
		tell_is_complete(p, id, request);
		return;
	}
	if (strcmp(op, "reset") == 0) {
		msb_kernel_reply(p, id, cJSON_CreateObject(), NULL);
		if (p->stream)
			abandon_run(p, SIGKILL);
		return;
	}
	msb_kernel_reply(p, id, NULL, "a plain microsandbox server does not answer such questions");
}

static void plain_resize(struct msb_proc *p)
{
	(void)p; /* there are no terminals */
}

static void plain_drop(struct msb_proc *p)
{
	(void)p;
}

const struct msb_dialect msb_plain = {
		.run = plain_begin_run,
		.command = plain_begin_command,
		.input = input,
		.eof = eof,
		.resize = plain_resize,
		.signal = signal_proc,
		.ask = send_question,
		.drop = plain_drop,
};
