/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_LEVEL_H
#define TRM_LOCAL_LEVEL_H

/* The levels of isolation, and which of them work on this machine. Nothing is cached: a container may be
 * given rights while we run, and a check takes less than a millisecond where namespaces work. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

#include "wire/control.h"

/* 0, or TRM_ENOTSUP with the reason. */
int level_check(enum isolation level, struct trm_error *reterr);

/* Choose the requested level, or for TRM_ISOLATION_AUTO the strongest one that works. TRM_ENOTSUP if the
 * level does not work, or nothing can run here at all; TRM_ENOISOLATION if neither of AUTO's levels works:
 * "none" is only used on request. */
int level_choose(enum trm_isolation want, enum isolation *ret, struct trm_error *reterr);

/* The kernel's version of Landlock; 0: none. This variable lowers it, to try a sandbox as on an older kernel;
 * what is no number in it counts as unset. */
#define LEVEL_ABI_VARIABLE "TERRARIUM_LANDLOCK_ABI"
uint32_t level_landlock_abi(void);
bool level_is_abi(const char *text);

enum { LEVEL_CURE = 400 };
/* How to make a level work: a command, options of the container, or a setting. "" if it works, or no cure
 * is known. */
void level_cure(enum isolation level, char out[LEVEL_CURE]);

#endif
