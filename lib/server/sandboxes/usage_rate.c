/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/usage_rate.h"

#include "base/clock.h"
#include "sandbox/sandbox.h"

/* A rate over a shorter time is mostly chance. */
#define SPAN_MIN_NS 100000000u

void usage_rate_start(struct usage_rate *usage_rate)
{
	*usage_rate = (struct usage_rate){.start_ns = clock_ns()};
}

uint64_t usage_rate_age_ms(const struct usage_rate *usage_rate)
{
	return (clock_ns() - usage_rate->start_ns) / 1000000;
}

bool usage_rate_suffices(struct trm_sandbox *sandbox)
{
	struct trm_sample now;
	return metrics_usage_now(sandbox, &now) && now.known & TRM_METRIC_CPU_TIME
	       && now.known & TRM_METRIC_MEM;
}

void usage_rate_poll(struct usage_rate *usage_rate, struct trm_sandbox *sandbox)
{
	struct trm_sample now;
	if (!metrics_usage_now(sandbox, &now) || !(now.known & TRM_METRIC_CPU_TIME))
		return;
	usage_rate->old[1] = usage_rate->old[0];
	usage_rate->old[0].time_ns = now.time_ns;
	usage_rate->old[0].cpu_ns = now.cpu_ns;
}

/* The rate since the newest old sample that is old enough; at first, since the start. */
static void set_rate(const struct usage_rate *usage_rate, struct trm_sample *now)
{
	uint64_t then_ns = usage_rate->start_ns, before_ns = 0;
	for (int i = 1; i >= 0; i--)
		if (usage_rate->old[i].time_ns && now->time_ns >= usage_rate->old[i].time_ns + SPAN_MIN_NS) {
			then_ns = usage_rate->old[i].time_ns;
			before_ns = usage_rate->old[i].cpu_ns;
		}
	now->known &= ~(uint32_t)TRM_METRIC_CPU_PERCENT;
	if (now->time_ns <= then_ns || now->cpu_ns < before_ns)
		return;
	now->cpu_percent = 100.0 * (double)(now->cpu_ns - before_ns) / (double)(now->time_ns - then_ns);
	now->known |= TRM_METRIC_CPU_PERCENT;
}

void usage_rate_read(const struct usage_rate *usage_rate, struct trm_sandbox *sandbox, struct trm_sample *ret)
{
	if (!metrics_usage_now(sandbox, ret) || !(ret->known & TRM_METRIC_CPU_TIME)) {
		*ret = usage_rate->last;
		if (ret->known & TRM_METRIC_CPU_TIME && !(ret->known & TRM_METRIC_CPU_PERCENT))
			set_rate(usage_rate, ret); /* it was the first sample */
		return;
	}
	set_rate(usage_rate, ret);
	if (!(ret->known & TRM_METRIC_MEM) && usage_rate->last.known & TRM_METRIC_MEM) {
		ret->mem_bytes = usage_rate->last.mem_bytes;
		ret->known |= TRM_METRIC_MEM;
	}
}
