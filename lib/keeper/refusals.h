/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_REFUSALS_H
#define TRM_KEEPER_REFUSALS_H

/* Has the kernel killed in here for want of memory, or refused a process, since the sandbox began? As long as
 * it has not, which is mostly for ever, clients need not read the counters before their first run: to
 * open the first file of a control group costs 20 us. The kernel wakes us once, the first time. */

#include <poll.h>
#include <stdbool.h>

#include "wire/lifeline.h"

struct refusals {
	uint8_t unmet;           /* enum unmet_bit */
	int memory_fd, procs_fd; /* what wakes us; -1: nothing */
	short memory_poll;       /* on what */
};

#define REFUSALS_NONE \
	{ \
		.memory_fd = -1, .procs_fd = -1 \
	}

/* Watch the groups in these directories ("": there is none). Version 1 tells of refused processes only on
 * some kernels (not on Linux 6.18), so there it is not asked, and clients count from a later look; nor does
 * it tell of a kill because the whole machine is out of memory, which is taken for one of ours if the next
 * that comes is killed as well. */
void refusals_begin(struct refusals *r, enum limits_kind kind, const char *mem_dir, const char *pids_dir);
void refusals_end(struct refusals *r);

enum { REFUSALS_POLLS = 2 };
void refusals_poll(const struct refusals *r, struct pollfd fds[REFUSALS_POLLS]);
/* True: what is known has changed. */
bool refusals_hear(struct refusals *r, const struct pollfd fds[REFUSALS_POLLS]);

#endif
