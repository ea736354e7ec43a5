/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_WATCHDOG_H
#define TRM_KEEPER_WATCHDOG_H

/* The memory limit where no control group holds it: every WATCHDOG_PERIOD_MS
 * the memory of all processes of the sandbox and of its files is added up, and
 * when it is too much the biggest process is killed, as the kernel would do. What grows and is
 * gone again between two looks is not seen: this is weaker than a control group. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WATCHDOG_PERIOD_MS = 100, WATCHDOG_MAX_PIDS = 4096 };

struct watchdog {
	pid_t bwrap;        /* the sandbox's processes descend from its child */
	int space_fd;       /* tmpfs with the files; -1: not counted */
	uint64_t mem_bytes; /* limit */
	uint64_t kills;
};

/* One look. True if something was killed. */
bool watchdog_look(struct watchdog *w);

/* Children of a process; at most `cap`. */
size_t watchdog_children(pid_t pid, pid_t *pids, size_t cap);

/* Processes below `root`, children after their parents; at most `cap`. */
size_t watchdog_descendants(pid_t root, pid_t *pids, size_t cap);

#endif
