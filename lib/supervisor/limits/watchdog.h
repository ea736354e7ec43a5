/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_WATCHDOG_H
#define TRM_SUPERVISOR_LIMITS_WATCHDOG_H

/* The memory limit where no control group holds it: every WATCHDOG_PERIOD_MS
 * the memory of all processes of the sandbox and of its files is added up, and
 * when it is too much the biggest process is killed, as the kernel would do. What grows and is
 * gone again between two looks is not seen: this is weaker than a control group.
 *
 * The same for the disk limit of a sandbox without namespaces, whose files no file system of their own holds.
 * When they are too much, no process of it can write to files any more (RLIMIT_FSIZE, soft: EFBIG) until some
 * are removed; code that takes the limit away from itself and goes on has its sandbox ended.
 *
 * While nobody is attached and nothing changes, looks become rarer, up to WATCHDOG_REST_MS, so that a
 * sandbox that was left alone costs nothing. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/dirsize.h"

enum {
	WATCHDOG_PERIOD_MS = 100,
	WATCHDOG_REST_MS = 5000,
	WATCHDOG_MAX_PIDS = 4096,
	WATCHDOG_HIDDEN_LOOKS = 3 /* more are too many */
};

struct watchdog {
	pid_t root; /* bubblewrap, whose child the agent is; or the agent itself */
	bool has_bwrap;
	int space_fd;       /* tmpfs with the files; -1: not counted */
	uint64_t mem_bytes; /* limit; 0: not ours to watch */
	uint64_t kills;
	uint64_t period_ms, next_ms;
	uint64_t seen_bytes; /* at the last look */
	struct dirsize folder;
	uint64_t unnamed_bytes;          /* in files that are open, but were deleted */
	uint32_t uid;                    /* whose processes they are; 0: the caller's */
	bool is_in_memory;               /* the folder's files count as memory */
	uint64_t disk_bytes, file_bytes; /* limits; disk_bytes 0: not ours to watch */
	bool is_frozen;                  /* nobody can write to files */
	unsigned limit_looks;   /* looks that still set the limit, after files may be written again */
	unsigned frozen_looks;  /* since when */
	uint64_t frozen_bytes;  /* what they held then */
	uint64_t overrun_bytes; /* what they hold, though that is so; 0: all is well */
	unsigned hidden_looks;  /* since when some lie where they cannot be counted */
};

void watchdog_init(struct watchdog *w, pid_t bwrap, int space_fd, uint64_t mem_bytes);
/* Of a sandbox without namespaces; takes the folder's descriptor. */
void watchdog_init_bare(
		struct watchdog *w, pid_t agent, int folder_fd, bool is_in_memory, uint64_t mem_bytes);
void watchdog_limit_disk(struct watchdog *w, uint32_t uid, uint64_t disk_bytes, uint64_t file_bytes);

/* One look, if it is time. True if something was killed. */
bool watchdog_poll(struct watchdog *w, uint64_t now_ms, bool is_alone);
/* When to look next; UINT64_MAX: there is nothing to watch. */
uint64_t watchdog_next_ms(const struct watchdog *w);

/* Processor time of all processes that are there now, and of the children that they have waited for. */
uint64_t watchdog_cpu_ns(const struct watchdog *w);

/* Children of a process; at most `cap`. */
size_t watchdog_children(pid_t pid, pid_t *pids, size_t cap);

/* Processes below `root`, children after their parents; at most `cap`. */
size_t watchdog_descendants(pid_t root, pid_t *pids, size_t cap);

#endif
