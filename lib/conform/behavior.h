/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFORM_BEHAVIOR_H
#define TRM_CONFORM_BEHAVIOR_H

/* What a driver has to do, one row for each behavior. */

#include <stdbool.h>
#include <stddef.h>

#include "conform/talk.h"

enum { NO_SAMPLE = -1 };

struct behavior {
	const char *name; /* at most 31 bytes */
	int samples[2];   /* enum kernel_sample that it needs, or NO_SAMPLE */
	/* True: the driver does it; `detail` may say more. False: `detail` says what it did instead. The
	 * driver is running when this is called, and may not be when it returns. */
	bool (*check)(struct talk *t, char *detail, size_t cap);
};

extern const struct behavior behaviors[];
extern const size_t n_behaviors;

#endif
