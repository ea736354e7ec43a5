/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_EXIT_REASON_H
#define TRM_SUPERVISOR_CONTAINER_EXIT_REASON_H

/* What an INSPECT step has printed, and what it means for the one who has lost the sandbox:
 * "state TAB exit code TAB killed for memory TAB error". */

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/container/step.h"

struct exit_reason {
	char state[32]; /* "": not known */
	int exit_code;
	bool has_code, is_oom;
	char error[256]; /* cleaned */
};

/* False: it has printed nothing of the kind. */
bool exit_reason_read(const struct step *inspect, struct exit_reason *ret);
bool exit_reason_is_running(const struct exit_reason *why);

/* By a signal, not for memory. */
bool exit_reason_is_killed(const struct exit_reason *why);

/* The step failed because there is no such container, or soon is none. */
bool exit_reason_is_missing(const struct step *s);

/* Why the line broke, after INSPECT has ended; `has_inspect` false: nobody could be asked. Returns out. */
char *exit_reason_format(const struct step *inspect, bool has_inspect, const struct exit_reason *why,
		bool is_adopted, char *out, size_t cap);

#endif
