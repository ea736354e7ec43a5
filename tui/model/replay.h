/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPLAY_H
#define TUI_REPLAY_H

/* The workbench shows a recording instead of a sandbox. This is the position and the speed, and the keys and
 * the time bar that change them. record/player.h feeds the recorded events into the model. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command;
struct effects;
struct event;
struct model;

#define REPLAY_STEP_US 5000000 /* step of "back" and "forward" */

struct replay {
	bool is_on;
	bool is_playing;
	bool is_cut; /* the recording has no end, because its program died */
	unsigned speed_percent;
	uint64_t at_us, end_us;
	const uint64_t *runs_us; /* start of each run; borrowed */
	size_t n_runs;
};

void replay_begin(struct model *m, const uint64_t *runs_us, size_t n_runs, uint64_t end_us, bool is_cut);

/* Forget everything that came from the recording, and keep the person's choices. Out of memory: the model has
 * no buffers. */
void replay_rewind(struct model *m);

/* Is this command allowed while a recording is shown? Commands that run or change something are not. */
bool replay_allows(const struct model *m, const struct command *c);
void replay_refuse(struct model *m);

/* The columns of the time bar on a screen of this width, and the time of a column. */
struct replay_bar {
	int col, cols;
};
struct replay_bar replay_bar(const struct model *m);
int replay_column(const struct model *m, uint64_t us); /* the column of a time */
/* A click or a drag on the time bar. False: it is for something else. */
bool replay_mouse(struct model *m, const struct event *ev, struct effects *out);

/* The number of the run that is shown, from 1; 0 before the first. */
size_t replay_run(const struct model *m);
/* "1:05.3" */
char *replay_time(uint64_t us, char out[24]);

#endif
