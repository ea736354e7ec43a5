/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include <terrarium/metrics.h>

#include "metrics/sample_cell.h"
#include "text/format.h"

void sample_cell_cpu(const struct trm_sample *s, char out[24])
{
	snprintf(out, 24, s->known & TRM_METRIC_CPU_PERCENT ? "%.1f" : "n/a", s->cpu_percent);
}

void sample_cell_mem(const struct trm_sample *s, char out[24])
{
	format_mib_of(out, s->known & TRM_METRIC_MEM, s->mem_bytes, s->mem_limit_bytes);
}

void sample_cell_disk(const struct trm_sample *s, char out[24])
{
	format_mib_of(out, s->known & TRM_METRIC_DISK, s->disk_bytes, s->disk_limit_bytes);
}

void sample_cell_procs(const struct trm_sample *s, char out[24])
{
	snprintf(out, 24, s->known & TRM_METRIC_PROCS ? "%" PRIu64 "/%" PRIu64 : "n/a", s->procs,
			s->procs_limit);
}

void sample_cell_uptime(const struct trm_sample *s, char out[24])
{
	if (s->known & TRM_METRIC_UPTIME)
		format_uptime(out, s->uptime_ms);
	else
		snprintf(out, 24, "n/a");
}
