/* SPDX-License-Identifier: MIT */
#include "supervisor/core/idle.h"

void idle_init(struct idle *idle, uint64_t timeout_ms, uint64_t now_ms)
{
	*idle = (struct idle){.timeout_ms = timeout_ms, .since_ms = now_ms, .look_ms = now_ms};
}

void idle_touch(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns)
{
	idle->since_ms = idle->look_ms = now_ms;
	idle->cpu_ns = cpu_ns;
}

bool idle_sample(struct idle *idle, uint64_t now_ms, uint64_t cpu_ns)
{
	/* Without a control group the sum loses the time of processes that have ended, so a smaller sum
	 * means activity. */
	bool is_less = cpu_ns < idle->cpu_ns;
	uint64_t used_ns = is_less ? 0 : cpu_ns - idle->cpu_ns;
	bool is_active = is_less || used_ns / 10000 > (now_ms - idle->look_ms) * IDLE_CPU_PERCENT;
	idle->look_ms = now_ms;
	idle->cpu_ns = cpu_ns;
	if (is_active)
		idle->since_ms = now_ms;
	return is_active;
}

bool idle_is_over(const struct idle *idle, uint64_t now_ms)
{
	return idle->timeout_ms && now_ms - idle->since_ms >= idle->timeout_ms;
}

uint64_t idle_period_ms(const struct idle *idle)
{
	uint64_t period = idle->timeout_ms / 8;
	if (!idle->timeout_ms)
		return 0;
	period = period < IDLE_LOOK_MIN_MS ? IDLE_LOOK_MIN_MS : period;
	return period > IDLE_LOOK_MAX_MS ? IDLE_LOOK_MAX_MS : period;
}

uint64_t idle_next_ms(const struct idle *idle)
{
	if (!idle->timeout_ms)
		return UINT64_MAX;
	uint64_t end = idle->since_ms + idle->timeout_ms, next = idle->look_ms + idle_period_ms(idle);
	return next < end ? next : end > idle->look_ms ? end : idle->look_ms + 1;
}
