/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_CONFINE_H
#define TRM_SUPERVISOR_LAUNCH_CONFINE_H

/* The last steps of a sandbox without namespaces, in the child that becomes its agent.
 *
 * There are two sets of rules. The agent lives under the first: what the sandbox may use, and /proc, by which
 * it finds and measures its processes. What it starts enters the second as well (agent/process/exec.c): the
 * same without /proc, but for what a program reads of itself. So code can neither see other processes nor
 * signal the agent. */

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"

/* Descriptors that the agent is started with, beside 0, 1 and 2. The last is closed before it runs. */
enum confine_fd { CONFINE_LISTEN = 3, CONFINE_AGENT, CONFINE_CODE_RULES, CONFINE_AGENT_RULES };

struct confinement {
	const struct spec_msg *spec;
	uint32_t uid; /* 0: the sandbox has no user of its own */
	bool is_strict;
	int agent_rules_fd, code_rules_fd; /* -1: without Landlock */
};

/* Make the rules; the descriptors of mounts are still where the supervisor has them. NULL, or what failed,
 * with errno. */
const char *confine_prepare(struct confinement *c);

/* Threads that run as this user, for whom RLIMIT_NPROC counts all of them. */
uint64_t confine_count_tasks(void);

/* Enter the rules and filters, and become the agent. Returns what failed, with errno. */
const char *confine_exec(const struct confinement *c);

#endif
