/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_CELL_RUNS_H
#define TUI_MODEL_CELL_RUNS_H

/* What the editor shows of runs beside the code (editor/cell_marks.h), and cells that are run one after the
 * other until one fails. */

#include <stdint.h>

#include "editor/editor.h"

struct buffer;
struct effects;
struct model;
struct msg;
struct trm_lang;

/* A part of a buffer has been asked for as run `serial`. */
void cell_runs_begin(struct model *m, struct buffer *b, struct editor_run what, uint32_t serial);
/* Run the cells of a range of the current buffer, each by itself. */
void cell_runs_plan(struct model *m, struct editor_run cells, struct effects *out);
/* A message about a run, when the rest of the model has taken it. */
void cell_runs_update(struct model *m, const struct msg *msg, struct effects *out);
void cell_runs_tick(struct model *m);
/* The interpreter of a language is gone, and what cells have made in it. */
void cell_runs_kernel_gone(struct model *m, const struct trm_lang *lang);

#endif
