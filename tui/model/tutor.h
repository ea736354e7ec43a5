/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_TUTOR_H
#define TUI_MODEL_TUTOR_H

/* The tutorial: five steps in the bottom rows, each checked off when it has been done: write, run, see,
 * stop, plot. */

#include <stdbool.h>
#include <stddef.h>

struct effects;
struct model;
struct msg;

enum { TUTOR_STEPS = 5, TUTOR_LINES = 4, TUTOR_WORDS = 420 };

struct tutor {
	bool is_on;
	int at;                 /* current step; TUTOR_STEPS: all are over */
	bool done[TUTOR_STEPS]; /* false: it was skipped */
};

/* What the rows show. */
struct tutor_text {
	bool has_steps;             /* a row with all steps above, and one with the key below */
	char words[TUTOR_WORDS];    /* the instruction of the current step */
	size_t at[TUTOR_LINES + 1]; /* where its lines begin; at[n_lines]: the end of the last one */
	int n_lines;
};

/* Start the tutorial, in a new buffer if there is text in the current one. */
void tutor_begin(struct model *m, struct effects *out);
/* Check after a message whether it has completed a step. */
void tutor_update(struct model *m, const struct msg *msg);

/* The rows below the layout. 0: the screen is so small that the row of the key bar shows the instruction. */
int tutor_rows(const struct model *m);
void tutor_text(const struct model *m, struct tutor_text *ret);
const char *tutor_title(int step); /* such as "Run" */

#endif
