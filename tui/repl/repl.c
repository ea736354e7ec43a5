/* SPDX-License-Identifier: MIT */
#include "repl/repl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/command.h"
#include "repl/repl_internal.h"
#include "stream/tty.h"
#include "term/job_stop.h"

enum { CALM_MS = 80 };

bool repl_has_person(const struct repl *r)
{
	return r->line != NULL;
}

/* ---- activities ------------------------------------------------------------------------------ */

void repl_begin(struct repl *r, const struct activity *activity)
{
	r->activity = *activity;
}

void repl_done(struct repl *r)
{
	repl_watch_keys(r, false);
	r->activity = (struct activity){0};
	if (r->leaving.is_wanted)
		repl_leave(r);
}

bool repl_is_far(const struct repl *r)
{
	return strcmp(trm_sandbox_backend(r->cli_session.sandbox), "microsandbox") == 0;
}

const char *repl_server_options(const struct repl *r, char way[TRM_REMOTE_OPTIONS_BYTES])
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	way[0] = '\0';
	if (!repl_is_far(r))
		return way;
	trm_config_sandbox_opts(&r->config, &lists, &opts);
	return trm_remote_format_options(&opts.server, way, TRM_REMOTE_OPTIONS_BYTES);
}

static void on_passed(void *user, const char *bytes, size_t n)
{
	struct repl *r = user;
	if (n && r->activity.input)
		r->activity.input(r, bytes, n);
	else if (!n && r->activity.eof)
		r->activity.eof(r);
}

void repl_watch_keys(struct repl *r, bool is_on)
{
	if (r->line)
		line_pass(r->line, is_on);
}

void repl_set_language(struct repl *r, const struct trm_lang *lang)
{
	r->lang = lang;
	if (repl_has_person(r))
		history_open(&r->history, r->line, lang->name, r->opts->settings->history);
	trm_session_warm(r->session, lang, NULL); /* the first run reports errors */
}

/* ---- signals and the sandbox --------------------------------------------------------------------- */

static void interrupt_prompt(struct repl *r)
{
	if (r->owes_start) { /* the sandbox is still starting */
		r->exit_code = 128 + SIGINT;
		r->is_over = true;
		return;
	}
	bool has_text = line_text(r->line)[0] || r->has_gathered || r->question_shown;
	line_drop(r->line, "^C");
	if (!has_text)
		repl_say(r, "Ctrl-D or :quit leaves");
	r->owes_start |= r->question_shown == QUESTION_START;
	r->question_shown = QUESTION_NONE;
	free(r->filename);
	r->filename = NULL;
	repl_drop_input(r);
}

static void on_repl_interrupt(void *user)
{
	struct repl *r = user;
	if (r->activity.interrupt)
		r->activity.interrupt(r);
	else if (r->edit)
		; /* the editor owns the screen and handles Ctrl-C itself */
	else if (repl_has_person(r) && !r->is_over)
		interrupt_prompt(r);
	else {
		repl_fail(r, 128 + SIGINT);
		r->is_over = true;
	}
}

static void on_repl_closed(void *user, const struct trm_error *why)
{
	struct repl *r = user;
	if (why->code == TRM_OK || r->is_over)
		return;
	line_drop(r->line, "");
	if (strcmp(why->msg, r->lost_why) != 0) /* otherwise the end of a run has reported it */
		repl_error(r, "%s", why->msg);
	r->exit_code = EXIT_OWN_FAILURE;
	r->is_over = true;
}

static void on_repl_metrics(void *user, const struct trm_metrics *metrics)
{
	info_metrics(user, metrics);
}

static const struct cli_session_cb cli_session_cb = {
		.interrupt = on_repl_interrupt, .closed = on_repl_closed, .metrics = on_repl_metrics};

static void write_size(struct repl *r)
{
	struct winsize size;
	tty_size(&size);
	snprintf(r->columns, sizeof r->columns, "COLUMNS=%d", size.ws_col);
	snprintf(r->lines, sizeof r->lines, "LINES=%d", size.ws_row);
}

static void on_repl_winch(void *user, int signo)
{
	struct repl *r = user;
	(void)signo;
	line_resize(r->line);
	shell_resize(r);
	repl_command_install_resize(r);
}

static void on_stop(void *user, int signo)
{
	struct repl *r = user;
	(void)signo;
	line_suspend(r->line);
	job_stop(false);
	line_resume(r->line);
}

/* ---- output ------------------------------------------------------------------------------------------ */

static void on_repl_released(void *user, size_t n)
{
	repl_run_released(user, n);
}

static void on_repl_broken(void *user, int saved_errno)
{
	struct repl *r = user;
	if (saved_errno == EPIPE)
		r->is_pipe_broken = true;
	else
		repl_error(r, "cannot write the output: %s", strerror(saved_errno));
	r->exit_code = EXIT_OWN_FAILURE;
	r->is_over = true;
}

static void on_before_output(void *user)
{
	struct repl *r = user;
	if (!repl_has_person(r) || !line_is_shown(r->line))
		return;
	line_hide(r->line);
	trm_timer_start(r->calm, CALM_MS, 0);
}

static void on_repl_wait(void *user)
{
	peer_runs_print_wait(user);
}

static void on_calm(void *user)
{
	(void)user; /* the next turn of the loop shows the prompt again */
}

static const struct show_cb show_cb = {
		.released = on_repl_released, .broken = on_repl_broken, .before = on_before_output};

/* ---- lines -------------------------------------------------------------------------------------------- */

static void on_accepted(void *user, const char *text)
{
	struct repl *r = user;
	if (!text && r->show.out.last != '\n') /* readline prints the newline on some terminals only */
		sink_put(&r->show.out, "\n", 1, 0);
	repl_take(r, text, text ? strlen(text) : 0);
}

static void on_repl_tab(void *user)
{
	complete_tab(user);
}

static const struct line_cb line_cb = {.accepted = on_accepted, .tab = on_repl_tab, .passed = on_passed};

/* May a line be taken? Piped lines and their end wait until the sandbox is ready or has failed. */
static bool is_free(const struct repl *r)
{
	return !r->activity.what && !r->leaving.is_wanted && !r->is_over
	       && ((repl_has_person(r) && !r->owes_start)
			       || (r->cli_session.sandbox && trm_sandbox_is_ready(r->cli_session.sandbox)));
}

/* After each turn of the loop: give the next line to whoever waits for one. */
static void take_repl_turn(struct repl *r)
{
	shell_released(r);
	if (!is_free(r))
		return;
	if (!repl_has_person(r)) {
		piped_turn(r);
		return;
	}
	if (!show_is_idle(&r->show))
		return;
	if (!line_is_shown(r->line)) {
		if (r->owes_start)
			confirm_start(r);
		show_end(&r->show);
		repl_prompt(r);
	} else if (!r->show.is_inside || !trm_timer_is_running(r->calm)) {
		show_end(&r->show);
		line_unhide(r->line);
	}
}

/* ---- opening and closing ---------------------------------------------------------------------------------
 */

static void describe_terminal(struct repl *r)
{
	const char *no_color = getenv("NO_COLOR");
	size_t n = 0;
	write_size(r);
	r->env[n++] = r->columns;
	r->env[n++] = r->lines;
	r->env[n++] = "PAGER=cat";
	r->env[n++] = "GIT_PAGER=cat";
	r->env[n++] = "MANPAGER=cat";
	if (no_color && *no_color)
		r->env[n++] = "NO_COLOR=1";
	r->env[n] = NULL;
}

static int open_line(struct repl *r, struct trm_error *reterr)
{
	struct trm_error notice = {0};
	int e = line_open(r->cli_session.loop, &r->show.out, &line_cb, r, &r->line, &notice, reterr);
	if (e < 0)
		return e;
	if (notice.code)
		repl_say(r, "%s", notice.msg);
	e = trm_loop_add_signal(r->cli_session.loop, SIGWINCH, on_repl_winch, r, &r->winch, reterr);
	if (e == 0)
		e = trm_loop_add_signal(r->cli_session.loop, SIGTSTP, on_stop, r, &r->tstp, reterr);
	return e;
}

static int open_session(struct repl *r, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	trm_config_session_opts(&r->config, &opts);
	opts.is_shared = true;
	opts.wants_recent = repl_has_person(r);
	opts.client = "terrarium repl";
	opts.policy = policy_gate_enforced(r->policy_gate);
	opts.output_keep_bytes = 0; /* the output is already on its way, and nobody asks for it again */
	if (!repl_has_person(r))
		opts.terminate_grace_ms = 0; /* no user watches the steps: interrupt, then kill */
	describe_terminal(r);
	if (repl_has_person(r))
		opts.env = r->env;
	return trm_session_open(r->cli_session.sandbox, &opts, &repl_run_session_cb, r, &r->session, reterr);
}

static void open_colors(struct repl *r)
{
	struct trm_error why = {0};
	if (paint_load(&r->paint, r->opts->settings->theme, isatty(STDOUT_FILENO), &why) == 0)
		return;
	theme_builtin("dark", &r->paint.theme, NULL);
	repl_say(r, "%s", why.msg);
}

static int open_repl_session(struct repl *r, struct trm_error *reterr)
{
	const char *language = *r->config.language ? r->config.language : trm_lang_default()->name;
	enum cli_session_how how = r->opts->attach ? CLI_SESSION_ATTACH : CLI_SESSION_EITHER;
	int e = trm_lang_find(language, &r->lang, reterr);
	if (e == 0)
		e = cli_session_open(
				&r->cli_session, &r->config, how, r->opts->asked, &cli_session_cb, r, reterr);
	if (e < 0)
		return e;
	show_init(&r->show, r->cli_session.loop, &r->paint, &show_cb, r);
	open_colors(r);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		e = open_line(r, reterr);
	else
		piped_open(r);
	if (e == 0)
		e = trm_loop_add_timer(r->cli_session.loop, on_calm, r, &r->calm, reterr);
	if (e == 0)
		e = trm_loop_add_timer(r->cli_session.loop, on_repl_wait, r, &r->wait_timer, reterr);
	if (e == 0)
		e = leave_open(r, reterr);
	if (e == 0)
		e = repl_run_open(r, reterr);
	char hint[TRM_NET_HINT];
	if (e == 0 && !trm_sandbox_is_attached(r->cli_session.sandbox)
			&& trm_net_hint(trm_sandbox_limits(r->cli_session.sandbox), hint, sizeof hint))
		repl_say(r, "%s", hint);
	const struct trm_mount *mounts;
	size_t n_mounts = e == 0 ? trm_sandbox_mounts(r->cli_session.sandbox, &mounts) : 0;
	for (size_t i = 0; i < n_mounts && !trm_sandbox_is_attached(r->cli_session.sandbox); i++)
		if (trm_mount_hint(&mounts[i], hint, sizeof hint))
			repl_say(r, "%s", hint);
	if (e == 0)
		e = open_session(r, reterr);
	return e;
}

static bool has_output_left(const struct repl *r)
{
	return !r->cli_session.is_closing && !r->is_pipe_broken && !show_is_idle(&r->show);
}

/* Earlier runs of the sandbox are shown before the first prompt, because they determine its number. */
static void stop_catching_up(struct repl *r)
{
	repl_done(r);
	repl_install_with(r);
}

static const struct activity catching_up = {.what = "attaching", .interrupt = stop_catching_up};

void repl_caught_up(struct repl *r)
{
	if (r->activity.interrupt == stop_catching_up)
		stop_catching_up(r);
}

/* True: the next turn has work to do without waiting. */
static bool is_hungry(struct repl *r)
{
	if (r->is_over || r->cli_session.is_closing)
		return !has_output_left(r);
	if (repl_has_person(r))
		return is_free(r) && show_is_idle(&r->show) && !line_is_shown(r->line);
	stdin_feed_turn(&r->stdin_feed);
	return stdin_feed_is_hungry(&r->stdin_feed) || (is_free(r) && piped_has_line(r));
}

static void work_on_repl(struct repl *r)
{
	repl_set_language(r, r->lang);
	r->owes_start = repl_has_person(r);
	r->owes_with = r->opts->with != NULL;
	if (repl_has_person(r))
		repl_say(r, ":help lists the commands, Ctrl-D leaves");
	if (trm_sandbox_is_attached(r->cli_session.sandbox)) {
		repl_begin(r, &catching_up);
		if (repl_has_person(r))
			peer_runs_gather(r);
	} else {
		repl_install_with(r);
	}
	while (!r->cli_session.is_closing && (!r->is_over || has_output_left(r))) {
		if (r->is_over || r->activity.interrupt != stop_catching_up)
			peer_runs_show(r);
		take_repl_turn(r);
		trm_loop_step(r->cli_session.loop, is_hungry(r) ? 0 : -1);
	}
}

static void close_all(struct repl *r)
{
	r->is_over = true;
	echo_off_end(&r->echo_off);
	repl_command_copy_close(r);
	repl_command_install_close(r);
	repl_command_table_close(r);
	repl_artifacts_close(r);
	images_close(r);
	shell_close(r);
	edit_close(r);
	trm_session_close(r->session);
	peer_runs_close(r);
	line_close(r->line);
	r->line = NULL;
	piped_close(r);
	trm_timer_remove(r->calm);
	trm_timer_remove(r->wait_timer);
	trm_timer_remove(r->leaving.timer);
	trm_timer_remove(r->step_timer);
	trm_timer_remove(r->limit_timer);
	trm_signal_remove(r->winch);
	trm_signal_remove(r->tstp);
	history_close(&r->history);
	cli_session_close(&r->cli_session);
	show_finish(&r->show);
	cli_session_finish(&r->cli_session);
	displays_finish(&r->displays);
	code_finish(&r->code);
	code_finish(&r->last);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		code_finish(&r->scripts[i]);
	lost_files_finish(&r->leaving.lost);
	free(r->held_line);
	free(r->offered);
	free(r->filename);
}

int repl_main(const struct repl_opts *opts, bool *ret_is_pipe_broken)
{
	struct trm_error why = {0};
	struct repl *r = calloc(1, sizeof *r);
	if (!r)
		return EXIT_OWN_FAILURE;
	*r = (struct repl){.opts = opts,
			.config = opts->settings->config,
			.policy_gate = opts->policy_gate,
			.number = 1};
	r->displays = (struct displays){.dir = opts->figures};
	if (open_repl_session(r, &why) == 0) {
		work_on_repl(r);
	} else {
		fprintf(stderr, "terrarium: %s\n", why.msg);
		r->exit_code = EXIT_OWN_FAILURE;
	}
	close_all(r);
	int code = r->cli_session.ended_by ? 128 + r->cli_session.ended_by
					   : cli_session_code(&r->cli_session, r->exit_code);
	*ret_is_pipe_broken = r->is_pipe_broken;
	free(r);
	return code;
}
