/* SPDX-License-Identifier: MIT */
#ifndef TUI_ALERTS_H
#define TUI_ALERTS_H

/* Attention, without stealing the focus: when much of a limit has been in use for a while,
 * and when a long run has ended. Each once, until it is over; and never more than one bell
 * in so many seconds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/metric_history.h"

struct effects;
struct model;
struct msg;

/* How: any of these together. */
enum alert_way { ALERT_STATUS = 1, ALERT_BELL = 2, ALERT_OSC9 = 4 };

struct alert_opts {
	unsigned ways;     /* enum alert_way */
	unsigned percent;  /* of a limit … */
	uint32_t after_ms; /* … for so long */
	uint32_t run_ms;   /* a run that took so long; 0: none */
};

struct alerts {
	struct alert_opts opts;
	uint64_t above_ns[SERIES_COUNT]; /* since when it is above; 0: it is not */
	bool is_reported[SERIES_COUNT];
	uint64_t rung_ns; /* when the bell was rung last, or the desktop told */
};

unsigned alerts_ways(const char *setting); /* of its words; NULL: none */
/* After a sample has been taken. */
void alerts_sample(struct model *m, struct effects *out);
/* MSG_RUN_DONE, before the run is forgotten. */
void alerts_run_done(struct model *m, const struct msg *msg, struct effects *out);
/* Something that asks for a decision: loud, if alerts may be. */
void alert(struct model *m, const char *text, struct effects *out);

/* ---- near the memory limit: memory_update.c ---- */

void memory_reported(struct model *m, const struct msg *msg, struct effects *out);
void memory_tick(struct model *m, struct effects *out);
void memory_run_ended(struct model *m); /* while it is still the one in hand */
/* time_limit.c: the run in hand is near its time limit. */
void time_limit_tick(struct model *m, uint64_t left_ms);
const char *time_limit_text(const struct model *m, char *out, size_t cap); /* "": it is not */
const char *memory_text(const struct model *m, char *out, size_t cap); /* for the status line; "": nothing */

#endif
