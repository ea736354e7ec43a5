/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/exec.h"
#include "cmd/sandbox_list.h"
#include "cmd/source.h"
#include "stream/cli_session.h"
#include "stream/install_hint.h"
#include "stream/option_names.h"
#include "stream/policy_gate.h"
#include "stream/sink.h"
#include "stream/stdin_feed.h"
#include "stream/tty.h"

/* One process in a new or running sandbox. If stdin and stdout are terminals, the process gets a terminal of
 * its own and keys are passed on unchanged; otherwise it gets pipes. */

enum { EXEC_SIGNALS = 2 };

struct exec {
	struct trm_config config;
	enum cli_session_how how;
	struct cli_session_asked asked;
	struct cli_session cli_session;
	struct trm_proc *proc; /* NULL: it has ended */
	struct sink out, err;
	struct stdin_feed stdin_feed;
	bool has_terminal;
	struct termios cooked; /* original mode of the terminal */
	struct trm_signal *winch, *signals[EXEC_SIGNALS];
	bool has_timeout; /* only if the option was given */
	char **command;
	struct source script;      /* name NULL: no script */
	char **script_command;     /* malloc'd */
	bool has_env, has_workdir; /* for the command, if the sandbox runs already */
	bool is_timed_out, is_stdin_broken;
	struct trm_timer *timer;
	int exit_code;
	bool is_over;
	bool is_pipe_broken;
};

static void end_exec(struct exec *e, int exit_code)
{
	e->exit_code = exit_code;
	e->is_over = true;
}

/* ---- terminal --------------------------------------------------------------------- */

static void on_winch(void *user, int signo)
{
	struct exec *e = user;
	struct winsize size;
	(void)signo;
	tty_size(&size);
	if (e->proc)
		trm_proc_resize(e->proc, size.ws_row, size.ws_col);
}

/* ---- the time limit ------------------------------------------------------------------- */

static void on_timer(void *user)
{
	struct exec *e = user;
	if (!e->proc)
		return;
	trm_proc_signal(e->proc, e->is_timed_out ? SIGKILL : SIGINT, TRM_SIGNAL_TREE);
	if (!e->is_timed_out)
		trm_timer_start(e->timer, e->config.grace_ms, 0);
	e->is_timed_out = true;
}

static void on_started(void *user, struct trm_proc *proc, uint32_t pid)
{
	struct exec *e = user;
	(void)proc;
	(void)pid;
	if (e->timer)
		trm_timer_start(e->timer, e->config.timeout_ms, 0);
}

/* ---- process ------------------------------------------------------------------------ */

static void on_released(void *user, size_t n)
{
	struct exec *e = user;
	if (e->proc)
		trm_proc_consumed(e->proc, n);
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct exec *e = user;
	if (sink != &e->out)
		return;
	e->is_pipe_broken = saved_errno == EPIPE;
	end_exec(e, e->is_pipe_broken ? CMD_SIGNALED + SIGPIPE
				      : cmd_fail("cannot write the output: %s", strerror(saved_errno)));
}

static const struct sink_cb sink_cb = {.released = on_released, .broken = on_broken};

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct exec *e = user;
	(void)proc;
	sink_write(channel == TRM_STDERR ? &e->err : &e->out, bytes, n);
}

/* Print a message after the command's output. */
static void print_exec_message(struct exec *e, const char *text)
{
	char words[500], line[INSTALL_HINT + 520];
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
	char hint[INSTALL_HINT];
	bool stays = e->cli_session.sandbox && trm_sandbox_survives_close(e->cli_session.sandbox);
	if (*exit->limit)
		print_exec_message(e, exit->limit);
	if (exit->exit_code > 0
			&& install_hint_of_command(e->cli_session.sandbox, (const char *const *)e->command,
					NULL, stays ? INSTALL_HINT_NAME : INSTALL_HINT_RUN, hint))
		print_exec_message(e, hint);
	int code = exit->signal ? CMD_SIGNALED + exit->signal : exit->exit_code;
	end_exec(e, code == 0 && e->is_stdin_broken ? CMD_FAILED : code);
}

static void on_exited(
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

static const struct trm_proc_cb proc_cb = {.started = on_started, .output = on_output, .exited = on_exited};

static size_t on_feed_queued(void *user)
{
	struct exec *e = user;
	return e->proc ? trm_proc_queued(e->proc) : SIZE_MAX;
}

static void on_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct exec *e = user;
	/* This can only fail if the process has just ended. */
	trm_proc_write(e->proc, TRM_STDIN, bytes, n, NULL);
}

static void on_feed_eof(void *user)
{
	struct exec *e = user;
	if (e->proc)
		trm_proc_close_stdin(e->proc);
}

static void on_feed_broken(void *user, const char *why)
{
	struct exec *e = user;
	print_exec_message(e, why);
	e->is_stdin_broken = true;
}

static const struct stdin_feed_cb stdin_feed_cb = {.queued = on_feed_queued,
		.bytes = on_feed_bytes,
		.eof = on_feed_eof,
		.broken = on_feed_broken};

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

static void on_interrupt(void *user)
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
static bool on_signal(void *user, int signo)
{
	struct exec *e = user;
	bool is_running = !e->is_over && e->proc && trm_sandbox_is_ready(e->cli_session.sandbox);
	return is_running && trm_proc_signal(e->proc, signo, TRM_SIGNAL_GROUP) == 0;
}

static void on_user_signal(void *user, int signo)
{
	on_signal(user, signo);
}

static void on_closed(void *user, const struct trm_error *why)
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

static const struct cli_session_cb cli_session_cb = {
		.interrupt = on_interrupt, .signal = on_signal, .is_stuck = is_stuck, .closed = on_closed};

static int open_exec_session(struct exec *e, char **argv, struct trm_error *reterr)
{
	static const int passed_on[EXEC_SIGNALS] = {SIGUSR1, SIGUSR2};
	int r = cli_session_open(&e->cli_session, &e->config, e->how, e->asked, &cli_session_cb, e, reterr);
	if (r == 0)
		cmd_note_hints(e->cli_session.sandbox);
	if (r == 0)
		r = spawn_exec(e, argv, reterr);
	if (r == 0 && e->has_timeout)
		r = trm_loop_add_timer(e->cli_session.loop, on_timer, e, &e->timer, reterr);
	for (int i = 0; r == 0 && i < EXEC_SIGNALS; i++)
		r = trm_loop_add_signal(
				e->cli_session.loop, passed_on[i], on_user_signal, e, &e->signals[i], reterr);
	if (r == 0 && e->has_terminal)
		r = trm_loop_add_signal(e->cli_session.loop, SIGWINCH, on_winch, e, &e->winch, reterr);
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

static int execute_command(struct exec *e, char **argv)
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
	for (int i = 0; i < EXEC_SIGNALS; i++)
		trm_signal_remove(e->signals[i]);
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
	int code = execute_command(e, command);
	if (e->is_pipe_broken)
		cmd_die_of_pipe();
	free(e);
	return code;
}

/* ---- a script ---------------------------------------------------------------------------- */

/* The shell that "#!" names, as far as there is a choice: Bash, or sh. */
static const char *shell_of(const struct source *script)
{
	size_t n = strcspn(script->text, "\n");
	bool has_line = script->text[0] == '#' && script->text[1] == '!';
	const char *shell = trm_lang_shell()->name;
	return has_line && memmem(script->text, n, shell, strlen(shell)) ? shell : "sh";
}

/* Build `sh -c TEXT FILE ARG…`. This limits a script to about a hundred KiB, but leaves standard input free.
 * The caller frees the result. */
static char **script_command(const struct source *script, char **args)
{
	size_t n = 0;
	while (args[n])
		n++;
	char **argv = calloc(n + 5, sizeof *argv);
	if (!argv)
		return NULL;
	argv[0] = (char *)shell_of(script);
	argv[1] = (char *)"-c";
	argv[2] = script->text;
	argv[3] = (char *)script->name;
	memcpy(argv + 4, args, n * sizeof *args);
	return argv;
}

static int read_script(struct exec *e, char **args, char ***ret_command)
{
	enum { SCRIPT_MAX = 120 * 1024 };
	struct trm_error why = {0};
	if (source_read(&e->script, &why) < 0)
		return cmd_fail("--script: %s", why.msg);
	if (e->script.n > SCRIPT_MAX)
		return cmd_fail("--script: %s is larger than 120 KiB: copy it into the sandbox, and execute it there",
				e->script.name);
	*ret_command = script_command(&e->script, args);
	return *ret_command ? CMD_OK : cmd_fail("out of memory");
}

/* ---- the command line -------------------------------------------------------------------- */

enum { OPTION_SCRIPT };

static const struct option_spec options[] = {
		[OPTION_SCRIPT] = {"--script", 0, "FILE", "run this shell script; ARGs follow --"},
		{0},
};

/* "exec NAME -- CMD": a word before "--" can only be the name of a sandbox. */
static int take_sandbox_name(struct exec *e, const struct options *o, int argc, char **argv)
{
	struct trm_error why = {0};
	if (options_has(o, "name"))
		return cmd_fail("the sandbox is named twice: '%s' and --name", o->value);
	if (o->at + 1 == argc)
		return cmd_fail("there is no command to execute after '--'; see 'terrarium exec --help'");
	if (trm_sandbox_name_check(argv[o->at - 1], &why) < 0)
		return cmd_fail("%s", why.msg);
	snprintf(e->config.name, sizeof e->config.name, "%s", argv[o->at - 1]);
	e->how = CLI_SESSION_ATTACH;
	return 0;
}

/* "exec NAME --timeout 1 -- CMD" would execute a program called NAME in a new sandbox. */
static bool has_options_behind_name(const struct options *o, int argc, char **argv)
{
	struct trm_entry entry;
	bool has_dashes = false;
	if (o->only_operands || options_has(o, "name") || o->at == argc || argv[o->at][0] != '-')
		return false;
	for (int i = o->at; i < argc && !has_dashes; i++)
		has_dashes = strcmp(argv[i], "--") == 0;
	return has_dashes && sandbox_list_runs(argv[o->at - 1], &entry);
}

static int pass_gate(const struct exec *e, const char *config_path, char **command)
{
	struct policy_gate policy_gate;
	struct trm_findings found = {0};
	struct trm_error why = {0};
	int r = policy_gate_open(&policy_gate, &e->config, config_path, &why), code;
	if (r == 0 && policy_gate.policy && policy_gate.mode != TRM_POLICY_ADVISE)
		r = trm_policy_scan_command(policy_gate.policy, (const char *const *)command, &found, &why);
	code = r < 0 ? cmd_fail("%s", why.msg) : confirm_findings(&policy_gate, &found);
	trm_findings_finish(&found);
	policy_gate_close(&policy_gate);
	return code;
}

/* "exec [NAME] --script FILE [-- ARG…]": the remaining words are a name and arguments. */
static int take_script_words(
		struct exec *e, const struct options *o, int got, int argc, char **argv, char ***ret)
{
	struct trm_error why = {0};
	int at = got == OPTIONS_END ? argc : o->at - 1;
	*ret = argv + at;
	if (got == OPTIONS_END || o->only_operands)
		return CMD_OK;
	if (options_has(o, "name"))
		return cmd_fail("the sandbox is named twice: '%s' and --name", argv[at]);
	if (at + 1 < argc && strcmp(argv[at + 1], "--") != 0)
		return cmd_fail("--script: arguments of the script follow '--'");
	if (trm_sandbox_name_check(argv[at], &why) < 0)
		return cmd_fail("%s", why.msg);
	snprintf(e->config.name, sizeof e->config.name, "%s", argv[at]);
	e->how = CLI_SESSION_ATTACH;
	*ret = argv + (at + 1 < argc ? at + 2 : argc);
	return CMD_OK;
}

static int run_words(struct exec *e, const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	int got = options_next(&o);
	while (got == OPTION_SCRIPT) {
		if (e->script.name)
			return cmd_fail("--script can be given once");
		e->script = (struct source){.kind = SOURCE_FILE, .name = o.value};
		got = options_next(&o);
	}
	if (got == OPTIONS_HELP)
		return cmd_print_help(cmd);
	if (got == OPTIONS_WRONG)
		return CMD_FAILED;
	if (got == OPTIONS_END && !e->script.name)
		return cmd_fail("there is no command to execute; see 'terrarium exec --help'");
	if (options_config(&o, &e->config) < 0)
		return CMD_FAILED;
	char **command = argv + o.at - 1;
	if (e->script.name) {
		char **args;
		if (take_script_words(e, &o, got, argc, argv, &args)
				|| read_script(e, args, &e->script_command))
			return CMD_FAILED;
		command = e->script_command;
	} else if (!o.only_operands && o.at < argc && strcmp(argv[o.at], "--") == 0) {
		if (take_sandbox_name(e, &o, argc, argv))
			return CMD_FAILED;
		command = argv + o.at + 1;
	} else if (has_options_behind_name(&o, argc, argv)) {
		return cmd_fail("'%s' is a running sandbox; options go before its name (to run a program of "
				"that name: terrarium exec -- %s …)",
				command[0], command[0]);
	}
	if (options_check_backend(&o, &e->config) || options_check_kept(&o, &e->config))
		return CMD_FAILED;
	e->asked = options_asked(&o);
	e->asked.no_packages = true;
	e->has_env = options_has(&o, "env");
	e->has_workdir = options_has(&o, "workdir");
	e->has_timeout = options_has(&o, "timeout") && e->config.timeout_ms;
	if (options_has_request(&o) || options_has(&o, "keep"))
		sandbox_list_note_running(&o, &e->config, true);
	int code = pass_gate(e, o.config_path, command);
	if (code == CMD_OK)
		code = execute_command(e, command);
	if (e->is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

/* Allocated, as in run.c. */
static int exec_main(const struct cmd *cmd, int argc, char **argv)
{
	struct exec *e = calloc(1, sizeof *e);
	if (!e)
		return cmd_fail("out of memory");
	e->how = CLI_SESSION_EITHER;
	int code = run_words(e, cmd, argc, argv);
	free(e->script_command);
	source_finish(&e->script);
	free(e);
	return code;
}

static const char *const settings[] = {"name", "keep", "memory", "cpus", "processes", "disk", "net",
		"net_allow", "net_allow_host", "mount", "env", "workdir", "max_output", "timeout", "backend",
		NULL};

const struct cmd cmd_exec = {
		.name = "exec",
		.usage = "exec [OPTIONS] [NAME] -- CMD [ARG…]",
		.summary = "run a command in a sandbox",
		.help = "Runs CMD in the running sandbox NAME, else in a new one. If standard input and "
			"output are a terminal, CMD gets a terminal of its own, else pipes. Terrarium "
			"does not ask first. It passes signals on to CMD. Exit codes: that of CMD; 124 "
			"time limit, 125 terrarium failed, 126 not executable, 127 not found, 128+n "
			"ended by signal n.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = exec_main,
};
