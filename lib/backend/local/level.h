/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_LEVEL_H
#define TRM_LOCAL_LEVEL_H

/* The levels of isolation, and which of them work on this machine. Nothing is remembered: a container may be
 * given rights while we run, and a look takes less than a millisecond where namespaces work. */

#include <stdint.h>

#include <terrarium/sandbox.h>

#include "wire/control.h"

/* 0, or TRM_ENOTSUP with the reason. */
int level_check(enum isolation level, struct trm_error *reterr);

/* The level that is wanted, or for TRM_ISOLATION_AUTO the stronger one that works. TRM_ENOTSUP where it does
 * not, or where neither does: "none" is only taken when it is asked for. */
int level_choose(enum trm_isolation want, enum isolation *ret, struct trm_error *reterr);

/* The version of Landlock that the kernel offers; 0: none. TERRARIUM_LANDLOCK_ABI lowers it, to try how a
 * sandbox fares on an older kernel. */
uint32_t level_landlock_abi(void);

enum { LEVEL_CURE = 400 };
/* How to mend a level that does not work: a command, options of the container, or a setting. "" if it works,
 * or nothing is known. */
void level_cure(enum isolation level, char out[LEVEL_CURE]);

#endif
