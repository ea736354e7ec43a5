/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_RLIMIT_H
#define TRM_BASE_RLIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Set a resource limit of this process (RLIMIT_…), but no higher than its hard limit, which an ordinary user
 * cannot raise. False, with errno: the kernel or a container's profile refuses it. */
bool rlimit_set(int resource, uint64_t soft, uint64_t hard) __attribute__((warn_unused_result));

#endif
