/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_APP_INTERNAL_H
#define TUI_APP_APP_INTERNAL_H

/* The app's own parts; private to this folder.
 *
 * Theory of operation. Whatever happens (keys, signals, timers, the library's callbacks)
 * becomes a message; app_send() gives it to update() and carries out the effects. All of
 * that happens inside trm_loop_step(). After each step frame_pacing.c decides whether to paint. */

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

enum { APP_SIGNALS = 6, APP_ENV = 16 };

struct app_run;
struct app_copier;
struct app_install;

/* What is remembered from one session to the next: preferences.c. */
struct app_preferences {
	char theme[64];     /* chosen in the menu; "": none ever was */
	char theme_for[64]; /* in place of which one of the settings */
	char shown[64];     /* the theme at the start; "": nothing is remembered in this session */
	struct layout_request panes;
	struct palette palette;
};
struct app_editor;
struct app_save;

/* A run's output that is written into a file, too: tee_output.c. */
struct tee {
	uint32_t serial;
	int fd; /* -1: none */
	uint64_t bytes;
	bool lacks_start; /* the first of it had been dropped when it began */
	char path[4096];
};

#define APP_FOUND 16 /* folders of unsaved texts that are offered at a time */

/* autosave.c: what has been written of a buffer. */
struct kept_buffer {
	uint32_t id;
	uint64_t version; /* of the text when it was looked at last */
	bool is_written;  /* it was unsaved then, and its text lies in the folder */
};

struct autosave {
	struct unsaved_dir dir;
	struct unsaved_writer writer;
	size_t writing; /* which of `buffers` */
	struct kept_buffer *buffers;
	size_t n, cap;
	struct trm_timer *timer;
	uint64_t first_ns, last_ns; /* of the changes that are not written yet */
	uint64_t seen_version;      /* what the current buffer was at the end of the last turn */
	uint32_t seen_id;
	size_t seen_n;
	bool seen_unsaved;
	bool has_failed; /* and it was said */
	bool is_leaving; /* the program is about to end */
};

/* session.c */
struct session_file {
	char path[STATE_PATH]; /* "": sessions are not remembered */
	int lock;
};

struct app {
	const struct app_opts *opts; /* own_opts: settings may be changed while it runs */
	struct app_opts own_opts;
	struct app_settings *settings; /* settings.c's own; NULL: they cannot be changed */
	struct model model;
	struct effects effects;
	bool is_performing; /* effects are being carried out: those of nested messages are added to the list
			     */

	struct app_preferences preferences;
	struct term *term;
	struct theme theme;
	char theme_fault[480]; /* the first fault of its file, "" if there is none, and of how many */
	size_t theme_faults;
	int theme_inotify; /* tells of changes in the folders of themes; 0: there is none */
	struct trm_watch *theme_watch;
	struct canvas canvas;
	struct grammars *grammars;
	/* frame_pacing.c */
	uint64_t credit_ns;          /* for frames between the regular ones */
	uint64_t credit_at_ns;       /* when it was last counted up */
	uint64_t painted_ns;         /* when the last frame was */
	bool has_part_only;          /* it was only what was waited for */
	bool has_result;             /* this one shows a run that was waited for */
	struct editor_glance glance; /* of the last frame that was whole */
	bool has_reported_beyond;    /* that there are no colors at the end of a big file */
	uint64_t colors_cost_ns,
			colors_spent_ns; /* highlight.c: what the last time took; what this one did so far */
	bool had_input;                  /* a key came in this turn */
	uint64_t result_until_ns;        /* a run has begun, and its result is waited for; 0: painted */

	struct trm_loop *loop;
	struct trm_watch *keys_watch;
	struct trm_timer *escape_timer, *tick_timer, *stop_timer;
	struct trm_signal *signals[APP_SIGNALS];
	int tick_ms; /* what the tick timer is set to; -1: stopped */

	struct trm_sandbox *sandbox; /* NULL: there is none */
	struct trm_session *session;
	bool has_attached;        /* to the sandbox of the options; … */
	char like_backend[64];    /* … which was of this kind; "" */
	char like_origin[256];    /* and made from this image, or … */
	bool like_is_adopted;     /* … went into this container; "" */
	bool stops_sandbox;       /* closing is to end it, whatever it is */
	char detached[65];        /* left running, on the person's wish; "" */
	bool has_had_sandbox;     /* one was ready */
	struct trm_error failure; /* why none ever was; all zero: nothing has failed */
	const char *env[APP_ENV]; /* of the kernels */
	char columns[32], lines[32];
	struct app_run *runs;          /* asked for and not ended; run.c's own */
	struct app_copier *copier;     /* NULL: nothing is being copied */
	struct app_install *install;   /* NULL: nothing is being installed */
	struct trm_registry *registry; /* NULL: nobody looks at the list */
	struct trm_timer *list_timer;
	struct trm_containers *containers; /* being asked for; NULL: nobody asks */
	struct app_peek *looks;            /* attached to, peek.c's own */
	/* record.c */
	struct transcript transcript; /* what has been run */
	uint64_t begun_ns;            /* its times count from here */
	uint32_t *transcript_serials; /* the workbench's serial of run k + 1 of the story */
	size_t transcript_cap;
	bool input_is_secret; /* what the code asked for last must not be kept */
	struct recorder recorder;
	uint32_t recorded_from; /* runs of the story up to this one are not in the recording */
	char recording[4096];   /* its path */

	struct autosave autosave;
	struct unsaved_dir found[APP_FOUND]; /* left by others, and offered */
	size_t n_found;
	struct session_file session_file;
	/* watch.c */
	int files_inotify; /* 0 or less: there is none */
	struct trm_watch *files_watch;
	struct trm_timer *files_timer;
	struct app_save *saves; /* under way; save.c's own */
	int saves_fd;           /* of an eventfd that tells when one is done; 0: there is none yet */
	struct trm_watch *saves_watch;
	struct app_editor *editor; /* has the terminal; NULL: it is ours */
	struct app_images *images; /* images.c's own; NULL until there is one */
	char figure_folder[256];   /* of files that were opened outside; "": none */

	struct app_lines *linear;  /* linear.c; NULL: there is a screen */
	struct app_replay *replay; /* replay.c; NULL: this is no replay */
	char *unwritten;           /* lines for the history; NULL: none */
	bool has_reported_history; /* that it cannot be written */
	bool goes_without;         /* isolation: a person has agreed to that */
	bool is_renewing;          /* another sandbox is to follow the one that is being closed */
	bool is_quitting, is_done;
	bool discards_text; /* of unsaved buffers; else it is there again at the next start */
	bool has_kept_text; /* at the end */
	int ended_by;       /* signal that asked for the end, or 0 */
};

/* ---- app.c */
uint64_t app_clock_ns(void);
void app_send(struct app *a, struct msg *msg);                      /* fills in the time */
void app_perform_all(struct app *a);                                /* the effects that have piled up */
void app_tell(struct app *a, enum msg_type type, const char *text); /* MSG_ERROR, MSG_NOTICE … */
void app_quit(struct app *a);

/* ---- perform.c: effects */
void app_perform(struct app *a, const struct effect *effect);

/* ---- files.c: files, paths */
void app_open_file(struct app *a, const struct trm_lang *lang, const char *path);
/* Without a word: the buffer that has the file, or NULL. A file that is not there yet is begun. */
struct buffer *app_load_file(struct app *a, const struct trm_lang *lang, const char *path, bool *ret_is_new,
		struct trm_error *reterr);
void app_save_file(struct app *a, uint32_t buffer, const char *path, bool checked);
/* Save all unsaved buffers that have files, and wait for the disk. Stops at the first that cannot be saved:
 * false. */
bool app_save_files(struct app *a);
void app_expand_path(const char *typed, char out[4096]); /* "~" and "~/…" are the home directory */
void app_complete_path(struct app *a, const char *typed);

/* ---- save.c: big files, while the person goes on */
/* False: it is not so big. Else MSG_SAVED tells the end of it. */
bool app_save_behind(struct app *a, struct buffer *b, const char *path);
void app_finish_saves(struct app *a); /* waits for them */

/* ---- watch.c: files that somebody else changes */
int app_open_watch(struct app *a, struct trm_error *reterr);
void app_watch_files(struct app *a); /* those of the buffers there are now */
void app_check_files(struct app *a); /* look at once */
void app_reload(struct app *a, uint32_t buffer);
void app_close_watch(struct app *a);

/* ---- editor.c: a buffer in another editor */
void app_edit_outside(struct app *a, uint32_t buffer);
void app_close_editor(struct app *a);

/* ---- autosave.c: what is unsaved is written to where a crash does not reach */
int app_open_autosave(struct app *a, struct trm_error *reterr);
void app_note_changes(struct app *a); /* at the end of a turn */
bool app_autosave_now(struct app *a); /* all of it, at once; false: it could not be written */
/* As app_autosave_now(), before leaving: a failure is reported, even if it was reported before. */
bool app_text_is_safe(struct app *a);
/* At the end: unsaved text stays for the next start unless the person discarded it. */
void app_close_autosave(struct app *a);
void app_place_of(const struct app *a, const struct buffer *b, struct buffer_state *ret);

/* ---- recover.c: what others have left */
void app_find_unsaved(struct app *a); /* offers what was left by a crash */
void app_recover(struct app *a, enum recover_answer answer);
/* Put a remembered buffer back; `text` NULL: what is in its file. NULL: that is not possible. */
struct buffer *app_put_back(struct app *a, const struct buffer_state *place, const char *text, size_t len);

/* ---- session.c: what was open here the last time */
void app_open_session(struct app *a); /* before the first frame */
void app_save_session(struct app *a);
void app_close_session(struct app *a);

/* ---- preferences.c */
void app_load_preferences(struct app *a);
const char *app_preferred_theme(const struct app *a); /* NULL: the one of the settings */
void app_use_preferences(struct app *a);              /* once there is a model */
void app_save_preferences(struct app *a);             /* at the end, if something has changed */

/* ---- themes.c: the colors, and the files that they come from */
/* Before there is a model: a theme with faults is used as far as it can be, else "dark"; what is wrong
 * is told by app_tell_theme(). Fails where there is no theme of this name. */
int app_first_theme(struct app *a, const char *name, struct trm_error *reterr);
void app_tell_theme(struct app *a);
void app_set_theme(struct app *a, const char *name); /* a file with faults is told; unreadable: no change */
void app_list_themes(struct app *a);
int app_watch_themes(struct app *a, struct trm_error *reterr); /* from now on, changed files are read again */
void app_close_themes(struct app *a);

/* ---- sandbox.c: sandbox and session */
void app_start_sandbox(struct app *a);
/* The workbench was only wanted for a sandbox that runs already. */
bool app_wants_running(const struct app *a);
void app_restart_sandbox(struct app *a);
void app_signal(struct app *a, const struct effect *effect);
void app_close_sandbox(struct app *a);
void app_keep(struct app *a, bool is_kept);
void app_detach(struct app *a);
void app_run_extend(struct app *a, uint64_t serial);
uint64_t app_run_left_ms(const struct app *a); /* of the time limit of the run in hand; 0: none */
/* pick_files.c */
void app_pick_files(struct app *a);
void app_note_file(const char *file); /* it was opened */

/* settings.c. Open: take the options; 0 or TRM_ENOMEM. */
int app_open_settings(struct app *a, const struct app_opts *opts);
void app_close_settings(struct app *a);
void app_list_settings(struct app *a);
void app_store_setting(struct app *a, const char *name, const char *value); /* in the config file; tells it */
void app_settings_used(struct app *a);                      /* a sandbox has been made by them */
int app_load_keys(struct app *a, struct trm_error *reterr); /* app.c */
void app_go_without(struct app *a, bool always); /* isolation; always: the config file says so from now on */

/* ---- workspace.c: the sandbox's files */
void app_list_files(struct app *a);

/* ---- history.c: what was run */
void app_remember(struct app *a, const struct effect *effect);
/* Write what is to be remembered, when nobody waits for a frame. */
void app_flush_history(struct app *a);
void app_read_history(struct app *a);

/* ---- kernel_query.c: questions to kernels */
void app_ask(struct app *a, const struct effect *effect);

/* ---- peek.c: the other sandboxes of this user */
void app_list_sandboxes(struct app *a);
void app_list_end(struct app *a);
void app_peek(struct app *a, const char *name);
/* `both`: name of an engine, NUL, a container. An agent is put into it. */
void app_peek_container(struct app *a, const char *both);
void app_peek_end(struct app *a);
void app_stop_sandbox(struct app *a, const struct effect *effect);
void app_peek_finish(struct app *a); /* before the loop goes */

/* ---- engines.c: containers of others */
void app_ask_engines(struct app *a);
void app_ask_engines_end(struct app *a);

/* ---- run.c: runs */
void app_run(struct app *a, const struct effect *effect);
/* Another program's: joined() of struct trm_session_cb. */
void app_run_joined(void *user, struct trm_run *run, const struct trm_origin *origin);
void app_run_interrupt(struct app *a, uint64_t serial);

/* ---- copier.c ---- */

void app_copy_files(struct app *a, const struct effect *effect);
void app_copy_finish(struct app *a); /* waits for its end */

/* ---- install.c ---- */

void app_install(struct app *a, const struct effect *effect);
bool app_install_interrupt(struct app *a, uint64_t serial); /* false: it is not that */
void app_install_finish(struct app *a);                     /* waits for its end */
void app_run_pause(struct app *a, uint64_t serial, bool is_paused);
void app_run_hold(struct app *a, uint64_t serial, bool is_held);
void app_run_input(struct app *a, const struct effect *effect);   /* EFFECT_STDIN, EFFECT_STDIN_EOF */
void app_run_spill(struct app *a, uint64_t serial, bool goes_on); /* EFFECT_SPILL, EFFECT_SPILL_END */
void app_release_output(struct app *a);                           /* at the end of a turn: more may come */

/* ---- record.c: the story of the session, its recording and exports */
void app_open_story(struct app *a);
void app_close_story(struct app *a);
void app_note_msg(struct app *a, const struct msg *msg);          /* it is about to be dealt with */
void app_note_effect(struct app *a, const struct effect *effect); /* it is about to be carried out */
void app_record(struct app *a, const char *path);
void app_record_stop(struct app *a);
void app_flush_recording(struct app *a); /* at the end of a turn */
void app_export(struct app *a, const struct effect *effect);

/* ---- replay.c: a recording in the place of a sandbox */
int app_replay_open(struct app *a, const struct recording *recording, struct trm_error *reterr);
int app_replay_start(struct app *a, struct trm_error *reterr);
void app_replay_close(struct app *a);
uint64_t app_replay_clock_ns(const struct app *a); /* what time it is in the recording */
void app_replay_seek(struct app *a, uint64_t at_us);

/* ---- linear.c: linear mode, instead of a screen */
int app_linear_open(struct app *a, struct trm_error *reterr);
int app_linear_watch(struct app *a, struct trm_error *reterr);
void app_linear_close(struct app *a);
bool app_linear_interrupt(struct app *a);        /* Ctrl-C; false: it shall end the program */
bool app_linear_has_person(const struct app *a); /* somebody types, and can be asked */
void app_linear_turn(struct app *a);             /* after each turn of the loop: tell, take lines */

/* ---- demo.c: a prepared file, shown cell by cell */
int app_open_demo(struct app *a, const char *path, struct trm_error *reterr);

/* ---- import.c: a notebook becomes a buffer */
void app_import(struct app *a, const char *path);

/* ---- tee_output.c: output into files */
void app_keep_output(struct app *a, const struct effect *effect);
void tee_begin(struct app *a, struct tee *s, uint32_t serial);
void tee_bytes(struct app *a, struct tee *s, const void *bytes, size_t n);
void tee_end(struct app *a, struct tee *s);

/* ---- images.c: images; image_files.c: as files */
void app_ask_terminal(struct app *a);
void app_images_answered(struct app *a); /* keys have come, and perhaps the terminal's answer */
void app_draw_figure(struct app *a, uint32_t id, bool is_zoom);
void app_close_images(struct app *a);
void app_save_figure(struct app *a, const struct effect *effect);
void app_open_figure(struct app *a, const struct effect *effect);
void app_remove_figures(struct app *a);

/* ---- terminal.c: keys, signals, crashes */
int app_open_terminal(struct app *a, struct trm_error *reterr);
int app_watch_terminal(struct app *a, struct trm_error *reterr);
void app_close_terminal(struct app *a);

/* ---- highlight.c: what the text in the editor is; a slice of the work. In how many ms there is more to be
 * done; -1: there is not. */
int app_work_on_colors(struct app *a);

/* ---- frame_pacing.c: frames */
void app_paint(struct app *a);
bool app_wants_frame(const struct app *a); /* something has changed since the last one */
/* `is_quiet`: nothing more is waiting to be dealt with. */
bool app_frame_is_due(struct app *a, uint64_t now_ns, bool is_quiet);
/* A run was asked for: most are over before their beginning could be painted, so that the next frame waits
 * for a moment. */
void app_await_result(struct app *a);
/* How long the loop may wait, in ms, until a frame that is wanted may be painted; -1: for ever. */
int app_frame_wait_ms(const struct app *a, uint64_t now_ns);

#endif
