/* SPDX-License-Identifier: MIT */
#include "monitor/monitor.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "app/keys.h"
#include "command/keymap.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/order.h"
#include "model/update.h"
#include "term/job_stop.h"
#include "term/term.h"
#include "theme/theme.h"
#include "view/view.h"

/* Theory of operation. The screen is the metrics pane of the workbench: the same view draws a model of
 * which only the metrics are used. The user's key map applies, but only to commands of the pane that
 * change nothing. The monitor has no other part of the workbench. */

struct monitor {
	const struct monitor_opts *opts;
	struct model model;
	struct effects effects; /* ignored: nothing is run here */
	struct canvas canvas;
	struct theme theme;
	struct term *term;
	struct trm_loop *loop;
	struct trm_watch *keys_watch;
	struct trm_timer *escape_timer;
	struct trm_signal *signals;
	struct trm_sandbox *sandbox; /* NULL: the sandbox is gone */
	bool is_leaving;
	int ended_by;            /* signal, or 0 */
	struct trm_error *ended; /* owned by the caller */
};

/* What has happened goes through update(), as in the workbench. */
static void send_to_monitor(struct monitor *w, struct msg msg)
{
	msg.now_ns = trm_loop_now_ns(w->loop);
	update(&w->model, &msg, &w->effects);
	effects_clear(&w->effects);
}

/* ---- keys ---- */

static const char *const looking[] = {"processes-up", "processes-down", "processes-page-up",
		"processes-page-down", "processes-first", "processes-last", "sort-by-cpu", "sort-by-memory",
		"sort-by-pid", "sort-by-command", "process-tree", "look-back", "look-forth", "look-now",
		"graph-zoom-in", "graph-zoom-out"};
static const char key_line[] = "q:quit|c m p n:sort|t:tree|+ -:zoom|b f:back, forward|0:now";

static bool only_looks(const struct command *c)
{
	for (size_t i = 0; i < sizeof looking / sizeof *looking; i++)
		if (command_is(c, looking[i]))
			return true;
	return false;
}

static void leave_monitor(struct monitor *w)
{
	w->is_leaving = true;
	if (w->sandbox)
		trm_sandbox_close(w->sandbox);
}

static void on_monitor_key(struct monitor *w, const struct event *ev)
{
	struct keys keys = {.chords = {{ev->key, ev->mods}}, .n = 1};
	const struct command *c = NULL;

	if ((ev->key == 'q' || ev->key == 'Q') && !ev->mods) {
		leave_monitor(w);
	} else if (keymap_resolve(&w->model.keymap, CONTEXT_METRICS, &keys, &c) == KEYMAP_COMMAND
			&& only_looks(c)) {
		send_to_monitor(w, (struct msg){.type = MSG_ORDER,
						   .order = &(struct order){
								   .kind = ORDER_COMMAND, .command = c}});
	} else if (keymap_resolve(&w->model.keymap, CONTEXT_ALWAYS, &keys, &c) == KEYMAP_COMMAND) {
		if (command_is(c, "repaint"))
			term_repaint_all(w->term);
		else if (command_is(c, "quit") || command_is(c, "stop"))
			leave_monitor(w);
	}
}

static void resize(struct monitor *w)
{
	struct model *m = &w->model;

	term_size(w->term, &m->rows, &m->cols);
	/* Show the pane alone, as if zoomed. */
	m->layout = (struct layout){.kind = LAYOUT_SINGLE, .divider_row = -1, .divider_col = -1};
	m->layout.panes[PANE_METRICS] = view_monitor_area(m->rows, m->cols);
	m->needs_draw = true;
}

static void pass_events(struct monitor *w)
{
	struct event ev;

	while (term_next(w->term, &ev)) {
		w->model.needs_draw = true;
		if (ev.type == EVENT_KEY)
			on_monitor_key(w, &ev);
		else if (ev.type == EVENT_MOUSE
				&& rect_contains(w->model.layout.panes[PANE_METRICS], ev.row, ev.col))
			send_to_monitor(w, (struct msg){.type = MSG_EVENT, .event = &ev});
	}
	int flush_ms = term_flush_ms(w->term);
	if (flush_ms >= 0)
		trm_timer_start(w->escape_timer, (uint64_t)flush_ms, 0);
	else
		trm_timer_stop(w->escape_timer);
}

static void on_monitor_input(void *user, int fd, uint32_t events)
{
	struct monitor *w = user;

	(void)fd;
	(void)events;
	if (term_read(w->term, trm_loop_now_ns(w->loop))) {
		pass_events(w);
		return;
	}
	w->ended_by = SIGHUP; /* the terminal is gone */
	trm_watch_remove(w->keys_watch);
	w->keys_watch = NULL;
	leave_monitor(w);
}

static void on_monitor_escape(void *user)
{
	struct monitor *w = user;

	term_flush(w->term);
	pass_events(w);
}

static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGWINCH, SIGTSTP, SIGCONT};

static void on_monitor_signal(void *user, int signo)
{
	struct monitor *w = user;

	switch (signo) {
	case SIGTSTP:
		term_suspend(w->term);
		job_stop(false);
		term_resume(w->term);
		resize(w);
		break;
	case SIGCONT: term_repaint_all(w->term); /* fallthrough */
	case SIGWINCH: resize(w); break;
	default: w->ended_by = signo; leave_monitor(w);
	}
}

/* ---- the sandbox ---- */

static void on_monitor_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct monitor *w = user;

	(void)sandbox;
	send_to_monitor(w, (struct msg){.type = MSG_METRICS, .metrics = metrics});
	w->model.needs_draw = true;
}

/* Whether it has a network is shown beside the figures. */
static void on_monitor_ready(void *user, struct trm_sandbox *sandbox)
{
	struct monitor *w = user;
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(sandbox, &guards);

	send_to_monitor(w, (struct msg){.type = MSG_SANDBOX_READY,
					   .sandbox = {.name = w->opts->name,
							   .backend = trm_sandbox_backend(sandbox),
							   .is_attached = true,
							   .limits = trm_sandbox_limits(sandbox),
							   .guards = guards,
							   .n_guards = n}});
}

static void on_monitor_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct monitor *w = user;

	(void)sandbox;
	w->sandbox = NULL;
	if (!w->is_leaving)
		*w->ended = *why;
}

static const struct trm_sandbox_cb sandbox_cb = {
		.ready = on_monitor_ready, .metrics = on_monitor_metrics, .closed = on_monitor_closed};

/* ---- begin and end ---- */

static void on_monitor_key_fault(void *user, const char *sentence)
{
	(void)user;
	(void)sentence; /* the workbench and `terrarium check` report the fault */
}

static int open_model(struct monitor *w, bool has_utf8, struct trm_error *reterr)
{
	const struct keys_faults faults = {on_monitor_key_fault, NULL};
	struct model_opts opts = {.rows = 24,
			.cols = 80,
			.has_utf8 = has_utf8,
			.lang = trm_lang_default(),
			.theme = w->theme.name,
			.graph_style = w->opts->graphs};
	struct keymap map;

	if (model_init(&w->model, &opts) < 0 || canvas_init(&w->canvas, opts.rows, opts.cols) < 0
			|| app_keys_load(&map, w->opts->config, w->opts->keymap, &faults) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	keymap_finish(&w->model.keymap);
	w->model.keymap = map;
	w->model.focus = PANE_METRICS;
	resize(w);
	return 0;
}

static int open_loop(struct monitor *w, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts = {.size = sizeof(struct trm_sandbox_opts)};

	if (w->opts->far)
		opts = *w->opts->far;
	opts.metrics_interval_ms = w->opts->interval_ms;
	opts.metrics_with_processes = true;
	int r = trm_loop_create(&w->loop, reterr);
	if (r == 0)
		r = trm_loop_add_fd(
				w->loop, STDIN_FILENO, TRM_READ, on_monitor_input, w, &w->keys_watch, reterr);
	if (r == 0)
		r = trm_loop_add_timer(w->loop, on_monitor_escape, w, &w->escape_timer, reterr);
	if (r == 0)
		r = trm_loop_add_signals(w->loop, signals, sizeof signals / sizeof *signals,
				on_monitor_signal, w, &w->signals, reterr);
	if (r == 0 && w->opts->far)
		r = trm_sandbox_open(w->loop, &opts, &sandbox_cb, w, &w->sandbox, reterr);
	else if (r == 0)
		r = trm_sandbox_attach(w->loop, w->opts->name, &opts, &sandbox_cb, w, &w->sandbox, reterr);
	return r;
}

static void paint_monitor(struct monitor *w)
{
	struct canvas *c = &w->canvas;
	struct model *m = &w->model;

	if ((c->rows != m->rows || c->cols != m->cols) && canvas_resize(c, m->rows, m->cols) < 0)
		return; /* the next sample tries again */
	view_monitor(m, c, w->opts->name, key_line);
	term_paint(w->term, c, &w->theme);
	m->needs_draw = false;
}

static void finish_monitor(struct monitor *w)
{
	while (w->sandbox && trm_loop_step(w->loop, -1) >= 0)
		;
	trm_signal_remove(w->signals);
	trm_timer_remove(w->escape_timer);
	trm_watch_remove(w->keys_watch);
	trm_loop_destroy(w->loop);
	term_close(w->term);
	effects_finish(&w->effects);
	canvas_finish(&w->canvas);
	model_finish(&w->model);
}

/* Returns 0, 128+n, or a negative code. */
static int watch_monitor(struct monitor *w, struct trm_error *reterr)
{
	setlocale(LC_CTYPE, "");
	bool has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8")
			== 0; /* term_open() may choose another locale */
	int r = theme_load(w->opts->theme, &w->theme, reterr);
	if (r == 0)
		r = term_open(NULL, &w->term, reterr);
	if (r < 0)
		return r;
	term_watch_crashes();
	r = open_model(w, has_utf8, reterr);
	if (r == 0)
		r = open_loop(w, reterr);
	while (r == 0 && w->sandbox && !w->is_leaving) {
		if (w->model.needs_draw)
			paint_monitor(w);
		if (trm_loop_step(w->loop, -1) < 0)
			leave_monitor(w);
	}
	finish_monitor(w);
	return r < 0 ? r : w->ended_by ? 128 + w->ended_by : 0;
}

int monitor_main(const struct monitor_opts *opts, struct trm_error *ret_ended, struct trm_error *reterr)
{
	struct monitor *w = calloc(1, sizeof *w);

	*ret_ended = (struct trm_error){0};
	if (!w)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	w->opts = opts;
	w->ended = ret_ended;
	int r = watch_monitor(w, reterr);
	free(w);
	return r;
}
