/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_TARGET_H
#define TRM_SERVER_METHODS_TARGET_H

/* What all methods of the fleet have in common: whose sandbox is meant, and how failures are told. */

#include <stdbool.h>

#include <terrarium/error.h>

struct call;

struct target {
	const char *space, *name; /* of the call's params, or constants */
};

/* `sandbox` (NULL if it is absent, and may be: `is_needed` false) and `namespace` ("default" if absent).
 * False: the call has failed and is over. */
bool target_read(struct call *call, bool is_needed, struct target *ret);
/* As target_read() for methods that begin and end sandboxes; the names' rules apply. */
bool target_read_checked(struct call *call, struct target *ret);

/* TRM_EINVAL is the caller's mistake (400, 2001), everything else the server's (500, 5002). Ends the call. */
void target_fail(struct call *call, const struct trm_error *why);

#endif
