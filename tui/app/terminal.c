/* SPDX-License-Identifier: MIT */
/* The terminal: keys, sizes, signals, and its restoration after a crash. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "term/job_stop.h"

/* ---- keys ---- */

static void pass_events(struct app *a)
{
	struct event ev;

	while (term_next(a->term, &ev)) {
		a->had_input = true;
		app_send(a, &(struct msg){.type = MSG_EVENT, .event = &ev});
	}
	app_images_answered(a);
	if (!a->model.tells_keys && term_has_distinct_keys(a->term))
		app_send(a, &(struct msg){.type = MSG_KEYS_DISTINCT});
	int flush_ms = term_flush_ms(a->term);
	if (flush_ms >= 0)
		trm_timer_start(a->escape_timer, (uint64_t)flush_ms, 0);
	else
		trm_timer_stop(a->escape_timer);
}

static void on_terminal_keys(void *user, int fd, uint32_t events)
{
	struct app *a = user;

	(void)fd;
	(void)events;
	if (!term_read(a->term, app_clock_ns())) {
		/* The terminal is gone, which is the same as SIGHUP. */
		a->ended_by = a->ended_by ? a->ended_by : SIGHUP;
		trm_watch_remove(a->keys_watch);
		a->keys_watch = NULL;
		app_quit(a);
		return;
	}
	pass_events(a);
}

static void on_terminal_escape(void *user)
{
	struct app *a = user;

	term_flush(a->term);
	pass_events(a);
}

/* ---- time ---- */

static void on_terminal_tick(void *user)
{
	app_send(user, &(struct msg){.type = MSG_TICK, .left_ms = app_run_left_ms(user)});
}

/* ---- signals ---- */

static void on_terminal_resize(struct app *a)
{
	struct event ev = {.type = EVENT_RESIZE};

	term_size(a->term, &ev.row, &ev.col);
	a->had_input = true;
	app_send(a, &(struct msg){.type = MSG_EVENT, .event = &ev});
}

static bool stop_terminal(struct app *a, bool is_group)
{
	term_suspend(a->term);
	bool has_stopped = job_stop(is_group);
	term_resume(a->term);
	on_terminal_resize(a);
	a->model.needs_draw = true;
	return has_stopped;
}

void app_suspend(struct app *a)
{
	if (!a->term)
		app_notify(a, MSG_NOTICE, "Ctrl-Z suspends the workbench here");
	else if (!stop_terminal(a, true))
		app_notify(a, MSG_NOTICE, "no shell could continue the workbench here, so it goes on");
}

/* Signals that the terminal sends to all of its processes. They are ignored while an external editor uses
 * the terminal. */
static bool is_of_terminal(int signo)
{
	return signo == SIGWINCH || signo == SIGINT || signo == SIGTSTP || signo == SIGCONT;
}

static void on_terminal_signal(void *user, int signo)
{
	struct app *a = user;

	if (a->editor && is_of_terminal(signo)) {
		if (signo == SIGTSTP)
			kill(getpid(), SIGSTOP); /* stops both; the shell continues both */
		return;
	}
	if (a->linear && signo == SIGINT && app_linear_interrupt(a))
		return;
	switch (signo) {
	case SIGWINCH: on_terminal_resize(a); break;
	case SIGTSTP: stop_terminal(a, false); break;
	case SIGCONT:
		term_repaint_all(a->term);
		on_terminal_resize(a);
		break;
	default: a->ended_by = signo; app_quit(a);
	}
}

/* The last three concern the screen only. */
static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGWINCH, SIGTSTP, SIGCONT};
enum { APP_SIGNALS = sizeof signals / sizeof *signals, LINE_SIGNALS = 3 };

/* ---- start and end ---- */

int app_open_terminal(struct app *a, struct trm_error *reterr)
{
	struct trm_error why = {0};
	int r = a->opts->is_linear ? TRM_ENOTSUP : term_open(NULL, &a->term, &why);

	if (r == 0)
		term_watch_crashes();
	else if (a->opts->is_linear || r == TRM_ENOTSUP) /* the terminal cannot move its cursor */
		return app_linear_open(a, reterr);
	else
		*reterr = why;
	return r;
}

int app_watch_terminal(struct app *a, struct trm_error *reterr)
{
	int r = a->linear ? app_linear_watch(a, reterr)
			  : trm_loop_add_fd(a->loop, STDIN_FILENO, TRM_READ, on_terminal_keys, a,
					  &a->keys_watch, reterr);

	if (r == 0)
		r = trm_loop_add_timer(a->loop, on_terminal_escape, a, &a->escape_timer, reterr);
	if (r == 0)
		r = trm_loop_add_timer(a->loop, on_terminal_tick, a, &a->tick_timer, reterr);
	if (r == 0)
		r = trm_loop_add_signals(a->loop, signals, a->linear ? LINE_SIGNALS : APP_SIGNALS,
				on_terminal_signal, a, &a->signals, reterr);
	return r;
}

void app_close_terminal(struct app *a)
{
	trm_signal_remove(a->signals);
	trm_timer_remove(a->tick_timer);
	trm_timer_remove(a->escape_timer);
	trm_watch_remove(a->keys_watch);
	app_linear_close(a);
	term_close(a->term);
}
