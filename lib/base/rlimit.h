/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_RLIMIT_H
#define TRM_BASE_RLIMIT_H

#include <stdint.h>

/* Set a resource limit of this process (RLIMIT_…), but no higher than its hard limit, which an ordinary user
 * cannot raise. */
void rlimit_set(int resource, uint64_t soft, uint64_t hard);

#endif
