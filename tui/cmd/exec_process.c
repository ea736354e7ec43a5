/* SPDX-License-Identifier: MIT */
/* Runs the command of `terrarium exec`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/exec.h"
#include "cmd/exec_internal.h"
#include "stream/install_hint.h"
#include "stream/missing_file.h"
#include "stream/option_names.h"
#include "stream/tty.h"

static void end_exec(struct exec *e, int exit_code)
{
	e->exit_code = exit_code;
	e->is_over = true;
}

/* ---- terminal --------------------------------------------------------------------- */

static void on_exec_winch(void *user, int signo)
{
	struct exec *e = user;
	struct winsize size;
	(void)signo;
	tty_size(&size);
	if (e->proc)
		trm_proc_resize(e->proc, size.ws_row, size.ws_col);
}

/* ---- the time limit ------------------------------------------------------------------- */

static void on_exec_timer(void *user)
{
	struct exec *e = user;
	if (!e->proc)
		return;
	trm_proc_signal(e->proc, e->is_timed_out ? SIGKILL : SIGINT, TRM_SIGNAL_TREE);
	if (!e->is_timed_out)
		trm_timer_start(e->timer, e->config.grace_ms, 0);
	e->is_timed_out = true;
}

static void on_exec_started(void *user, struct trm_proc *proc, uint32_t pid)
{
	struct exec *e = user;
	(void)proc;
	(void)pid;
	if (e->timer)
		trm_timer_start(e->timer, e->config.timeout_ms, 0);
}

/* ---- process ------------------------------------------------------------------------ */

static void on_exec_released(void *user, size_t n)
{
	struct exec *e = user;
	if (e->proc)
		trm_proc_consumed(e->proc, n);
}

static void on_exec_broken(void *user, struct sink *sink, int saved_errno)
{
	struct exec *e = user;
	if (sink != &e->out)
		return;
	e->is_pipe_broken = saved_errno == EPIPE;
	end_exec(e, e->is_pipe_broken ? CMD_SIGNALED + SIGPIPE
				      : cmd_fail("cannot write the output: %s", strerror(saved_errno)));
}

static const struct sink_cb sink_cb = {.released = on_exec_released, .broken = on_exec_broken};

static void on_exec_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct exec *e = user;
	(void)proc;
	if (channel == TRM_STDERR || e->has_terminal)
		tail_note(&e->tail, bytes, n);
	sink_write(channel == TRM_STDERR ? &e->err : &e->out, bytes, n);
}

/* Print a message after the command's output. */
static void print_exec_message(struct exec *e, const char *text)
{
	char words[MISSING_FILE_HINT + 100], line[sizeof words + 20];
	if (e->has_terminal)
		tty_restore(&e->cooked);
	snprintf(line, sizeof line, "terrarium: %s", option_names_put(text, words, sizeof words));
	sink_line(&e->err, line);
}

static void report_exit(struct exec *e, const struct trm_exit *exit)
{
	char reason[128];
	if (e->is_timed_out) {
		snprintf(reason, sizeof reason, "timed out: time limit %g s", e->config.timeout_ms / 1000.0);
		print_exec_message(e, reason);
		end_exec(e, CMD_TIMED_OUT);
		return;
	}
	trm_exit_describe(exit, reason, sizeof reason);
	if (*reason) {
		print_exec_message(e, reason);
		end_exec(e, CMD_SIGNALED + SIGINT);
		return;
	}
	char hint[MISSING_FILE_HINT];
	struct trm_sandbox *sandbox = e->cli_session.sandbox;
	bool stays = sandbox && trm_sandbox_survives_close(sandbox);
	enum install_hint_kind kind = stays ? INSTALL_HINT_NAME : INSTALL_HINT_EXEC;
	if (*exit->limit)
		print_exec_message(e, exit->limit);
	if (exit->exit_code > 0
			&& (install_hint_of_command(
					    sandbox, (const char *const *)e->command, NULL, kind, hint)
					|| (sandbox
							&& missing_file_hint(sandbox, kind, NULL,
									tail_text(&e->tail), hint))))
		print_exec_message(e, hint);
	int code = exit->signal ? CMD_SIGNALED + exit->signal : exit->exit_code;
	end_exec(e, code == 0 && e->is_stdin_broken ? CMD_FAILED : code);
}

static void on_exec_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct exec *e = user;
	(void)proc;
	e->proc = NULL;
	if (e->is_over)
		return;
	if (exit) {
		report_exit(e, exit);
		return;
	}
	if (e->has_terminal)
		tty_restore(&e->cooked);
	if (!e->cli_session.ended_by) /* a signal, before the command had started */
		cmd_fail("%s", why->msg);
	/* If the sandbox is not ready, the error is its own: it was not found, or may not be used. */
	bool has_sandbox = e->cli_session.sandbox && trm_sandbox_is_ready(e->cli_session.sandbox);
	end_exec(e, has_sandbox && why->code == TRM_ENOENT      ? CMD_NOT_FOUND
			: has_sandbox && why->code == TRM_EPERM ? CMD_NOT_EXECUTABLE
								: CMD_FAILED);
}

static const struct trm_proc_cb proc_cb = {
		.started = on_exec_started, .output = on_exec_output, .exited = on_exec_exited};

static size_t on_exec_feed_queued(void *user)
{
	struct exec *e = user;
	return e->proc ? trm_proc_queued(e->proc) : SIZE_MAX;
}

static void on_exec_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct exec *e = user;
	/* This can only fail if the process has just ended. */
	trm_proc_write(e->proc, TRM_STDIN, bytes, n, NULL);
}

static void on_exec_feed_eof(void *user)
{
	struct exec *e = user;
	if (e->proc)
		trm_proc_close_stdin(e->proc);
}

static void on_exec_feed_broken(void *user, const char *why)
{
	struct exec *e = user;
	print_exec_message(e, why);
	e->is_stdin_broken = true;
}

static const struct stdin_feed_cb stdin_feed_cb = {.queued = on_exec_feed_queued,
		.bytes = on_exec_feed_bytes,
		.eof = on_exec_feed_eof,
		.broken = on_exec_feed_broken};

static int spawn_exec(struct exec *e, char **argv, struct trm_error *reterr)
{
	e->command = argv;
	struct winsize size;
	char term[80];
	struct trm_sandbox_opts asked;
	struct trm_config_lists lists;
	const char *env[TRM_ENV_MAX + 2] = {NULL};
	size_t n = 0;
	/* A new sandbox was started with these options. */
	bool is_running = trm_sandbox_is_attached(e->cli_session.sandbox);
	trm_config_sandbox_opts(&e->config, &lists, &asked);
	if (e->has_terminal)
		env[n++] = tty_name(term, sizeof term);
	for (size_t i = 0; is_running && e->has_env && i < asked.n_env; i++)
		env[n++] = asked.env[i];
	tty_size(&size);
	struct trm_proc_opts opts = {
			.size = sizeof(struct trm_proc_opts),
			.argv = (const char *const *)argv,
			.env = env,
			.cwd = is_running && e->has_workdir ? asked.workdir : NULL,
			.pty = e->has_terminal,
			.rows = size.ws_row,
			.cols = size.ws_col,
			.stdin_open = true,
			.manual_credit = true,
			.output_max_bytes = e->has_terminal ? 0 : e->config.output_max_bytes,
			.tells_limit = true,
	};
	return trm_proc_spawn(e->cli_session.sandbox, &opts, &proc_cb, e, &e->proc, reterr);
}

/* ---- the session ------------------------------------------------------------------------ */

static void on_exec_interrupt(void *user)
{
	struct exec *e = user;
	if (e->is_over) /* only output is left, which nobody reads */
		cli_session_close(&e->cli_session);
	else if (e->proc && trm_sandbox_is_ready(e->cli_session.sandbox))
		trm_proc_signal(e->proc, SIGINT, TRM_SIGNAL_GROUP);
	else
		end_exec(e, CMD_SIGNALED + SIGINT);
}

/* The command decides how to react to the signal. */
static bool on_exec_signal(void *user, int signo)
{
	struct exec *e = user;
	bool is_running = !e->is_over && e->proc && trm_sandbox_is_ready(e->cli_session.sandbox);
	return is_running && trm_proc_signal(e->proc, signo, TRM_SIGNAL_GROUP) == 0;
}

static void on_user_signal(void *user, int signo)
{
	on_exec_signal(user, signo);
}

static void on_exec_closed(void *user, const struct trm_error *why)
{
	struct exec *e = user;
	if (why->code == TRM_OK || e->is_over)
		return;
	if (e->has_terminal)
		tty_restore(&e->cooked);
	end_exec(e, cmd_fail("%s", why->msg));
}

static bool is_stuck(void *user)
{
	struct exec *e = user;
	return sinks_are_stuck(&e->out, &e->err);
}

static const struct cli_session_cb cli_session_cb = {.interrupt = on_exec_interrupt,
		.signal = on_exec_signal,
		.is_stuck = is_stuck,
		.closed = on_exec_closed};

static int open_exec_session(struct exec *e, char **argv, struct trm_error *reterr)
{
	static const int passed_on[] = {SIGUSR1, SIGUSR2};
	int r = cli_session_open(&e->cli_session, &e->config, e->how, e->asked, &cli_session_cb, e, reterr);
	if (r == 0)
		cmd_note_hints(e->cli_session.sandbox);
	if (r == 0)
		r = spawn_exec(e, argv, reterr);
	if (r == 0 && e->has_timeout)
		r = trm_loop_add_timer(e->cli_session.loop, on_exec_timer, e, &e->timer, reterr);
	if (r == 0)
		r = trm_loop_add_signals(
				e->cli_session.loop, passed_on, 2, on_user_signal, e, &e->signals, reterr);
	if (r == 0 && e->has_terminal)
		r = trm_loop_add_signal(e->cli_session.loop, SIGWINCH, on_exec_winch, e, &e->winch, reterr);
	if (r < 0)
		return r;
	enum filter_kind kind = e->has_terminal ? FILTER_SCREEN : FILTER_LINES;
	sink_init(&e->out, e->cli_session.loop, STDOUT_FILENO, kind, &sink_cb, e);
	sink_init(&e->err, e->cli_session.loop, STDERR_FILENO, FILTER_LINES, &sink_cb, e);
	stdin_feed_init(&e->stdin_feed, e->cli_session.loop, STDIN_FILENO, &stdin_feed_cb, e);
	return 0;
}

static bool exec_continues(const struct exec *e)
{
	return !e->cli_session.is_closing
	       && (!e->is_over || !sink_is_empty(&e->out) || !sink_is_empty(&e->err));
}

int exec_execute(struct exec *e, char **argv)
{
	struct trm_error why = {0};
	e->has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)
			  && tcgetattr(STDIN_FILENO, &e->cooked) == 0;
	if (open_exec_session(e, argv, &why) < 0) {
		e->exit_code = cmd_fail("%s", why.msg);
	} else {
		if (e->has_terminal)
			tty_raw(&e->cooked);
		while (exec_continues(e)) {
			stdin_feed_turn(&e->stdin_feed);
			trm_loop_step(e->cli_session.loop, stdin_feed_is_hungry(&e->stdin_feed) ? 0 : -1);
		}
		e->is_over = true;
		stdin_feed_finish(&e->stdin_feed);
		sink_finish(&e->out);
		sink_finish(&e->err);
		if (e->has_terminal)
			tty_restore(&e->cooked);
	}
	cli_session_close(&e->cli_session);
	int code = e->cli_session.ended_by ? CMD_SIGNALED + e->cli_session.ended_by : e->exit_code;
	cli_session_end(&e->cli_session);
	trm_timer_remove(e->timer);
	trm_signal_remove(e->winch);
	trm_signal_remove(e->signals);
	cli_session_finish(&e->cli_session);
	return cli_session_code(&e->cli_session, code);
}

int exec_in(const struct trm_config *config, const char *name, char **command)
{
	struct exec *e = calloc(1, sizeof *e);
	if (!e)
		return cmd_fail("out of memory");
	e->how = CLI_SESSION_ATTACH;
	e->config = *config;
	e->config.keep = false;
	snprintf(e->config.name, sizeof e->config.name, "%s", name);
	int code = exec_execute(e, command);
	if (e->is_pipe_broken)
		cmd_die_of_pipe();
	free(e);
	return code;
}
