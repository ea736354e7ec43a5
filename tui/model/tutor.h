/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_TUTOR_H
#define TUI_MODEL_TUTOR_H

/* The first minutes: five steps in the rows below everything, each checked off when it has been done: write,
 * run, see, stop, plot. */

#include <stdbool.h>

struct effects;
struct model;
struct msg;

enum { TUTOR_STEPS = 5, TUTOR_ROWS = 3 };

struct tutor {
	bool is_on;
	int at;                 /* the step; TUTOR_STEPS: all are over */
	bool done[TUTOR_STEPS]; /* else it was skipped */
};

void tutor_begin(struct model *m);
/* A message has been taken: has a step been done by it? */
void tutor_update(struct model *m, const struct msg *msg);

/* "Run", and what is to be done for it. */
const char *tutor_title(int step);
void tutor_words(const struct model *m, char out[400]);

#endif
