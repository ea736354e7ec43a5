/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_FIGURES_INTERNAL_H
#define TUI_MODEL_FIGURES_INTERNAL_H

/* Between figure_update.c and figure_commands.c. */

#include <stdbool.h>
#include <stdint.h>

struct model;
struct msg;

/* Call fn for each figure that is to be seen in the output, from the top; stop when it says false. */
void figures_each_shown(struct model *m, bool (*fn)(struct model *m, uint32_t id, void *user), void *user);

/* MSG_FIGURE_SAVED */
void figures_saved(struct model *m, const struct msg *msg);

#endif
