/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_APP_INTERNAL_H
#define TUI_APP_APP_INTERNAL_H

/* The parts of the app; private to this room.
 *
 * Theory of operation. Everything that happens (keys, signals, timers, callbacks of the library) becomes a
 * message. app_send() passes the message to update() and carries out the effects. All of this happens within
 * trm_loop_step(). After each step frame_pacing.c decides whether to paint. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cells/canvas.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "record/file.h"
#include "record/transcript.h"
#include "state/unsaved.h"
#include "term/term.h"
#include "theme/theme.h"
#include "view/view.h"

enum { APP_ENV = 16 };

struct app_run;
struct app_copier;
struct app_install;

/* preferences.c: choices that are stored between sessions. */
struct app_preferences {
	char theme[64];     /* chosen in the menu; "": none was chosen */
	char theme_for[64]; /* the theme of the settings that it replaces */
	char shown[64];     /* the theme at the start; "": do not store choices in this session */
	struct layout_request panes;
	struct palette palette;
};
struct app_editor;
struct app_save;

/* tee_output.c: a run's output that is also written to a file. */
struct tee {
	uint32_t serial;
	int fd; /* -1: none */
	uint64_t bytes;
	bool lacks_start; /* part of the output had been dropped before it began */
	char path[4096];
};

#define APP_FOUND 16 /* folders with unsaved texts that are offered at once */

/* autosave.c: the stored state of a buffer. */
struct kept_buffer {
	uint32_t id;
	uint64_t version; /* version of the text when it was last checked */
	bool is_written;  /* it was unsaved then, and its text is in the folder */
};

/* recover.c: a text of an earlier workbench that is in a buffer and could not be kept again. */
struct taken_text {
	char dir[64];
	unsigned number;
};

struct autosave {
	struct unsaved_dir dir;
	struct unsaved_writer writer;
	struct kept_buffer *buffers;
	size_t n, cap;
	struct trm_timer *timer;
	uint64_t first_ns, last_ns; /* time of the first and the last change that was not written yet */
	uint64_t seen_version;      /* version of the current buffer at the end of the last turn */
	uint32_t seen_id;
	size_t seen_n;
	bool seen_unsaved;
	bool has_failed; /* and the person was told */
	bool is_leaving; /* the program is ending */
};

/* session.c */
struct session_file {
	char path[STATE_PATH]; /* "": sessions are not stored */
	int lock;
};

/* Kept texts that have come back, and are not reported yet. */
struct texts_back {
	size_t n;
	uint32_t last, stale; /* buffers; the file of `stale` has changed since. 0: none */
	bool is_aside;        /* an error about one is in sight */
};

struct app {
	const struct app_opts *opts; /* own_opts, because settings may change while the workbench runs */
	struct app_opts own_opts;
	struct app_settings *settings; /* owned by settings.c; NULL: settings cannot be changed */
	struct model model;
	struct effects effects;
	bool is_performing; /* effects are being carried out; nested messages add theirs to the list */

	struct app_preferences preferences;
	struct term *term;
	struct theme theme;
	char theme_fault[480]; /* the first error in its file and the number of errors; "": none */
	size_t theme_faults;
	int theme_inotify; /* reports changes in the folders of themes; 0: none */
	struct trm_watch *theme_watch;
	struct canvas canvas;
	struct grammars *grammars;
	/* frame_pacing.c */
	uint64_t credit_ns;          /* time that may be spent on extra frames */
	uint64_t credit_at_ns;       /* when the credit was last increased */
	uint64_t painted_ns;         /* time of the last frame */
	bool has_part_only;          /* it was a partial frame */
	bool has_result;             /* this frame shows the result of a run */
	struct editor_glance glance; /* from the last full frame */
	struct trm_error no_colors;  /* why the language has none, to be told; code TRM_OK: nothing */
	bool has_reported_beyond;    /* that the end of a large file has no colors */
	/* highlight.c: time of the last pass; time of this pass so far */
	uint64_t colors_cost_ns, colors_spent_ns;
	bool had_input; /* a key arrived in this turn */
	/* A run has started, and painting waits for its result until then; 0: paint. */
	uint64_t result_until_ns;

	struct trm_loop *loop;
	struct trm_watch *keys_watch;
	struct trm_timer *escape_timer, *tick_timer, *stop_timer;
	struct trm_signal *signals;
	int tick_ms; /* time of the tick timer; -1: stopped */

	struct trm_sandbox *sandbox; /* NULL: there is none */
	struct trm_session *session;
	bool has_attached;        /* to the sandbox of the options; … */
	char like_backend[64];    /* … which was of this kind; "" */
	char like_origin[256];    /* made from this image, or …; "" */
	bool like_is_adopted;     /* … running in this container */
	bool stops_sandbox;       /* closing is to end it, whatever it is */
	char detached[65];        /* left running, on the person's wish; "" */
	bool is_detached_for_now; /* … until its owner ends, who has not kept it */
	bool has_had_sandbox;     /* one was ready */
	struct trm_error failure; /* why none ever was; all zero: nothing has failed */
	const char *env[APP_ENV]; /* of the kernels */
	char columns[32], lines[32], plot_colors[64];
	struct app_run *runs;          /* asked for and not ended; run.c's own */
	struct app_copier *copier;     /* NULL: nothing is being copied */
	struct app_install *install;   /* NULL: nothing is being installed */
	struct trm_registry *registry; /* NULL: nobody looks at the list */
	struct trm_timer *list_timer;
	struct trm_containers *containers; /* query in progress; NULL: none */
	struct app_peek *looks;            /* sandboxes that it is attached to; owned by peek.c */
	/* record.c */
	struct transcript transcript; /* all runs of the session */
	uint64_t begun_ns;            /* start of its clock */
	uint32_t *transcript_serials; /* the workbench's serial of run k + 1 of the transcript */
	size_t transcript_cap;
	struct run_outputs run_outputs; /* of the story, for notebooks */
	bool input_is_secret;           /* the answer to the code's last question must not be stored */
	struct recorder recorder;
	uint32_t recorded_from; /* runs of the transcript up to this one are not in the recording */
	char recording[4096];   /* path of the recording */

	struct autosave autosave;
	struct taken_text *taken; /* these texts do not come back a second time */
	size_t n_taken;
	struct unsaved_dir found[APP_FOUND]; /* found at the start, and offered */
	size_t n_found;
	struct texts_back back;
	struct session_file session_file;
	/* watch.c */
	int files_inotify; /* 0 or less: there is none */
	struct trm_watch *files_watch;
	struct trm_timer *files_timer;
	struct app_save *saves; /* in progress; owned by save.c */
	int saves_fd;           /* an eventfd that reports finished saves; 0: none yet */
	struct trm_watch *saves_watch;
	bool is_leaving; /* when the saves have ended … */
	enum effect_type leaves_by;
	struct trm_error save_failure; /* a save that failed while the program was ending */
	struct app_editor *editor;     /* the editor that uses the terminal; NULL: none */
	struct app_images *images;     /* owned by images.c; NULL: none yet */
	char figure_folder[256];       /* folder of images that other programs have opened; "": none */

	struct app_lines *linear;  /* linear.c; NULL: there is a screen */
	struct app_replay *replay; /* replay.c; NULL: no recording is shown */
	char *unwritten;           /* lines for the history file; NULL: none */
	bool has_reported_history; /* that the history cannot be written */
	bool goes_without;         /* the person has agreed to run without isolation */
	bool is_renewing;          /* a new sandbox follows the one that is being closed */
	bool is_quitting, is_done;
	bool discards_text; /* of unsaved buffers; otherwise it comes back at the next start */
	bool has_kept_text; /* at the end */
	int ended_by;       /* signal that ended the program, or 0 */
};

/* ---- app.c */
uint64_t app_clock_ns(void);
void app_send(struct app *a, struct msg *msg); /* adds the time */
void app_perform_all(struct app *a);           /* all pending effects */
/* A message with struct msg.file. `error`: NULL if there is none. */
void app_send_file(struct app *a, enum msg_type type, uint32_t buffer, const char *path, const char *error);
void app_notify(struct app *a, enum msg_type type, const char *text); /* MSG_ERROR, MSG_NOTICE … */
void app_quit(struct app *a);

/* ---- perform.c: effects */
void app_perform(struct app *a, const struct effect *effect);
/* All saves have ended well, and unsaved text is kept. Else it says why not, or `how` is carried out later.
 */
bool app_may_leave(struct app *a, enum effect_type how);

/* ---- files.c: files, paths */
void app_open_file(struct app *a, const struct trm_lang *lang, const char *path);
/* Load a file without a notice. Returns its buffer, or NULL. A missing file becomes a new buffer. */
struct buffer *app_load_file(struct app *a, const struct trm_lang *lang, const char *path, bool *ret_is_new,
		struct trm_error *reterr);
/* MSG_SAVED reports the end, or MSG_SAVE_EXISTS asks first: `checked`. */
void app_save_file(struct app *a, const struct save_request *request, bool checked);
void app_write_file(struct app *a, const struct effect *effect); /* EFFECT_WRITE */
/* Save all unsaved buffers that have files, and wait for the disk. False: a file could not be saved, or the
 * person is asked first; the rest may not have been tried. */
bool app_save_files(struct app *a);
void app_expand_path(const char *typed, char out[4096]);         /* expands "~" and "~/…" */
bool app_is_same_file(const char *a, const char *b);             /* also when neither exists yet */
struct buffer *app_buffer_with(struct app *a, const char *path); /* the buffer of a file; NULL: none */
void app_complete_path(struct app *a, const char *typed);

/* ---- save.c: saves files, large ones in the background */
/* MSG_SAVED reports the end; a notice that of a copy, whose file does not become the buffer's. Only one save
 * at a time may write to a file. False: it has failed already. */
bool app_write_buffer(struct app *a, const struct save_request *request, bool is_copy);
/* Before the person leaves. False: a save has failed, of which nobody would hear otherwise; or saves go on,
 * and `how` is carried out when they have ended well. */
bool app_saves_are_done(struct app *a, enum effect_type how);
bool app_finish_saves(struct app *a); /* waits for all saves; false: one has failed */

/* ---- watch.c: files that other programs change */
int app_open_watch(struct app *a, struct trm_error *reterr);
void app_watch_files(struct app *a); /* watch the files of the current buffers */
void app_check_files(struct app *a); /* check at once */
void app_reload(struct app *a, uint32_t buffer);
void app_close_watch(struct app *a);

/* ---- editor.c: a buffer in another editor */
void app_edit_outside(struct app *a, uint32_t buffer);
/* terminal.c: give the terminal to the shell, and stop until that continues the program */
void app_suspend(struct app *a);
void app_close_editor(struct app *a);

/* ---- autosave.c: stores unsaved text so that it survives a crash */
int app_open_autosave(struct app *a, struct trm_error *reterr);
void app_note_changes(struct app *a); /* call this at the end of a turn */
bool app_autosave_now(struct app *a); /* writes everything at once; false: some unsaved text is not kept */
/* Like app_autosave_now(), before the program ends: an error is reported even if it was reported before. */
bool app_text_is_safe(struct app *a);
/* The file of the buffer is another one: text that is kept already is kept again, as text of that file. */
void app_keep_anew(struct app *a, const struct buffer *b);
/* Call this at the end. Unsaved text remains for the next start unless the person has discarded it. */
void app_close_autosave(struct app *a);
void app_place_of(const struct app *a, const struct buffer *b, struct buffer_state *ret);
bool app_text_is_kept(const struct app *a, const struct buffer *b); /* as it is now */

/* ---- recover.c: unsaved text of earlier workbenches */
/* Text that was left in this folder on purpose. Where no session is opened (beside a named file, in the
 * tutorial), only text without a name comes back. */
void app_take_folder_texts(struct app *a, bool has_session);
void app_report_kept(struct app *a);                            /* what the start has taken */
void app_take_file_text(struct app *a, const struct buffer *b); /* that was left for the buffer's file */
void app_find_unsaved(struct app *a);                           /* offers text that a crash has left */
void app_recover(struct app *a, enum recover_answer answer);
/* Open the file of a stored buffer. NULL: this is not possible. */
struct buffer *app_open_place(struct app *a, const struct buffer_state *place);
/* Load a kept text and put it into a buffer. It comes into a buffer of its own, and a notice says so
 * (*ret_is_aside = true), if its file cannot be opened or has another unsaved text. NULL: that is not
 * possible, which is reported; the text stays kept. */
struct buffer *app_take_back(struct app *a, struct unsaved_item *item, bool *ret_is_aside);
/* Free the items. Those that were taken back are removed from their folders if all unsaved texts are now kept
 * in the folder of this workbench. Nothing else removes a text of another workbench, but the answer
 * "Discard". */
void app_finish_taking(struct app *a, struct unsaved_items *items);
/* At the end, when all unsaved texts are kept: remove those that could not be kept again when they were
 * taken. */
void app_forget_taken(struct app *a);

/* ---- session.c: the buffers that were last open in this folder */
void app_open_session(struct app *a); /* before the first frame */
void app_save_session(struct app *a);
void app_close_session(struct app *a);

/* ---- preferences.c */
void app_load_preferences(struct app *a);
const char *app_preferred_theme(const struct app *a); /* NULL: use the theme of the settings */
void app_use_preferences(struct app *a);              /* call this when the model exists */
void app_save_preferences(struct app *a); /* call this at the end; writes if something has changed */

/* ---- themes.c: themes and their files */
/* Load a theme before the model exists. A theme with errors is used as far as possible, else "dark";
 * app_report_theme() reports the errors later. Fails if there is no theme of this name. */
int app_first_theme(struct app *a, const char *name, struct trm_error *reterr);
void app_report_theme(struct app *a);
/* Errors in the file are reported; an unreadable file changes nothing. */
void app_set_theme(struct app *a, const char *name);
void app_list_themes(struct app *a);
/* From now on, changed files are read again. */
int app_watch_themes(struct app *a, struct trm_error *reterr);
void app_close_themes(struct app *a);

/* ---- sandbox.c: sandbox and session */
void app_start_sandbox(struct app *a);
/* Was the workbench started only to attach to a running sandbox? */
bool app_wants_running(const struct app *a);
void app_restart_sandbox(struct app *a);
void app_signal(struct app *a, const struct effect *effect);
void app_close_sandbox(struct app *a);
void app_keep(struct app *a, bool is_kept);
void app_detach(struct app *a);
/* run.c */
void app_run_extend(struct app *a, uint64_t serial);
uint64_t app_run_left_ms(const struct app *a); /* time until the limit of the current run; 0: no limit */
/* pick_files.c */
void app_pick_files(struct app *a);
void app_note_file(const char *file); /* it was opened */

/* settings.c. app_open_settings() copies the options. 0 or TRM_ENOMEM. */
int app_open_settings(struct app *a, const struct app_opts *opts);
void app_close_settings(struct app *a);
void app_list_settings(struct app *a);
const struct settings *app_settings_now(const struct app *a);               /* NULL: not known */
void app_store_setting(struct app *a, const char *name, const char *value); /* in the config file; tells it */
void app_settings_used(struct app *a);                      /* a sandbox has been made by them */
int app_load_keys(struct app *a, struct trm_error *reterr); /* app.c */
/* sandbox.c: start without isolation; always: store this in the config file. */
void app_go_without(struct app *a, bool always);

/* ---- workspace.c: files in the sandbox */
void app_list_files(struct app *a);

/* ---- history.c: the file of all runs */
void app_remember(struct app *a, const struct effect *effect);
/* Write pending lines when no frame is due. */
void app_flush_history(struct app *a);
void app_read_history(struct app *a);

/* ---- kernel_query.c: questions to kernels */
void app_read_table(struct app *a, const char *path); /* read_table.c */
void app_ask(struct app *a, const struct effect *effect);

/* ---- peek.c: other sandboxes of this user */
void app_list_sandboxes(struct app *a);
void app_list_end(struct app *a);
void app_peek(struct app *a, const char *name);
/* An agent is put into the container. */
void app_peek_container(struct app *a, const char *engine, const char *id);
void app_peek_end(struct app *a);
void app_stop_sandbox(struct app *a, const struct effect *effect);
void app_peek_finish(struct app *a); /* call this before the loop is destroyed */

/* ---- engines.c: other containers */
void app_ask_engines(struct app *a);
void app_ask_engines_end(struct app *a);

/* ---- run.c: runs */
void app_run(struct app *a, const struct effect *effect);
/* A run of another client: joined() of struct trm_session_cb. */
void app_run_joined(void *user, struct trm_run *run, const struct trm_origin *origin);
void app_run_interrupt(struct app *a, uint64_t serial);

/* ---- copier.c ---- */

void app_copy_files(struct app *a, const struct effect *effect);
void app_copy_finish(struct app *a); /* waits until the copy has ended */

/* ---- install.c ---- */

void app_install(struct app *a, const struct effect *effect);
bool app_install_interrupt(struct app *a, uint64_t serial); /* false: this run is not an installation */
void app_install_finish(struct app *a);                     /* waits until the installation has ended */

/* ---- run.c, again ---- */

void app_run_pause(struct app *a, uint64_t serial, bool is_paused);
void app_run_hold(struct app *a, uint64_t serial, bool is_held);
void app_run_input(struct app *a, const struct effect *effect);   /* EFFECT_STDIN, EFFECT_STDIN_EOF */
void app_run_spill(struct app *a, uint64_t serial, bool goes_on); /* EFFECT_SPILL, EFFECT_SPILL_END */
void app_release_output(struct app *a); /* call this at the end of a turn: more output may come */

/* ---- record.c: the transcript of the session, its recording and its exports */
void app_open_story(struct app *a);
void app_close_story(struct app *a);
void app_note_msg(struct app *a, const struct msg *msg); /* call this before the message is handled */
/* Call this before the effect is carried out. */
void app_note_effect(struct app *a, const struct effect *effect);
void app_record(struct app *a, const char *path);
void app_record_stop(struct app *a);
void app_flush_recording(struct app *a); /* call this at the end of a turn */
void app_export(struct app *a, const struct effect *effect);
uint32_t app_story_id(const struct app *a, uint64_t serial); /* the story's id of a run; 0: none */

/* ---- replay.c: a recording instead of a sandbox */
int app_replay_open(struct app *a, const struct recording *recording, struct trm_error *reterr);
int app_replay_start(struct app *a, struct trm_error *reterr);
void app_replay_close(struct app *a);
uint64_t app_replay_clock_ns(const struct app *a); /* the time in the recording */
void app_replay_seek(struct app *a, uint64_t at_us);

/* ---- linear.c: the linear workbench, without a screen */
int app_linear_open(struct app *a, struct trm_error *reterr);
int app_linear_watch(struct app *a, struct trm_error *reterr);
/* Text has been restored: say which, and begin a buffer for what is typed. */
void app_linear_begin(struct app *a);
void app_linear_close(struct app *a);
bool app_linear_interrupt(struct app *a);        /* Ctrl-C; false: it must end the program */
bool app_linear_has_person(const struct app *a); /* a person types and can answer questions */
void app_linear_turn(struct app *a);             /* after each turn of the loop: print messages, read lines */

/* ---- demo.c: a prepared file, presented cell by cell */
int app_open_demo(struct app *a, const char *path, struct trm_error *reterr);

/* ---- notebook.c: Jupyter notebooks */
/* Open one in an old format as a script. False: it is none. */
bool app_open_old_notebook(struct app *a, const char *path);
/* The language of a notebook; of any other file, `otherwise`. */
const struct trm_lang *app_notebook_lang(const char *path, const struct trm_lang *otherwise);
/* Before an editor is saved: a notebook gets the outputs of its cells. */
void app_lend_outputs(struct app *a, struct editor *e);

/* ---- tee_output.c: writes output to files */
void app_keep_output(struct app *a, const struct effect *effect);
void tee_begin(struct app *a, struct tee *s, uint32_t serial);
void tee_bytes(struct app *a, struct tee *s, const void *bytes, size_t n);
void tee_end(struct app *a, struct tee *s);

/* ---- images.c: images; image_files.c: images as files */
void app_ask_terminal(struct app *a);
void app_images_answered(struct app *a); /* keys have arrived, and perhaps the terminal's answer */
void app_draw_figure(struct app *a, uint32_t id, bool is_zoom);
void app_close_images(struct app *a);
void app_save_figure(struct app *a, const struct effect *effect);
void app_save_all(struct app *a, const char *folder);
void app_open_figure(struct app *a, uint32_t figure);
void app_remove_figures(struct app *a);

/* ---- terminal.c: keys, signals, crashes */
int app_open_terminal(struct app *a, struct trm_error *reterr);
int app_watch_terminal(struct app *a, struct trm_error *reterr);
void app_close_terminal(struct app *a);

/* ---- highlight.c: finds syntax kinds of the editor's text, a slice per call. Returns the time in ms until
 * the next slice; -1: there is none. */
int app_work_on_colors(struct app *a);

/* ---- frame_pacing.c: decides when to paint */
void app_paint(struct app *a);
bool app_wants_frame(const struct app *a); /* something has changed since the last frame */
/* `is_quiet`: no further events are waiting. */
bool app_frame_is_due(struct app *a, uint64_t now_ns, bool is_quiet);
/* A run was requested. The next frame waits a moment, because most runs end before their start could be
 * painted. */
void app_await_result(struct app *a);
/* The time in ms that the loop may wait before it paints a pending frame; -1: no limit. */
int app_frame_wait_ms(const struct app *a, uint64_t now_ns);

#endif
