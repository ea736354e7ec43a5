/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEPT_GUARDS_H
#define TRM_KEPT_GUARDS_H

/* What is enforced in one local sandbox and how: told from what the keeper
 * has really done, and no better than it is. */

#include <terrarium/sandbox.h>

#include "wire/lifeline.h"

enum { GUARDS_MAX = 12 };

/* Fills `ret` (GUARDS_MAX rows); returns how many. `disk_bytes` is the size in force. */
size_t guards_tell(struct trm_guard *ret, const struct ready_msg *ready, const struct trm_limits *limits,
		uint64_t disk_bytes);

#endif
