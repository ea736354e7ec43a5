/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_STATS_H
#define TRM_BACKEND_HOST_STATS_H

/* Readings of the control groups, through descriptors that stay open: a sample costs a dozen pread()s. */

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
	uint32_t opened;      /* bits of those that were looked for */
	uint32_t n_outer;     /* processes that are counted, but run outside */
	bool pressure_is_machine;
	bool can_mark_peak;
	uint64_t peak_bytes;                /* highest value that was read */
	uint64_t last_cpu_ns, last_time_ns; /* of the sample before; 0 at first */
	struct pressure pressure;           /* of the sample before */
	/* The last complete sample, the agent's processor time for it, and the number of samples since
	 * then. */
	struct trm_sample whole;
	uint64_t inner_cpu_ns;
	unsigned n_since_whole;
};

void stats_init(struct stats *s);
/* Bits of enum stats_file: all of them, or those that a list of sandboxes shows, which must not run out
 * of descriptors with a hundred sandboxes. Values of files that are left out stay unknown. */
#define STATS_ALL ((1u << STATS_FILES) - 1)
#define STATS_LISTED \
	(1u << STATS_CPU | 1u << STATS_MEM | 1u << STATS_MEM_STAT | 1u << STATS_PIDS | 1u << STATS_SPACE)
/* Those that only stats_sample() reads. A server with a thousand sandboxes asks for few samples. */
#define STATS_SAMPLED \
	(1u << STATS_CPU_STAT | 1u << STATS_PRESSURE_CPU | 1u << STATS_PRESSURE_MEM | 1u << STATS_PRESSURE_IO)
/* `supervisor`: the process that ready->space_fd belongs to. */
void stats_open(struct stats *s, const struct ready_msg *ready, pid_t supervisor, uint32_t files);
/* Open some more, unless they were looked for already. */
void stats_open_more(struct stats *s, const struct ready_msg *ready, pid_t supervisor, uint32_t files);
void stats_close(struct stats *s);

/* Overwrite the values that are known better here, and set their bits. If nothing inside has run since
 * the last sample, by the agent's processor time in the sample, most values are repeated from that one. */
void stats_sample(struct stats *s, uint64_t now_ns, struct trm_sample *sample);

/* Only processor time, memory and files. */
void stats_usage(struct stats *s, uint64_t now_ns, struct trm_sample *sample);
/* A part of that, within a few microseconds: memory and its peak (since stats_mark_peak(), if possible),
 * disk, and the counters of kills and refusals. */
void stats_events(struct stats *s, struct trm_sample *sample);
/* Restart the peak from now. False: this kernel cannot. */
bool stats_mark_peak(struct stats *s);
/* A descriptor that becomes readable when the memory of the group at `dir` passes `bytes`; -1: none. */
int stats_watch_memory(struct stats *s, const char *dir, uint64_t bytes);

#endif
