/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_REASON_H
#define TRM_KEEPER_REASON_H

/* What an INSPECT step has printed, and what it means for the one who has lost the sandbox:
 * "state TAB exit code TAB killed for memory TAB error". */

#include <stdbool.h>
#include <stddef.h>

#include "keeper/step.h"

struct reason {
	char state[32]; /* "": not known */
	int exit_code;
	bool has_code, is_oom;
	char error[256]; /* cleaned */
};

/* False: it has printed nothing of the kind. */
bool reason_read(const struct step *inspect, struct reason *ret);
bool reason_is_running(const struct reason *why);

/* By a signal, not for memory. */
bool reason_is_killed(const struct reason *why);

/* The step failed because there is no such container, or soon is none. */
bool reason_is_missing(const struct step *s);

/* Why the line broke, after INSPECT has ended; `has_inspect` false: nobody could be asked. Returns out. */
char *reason_tell(const struct step *inspect, bool has_inspect, const struct reason *why, bool is_adopted,
		char *out, size_t cap);

#endif
