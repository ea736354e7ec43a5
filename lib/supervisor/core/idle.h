/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_IDLE_H
#define TRM_SUPERVISOR_CORE_IDLE_H

/* Measures how long a sandbox that nobody is attached to has been idle.
 *
 * A sandbox is active while a client is attached, and while its processes use more than IDLE_CPU_PERCENT of
 * one core between two samples. So a long computation does not count as idle, but an interpreter that only
 * wakes up now and then does. Samples are rare: an eighth of the timeout apart, at most IDLE_LOOK_MAX_MS.
 * While a client is attached there are none. So the sandbox may live an eighth longer than the timeout, but
 * never shorter. A sandbox that merely waits for input, a timer or the network is idle. */

#include <stdbool.h>
#include <stdint.h>

enum { IDLE_LOOK_MIN_MS = 20, IDLE_LOOK_MAX_MS = 5 * 60 * 1000, IDLE_CPU_PERCENT = 1 };

struct idle {
	uint64_t timeout_ms; /* 0: never */
	uint64_t since_ms;   /* time of the last activity */
	uint64_t look_ms;    /* time of the last sample … */
	uint64_t cpu_ns;     /* … and the processor time then */
};

/* All times are from one monotonic clock. */
void idle_init(struct idle *idle, uint64_t timeout_ms, uint64_t now_ms);
/* A client is or was attached just now. `cpu_ns` is the processor time that the sandbox has used so far. */
void idle_touch(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns);
/* Take a sample. Returns true if there was activity since the last one. */
bool idle_sample(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns);
/* True if the sandbox has been idle for the whole timeout. */
bool idle_is_over(const struct idle *idle, uint64_t now_ms);
/* Time between samples. 0: there are none. */
uint64_t idle_period_ms(const struct idle *idle);
/* Time of the next sample. UINT64_MAX: never. */
uint64_t idle_next_ms(const struct idle *idle);

#endif
