/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_FIGURES_INTERNAL_H
#define TUI_MODEL_FIGURES_INTERNAL_H

/* Shared by figure_update.c and figure_commands.c. */

#include <stdbool.h>
#include <stdint.h>

struct model;
struct msg;

/* Call fn for each image that is visible in the output, from top to bottom, until it returns false. */
void figures_each_shown(struct model *m, bool (*fn)(struct model *m, uint32_t id, void *user), void *user);

/* MSG_FIGURE_SAVED */
void figures_saved(struct model *m, const struct msg *msg);

#endif
