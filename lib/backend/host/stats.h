/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_STATS_H
#define TRM_BACKEND_HOST_STATS_H

/* What the control groups know, read through descriptors that are kept open:
 * a sample costs a dozen pread()s. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <terrarium/metrics.h>

#include "base/pressure.h"
#include "wire/control.h"

enum stats_file {
	STATS_CPU,      /* CPU time */
	STATS_CPU_STAT, /* periods and throttling */
	STATS_MEM,
	STATS_MEM_PEAK,
	STATS_MEM_STAT,
	STATS_OOM,
	STATS_PIDS,
	STATS_PIDS_EVENTS,
	STATS_PRESSURE_CPU, /* and the two others in the order of enum pressure_resource */
	STATS_PRESSURE_MEM,
	STATS_PRESSURE_IO,
	STATS_SPACE, /* the tmpfs with all files */
	STATS_FILES
};

struct stats {
	enum limits_kind kind;
	int fds[STATS_FILES]; /* -1: not there */
	uint32_t n_outer;     /* processes that are counted, but not inside */
	bool pressure_is_machine;
	bool can_mark_peak;
	uint64_t peak_bytes;                /* highest that was read */
	uint64_t last_cpu_ns, last_time_ns; /* of the sample before; 0 at first */
	struct pressure pressure;           /* of the sample before */
	/* The last sample that was read whole, what the agent had told for it, and samples since then. */
	struct trm_sample whole;
	uint64_t inner_cpu_ns;
	unsigned n_since_whole;
};

void stats_init(struct stats *s);
/* Bits of enum stats_file: all of them, or what a list of sandboxes shows, which must not run out of
 * descriptors with a hundred of them. What is left out stays unknown. */
#define STATS_ALL ((1u << STATS_FILES) - 1)
#define STATS_LISTED \
	(1u << STATS_CPU | 1u << STATS_MEM | 1u << STATS_MEM_STAT | 1u << STATS_PIDS | 1u << STATS_SPACE)
/* `supervisor`: whose descriptor ready->space_fd is. */
void stats_open(struct stats *s, const struct ready_msg *ready, pid_t supervisor, uint32_t files);
void stats_close(struct stats *s);

/* Overwrite what is known better here, and set its bits. Where by the agent's account of processor time (in
 * the sample) nobody inside has run since the sample before, the most is taken from that one. */
void stats_sample(struct stats *s, uint64_t now_ns, struct trm_sample *sample);

/* Processor time, memory and files alone. */
void stats_usage(struct stats *s, uint64_t now_ns, struct trm_sample *sample);
/* A part of that, for a few microseconds: memory and its peak (since stats_mark_peak(), where that is
 * possible), disk, and the counters of what was killed or refused. */
void stats_events(struct stats *s, struct trm_sample *sample);
/* Let the peak count anew from now. False: this kernel cannot. */
bool stats_mark_peak(struct stats *s);
/* A descriptor that becomes readable when the memory of the group at `dir` passes `bytes`; -1: none. */
int stats_watch_memory(struct stats *s, const char *dir, uint64_t bytes);

#endif
