/* SPDX-License-Identifier: MIT */
#ifndef TUI_STOPPING_H
#define TUI_STOPPING_H

/* The interrupt ladder as the workbench shows it: which step of stopping the run in hand was
 * taken, when the next follows, and what would be lost by it. The steps themselves are
 * taken by the library; see terrarium/session.h. */

#include <stdbool.h>
#include <stddef.h>

struct effects;
struct model;
struct trm_stopping;

/* The library tells of a step, or of the clock's being held. */
void stopping_update(struct model *m, const struct trm_stopping *how);

/* Ctrl-C while something runs: the next step, at once. */
void stopping_press(struct model *m, struct effects *out);
/* Hold the clock, or let it go on. */
void stopping_hold(struct model *m, struct effects *out);
/* Can it be held or let go now? */
bool stopping_has_clock(const struct model *m);

/* What the next Ctrl-C does to the run in hand: "Interrupt", "Terminate", "Kill". */
const char *stopping_label(const struct model *m);
/* The line that counts down; "" if nothing is being stopped. */
void stopping_text(const struct model *m, char *out, size_t cap);

#endif
