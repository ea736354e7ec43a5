/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/err.h"
#include "sync/sync.h"

/* A rate needs two samples at this distance. A remote server may be slow to answer. */
enum { APART_MS = 200, TIMEOUT_MS = 30000 };

static void fill_metrics(struct trm_sync *s, struct trm_sync_metrics *ret)
{
	const struct trm_sample *sample = &s->sample;
	*ret = (struct trm_sync_metrics){
			.is_running = s->sandbox != NULL,
			.has_cpu = sample->known & TRM_METRIC_CPU_PERCENT,
			.has_memory = sample->known & TRM_METRIC_MEM,
			.has_disk = sample->known & TRM_METRIC_DISK,
			.sample = *sample,
	};
	snprintf(ret->name, sizeof ret->name, "%s", s->name);
	if (ret->has_cpu)
		ret->cpu_percent = sample->cpu_percent;
	if (ret->has_memory)
		ret->memory_mib = sample->mem_bytes >> 20;
	if (ret->has_disk)
		ret->disk_bytes = sample->disk_bytes;
}

static int wait_for_samples(struct trm_sync *s, struct trm_error *reterr)
{
	s->is_measured = false;
	s->n_samples = 0;
	s->sample = (struct trm_sample){0};
	int r = trm_sandbox_set_metrics(s->sandbox, APART_MS, false, reterr);
	if (r == 0)
		r = sync_wait(s, &s->is_measured, TIMEOUT_MS, reterr);
	if (s->sandbox)
		trm_sandbox_set_metrics(s->sandbox, s->opts.sandbox.metrics_interval_ms,
				s->opts.sandbox.metrics_with_processes, NULL);
	if (r == TRM_ETIMEDOUT && s->n_samples)
		r = 0; /* then there is no rate */
	return r;
}

int trm_sync_metrics_all(struct trm_sync *s, struct trm_sync_metrics *ret, struct trm_error *reterr)
{
	*ret = (struct trm_sync_metrics){0};
	int r = sync_need_started(s, reterr);
	if (r < 0)
		return r;
	r = wait_for_samples(s, reterr);
	if (r < 0)
		return err_wrap(reterr, r, "Failed to get sandbox metrics");
	fill_metrics(s, ret);
	return 0;
}

int trm_sync_metrics_cpu(struct trm_sync *s, double *ret_percent, struct trm_error *reterr)
{
	struct trm_sync_metrics all;
	int r = trm_sync_metrics_all(s, &all, reterr);
	if (r == 0 && all.has_cpu)
		*ret_percent = all.cpu_percent;
	return r < 0 ? r : all.has_cpu;
}

int trm_sync_metrics_memory(struct trm_sync *s, uint64_t *ret_mib, struct trm_error *reterr)
{
	struct trm_sync_metrics all;
	int r = trm_sync_metrics_all(s, &all, reterr);
	if (r == 0 && all.has_memory)
		*ret_mib = all.memory_mib;
	return r < 0 ? r : all.has_memory;
}

int trm_sync_metrics_disk(struct trm_sync *s, uint64_t *ret_bytes, struct trm_error *reterr)
{
	struct trm_sync_metrics all;
	int r = trm_sync_metrics_all(s, &all, reterr);
	if (r == 0 && all.has_disk)
		*ret_bytes = all.disk_bytes;
	return r < 0 ? r : all.has_disk;
}

int trm_sync_metrics_is_running(struct trm_sync *s, struct trm_error *reterr)
{
	struct trm_sync_metrics all;
	if (!trm_sync_is_started(s) && s->is_closed && s->why.code)
		return 0;
	int r = trm_sync_metrics_all(s, &all, reterr);
	return r < 0 ? r : all.is_running;
}
