/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_SAMPLE_H
#define TRM_AGENT_CORE_SAMPLE_H

/* Metrics from inside. Sums over processes never include the agent itself. If it is not PID 1, only its
 * descendants count.
 *
 * CPU time: that of living processes (their CPU clocks, exact) and of the children that they have waited
 * for (10 ms ticks), and that of dead ones (getrusage). Memory: the sum of resident sizes, which counts
 * shared pages once for each process. Disk: only if /workspace (or else the agent's directory) is a tmpfs
 * and so belongs to the sandbox; other file systems also hold other files. Without namespaces: the
 * contents of the sandbox's folder. If the sandbox can see its own cgroup (containers), the cgroup's
 * values are better and are used. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <terrarium/metrics.h>

#include "agent/core/process_tree.h"
#include "base/dirsize.h"
#include "base/pressure.h"

struct sampled;

struct sampler {
	struct tree tree;
	struct sampled *seen, *fresh; /* processes of the last sample, and of the current one */
	size_t n_seen, seen_cap, fresh_cap;
	struct trm_process *table;  /* METRICS_MAX_PROCESSES rows, the heaviest first */
	struct trm_metrics metrics; /* the last sample */
	struct pressure pressure;   /* of the last sample */
	/* Samples that skip these. */
	unsigned net_rest, cgroup_rest;
	int space_fd;               /* /workspace, or else the agent's directory; -1: neither */
	struct dirsize folder;      /* without namespaces: the sandbox's files */
	uint64_t start_ns, last_ns; /* last_ns 0: there is no sample yet */
	bool is_alone;              /* all visible processes belong to the sandbox */
};

void sampler_init(struct sampler *sampler);
void sampler_finish(struct sampler *sampler);
/* Without namespaces: measure the files in this folder. */
void sampler_measure(struct sampler *sampler, const char *folder);
/* Take a sample, or return the last one if it is only a few ms old. Borrowed until the next call. nproc:
 * the current process limit, 0 if unknown. NULL: no memory, or no /proc. */
const struct trm_metrics *sampler_take(struct sampler *sampler, bool is_init, uint32_t nproc);

/* cgroup.c: overwrite the values that the sandbox's own cgroup knows. Returns false if no cgroup is
 * visible. */
bool cgroup_overlay(struct trm_sample *sample);
/* The pressure of such a group. All unknown if there is none. */
void cgroup_pressure(struct pressure *ret);
/* Processes in it that the kernel has killed for lack of memory. 0 also if that is not counted. */
uint64_t cgroup_oom_kills(void);

#endif
