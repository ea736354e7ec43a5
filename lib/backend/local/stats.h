/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_STATS_H
#define TRM_LOCAL_STATS_H

/* What the control groups know, read through descriptors that are kept open:
 * a sample costs a handful of pread()s. */

#include <stdint.h>

#include <terrarium/metrics.h>

#include "wire/lifeline.h"

struct stats {
	enum limits_kind kind;
	int cpu_fd, mem_fd, mem_peak_fd, mem_stat_fd, oom_fd, pids_fd; /* -1: not there */
	uint64_t last_cpu_ns, last_time_ns;                            /* of the sample before; 0 at first */
};

void stats_init(struct stats *s);
void stats_open(struct stats *s, const struct ready_msg *ready);
void stats_close(struct stats *s);

/* Overwrite what is known better here, and set its bits. */
void stats_sample(struct stats *s, uint64_t now_ns, struct trm_sample *sample);

#endif
