/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "app/keys.h"
#include "model/update.h"
#include "syntax/syntax.h"

#define EXIT_FAILED 125

void app_opts_default(struct app_opts *opts)
{
	memset(opts, 0, sizeof *opts);
	trm_sandbox_opts_default(&opts->sandbox);
	trm_session_opts_default(&opts->session);
	opts->confirm = true;
	opts->auto_complete = true;
	opts->restore = true;
	opts->has_history = true;
}

uint64_t app_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- messages and effects ---- */

void app_send(struct app *a, struct msg *msg)
{
	msg->now_ns = a->replay ? app_replay_clock_ns(a) : app_clock_ns();
	if (!a->replay)
		app_note_msg(a, msg);
	update(&a->model, msg, &a->effects);
	if (msg->type == MSG_OPENED || msg->type == MSG_SAVED)
		app_watch_files(a);
	app_perform_all(a);
	if (msg->type == MSG_EVENT && msg->event->type == EVENT_FOCUS && msg->event->key)
		app_check_files(a); /* for file systems that report no changes, such as NFS */
}

void app_perform_all(struct app *a)
{
	if (a->is_performing)
		return;
	a->is_performing = true;
	for (size_t i = 0; i < a->effects.n; i++) {
		/* The list may be reallocated while an effect is carried out. */
		struct effect effect = a->effects.items[i];
		app_perform(a, &effect);
	}
	effects_clear(&a->effects);
	a->is_performing = false;
}

void app_notify(struct app *a, enum msg_type type, const char *text)
{
	app_send(a, &(struct msg){.type = type, .text = text});
}

void app_send_file(struct app *a, enum msg_type type, uint32_t buffer, const char *path, const char *error)
{
	app_send(a, &(struct msg){.type = type, .file = {.buffer = buffer, .path = path, .error = error}});
}

static void on_slow_stop(void *user)
{
	app_notify(user, MSG_STOPPING, NULL);
}

void app_quit(struct app *a)
{
	if (a->is_quitting)
		return;
	a->is_quitting = a->model.is_quitting = true;
	if (!a->sandbox) {
		a->is_done = true;
		return;
	}
	trm_timer_start(a->stop_timer, 500, 0);
	app_close_sandbox(a);
}

/* ---- start ---- */

static bool locale_is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static const struct trm_lang *first_lang(const struct app_opts *opts)
{
	const struct trm_lang *lang;

	if (opts->lang)
		return opts->lang;
	if (opts->file && trm_lang_guess(opts->file, &lang, NULL) == 0)
		return lang;
	return trm_lang_default();
}

/* The Linux console has no braille characters. */
enum graph_style app_graph_style(const char *wanted)
{
	const char *term = getenv("TERM");
	bool is_console = term && strncmp(term, "linux", 5) == 0;

	if (wanted && strcmp(wanted, "ascii") == 0)
		return GRAPH_ASCII;
	return is_console || (wanted && strcmp(wanted, "blocks") == 0) ? GRAPH_BLOCKS : GRAPH_BRAILLE;
}

static struct alert_opts alert_opts(const struct app_opts *o)
{
	return (struct alert_opts){.ways = alerts_parse(o->alerts),
			.percent = o->alert_percent,
			.after_ms = o->alert_after_ms,
			.run_ms = o->alert_run_ms};
}

static bool wants_links(const char *how)
{
	return !how || strcmp(how, "auto") == 0 ? term_guess_links() : strcmp(how, "on") == 0;
}

/* The options by which a command line reaches a sandbox on a server. "": the sandbox is on this machine. */
static const char *describe_way(const struct app_opts *o, char words[TRM_REMOTE_OPTIONS_BYTES])
{
	bool is_far = !o->attach && o->sandbox.backend && !strcmp(o->sandbox.backend, "microsandbox");

	words[0] = '\0';
	if (is_far)
		trm_remote_format_options(&o->sandbox.server, words, TRM_REMOTE_OPTIONS_BYTES);
	return words;
}

static int start_model(struct app *a, bool has_utf8, struct trm_error *reterr)
{
	struct model_opts opts = {
			.rows = 24, /* the size of a terminal that does not report its size */
			.cols = 80,
			.has_utf8 = has_utf8,
			.lang = first_lang(a->opts),
			.theme = a->theme.name,
			.confirm = a->opts->confirm,
			.trust = a->opts->trust,
			.policy = a->opts->policy ? trm_policy_name(a->opts->policy) : NULL,
			.policy_asks = a->opts->policy_asks,
			.with = (const char *const *)a->opts->with,
			.auto_close = a->opts->auto_close,
			.wrap = a->opts->wrap,
			.auto_complete = a->opts->auto_complete,
			.has_history = a->opts->has_history,
			.timeout_ms = a->opts->session.timeout_ms,
			.grace_ms = a->opts->session.grace_ms,
			.terminate_grace_ms = a->opts->session.terminate_grace_ms,
			.limits = a->opts->sandbox.limits,
			.scrollback_bytes = a->opts->scrollback_bytes,
			.pictures = (uint32_t)getpid() << 12,
			.images_off = !a->term || (a->opts->images && strcmp(a->opts->images, "off") == 0),
			.shows_links = a->term && wants_links(a->opts->links),
			.graph_style = app_graph_style(a->opts->graphs),
			.alerts = alert_opts(a->opts),
	};

	if (a->term) {
		struct term_images can;
		term_images(a->term, &can);
		opts.cell_w = can.cell_w;
		opts.cell_h = can.cell_h;
		term_size(a->term, &opts.rows, &opts.cols);
	}
	if (model_init(&a->model, &opts) < 0 || canvas_init(&a->canvas, opts.rows, opts.cols) < 0) {
		reterr->code = TRM_ENOMEM;
		snprintf(reterr->msg, sizeof reterr->msg, "the workbench cannot start: out of memory");
		return TRM_ENOMEM;
	}
	describe_way(a->opts, a->model.sandbox.remote_options);
	return 0;
}

static void on_app_key_fault(void *user, const char *sentence)
{
	app_notify(user, MSG_ERROR, sentence);
}

int app_load_keys(struct app *a, struct trm_error *reterr)
{
	const struct keys_faults faults = {on_app_key_fault, a};
	struct keymap map;

	int r = app_keys_load(&map, a->opts->config, a->opts->keymap ? a->opts->keymap : "default", &faults);
	if (r < 0)
		return trm_error_set(reterr, r, "the key map cannot be read: out of memory");
	keymap_finish(&a->model.keymap);
	a->model.keymap = map;
	bool is_vi = a->opts->keymap && strcmp(a->opts->keymap, "vi") == 0;
	history_gather(model_editor(&a->model)->history, false);
	a->model.vi = (struct vi){.mode = is_vi ? VI_NORMAL : VI_OFF};
	return 0;
}

static int start_app(struct app *a, struct trm_error *reterr)
{
	/* The person's locale, because term_open() may choose another. */
	bool has_utf8 = locale_is_utf8();
	bool is_mine = !a->opts->replay && !a->opts->is_demo && !a->opts->is_linear;
	const char *theme = a->opts->theme ? a->opts->theme : "dark", *preferred = NULL;

	if (is_mine) {
		app_load_preferences(a);
		preferred = app_preferred_theme(a);
	}
	/* The chosen theme may have been deleted since. */
	int r = preferred ? app_first_theme(a, preferred, NULL) : TRM_ENOENT;
	if (r < 0)
		r = app_first_theme(a, theme, reterr);

	if (r < 0 || (r = app_open_terminal(a, reterr)) < 0 || (r = start_model(a, has_utf8, reterr)) < 0)
		return r;
	if (is_mine)
		app_use_preferences(a);
	if (a->opts->replay && (r = app_replay_open(a, a->opts->replay, reterr)) < 0)
		return r;
	app_open_story(a);
	if (a->opts->record && a->opts->record[0])
		app_record(a, a->opts->record);
	a->model.grammars = a->grammars = grammars_create();
	buffers_set_grammars(&a->model.buffers, a->grammars);
	if (a->opts->is_demo) {
		r = app_open_demo(a, a->opts->file, reterr);
	} else if (a->opts->file) {
		app_open_file(a, a->model.lang, a->opts->file);
	}
	if (!a->opts->is_demo && !a->replay && (!a->linear || app_linear_has_person(a))) {
		bool has_session = !a->opts->file && !a->opts->is_tutor;
		if (has_session)
			app_open_session(a);
		app_take_folder_texts(a, has_session);
		if (a->linear && has_session)
			app_linear_begin(a);
		effects_clear(&a->effects); /* there is no sandbox for them yet */
	}
	app_report_kept(a);
	if (r < 0)
		return r;
	if (a->opts->is_tutor) {
		tutor_begin(&a->model, &a->effects);
		effects_clear(&a->effects); /* there is no sandbox for them yet */
	}
	if (a->opts->picks_file && a->term)
		app_pick_files(a);
	app_report_theme(a);
	if ((r = app_load_keys(a, reterr)) < 0)
		return r;
	if (a->term)
		app_paint(a); /* paint before anything that takes time */
	r = trm_loop_create(&a->loop, reterr);
	if (r == 0)
		r = trm_loop_add_timer(a->loop, on_slow_stop, a, &a->stop_timer, reterr);
	if (r == 0)
		r = app_watch_terminal(a, reterr);
	if (r == 0)
		r = app_watch_themes(a, reterr);
	if (r == 0 && a->replay)
		return app_replay_start(a, reterr);
	if (r == 0)
		r = app_open_autosave(a, reterr);
	if (r == 0)
		r = app_open_watch(a, reterr);
	if (r == 0) {
		app_start_sandbox(a);
		/* Not in front of an audience, and not instead of the question whether the cells may run. */
		if (!a->opts->is_demo && (!a->linear || app_linear_has_person(a)))
			app_find_unsaved(a);
	}
	return r;
}

/* Set the tick timer to the time that the model asks for. */
static void set_tick(struct app *a)
{
	int tick_ms = model_tick_ms(&a->model);

	if (tick_ms == a->tick_ms)
		return;
	a->tick_ms = tick_ms;
	if (tick_ms < 0)
		trm_timer_stop(a->tick_timer);
	else
		trm_timer_start(a->tick_timer, (uint64_t)tick_ms, (uint64_t)tick_ms);
}

static void run_app_loop(struct app *a)
{
	int wait_ms = 0;

	while (!a->is_done) {
		int n = trm_loop_step(a->loop, wait_ms);
		if (n < 0) {
			app_quit(a);
			break;
		}
		if (a->linear)
			app_linear_turn(a);
		else if (app_frame_is_due(a, app_clock_ns(), n == 0))
			app_paint(a);
		set_tick(a);
		a->had_input = false;
		app_release_output(a);
		app_flush_recording(a);
		if (n == 0 || !app_wants_frame(a))
			app_flush_history(a);
		app_note_changes(a);
		/* Before the loop sleeps with a frame to paint, check whether more events are waiting. */
		bool sees_more = n > 0 && app_wants_frame(a);
		int works_ms = app_wants_frame(a) ? -1 : app_work_on_colors(a);
		wait_ms = sees_more ? 0 : works_ms >= 0 ? works_ms : app_frame_wait_ms(a, app_clock_ns());
	}
}

/* ---- end ---- */

static void finish_app(struct app *a)
{
	app_peek_finish(a);
	app_copy_finish(a);
	app_install_finish(a);
	trm_timer_remove(a->stop_timer);
	app_replay_close(a);
	app_close_story(a);
	if (a->saves && !a->discards_text && !a->model.replay.is_on)
		app_autosave_now(a); /* the disk may never be done */
	app_finish_saves(a);
	app_flush_history(a);
	app_close_autosave(a);
	app_close_session(a);
	app_save_preferences(a);
	app_close_watch(a);
	app_close_editor(a);
	app_close_themes(a);
	app_close_images(a);
	app_remove_figures(a);
	app_close_terminal(a);
	trm_loop_destroy(a->loop);
	effects_finish(&a->effects);
	canvas_finish(&a->canvas);
	model_finish(&a->model);
	grammars_destroy(a->grammars);
}

/* The start of the sandbox has failed, and nobody saw the reason or nothing else was wanted. */
static bool has_failed(const struct app *a)
{
	bool is_unseen = a->linear && !app_linear_has_person(a);

	/* If the person quits because there is no isolation, the message that says how to enable it is
	 * printed. */
	bool lacks_isolation = a->failure.code == TRM_ENOISOLATION && !a->has_had_sandbox;

	return a->failure.code && (is_unseen || lacks_isolation || app_wants_running(a));
}

int app_main(const struct app_opts *opts)
{
	struct app *a = calloc(1, sizeof *a);
	struct trm_error err = {0};
	char detached[sizeof a->detached], words[TRM_REMOTE_OPTIONS_BYTES], reasons[TRM_ISOLATION_WORDS];
	int code = 0;

	if (!a) {
		fprintf(stderr, "terrarium: out of memory\n");
		return EXIT_FAILED;
	}
	if (app_open_settings(a, opts) < 0)
		fprintf(stderr, "terrarium: settings cannot be changed: out of memory\n");
	a->tick_ms = -1;
	a->recorder.fd = -1;
	if (start_app(a, &err) < 0)
		code = EXIT_FAILED;
	else
		run_app_loop(a);
	if (!err.code && has_failed(a)) {
		err = a->failure;
		code = EXIT_FAILED;
	}
	finish_app(a);
	if (!err.code && a->save_failure.code) {
		err = a->save_failure;
		code = EXIT_FAILED;
	}
	if (a->ended_by)
		code = 128 + a->ended_by;
	snprintf(detached, sizeof detached, "%s", a->detached);
	bool has_kept_text = a->has_kept_text, is_for_now = a->is_detached_for_now;
	app_close_settings(a);
	free(a);
	if (has_kept_text)
		printf("unsaved text is kept and comes back with its file or in this folder%s\n",
				opts->restore ? "" : ", without --restore off");
	if (*detached)
		printf("sandbox %s is left running%s: terrarium attach %s%s\n", detached,
				is_for_now ? " until its owner ends" : "", describe_way(opts, words),
				detached);
	if (err.code)
		fprintf(stderr, "terrarium: %s\n", err.msg);
	if (err.code == TRM_ENOISOLATION)
		fputs(trm_isolation_explain(reasons), stderr);
	return code;
}
