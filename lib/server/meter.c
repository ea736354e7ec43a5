/* SPDX-License-Identifier: MIT */
#include "server/meter.h"

#include <time.h>

#include "sandbox/sandbox.h"

/* A rate over less says more of chance than of the sandbox. */
#define SPAN_MIN_NS UINT64_C(100000000)

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void meter_start(struct meter *meter)
{
	*meter = (struct meter){.start_ns = now_ns()};
}

uint64_t meter_age_ms(const struct meter *meter)
{
	return (now_ns() - meter->start_ns) / 1000000;
}

bool meter_suffices(struct trm_sandbox *sandbox)
{
	struct trm_sample now;
	return metrics_usage_now(sandbox, &now) && now.known & TRM_METRIC_CPU_TIME
	       && now.known & TRM_METRIC_MEM;
}

void meter_look(struct meter *meter, struct trm_sandbox *sandbox)
{
	struct trm_sample now;
	if (!metrics_usage_now(sandbox, &now) || !(now.known & TRM_METRIC_CPU_TIME))
		return;
	meter->old[1] = meter->old[0];
	meter->old[0].time_ns = now.time_ns;
	meter->old[0].cpu_ns = now.cpu_ns;
}

/* Since the newest look that is old enough; in the first moments, since the start. */
static void set_rate(const struct meter *meter, struct trm_sample *now)
{
	uint64_t then_ns = meter->start_ns, before_ns = 0;
	for (int i = 1; i >= 0; i--)
		if (meter->old[i].time_ns && now->time_ns >= meter->old[i].time_ns + SPAN_MIN_NS) {
			then_ns = meter->old[i].time_ns;
			before_ns = meter->old[i].cpu_ns;
		}
	now->known &= ~(uint32_t)TRM_METRIC_CPU_PERCENT;
	if (now->time_ns <= then_ns || now->cpu_ns < before_ns)
		return;
	now->cpu_percent = 100.0 * (double)(now->cpu_ns - before_ns) / (double)(now->time_ns - then_ns);
	now->known |= TRM_METRIC_CPU_PERCENT;
}

void meter_read(const struct meter *meter, struct trm_sandbox *sandbox, struct trm_sample *ret)
{
	if (!metrics_usage_now(sandbox, ret) || !(ret->known & TRM_METRIC_CPU_TIME)) {
		*ret = meter->told;
		if (ret->known & TRM_METRIC_CPU_TIME && !(ret->known & TRM_METRIC_CPU_PERCENT))
			set_rate(meter, ret); /* it was the first */
		return;
	}
	set_rate(meter, ret);
	if (!(ret->known & TRM_METRIC_MEM) && meter->told.known & TRM_METRIC_MEM) {
		ret->mem_bytes = meter->told.mem_bytes;
		ret->known |= TRM_METRIC_MEM;
	}
}
