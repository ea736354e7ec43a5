/* SPDX-License-Identifier: MIT */
#ifndef TUI_ALERTS_H
#define TUI_ALERTS_H

/* Alerts that do not take the focus: a large part of a limit has been in use for a while, or a long run has
 * ended. Each alert is raised once until its cause is gone. The bell rings at most once every ten seconds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/metric_history.h"

struct effects;
struct model;
struct msg;

/* How to raise an alert; the flags can be combined. */
enum alert_way { ALERT_STATUS = 1, ALERT_BELL = 2, ALERT_OSC9 = 4 };

struct alert_opts {
	unsigned ways;     /* enum alert_way */
	unsigned percent;  /* share of a limit … */
	uint32_t after_ms; /* … that is in use for at least this time */
	uint32_t run_ms;   /* least duration of a run that raises an alert; 0: none */
};

struct alerts {
	struct alert_opts opts;
	uint64_t above_ns[SERIES_COUNT]; /* since when the value is above the threshold; 0: it is below */
	bool is_reported[SERIES_COUNT];
	uint64_t rung_ns; /* time of the last bell or notification */
};

unsigned alerts_parse(const char *setting); /* from the text of the setting */
/* Check a new sample. */
void alerts_sample(struct model *m, struct effects *out);
/* MSG_RUN_DONE; call this before the run is dropped. */
void alerts_run_done(struct model *m, const struct msg *msg, struct effects *out);
/* Raise an alert because a decision is needed. */
void alert(struct model *m, const char *text, struct effects *out);

/* ---- near the memory limit: memory_update.c ---- */

void memory_reported(struct model *m, const struct msg *msg, struct effects *out);
void memory_tick(struct model *m, struct effects *out);
void memory_run_ended(struct model *m); /* call this while the run is still current */
/* time_limit.c: the current run is near its time limit. */
void time_limit_tick(struct model *m, uint64_t left_ms);
const char *time_limit_text(const struct model *m, char *out, size_t cap); /* "": it is not near */
const char *memory_text(const struct model *m, char *out, size_t cap);     /* for the status line; "": none */

#endif
