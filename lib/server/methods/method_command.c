/* SPDX-License-Identifier: MIT */
/* sandbox.command.run: starts a program by its name, without a shell. If its client leaves, it is killed
 * with everything that it has started. */
#include <cJSON.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>
#include <terrarium/policy.h>
#include <terrarium/result.h>

#include "base/err.h"
#include "rpc/params.h"
#include "rpc/put.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/install_note.h"
#include "server/methods/lines.h"
#include "server/methods/run_stream.h"
#include "server/methods/use.h"
#include "server/sandboxes/fleet.h"
#include "session/output.h"

enum { TIMEOUT_MAX_S = 1000000000, KILL_MS = 3000, TAIL_BYTES = 300 };

struct command_call {
	struct use use;
	const char *command;   /* of the call's params */
	const cJSON *args;     /* of the call's params; NULL: none */
	uint64_t timeout_s;    /* 0: none */
	struct trm_proc *proc; /* NULL: not started, or ended */
	struct trm_timer *timer;
	struct output output;
	struct run_stream *stream;
	bool has_terminal;
	uint64_t rows, cols; /* of the terminal */
	bool wants_stdin, has_started, has_timed_out;
};

/* ---- the reply --------------------------------------------------------------------------- */

static cJSON *make_result(
		const struct command_call *c, const struct trm_exit *exit, const struct trm_result *kept)
{
	struct lines lines;
	char reason[128], note[INSTALL_NOTE];
	cJSON *json = cJSON_CreateObject();
	rpc_put_text(&json, "command", c->command);
	rpc_put(&json, "args", c->args ? cJSON_Duplicate(c->args, true) : cJSON_CreateArray());
	trm_exit_describe(exit, reason, sizeof reason);
	bool is_failed = exit->signal || *reason;
	rpc_put_number(&json, "exit_code", is_failed ? 1 : exit->exit_code);
	rpc_put_bool(&json, "success", !is_failed && exit->exit_code == 0);
	lines_init(&lines);
	lines_feed_kept(&lines, kept);
	if (exit->exit_code && !c->use.call->server->opts.forbids_libraries && c->use.served->sandbox
			&& install_note_find(c->use.served->sandbox, kept, note))
		lines_add_format(&lines, "%s", note);
	if (*reason)
		lines_add_format(&lines, "Error: Command was %s", reason);
	else if (*exit->limit)
		lines_add_format(&lines, "Error: %s", exit->limit);
	else if (exit->signal)
		lines_add_format(&lines, "Error: Command was ended by signal %d (%s)", exit->signal,
				strsignal(exit->signal));
	return lines_end_in(&lines, json);
}

/* Quotes the end of the output, which often shows what the program waited for. */
static void fail_timeout(const struct command_call *c, const struct trm_result *kept)
{
	size_t end = kept->output_len;
	while (end && strchr(" \t\r\n", kept->output[end - 1]))
		end--;
	size_t n = end < TAIL_BYTES ? end : TAIL_BYTES;
	call_fail(c->use.call, RPC_INTERNAL,
			"Command timed out after %" PRIu64
			" seconds: '%s' was killed, with all that it had started%s%.*s",
			c->timeout_s, c->command,
			n ? "; the last that it printed: " : "; it had printed nothing", (int)n,
			n ? kept->output + end - n : "");
}

static void fail_to_start(const struct command_call *c, const struct trm_error *why)
{
	c->use.call->reason = why->code == TRM_ENOENT  ? "not-found"
			      : why->code == TRM_EPERM ? "not-executable"
						       : NULL;
	call_fail(c->use.call, RPC_INTERNAL, "Command '%.200s' could not be run: %s", c->command, why->msg);
}

/* The command has run, so the message must not say that it could not be started. */
static void fail_lost(const struct command_call *c, const struct trm_error *why)
{
	call_fail(c->use.call, RPC_INTERNAL,
			"sandbox '%s' in namespace '%s' ended while the command '%.200s' ran: %s",
			c->use.target.name, c->use.target.space, c->command,
			c->use.served->state == SERVED_STOPPING ? "it was stopped" : why->msg);
}

static void reply(struct command_call *c, const struct trm_exit *exit, const struct trm_error *why)
{
	struct trm_result kept = {0};
	output_to_result(&c->output, &kept);
	output_finish(&c->output);
	fleet_waste(c->use.call->server->fleet, kept.output_len);
	if (c->has_timed_out)
		fail_timeout(c, &kept);
	else if (exit)
		call_result(c->use.call, make_result(c, exit, &kept));
	else if (c->has_started || c->use.served->state == SERVED_STOPPING)
		fail_lost(c, why);
	else
		fail_to_start(c, why);
	free(kept.output);
	free(kept.chunks);
}

/* ---- the process ------------------------------------------------------------------------- */

static void finish(struct use *u)
{
	struct command_call *c = (struct command_call *)u;
	run_stream_close(&c->stream);
	trm_timer_remove(c->timer);
	output_finish(&c->output);
}

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct command_call *c = user;
	(void)proc;
	output_append(&c->output, channel == TRM_STDERR ? TRM_STDERR : TRM_STDOUT, bytes, n);
	run_stream_output(c->stream, channel == TRM_STDERR ? TRM_STDERR : TRM_STDOUT, bytes, n);
}

static void on_drained(void *user, struct trm_proc *proc)
{
	struct command_call *c = user;
	(void)proc;
	run_stream_drained(c->stream);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct command_call *c = user;
	(void)proc;
	c->proc = NULL;
	if (exit)
		run_stream_exited(c->stream, exit);
	run_stream_close(&c->stream);
	reply(c, exit, why);
	use_end(&c->use);
}

/* ---- what other calls do with it ----------------------------------------------------------- */

static int send_input(void *user, const void *bytes, size_t n, struct trm_error *reterr)
{
	const struct command_call *c = user;
	if (!c->wants_stdin && !c->has_terminal)
		return trm_error_set(reterr, TRM_EINVAL, "the command offers no input");
	return trm_proc_write(c->proc, TRM_STDIN, bytes, n, reterr);
}

static void send_eof(void *user)
{
	trm_proc_close_stdin(((struct command_call *)user)->proc);
}

static void resize(void *user, uint16_t rows, uint16_t cols)
{
	trm_proc_resize(((struct command_call *)user)->proc, rows, cols);
}

static size_t queued(void *user)
{
	return trm_proc_queued(((struct command_call *)user)->proc);
}

static void consumed(void *user, size_t n)
{
	struct command_call *c = user;
	if (c->proc)
		trm_proc_consumed(c->proc, n);
}

static void take_step(void *user, enum run_step step, bool holds)
{
	static const int signals[] = {[RUN_STEP_INTERRUPT] = SIGINT,
			[RUN_STEP_TERMINATE] = SIGTERM,
			[RUN_STEP_KILL] = SIGKILL,
			[RUN_STEP_PAUSE] = SIGSTOP,
			[RUN_STEP_RESUME] = SIGCONT};
	(void)holds;
	trm_proc_signal(((struct command_call *)user)->proc, signals[step], TRM_SIGNAL_TREE);
}

static const struct run_stream_ops STREAM_OPS = {.input = send_input,
		.eof = send_eof,
		.resize = resize,
		.queued = queued,
		.step = take_step,
		.consumed = consumed};

/* The stream begins only here, so that a missing program is answered plainly, with its status. */
static void on_started(void *user, struct trm_proc *proc, uint32_t pid)
{
	struct command_call *c = user;
	(void)proc;
	(void)pid;
	c->has_started = true;
	run_stream_begin(c->stream);
}

static const struct trm_proc_cb PROC_CB = {
		.started = on_started, .output = on_output, .drained = on_drained, .exited = on_exited};

/* ---- the beginning and the time-out ----------------------------------------------------------- */

/* Kills everything that the command has started. If its end is not reported in time, the command is given
 * up. */
static void on_timeout(void *user)
{
	struct command_call *c = user;
	bool is_again = c->has_timed_out;
	c->has_timed_out = true;
	if (is_again) {
		trm_proc_close(c->proc);
		return;
	}
	trm_proc_signal(c->proc, SIGKILL, TRM_SIGNAL_TREE);
	trm_timer_start(c->timer, KILL_MS, 0);
}

static int pass_gate(struct command_call *c, const char *const *argv, struct trm_error *why)
{
	struct trm_policy *policy = fleet_opts(c->use.call->server->fleet)->policy;
	struct trm_findings found;
	if (!policy)
		return 0;
	int r = trm_policy_scan_command(policy, argv, &found, why);
	if (r == 0)
		r = trm_policy_refusal(policy, &found, why);
	trm_findings_finish(&found);
	return r;
}

static int spawn(struct command_call *c, struct trm_error *why)
{
	size_t n = c->args ? (size_t)cJSON_GetArraySize(c->args) : 0, i = 1;
	const char **argv = calloc(n + 2, sizeof *argv);
	const cJSON *arg;
	if (!argv)
		return trm_error_set(why, TRM_ENOMEM, "out of memory");
	argv[0] = c->command;
	cJSON_ArrayForEach(arg, c->args) argv[i++] = arg->valuestring;
	int r = pass_gate(c, argv, why);
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.reported_by = "terrarium serve",
			.output_max_bytes = fleet_opts(c->use.call->server->fleet)->output_max_bytes,
			.tells_limit = true,
			.manual_credit = call_streams(c->use.call),
			.stdin_open = call_streams(c->use.call) && c->wants_stdin,
			.pty = c->has_terminal,
			.rows = (uint16_t)c->rows,
			.cols = (uint16_t)c->cols};
	if (r == 0)
		r = trm_proc_spawn(c->use.served->sandbox, &opts, &PROC_CB, c, &c->proc, why);
	free(argv);
	return r;
}

static int begin(struct use *u, struct trm_error *why)
{
	struct command_call *c = (struct command_call *)u;
	output_init(&c->output, fleet_opts(u->call->server->fleet)->output_keep_bytes);
	if (!*c->command)
		return trm_error_set(why, TRM_EINVAL, "the command is empty");
	int r = trm_loop_add_timer(u->call->server->loop, on_timeout, c, &c->timer, why);
	if (r == 0)
		r = run_stream_open(
				u->call, u->target.space, u->target.name, &STREAM_OPS, c, &c->stream, why);
	if (r == 0)
		r = spawn(c, why);
	if (r == 0 && c->timeout_s)
		trm_timer_start(c->timer, c->timeout_s * 1000, 0);
	return r;
}

static void leave(struct use *u)
{
	struct command_call *c = (struct command_call *)u;
	if (c->proc)
		trm_proc_close(c->proc);
}

static int read_terminal(struct command_call *c, const cJSON *params, struct trm_error *why)
{
	const cJSON *terminal = NULL;
	int r = rpc_get_object(params, "terminal", &terminal, why);
	c->has_terminal = terminal;
	c->rows = 24;
	c->cols = 80;
	if (r == 0 && terminal)
		r = rpc_get_number(terminal, "rows", UINT16_MAX, &c->rows, why);
	if (r == 0 && terminal)
		r = rpc_get_number(terminal, "cols", UINT16_MAX, &c->cols, why);
	return r;
}

static int read_params(struct use *u, struct trm_error *why)
{
	struct command_call *c = (struct command_call *)u;
	const cJSON *params = u->call->params;
	int r = rpc_need_text(params, "command", &c->command, why);
	if (r == 0)
		r = rpc_get_texts(params, "args", &c->args, why);
	if (r == 0)
		r = rpc_get_number(params, "timeout", TIMEOUT_MAX_S, &c->timeout_s, why);
	if (r < 0 || !call_streams(u->call))
		return r;
	r = rpc_get_bool(params, "stdin", &c->wants_stdin, why);
	return r < 0 ? r : read_terminal(c, params, why);
}

static const struct use_kind KIND = {.size = sizeof(struct command_call),
		.wrong_params = RPC_INTERNAL,
		.read = read_params,
		.begin = begin,
		.gone = leave,
		.finish = finish};

void method_command(struct call *call)
{
	use_begin(call, &KIND);
}
