/* SPDX-License-Identifier: MIT */

#include "base/clock.h"
#include "base/err.h"
#include "sandbox/sandbox.h"
#include "wire/message.h"

enum { INTERVAL_MIN_MS = 200, INTERVAL_MAX_MS = 60000 };

int metrics_check(uint32_t interval_ms, struct trm_error *reterr)
{
	if (!interval_ms || (interval_ms >= INTERVAL_MIN_MS && interval_ms <= INTERVAL_MAX_MS))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"the metrics interval of %u ms is invalid: it must be between %d and %d ms",
			interval_ms, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
}

void metrics_send_watch(struct trm_sandbox *s)
{
	char bytes[8];
	struct buf payload = {.mem = bytes, .cap = sizeof bytes, .max = sizeof bytes};
	struct pack p = {.to = &payload};
	uint32_t asked_ms = s->opts.metrics_interval_ms;
	pack_u32(&p, asked_ms ? asked_ms : s->needed_interval_ms);
	pack_u8(&p, s->opts.metrics_with_processes);
	client_send(s, 0, FRAME_WATCH, 0, buf_at(&payload), payload.len);
}

void metrics_need(struct trm_sandbox *s, uint32_t interval_ms)
{
	s->needed_interval_ms = interval_ms;
	if (!s->opts.metrics_interval_ms && sandbox_is_open(s))
		metrics_send_watch(s);
}

/* False: the carrier has nothing to add. */
static bool add_stats(struct trm_sandbox *s, struct trm_sample *sample)
{
	sample->time_ns = clock_ns();
	if (!(s->ops->caps & BACKEND_STATS) || !s->carrier)
		return false;
	s->ops->stats(s->carrier, sample);
	return true;
}

/* The rate is between two metrics, even if others have asked the carrier meanwhile. */
static void set_cpu_percent(struct trm_sandbox *s, struct trm_sample *sample)
{
	uint64_t past_ns = sample->time_ns - s->rate_time_ns;
	if (!(sample->known & TRM_METRIC_CPU_TIME))
		return;
	if (s->rate_time_ns && past_ns && sample->cpu_ns >= s->rate_cpu_ns) {
		sample->cpu_percent = 100.0 * (double)(sample->cpu_ns - s->rate_cpu_ns) / (double)past_ns;
		sample->known |= TRM_METRIC_CPU_PERCENT;
	}
	s->rate_time_ns = sample->time_ns;
	s->rate_cpu_ns = sample->cpu_ns;
}

int metrics_frame(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct trm_process table[METRICS_MAX_PROCESSES];
	struct trm_metrics metrics;
	if (s->state != SANDBOX_READY || metrics_msg_get(frame, &metrics, table) < 0)
		return trm_error_set(why, TRM_EPROTO,
				"the agent in the sandbox broke the protocol: unreadable metrics");
	if (add_stats(s, &metrics.sample))
		set_cpu_percent(s, &metrics.sample);
	for (struct sandbox_observer *o = s->observers, *next; o; o = next) {
		next = o->next;
		if (o->sample)
			o->sample(o->user, &metrics.sample);
	}
	if (s->cb->metrics && s->opts.metrics_interval_ms)
		s->cb->metrics(s->user, s, &metrics);
	return 0;
}

bool metrics_sample_now(struct trm_sandbox *s, struct trm_sample *ret)
{
	*ret = (struct trm_sample){0};
	return add_stats(s, ret) && ret->known;
}

bool metrics_usage_now(struct trm_sandbox *s, struct trm_sample *ret)
{
	*ret = (struct trm_sample){.time_ns = clock_ns()};
	if (!s->carrier || !s->ops->usage)
		return metrics_sample_now(s, ret);
	s->ops->usage(s->carrier, ret);
	return ret->known;
}

bool metrics_events_now(struct trm_sandbox *s, bool marks, struct trm_sample *ret, bool *ret_is_marked)
{
	*ret = (struct trm_sample){0};
	if (ret_is_marked)
		*ret_is_marked = false;
	if (!(s->ops->caps & BACKEND_EVENTS) || !s->carrier
			|| (s->state != SANDBOX_READY && s->state != SANDBOX_CONNECTED))
		return false;
	bool is_marked = s->ops->events(s->carrier, marks, ret);
	if (ret_is_marked)
		*ret_is_marked = is_marked;
	return true;
}

int metrics_watch_memory(struct trm_sandbox *s, uint64_t bytes)
{
	return s->ops->caps & BACKEND_EVENTS && s->carrier && s->state == SANDBOX_READY
			       ? s->ops->watch_memory(s->carrier, bytes)
			       : -1;
}

int trm_sandbox_set_metrics(
		struct trm_sandbox *s, uint32_t interval_ms, bool with_processes, struct trm_error *reterr)
{
	int r = metrics_check(interval_ms, reterr);
	if (r < 0)
		return r;
	if (!sandbox_is_open(s))
		return trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is closed", s->name);
	s->opts.metrics_interval_ms = interval_ms;
	s->opts.metrics_with_processes = with_processes;
	metrics_send_watch(s);
	return 0;
}
