/* SPDX-License-Identifier: MIT */
/* A tool that waits for an index which never answers, or sends a byte now and then: pip itself only looks at
 * single reads. Signs of life are bytes that the sandbox receives or writes, and processor time. */
#include "install/install.h"

enum { SAMPLE_MS = 5000 };

static const uint64_t SLOW_BYTES = 100ull * STALL_S, IDLE_CPU_NS = 1000000000;

static bool is_slow(uint64_t from, uint64_t to)
{
	return to - from < SLOW_BYTES;
}

/* False also if the figures are unknown: then the tool goes on. What comes over the loopback device, from a
 * proxy on this machine, is not counted as received, but it is written. */
static bool is_idle(const struct trm_sample *from, const struct trm_sample *to)
{
	uint32_t known = from->known & to->known;
	if (!(known & TRM_METRIC_CPU_TIME) || !(known & (TRM_METRIC_NET | TRM_METRIC_DISK)))
		return false;
	return to->cpu_ns - from->cpu_ns < IDLE_CPU_NS
	       && (!(known & TRM_METRIC_NET) || is_slow(from->net_rx_bytes, to->net_rx_bytes))
	       && (!(known & TRM_METRIC_DISK) || is_slow(from->disk_bytes, to->disk_bytes));
}

static void on_sample(void *user, const struct trm_sample *sample)
{
	struct stall *stall = user;
	if (!stall->mark.time_ns || !is_idle(&stall->mark, sample))
		stall->mark = *sample;
	else if (sample->time_ns - stall->mark.time_ns >= STALL_S * UINT64_C(1000000000))
		stall->stalled(stall->user);
}

void stall_begin(struct stall *stall, struct trm_sandbox *sandbox, void (*stalled)(void *user), void *user)
{
	*stall = (struct stall){.sandbox = sandbox,
			.observer = {.sample = on_sample, .user = stall},
			.stalled = stalled,
			.user = user};
	sandbox_observe(sandbox, &stall->observer);
	metrics_need(sandbox, SAMPLE_MS);
}

/* Another installation in the same sandbox still needs samples. */
static bool is_watched(const struct trm_sandbox *sandbox)
{
	for (const struct sandbox_observer *o = sandbox->observers; o; o = o->next)
		if (o->sample == on_sample)
			return true;
	return false;
}

void stall_end(struct stall *stall)
{
	if (!stall->sandbox)
		return;
	sandbox_unobserve(stall->sandbox, &stall->observer);
	if (!is_watched(stall->sandbox))
		metrics_need(stall->sandbox, 0);
	stall->sandbox = NULL;
}
