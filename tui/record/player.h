/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_PLAYER_H
#define TUI_RECORD_PLAYER_H

/* Brings a recording back to life: its events become the messages that the workbench got when they
 * happened, in the same order, with the same bytes. What update() asks for is not done: nothing runs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file.h"

struct effects;
struct model;

struct player {
	const struct recording *recording;
	size_t next;       /* event that comes next */
	uint64_t at_us;    /* what happened up to here has been fed */
	uint32_t *serials; /* the model's serial of run k + 1; 0: it took none */
	uint64_t *runs_us; /* when each run was asked for */
};

/* Borrows the recording. 0 or TRM_ENOMEM. */
int player_init(struct player *p, const struct recording *recording);
void player_finish(struct player *p); /* takes a zeroed object */

/* The model's clock at a time of the recording, in ns. */
uint64_t player_clock_ns(uint64_t at_us);

/* Go to a time: forward by feeding what lies between, back by beginning anew. What has to be done to show it
 * (figures to be drawn) goes to `out`, which may be NULL. 0 or TRM_ENOMEM. */
int player_seek(struct player *p, struct model *m, uint64_t at_us, struct effects *out);

/* When the next event is due; UINT64_MAX: never. */
uint64_t player_next_us(const struct player *p);

#endif
