/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_DIALOG_DISPATCH_H
#define TUI_MODEL_DIALOG_DISPATCH_H

/* What the files that open dialogs share. Private to them and to dialog_dispatch.c, which gives the events to
 * the dialog and the answer to the function of the dialog. */

#include <stdbool.h>

struct effects;
struct model;
struct msg;

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

void dialog_close(struct model *m);
/* The function of a dialog that only shows something: any answer closes it, and q. */
void dialog_dismiss(struct model *m, int answer, struct effects *out);

/* A path was entered: true. Tab completes it on this machine. Any other answer closes the dialog. */
bool dialog_takes_path(struct model *m, int answer, struct effects *out);
/* Ask before something that exists is replaced. The answer is BUTTON_REPLACE, or closes the dialog. */
enum { BUTTON_REPLACE = 1 };
void dialog_ask_over(struct model *m, const char *title, const char *path, const char *question,
		void (*answer)(struct model *m, int answer, struct effects *out));

/* The functions of dialogs that other files ask about or open, too. */
void answer_confirm(struct model *m, int answer, struct effects *out);     /* ask_run.c */
void answer_open(struct model *m, int answer, struct effects *out);        /* ask_file.c */
void answer_save(struct model *m, int answer, struct effects *out);        /* ask_file.c */
void answer_save_figure(struct model *m, int answer, struct effects *out); /* figure_commands.c */

/* ask_file.c */
void ask_replace(struct model *m, const struct msg *msg);
void ask_path_again(struct model *m, const char *why);    /* keeps the typed text */
void ask_recover(struct model *m, const struct msg *msg); /* unsaved texts that a crash has left */

void ask_isolation(struct model *m, const char *why);       /* isolation.c */
void ask_copy_over(struct model *m, const struct msg *msg); /* copier.c */

#endif
