/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFORM_BEHAVIOR_H
#define TRM_CONFORM_BEHAVIOR_H

/* The required behaviors of a driver, one row each. */

#include <stdbool.h>
#include <stddef.h>

#include "conform/talk.h"

enum { NO_SAMPLE = -1 };

struct behavior {
	const char *name; /* at most 31 bytes */
	int samples[2];   /* needed samples of code (enum kernel_sample), or NO_SAMPLE */
	/* True: the driver behaves well; `detail` may add a remark. False: `detail` describes the wrong
	 * behavior. The driver runs before the call, but maybe not after it. */
	bool (*check)(struct talk *t, char *detail, size_t cap);
};

extern const struct behavior behaviors[];
extern const size_t n_behaviors;

#endif
