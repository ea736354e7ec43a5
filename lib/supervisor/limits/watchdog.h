/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_WATCHDOG_H
#define TRM_SUPERVISOR_LIMITS_WATCHDOG_H

/* Enforces the memory limit if no control group does. Every WATCHDOG_PERIOD_MS it adds up the memory of all
 * processes of the sandbox and of its files. If the sum exceeds the limit, it kills the biggest process, as
 * the kernel would do. Memory that is used only between two samples is not seen, so this is weaker than a
 * control group.
 *
 * It also enforces the disk limit of a sandbox without namespaces, whose files have no file system of their
 * own. While they exceed it, no process of the sandbox can write to files (RLIMIT_FSIZE, soft: EFBIG). If
 * code removes that limit and goes on writing, the sandbox is ended.
 *
 * While nobody is attached and nothing changes, samples become rarer, up to WATCHDOG_REST_MS, so that an
 * idle sandbox costs nothing. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/dirsize.h"

enum {
	WATCHDOG_PERIOD_MS = 100,
	WATCHDOG_REST_MS = 5000,
	WATCHDOG_MAX_PIDS = 4096,
	WATCHDOG_HIDDEN_LOOKS = 3 /* a sandbox with more is ended */
};

struct watchdog {
	pid_t root; /* bubblewrap, whose child is the agent, or the agent itself */
	bool has_bwrap;
	int space_fd;       /* tmpfs with the files; -1: not counted */
	uint64_t mem_bytes; /* limit; 0: not watched */
	uint64_t kills;
	uint64_t period_ms, next_ms;
	uint64_t seen_bytes; /* at the last sample */
	struct dirsize folder;
	uint64_t shm_bytes, shm_next_ns; /* in /dev/shm; not looked at again before this time */
	uint64_t unnamed_bytes;          /* in files that were deleted but are still open */
	uint32_t uid;                    /* user of the processes; 0: the caller */
	bool is_in_memory;               /* the folder's files count as memory */
	uint64_t disk_bytes, file_bytes; /* limits; disk_bytes 0: not watched */
	bool is_frozen;                  /* writing to files is blocked */
	unsigned limit_looks;   /* further samples that renew the limit after writing is allowed again */
	unsigned frozen_looks;  /* samples since then */
	uint64_t frozen_bytes;  /* size of the files then */
	uint64_t overrun_bytes; /* size of the files if they grow in spite of that; 0: they do not */
	unsigned hidden_looks;  /* samples since some files could not be counted */
};

void watchdog_init(struct watchdog *w, pid_t bwrap, int space_fd, uint64_t mem_bytes);
/* For a sandbox without namespaces. Takes over the folder's descriptor. */
void watchdog_init_bare(
		struct watchdog *w, pid_t agent, int folder_fd, bool is_in_memory, uint64_t mem_bytes);
void watchdog_limit_disk(struct watchdog *w, uint32_t uid, uint64_t disk_bytes, uint64_t file_bytes);

/* Take a sample if one is due. Returns true if a process was killed. */
bool watchdog_poll(struct watchdog *w, uint64_t now_ms, bool is_alone);
/* Time of the next sample. UINT64_MAX: nothing is watched. */
uint64_t watchdog_next_ms(const struct watchdog *w);

/* Processor time of all current processes and of the children that they have waited for. */
uint64_t watchdog_cpu_ns(const struct watchdog *w);

/* Children of a process; at most `cap`. */
size_t watchdog_children(pid_t pid, pid_t *pids, size_t cap);

#endif
