/* SPDX-License-Identifier: MIT */
#ifndef TUI_STOPPING_H
#define TUI_STOPPING_H

/* Stop escalation as the workbench shows it: the current step of stopping the current run, the time of the
 * next step, and what that step would lose. The library carries out the steps; see terrarium/session.h. */

#include <stdbool.h>
#include <stddef.h>

struct effects;
struct model;
struct trm_stopping;

/* The library reports a step, or that the countdown is paused. */
void stopping_update(struct model *m, const struct trm_stopping *how);

/* Ctrl-C while code runs: take the next step at once. */
void stopping_press(struct model *m, struct effects *out);
/* Can the countdown be paused or resumed now? */
bool stopping_has_clock(const struct model *m);

/* What the next Ctrl-C does to the current run: "Interrupt", "Terminate", "Kill". */
const char *stopping_label(const struct model *m);
/* The line with the countdown; "" if nothing is being stopped. */
void stopping_text(const struct model *m, char *out, size_t cap);

#endif
