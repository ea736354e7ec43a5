/* SPDX-License-Identifier: MIT */
/* Carries out the effects of update(). */
#include <stdio.h>
#include <string.h>

#include "app/app_internal.h"

static void copy_to_clipboard(struct app *a, const struct effect *effect)
{
	if (a->term && effect->text.bytes && !term_copy(a->term, effect->text.bytes, effect->text.len))
		app_notify(a, MSG_NOTICE, "copied for use in here; too long for the terminal's clipboard");
}

static void scan_code(struct app *a, const struct effect *effect)
{
	struct trm_findings found = {0};
	bool is_done = trm_policy_scan(a->opts->policy, effect->scan.lang, effect->scan.code,
				       effect->scan.len, &found, NULL)
		       == 0;

	app_send(a, &(struct msg){.type = MSG_SCANNED, .findings = is_done ? &found : NULL});
	trm_findings_finish(&found);
}

static void warm(struct app *a, const struct effect *effect)
{
	struct trm_error err = {0};

	if (a->session && trm_session_warm(a->session, effect->lang, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

static void restart_kernel(struct app *a, const struct effect *effect)
{
	struct trm_error err = {0};

	if (a->session && trm_session_restart(a->session, effect->lang, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

bool app_may_leave(struct app *a, enum effect_type how)
{
	return app_saves_are_done(a, how) && app_text_is_safe(a);
}

static void quit_with_text(struct app *a, enum effect_type how)
{
	if (app_may_leave(a, how))
		app_quit(a);
}

void app_perform(struct app *a, const struct effect *effect)
{
	if (!a->replay)
		app_note_effect(a, effect);
	switch (effect->type) {
	case EFFECT_SCAN: scan_code(a, effect); break;
	case EFFECT_RUN: app_run(a, effect); break;
	case EFFECT_INSTALL: app_install(a, effect); break;
	case EFFECT_INTERRUPT:
		if (!app_install_interrupt(a, effect->serial))
			app_run_interrupt(a, effect->serial);
		break;
	case EFFECT_EXTEND: app_run_extend(a, effect->serial); break;
	case EFFECT_HOLD:
	case EFFECT_LET_GO: app_run_hold(a, effect->serial, effect->type == EFFECT_HOLD); break;
	case EFFECT_SANDBOXES: app_list_sandboxes(a); break;
	case EFFECT_SANDBOXES_END: app_list_end(a); break;
	case EFFECT_CONTAINERS: app_ask_engines(a); break;
	case EFFECT_LOOK_CONTAINER:
		app_peek_container(a, effect->container.engine, effect->container.id);
		break;
	case EFFECT_PEEK: app_peek(a, effect->name); break;
	case EFFECT_LOOK_END: app_peek_end(a); break;
	case EFFECT_STOP_SANDBOX: app_stop_sandbox(a, effect); break;
	case EFFECT_PAUSE:
	case EFFECT_RESUME: app_run_pause(a, effect->serial, effect->type == EFFECT_PAUSE); break;
	case EFFECT_BELL:
		if (a->term)
			term_bell(a->term);
		break;
	case EFFECT_NOTIFY:
		if (a->term)
			term_notify(a->term, effect->text.bytes, effect->text.len);
		break;
	case EFFECT_READ_TABLE: app_read_table(a, effect->path); break;
	case EFFECT_ASK: app_ask(a, effect); break;
	case EFFECT_SIGNAL: app_signal(a, effect); break;
	case EFFECT_STDIN:
	case EFFECT_STDIN_EOF: app_run_input(a, effect); break;
	case EFFECT_WARM: warm(a, effect); break;
	case EFFECT_RESTART_KERNEL: restart_kernel(a, effect); break;
	case EFFECT_RESTART_SANDBOX: app_restart_sandbox(a); break;
	case EFFECT_REMEMBER: app_remember(a, effect); break;
	case EFFECT_READ_HISTORY: app_read_history(a); break;
	case EFFECT_LIST_FILES: app_list_files(a); break;
	case EFFECT_START_SANDBOX: app_start_sandbox(a); break;
	case EFFECT_OPEN: app_open_file(a, effect->open.lang, effect->open.path); break;
	case EFFECT_PICK_FILES: app_pick_files(a); break;
	case EFFECT_SAVE: app_save_file(a, &effect->save, false); break;
	case EFFECT_SAVE_CHECKED: app_save_file(a, &effect->save, true); break;
	case EFFECT_WRITE:
	case EFFECT_WRITE_OVER: app_write_file(a, effect); break;
	case EFFECT_KEEP_OUTPUT: app_keep_output(a, effect); break;
	case EFFECT_SPILL:
	case EFFECT_SPILL_END: app_run_spill(a, effect->serial, effect->type == EFFECT_SPILL); break;
	case EFFECT_COPY: copy_to_clipboard(a, effect); break;
	case EFFECT_COPY_FILES:
	case EFFECT_COPY_CHECKED: app_copy_files(a, effect); break;
	case EFFECT_THEME: app_set_theme(a, effect->name); break;
	case EFFECT_LIST_THEMES: app_list_themes(a); break;
	case EFFECT_COMPLETE_PATH: app_complete_path(a, effect->path); break;
	case EFFECT_SEEK: app_replay_seek(a, effect->at_us); break;
	case EFFECT_EXPORT:
	case EFFECT_EXPORT_OVER: app_export(a, effect); break;
	case EFFECT_RECORD: app_record(a, effect->path); break;
	case EFFECT_RECORD_STOP: app_record_stop(a); break;
	case EFFECT_ASK_TERMINAL:
		if (a->term)
			app_ask_terminal(a);
		break;
	case EFFECT_DRAW_FIGURE:
	case EFFECT_ZOOM_FIGURE:
		if (a->term)
			app_draw_figure(a, effect->figure, effect->type == EFFECT_ZOOM_FIGURE);
		break;
	case EFFECT_SAVE_FIGURE:
	case EFFECT_SAVE_FIGURE_OVER: app_save_figure(a, effect); break;
	case EFFECT_SAVE_ALL: app_save_all(a, effect->path); break;
	case EFFECT_OPEN_FIGURE: app_open_figure(a, effect->figure); break;
	case EFFECT_RELOAD: app_reload(a, effect->buffer); break;
	case EFFECT_EDIT_OUTSIDE: app_edit_outside(a, effect->buffer); break;
	case EFFECT_RECOVER: app_recover(a, effect->recover); break;
	case EFFECT_QUIT_SAVING:
		if (app_save_files(a))
			quit_with_text(a, effect->type);
		break;
	case EFFECT_QUIT_DISCARDING:
		if (!app_saves_are_done(a, effect->type))
			break;
		a->discards_text = true;
		app_quit(a);
		break;
	case EFFECT_QUIT_STOPPING:
		if (!app_may_leave(a, effect->type))
			break;
		a->stops_sandbox = true;
		app_quit(a);
		break;
	case EFFECT_DETACH: app_detach(a); break;
	case EFFECT_KEEP: app_keep(a, effect->is_kept); break;
	case EFFECT_SUSPEND: app_suspend(a); break;
	case EFFECT_REPAINT:
		if (a->term)
			term_repaint_all(a->term);
		break;
	case EFFECT_SETTING: app_store_setting(a, effect->setting.name, effect->setting.value); break;
	case EFFECT_SETTINGS: app_list_settings(a); break;
	case EFFECT_GO_WITHOUT: app_go_without(a, effect->is_always); break;
	case EFFECT_QUIT: quit_with_text(a, effect->type); break;
	case EFFECT_STAY: a->is_leaving = false; break;
	}
}
