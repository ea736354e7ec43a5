/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_DIALOG_DISPATCH_H
#define TUI_MODEL_DIALOG_DISPATCH_H

/* The functions that act on the answer to a dialog. Private to the files that open dialogs (ask_run.c,
 * ask_file.c, menus.c and others) and to dialog_dispatch.c, which calls the right one. */

#include <stdbool.h>

struct effects;
struct model;
struct msg;

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

void dialog_close(struct model *m);

/* ask_run.c */
void answer_confirm(struct model *m, int answer, struct effects *out);
void answer_restart(struct model *m, int answer, struct effects *out);

void answer_confirmation(struct model *m, int answer, struct effects *out); /* confirmation.c */
void answer_clear(struct model *m, int answer);                             /* clear_output.c */

/* ask_file.c */
void answer_path(struct model *m, int answer, struct effects *out);
void answer_pending(struct model *m, int answer, struct effects *out);
void ask_replace(struct model *m, const struct msg *msg);
void answer_save_figure(struct model *m, int answer, struct effects *out); /* figure_commands.c, both */
void answer_figure_over(struct model *m, int answer, struct effects *out);
void answer_export(struct model *m, int answer, struct effects *out); /* record_update.c, both */
void answer_record(struct model *m, int answer, struct effects *out);
void ask_path_again(struct model *m, const char *why); /* keeps the typed text */

/* sandboxes_page.c */
void answer_stop_sandbox(struct model *m, int answer, struct effects *out);
void answer_container(struct model *m, int answer, struct effects *out); /* engines.c */

/* ask_signal.c */
void answer_signal(struct model *m, int answer);
void answer_signal_sure(struct model *m, int answer, struct effects *out);

/* ask_file.c: unsaved texts that a crash has left */
void ask_recover(struct model *m, const struct msg *msg);
void answer_recover(struct model *m, int answer, struct effects *out);

/* isolation.c */
void ask_isolation(struct model *m, const char *why);
void answer_isolation(struct model *m, int answer, struct effects *out);

/* goto.c */
void answer_goto(struct model *m, int answer, struct effects *out);
void answer_install(struct model *m, int answer, struct effects *out);    /* install.c */
void answer_copy_files(struct model *m, int answer, struct effects *out); /* copier.c */
void ask_copy_over(struct model *m, const struct msg *msg);
void answer_copy_over(struct model *m, int answer, struct effects *out);

/* buffer_update.c */
void answer_close(struct model *m, int answer, struct effects *out);

/* table_commands.c */
void answer_table(struct model *m, int answer, struct effects *out);

/* palette.c */
void answer_palette(struct model *m, int answer, struct effects *out);

/* help.c */
void answer_help(struct model *m, int answer);

/* menus.c */
void answer_language(struct model *m, int answer, struct effects *out);
void answer_theme(struct model *m, int answer, struct effects *out);

#endif
