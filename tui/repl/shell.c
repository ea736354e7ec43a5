/* SPDX-License-Identifier: MIT */
/* !COMMAND: a shell command in the sandbox. On a terminal the command gets a terminal of its own, and the
 * REPL passes on every key. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/repl_internal.h"
#include "stream/install_hint.h"
#include "stream/tty.h"

struct shell {
	struct trm_proc *proc;
	bool has_terminal;
	struct termios cooked;
	struct filter filter; /* of a program that draws */
	char line[160];       /* as far as there is room */
};

static void release_shell(struct shell *sh)
{
	if (sh->has_terminal)
		tty_restore(&sh->cooked);
	free(sh);
}

static void on_shell_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct repl *r = user;
	struct shell *sh = r->shell;
	if (sh->has_terminal)
		show_screen(&r->show, &sh->filter, bytes, n);
	else
		show_output(&r->show, channel == TRM_STDERR ? TRM_STDERR : TRM_STDOUT, bytes, n, false);
	/* Output that the terminal has not yet taken slows down the command. */
	if (sink_held(&r->show.out) < 1 << 20)
		trm_proc_consumed(proc, n);
	else
		r->shell_owed += n;
}

static void on_shell_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct repl *r = user;
	struct shell *sh = r->shell;
	(void)proc;
	r->shell = NULL;
	if (!sh)
		return;
	if (sh->has_terminal)
		show_screen(&r->show, &sh->filter, NULL, 0);
	char line[sizeof sh->line], hint[INSTALL_HINT];
	memcpy(line, sh->line, sizeof line);
	release_shell(sh);
	int code = !exit ? EXIT_OWN_FAILURE : exit->signal ? 128 + exit->signal : exit->exit_code;
	show_end(&r->show);
	repl_fail(r, code);
	if (!exit)
		repl_error(r, "%s", why->msg);
	else if (exit->signal && repl_has_person(r))
		repl_say(r, "ended by signal %d (%s)", exit->signal, strsignal(exit->signal));
	else if (code && repl_has_person(r))
		repl_say(r, "exit code %d", code);
	if (code && install_hint_of_command(r->cli_session.sandbox, NULL, line, INSTALL_HINT_REPL, hint))
		repl_say(r, "%s", hint);
	repl_done(r);
}

static const struct trm_proc_cb proc_cb = {.output = on_shell_output, .exited = on_shell_exited};

static void on_shell_interrupt(struct repl *r)
{
	if (r->shell)
		trm_proc_signal(r->shell->proc, SIGINT, TRM_SIGNAL_GROUP);
}

static void on_shell_keys(struct repl *r, const char *bytes, size_t n)
{
	if (r->shell)
		trm_proc_write(r->shell->proc, TRM_STDIN, bytes, n, NULL); /* fails after its end */
}

static void on_shell_eof(struct repl *r)
{
	if (r->shell)
		trm_proc_close_stdin(r->shell->proc);
}

static const struct activity activity = {.what = "a shell command",
		.interrupt = on_shell_interrupt,
		.input = on_shell_keys,
		.eof = on_shell_eof};

static int spawn_shell(struct repl *r, struct shell *sh, const char *command, struct trm_error *reterr)
{
	struct winsize size;
	char term[80];
	const char *env[] = {tty_name(term, sizeof term), NULL}, *argv[] = {"bash", "-c", command, NULL};
	tty_size(&size);
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.env = sh->has_terminal ? env : NULL,
			.label = command[0] && strlen(command) <= 64 ? command : "shell command",
			.pty = sh->has_terminal,
			.rows = size.ws_row,
			.cols = size.ws_col,
			.stdin_open = sh->has_terminal,
			.manual_credit = true};
	return trm_proc_spawn(r->cli_session.sandbox, &opts, &proc_cb, r, &sh->proc, reterr);
}

void shell_start(struct repl *r, const char *command)
{
	struct trm_error why = {0};
	struct shell *sh = calloc(1, sizeof *sh);
	command += strspn(command, " \t");
	if (!*command)
		repl_error(r, "which command? for example: !ls -l");
	if (!*command || !sh) {
		free(sh);
		return;
	}
	filter_init(&sh->filter, FILTER_SCREEN);
	snprintf(sh->line, sizeof sh->line, "%s", command);
	sh->has_terminal = repl_has_person(r);
	r->shell_owed = 0;
	r->shell = sh;
	repl_begin(r, &activity);
	if (spawn_shell(r, sh, command, &why) < 0) {
		r->shell = NULL;
		free(sh);
		repl_error(r, "%s", why.msg);
		repl_done(r);
		return;
	}
	if (!sh->has_terminal)
		return;
	size_t n;
	char *ahead = line_take_ahead(r->line, &n);
	if (n)
		on_shell_keys(r, ahead, n);
	free(ahead);
	repl_watch_keys(r, true);
	tcgetattr(STDIN_FILENO, &sh->cooked);
	tty_raw(&sh->cooked);
}

void shell_released(struct repl *r)
{
	if (r->shell && r->shell_owed && sink_is_empty(&r->show.out)) {
		trm_proc_consumed(r->shell->proc, r->shell_owed);
		r->shell_owed = 0;
	}
}

void shell_resize(struct repl *r)
{
	struct winsize size;
	tty_size(&size);
	if (r->shell && r->shell->has_terminal)
		trm_proc_resize(r->shell->proc, size.ws_row, size.ws_col);
}

void shell_close(struct repl *r)
{
	struct shell *sh = r->shell;
	if (!sh)
		return;
	r->shell = NULL;
	trm_proc_close(sh->proc);
	release_shell(sh);
}
