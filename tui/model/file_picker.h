/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_FILE_PICKER_H
#define TUI_MODEL_FILE_PICKER_H

/* Opening a file by a few letters of its name. Recent files come first, then the files of the
 * folder. The app lists them: EFFECT_PICK_FILES, MSG_PICK_FILES. */

#include <stddef.h>

struct effects;
struct model;
struct msg;

#define FILE_PICKER_MAX 8000 /* files that are listed */

struct file_picker {
	char *text;   /* owned; the paths, each with a NUL */
	char **paths; /* owned; pointers into `text` */
	size_t n, n_recent;
};

void file_picker_finish(struct file_picker *p); /* accepts a zeroed object */
void file_picker_show(struct model *m, const struct msg *msg);

#endif
