/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPLAY_H
#define TUI_REPLAY_H

/* The workbench shows a recording instead of a sandbox: where in it one is, and how fast it goes. The events
 * themselves are fed in by record/player.h; here is what the keys and the time bar do. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command;
struct effects;
struct event;
struct model;

#define REPLAY_STEP_US 5000000 /* of one press of "back" or "forward" */

struct replay {
	bool is_on;
	bool is_playing;
	bool is_cut; /* the recording was not ended: its program died */
	unsigned speed_percent;
	uint64_t at_us, end_us;
	const uint64_t *runs_us; /* when each run began; borrowed */
	size_t n_runs;
};

void replay_begin(struct model *m, const uint64_t *runs_us, size_t n_runs, uint64_t end_us, bool is_cut);

/* May this be done while a recording is shown? What would run or change something may not. */
bool replay_allows(const struct model *m, const struct command *c);
void replay_refuse(struct model *m);

/* Of the time bar: its columns on a screen of this width, and what a column means. */
struct replay_bar {
	int col, cols;
};
struct replay_bar replay_bar(const struct model *m);
int replay_column(const struct model *m, uint64_t us); /* where a time is on it */
/* A click or a drag on it. False: it is for somebody else. */
bool replay_mouse(struct model *m, const struct event *ev, struct effects *out);

/* Number of the run that is shown, from 1; 0 before the first. */
size_t replay_run(const struct model *m);
/* "1:05.3" */
char *replay_time(uint64_t us, char out[24]);

#endif
