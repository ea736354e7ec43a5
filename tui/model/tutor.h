/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_TUTOR_H
#define TUI_MODEL_TUTOR_H

/* The tutorial: five steps in the bottom rows, each checked off when it has been done: write, run, see,
 * stop, plot. */

#include <stdbool.h>

struct effects;
struct model;
struct msg;

enum { TUTOR_STEPS = 5, TUTOR_ROWS = 3 };

struct tutor {
	bool is_on;
	int at;                 /* current step; TUTOR_STEPS: all are over */
	bool done[TUTOR_STEPS]; /* false: it was skipped */
};

void tutor_begin(struct model *m);
/* Check after a message whether it has completed a step. */
void tutor_update(struct model *m, const struct msg *msg);

/* The title of a step, such as "Run", and the instruction of the current step. */
const char *tutor_title(int step);
void tutor_instruction(const struct model *m, char out[400]);

#endif
