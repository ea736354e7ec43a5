/* SPDX-License-Identifier: MIT */
#ifndef TUI_UPDATE_H
#define TUI_UPDATE_H

/* The state machine of the workbench. Pure: no curses, no library calls, no clock, no files. */

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

/* Change the model according to the message. Actions outside of the model are added to `out`. */
void update(struct model *m, const struct msg *msg, struct effects *out);

/* ---- parts, each in its own file ---- */

/* The editor has handled an event: turn enum editor_bits into effects and notices. */
void editor_done(struct model *m, unsigned bits, struct effects *out);

/* the mouse: mouse_update.c; the panes: output_update.c, metrics_update.c */
void update_mouse(struct model *m, const struct event *ev, struct effects *out);
/* is the event for the run's stdin? */
bool output_takes_input(const struct model *m, const struct event *ev);
void output_key(struct model *m, const struct event *ev, struct effects *out); /* a key without a command */
void output_mouse(struct model *m, const struct event *ev, struct effects *out);
void metrics_mouse(struct model *m, const struct event *ev, struct effects *out);
void metrics_hover(struct model *m, const struct event *ev); /* the mouse has moved */
void metrics_show(struct model *m);                          /* show the pane and focus it */
void ask_signal(struct model *m, struct effects *out);       /* ask_signal.c: for the selected process */

/* runs: run_update.c */
void update_run(struct model *m, const struct msg *msg);
/* Run part of the current buffer. Asks first if the setting says so. */
void run_ask(struct model *m, struct editor_run what, enum run_then then, struct effects *out);
void run_note(struct model *m, struct editor_run what); /* this is what is to run */
/* Is it still there as it was noted? A file that was read again has other code, which nobody has seen and the
 * policy has not scanned. False: a notice says so. */
bool run_is_unchanged(struct model *m);
/* run_commands.c: after the start of a run, move the cursor as requested */
void run_moved_on(struct model *m);
void run_start(struct model *m, struct effects *out);                               /* without a question */
void run_scanned(struct model *m, struct trm_findings *found, struct effects *out); /* MSG_SCANNED */
/* Run part of a buffer, now or after the current run. False: out of memory, which was reported. */
bool run_part(struct model *m, struct buffer *b, struct editor_run what, struct effects *out);
/* Install packages. Nothing may be running, and nothing else can run until the end. `is_shared`: they are
 * fetched outside of the sandbox, and what it has already is not asked for again. */
void run_install(struct model *m, const char *packages, bool is_shared, struct effects *out);
/* The same for a sandbox without network: a run of the line "%pip install …". */
void run_pip_line(struct model *m, const char *packages, struct effects *out);
void run_stop(struct model *m, struct effects *out); /* interrupt, then kill */
/* Show the end of an own or a peer run in its block. */
void run_show_end(struct model *m, uint32_t serial, const struct trm_result *result);

/* the line for stdin: input_update.c */
void input_ask(struct model *m, const struct msg *msg); /* the run waits for a line */
void input_event(struct model *m, const struct msg *msg, struct effects *out);
void input_close(struct model *m);

/* questions and menus: ask_run.c, ask_file.c, menus.c; actions for the answers: dialog_dispatch.c */
void ask_confirm(struct model *m);
/* confirmation.c */
bool confirmation_is_each(const struct model *m);   /* is each run asked about? */
bool confirmation_is_wanted(const struct model *m); /* is the code to run asked about? */
void ask_confirmation(struct model *m, bool runs_then);
struct dialog;
/* the parts of the host that the code will see */
void ask_add_mounts(const struct model *m, struct dialog *d);
/* the sandbox belongs to a server, which decides about limits */
bool ask_is_of_server(const struct model *m);
void ask_restart(struct model *m);
void ask_quit(struct model *m, struct effects *out);
void ask_open(struct model *m);
/* Show the names that complete the path in the open dialog. NULL: the path is complete. */
void ask_path_names(struct model *m, const char *names);
/* The language of a file with this name. */
const struct trm_lang *path_lang(const struct model *m, const char *path);
/* Save the current buffer; ask for a path if it has none. `closes`: close it then. */
void ask_save(struct model *m, bool closes, struct effects *out);
void ask_save_as(struct model *m, bool closes);
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

/* images: figure_update.c, figure_commands.c */
void update_figures(struct model *m, const struct msg *msg);
void figures_want(struct model *m, struct effects *out); /* request the drawing of visible images */
/* The current run ends: show its last displays. True: its value is among them. */
bool figures_end_run(struct model *m, uint32_t serial, const struct trm_result *r);
void figures_zoom(struct model *m, uint32_t id); /* show it on the whole screen; 0: show none */
/* An event while an image is shown on the whole screen. False: none is shown. */
bool figures_zoom_event(struct model *m, const struct event *ev, struct effects *out);

/* recording and export: record_update.c */
void update_record(struct model *m, const struct msg *msg);

/* buffers: buffer_update.c */
void buffer_show(struct model *m, struct buffer *b, struct effects *out);
/* Switch to the buffer of a language that was current last, or else to a new one. */
void language_set(struct model *m, const struct trm_lang *lang, struct effects *out);
void buffer_new(struct model *m, struct effects *out);
void buffer_close(struct model *m, struct effects *out); /* asks if changes would be lost */
/* `col` is a column of the screen */
void buffer_tab_click(struct model *m, int col, struct effects *out);
void buffer_abandon(
		struct model *m, struct effects *out); /* drops its text, and quits if it is the last one */
void buffer_close_now(struct model *m, uint32_t id, struct effects *out); /* even if it is unsaved */

/* install.c: how to get what the run missed: a package, by the text of its error. "": nothing is known. */
/* Install the packages of --with, or ask about them, as soon as the sandbox is ready and nothing else is
 * asked. */
void install_with(struct model *m, struct effects *out);
void install_advise(const struct model *m, const struct trm_result *r, char *out, size_t cap);

#endif
