/* SPDX-License-Identifier: MIT */
#ifndef TUI_UPDATE_H
#define TUI_UPDATE_H

/* The state machine of the workbench: pure. No curses, no library calls, no clock, no files. */

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

struct buffer;
struct effects;
struct event;
struct model;
struct msg;
struct trm_lang;
struct trm_result;

/* Change the model as the message demands; what is to be done outside goes to `out`. */
void update(struct model *m, const struct msg *msg, struct effects *out);

/* ---- parts, each in a file of its own ---- */

/* the editor has done something: enum editor_bits become effects and notices */
void editor_done(struct model *m, unsigned bits, struct effects *out);

/* the mouse: mouse_update.c; the panes: output_update.c, metrics_update.c */
void update_mouse(struct model *m, const struct event *ev, struct effects *out);
bool output_takes_input(const struct model *m, const struct event *ev); /* it is for the run's stdin */
void output_key(struct model *m, const struct event *ev);               /* one that is no command's */
void output_mouse(struct model *m, const struct event *ev, struct effects *out);
void metrics_mouse(struct model *m, const struct event *ev);
void metrics_show(struct model *m);                      /* bring the pane up, with the focus */
void metrics_mark_run(struct model *m, uint32_t serial); /* select a run on the graphs */
void ask_signal(struct model *m, struct effects *out);   /* ask_signal.c: for the selected process */

/* runs: run_update.c */
void update_run(struct model *m, const struct msg *msg);
/* Run a part of the current buffer, with the question, if it is on. */
void run_ask(struct model *m, struct editor_run what, enum run_then then, struct effects *out);
void run_moved_on(struct model *m); /* the cursor goes where it was to go after the run: run_commands.c */
void run_start(struct model *m, struct effects *out); /* without */
/* Run a part of a buffer, now or behind what runs. False: out of memory, and it was told. */
bool run_part(struct model *m, struct buffer *b, struct editor_run what, struct effects *out);
/* Nothing runs; until it is over, nothing else can. */
void run_install(struct model *m, const char *packages, struct effects *out);
void run_stop(struct model *m, struct effects *out); /* interrupt, then kill */
/* The end of a run, whosesoever, in its block. */
void run_show_end(struct model *m, uint32_t serial, const struct trm_result *result);

/* the line for stdin: input_update.c */
void input_ask(struct model *m, const struct msg *msg); /* the run waits for a line */
void input_event(struct model *m, const struct msg *msg, struct effects *out);
void input_close(struct model *m);

/* questions and menus: ask_run.c, ask_file.c, menus.c; what is done when they are answered: dialog_dispatch.c
 */
void ask_confirm(struct model *m);
struct trm_findings;
/* What the policy finds in what is to run; false: it was not looked at. */
bool ask_scan(const struct model *m, struct trm_findings *ret);
/* confirmation.c */
bool confirmation_is_each(const struct model *m);   /* each run is asked about */
bool confirmation_is_wanted(const struct model *m); /* what is to run is asked about */
void ask_confirmation(struct model *m, bool runs_then);
struct dialog;
void ask_tell_mounts(const struct model *m, struct dialog *d); /* what of the host the code will see */
bool ask_is_of_server(const struct model *m); /* the sandbox is a server's, whose limits are its own matter */
void ask_restart(struct model *m);
void ask_quit(struct model *m, struct effects *out);
void ask_open(struct model *m);
/* What a file of this name is taken to be in. */
const struct trm_lang *path_lang(const struct model *m, const char *path);
void ask_save(struct model *m, bool under_new_name, struct effects *out);
void ask_language(struct model *m);
void ask_themes(struct model *m, const struct msg *msg);
void show_help(struct model *m); /* help.c */
void show_messages(struct model *m);
void update_dialog(struct model *m, const struct msg *msg, struct effects *out);

/* files: file_update.c; sandbox and metrics: sandbox_update.c */
void reload(struct model *m, struct effects *out);       /* the current buffer, from its file */
void edit_outside(struct model *m, struct effects *out); /* the current buffer, in $EDITOR */
void update_file(struct model *m, const struct msg *msg, struct effects *out);
void update_sandbox(struct model *m, const struct msg *msg, struct effects *out);

/* images: figure_update.c */
void update_figures(struct model *m, const struct msg *msg);
void figures_want(struct model *m, struct effects *out); /* have those drawn that are to be seen */
/* The run in hand ends: show what it has shown. True: its value was shown already, by that. */
bool figures_end_run(struct model *m, uint32_t serial, const struct trm_result *r);
void figures_zoom(struct model *m, uint32_t id); /* show it on the whole screen; 0: none any more */
/* An image is shown on the whole screen, and this is for it; false: none is. */
bool figures_zoom_event(struct model *m, const struct event *ev, struct effects *out);

/* recording and export: record_update.c */
void update_record(struct model *m, const struct msg *msg);

/* buffers: buffer_update.c */
void buffer_show(struct model *m, struct buffer *b, struct effects *out);
/* To the buffer of a language that was shown last; if there is none, to a new one. */
void language_set(struct model *m, const struct trm_lang *lang, struct effects *out);
void buffer_new(struct model *m, struct effects *out);
void buffer_close(struct model *m, struct effects *out); /* asks if changes would be lost */
void buffer_next(struct model *m, struct effects *out);
void buffer_previous(struct model *m, struct effects *out);
void buffer_tab_click(struct model *m, int col, struct effects *out); /* column of the screen */
void buffer_saved(struct model *m, uint32_t id, struct effects *out); /* it may wait to be closed */

/* How to get what the run missed: a package, by the text of its error. "": nothing is known. `code` may be
 * NULL. */
void install_advise(
		const struct model *m, const struct trm_result *r, const char *code, char *out, size_t cap);

#endif
