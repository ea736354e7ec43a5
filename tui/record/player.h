/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_PLAYER_H
#define TUI_RECORD_PLAYER_H

/* Plays a recording: the player turns its events into the messages that the workbench received at the
 * time, in the same order and with the same bytes. The player ignores most effects of update(): nothing
 * runs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file.h"

struct effects;
struct model;

struct player {
	const struct recording *recording;
	size_t next;       /* index of the next event */
	uint64_t at_us;    /* events up to this time have been fed */
	uint32_t *serials; /* the model's serial of run k + 1; 0: the model refused it */
	uint64_t *runs_us; /* when each run was requested */
};

/* Borrows the recording. 0 or TRM_ENOMEM. */
int player_init(struct player *p, const struct recording *recording);
void player_finish(struct player *p); /* takes a zeroed object */

/* The model's clock at a time of the recording, in ns. */
uint64_t player_clock_ns(uint64_t at_us);

/* Go to a time. Forward, the player feeds the events in between. Backward, the player starts again from
 * the beginning. Effects that only show something (drawing figures) go to `out`, which may be NULL. 0 or
 * TRM_ENOMEM. */
int player_seek(struct player *p, struct model *m, uint64_t at_us, struct effects *out);

#endif
