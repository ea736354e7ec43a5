/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_CONFINE_H
#define TRM_SUPERVISOR_LAUNCH_CONFINE_H

/* The last steps of a sandbox without namespaces, in the child that becomes its agent.
 *
 * There are two sets of Landlock rules. The first holds for the agent: it allows what the sandbox may use,
 * and what it needs to find and measure its processes. Programs that the agent starts enter the second set as
 * well, so that code cannot signal the agent. Each of them also enters a set of its own, in which of /proc
 * there is only what a program reads about itself: code cannot see other processes (agent/process/exec.c). */

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"

/* Descriptors of the agent beside 0, 1 and 2. The last one is closed before the agent runs. */
enum confine_fd { CONFINE_LISTEN = 3, CONFINE_AGENT, CONFINE_CODE_RULES, CONFINE_AGENT_RULES };

struct confinement {
	const struct spec_msg *spec;
	uint32_t uid; /* 0: the sandbox has no user of its own */
	bool is_strict;
	int agent_rules_fd, code_rules_fd; /* -1: without Landlock */
	char roots[1024]; /* the entries of "/", but /proc, below which the rules for code allow something,
			     with a slash after each */
};

/* Make the rules while the descriptors of mounts are still at their numbers in the supervisor. Returns
 * NULL, or what failed, with errno. */
const char *confine_prepare(struct confinement *c);

/* The number of threads of this user: RLIMIT_NPROC counts all of them, also those outside the sandbox. */
uint64_t confine_count_tasks(void);

/* Apply the rules and filters, and execute the agent. Returns only on failure: what failed, with errno. */
const char *confine_exec(const struct confinement *c);

#endif
