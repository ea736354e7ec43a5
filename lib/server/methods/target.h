/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_TARGET_H
#define TRM_SERVER_METHODS_TARGET_H

/* Finds the sandbox that a call means, and reports failures in the same way for all methods. */

#include <stdbool.h>

#include <terrarium/error.h>

struct call;

struct target {
	const char *space, *name; /* params of the call, or constants */
};

/* Read `sandbox` (NULL if it is absent and not `is_needed`) and `namespace` ("default" if absent). Returns
 * false if the call has failed and ended. */
bool target_read(struct call *call, bool is_needed, struct target *ret);
/* The same for methods that start and stop sandboxes: names must follow the rules. */
bool target_read_checked(struct call *call, struct target *ret);

/* End the call with a failure: TRM_EINVAL is the caller's mistake (400, 2001), all else the server's (500,
 * 5002). */
void target_fail(struct call *call, const struct trm_error *why);

#endif
