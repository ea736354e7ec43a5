/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_CELL_RUNS_H
#define TUI_MODEL_CELL_RUNS_H

/* The marks of runs next to the code (editor/cell_marks.h), and cells that run one after the other until one
 * fails. */

#include <stdint.h>

#include "editor/editor.h"

struct buffer;
struct effects;
struct model;
struct msg;
struct trm_lang;

/* Part of a buffer was requested as run `serial`. */
void cell_runs_begin(struct model *m, struct buffer *b, struct editor_run what, uint32_t serial);
/* Run the cells of a range of the current buffer, each in its own run. */
void cell_runs_plan(struct model *m, struct editor_run cells, struct effects *out);
/* Update the marks after the rest of the model has handled a message about a run. */
void cell_runs_update(struct model *m, const struct msg *msg, struct effects *out);
void cell_runs_tick(struct model *m);
/* The interpreter of a language has ended, and the results of its cells are lost. */
void cell_runs_kernel_gone(struct model *m, const struct trm_lang *lang);

#endif
