/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CLOCK_H
#define TRM_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC, which all processes share. */
uint64_t clock_ns(void);
uint64_t clock_ms(void);
/* Since 1970. */
uint64_t clock_wall_ms(void);

#endif
