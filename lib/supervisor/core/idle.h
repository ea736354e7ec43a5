/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_IDLE_H
#define TRM_SUPERVISOR_CORE_IDLE_H

/* How long nothing has happened in a sandbox that nobody is attached to.
 *
 * It is active while a client is attached, and while its processes use the processor: more than
 * IDLE_CPU_PERCENT of one core between two looks, so that a long computation is not taken for idle, and
 * an interpreter that wakes up now and then is. Looks are rare: an eighth of the time-out apart, at most
 * IDLE_LOOK_MAX_MS; while somebody is attached there are none at all. So it may live on for an
 * eighth longer than the time-out says, never shorter. What merely waits (for input, for a clock,
 * for the network) is idle. */

#include <stdbool.h>
#include <stdint.h>

enum { IDLE_LOOK_MIN_MS = 20, IDLE_LOOK_MAX_MS = 5 * 60 * 1000, IDLE_CPU_PERCENT = 1 };

struct idle {
	uint64_t timeout_ms; /* 0: never */
	uint64_t since_ms;   /* the last activity that was seen */
	uint64_t look_ms;    /* time of the last look … */
	uint64_t cpu_ns;     /* … and what it found */
};

/* All times are of one clock, which never goes back. */
void idle_init(struct idle *idle, uint64_t timeout_ms, uint64_t now_ms);
/* Somebody is here, or was until now. `cpu_ns`: what the sandbox has used so far. */
void idle_touch(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns);
/* Look. True if there was activity since the last one. */
bool idle_sample(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns);
/* For so long that it is to end. */
bool idle_is_over(const struct idle *idle, uint64_t now_ms);
/* Time between looks; 0: there are none. */
uint64_t idle_period_ms(const struct idle *idle);
/* When to look again; UINT64_MAX: never. */
uint64_t idle_next_ms(const struct idle *idle);

#endif
