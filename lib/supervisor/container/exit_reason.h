/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_EXIT_REASON_H
#define TRM_SUPERVISOR_CONTAINER_EXIT_REASON_H

/* Parses the output of an INSPECT step, "state TAB exit code TAB killed for memory TAB error", and says why
 * the sandbox ended. */

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/container/step.h"

struct exit_reason {
	char state[32]; /* "": unknown */
	int exit_code;
	bool has_code, is_oom;
	char error[256]; /* without control characters */
	/* From the step READY: see PLAN_LATE_PLACE and PLAN_LATE_AGENT. "": it did not print them. */
	char place[256], agent[256];
};

/* Returns false if the output has another form. */
bool exit_reason_read(const struct step *inspect, struct exit_reason *ret);
/* The state of a sandbox that starts, in the output of READY. */
bool exit_reason_is_waiting(const struct exit_reason *why);
bool exit_reason_is_running(const struct exit_reason *why);

/* Killed by a signal that did not come from the out-of-memory killer. */
bool exit_reason_is_killed(const struct exit_reason *why);

/* True if the step failed because the container does not exist or is about to be removed. */
bool exit_reason_is_missing(const struct step *s);

/* Say why the connection broke, after INSPECT has ended. `has_inspect` is false if the engine cannot be
 * asked. Returns out. */
char *exit_reason_format(const struct step *inspect, bool has_inspect, const struct exit_reason *why,
		bool is_adopted, char *out, size_t cap);

#endif
