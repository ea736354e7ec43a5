/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_H
#define TRM_SUPERVISOR_LAUNCH_H

/* Theory of operation. A child of the supervisor sets up the confinement of the sandbox from the outside
 * in, and then executes bubblewrap:
 *
 *   control groups → oom score → mount namespace with the tmpfs → own user → network
 *   namespace with its filter → descriptors → resource limits → exec with an empty environment
 *
 * or, without namespaces, the agent itself:
 *
 *   control groups → oom score → own user → descriptors → resource limits → Landlock → seccomp → exec
 *
 * Everything that needs privileges comes before the change of user, and no code of the sandbox runs before
 * all of it is done. A failure is reported as a sentence on the pipe that is also bubblewrap's stderr. */

#include <stdbool.h>
#include <sys/types.h>

#include "supervisor/limits/group.h"
#include "supervisor/net/net.h"
#include "wire/control.h"

struct launch_sandbox {
	pid_t pid;           /* bubblewrap, or without namespaces the agent: a child of the caller */
	int words_fd;        /* stdout and stderr of the child and of bubblewrap */
	int space_fd;        /* the tmpfs; -1: each directory has its own */
	bool is_shared;      /* all files are in one tmpfs */
	struct net_ends net; /* each -1 without a network */
};

/* Nothing is started. */
#define LAUNCH_NONE \
	{ \
		.words_fd = -1, .space_fd = -1, .net = NET_ENDS_NONE \
	}

/* Blocks until the child is about to exec (well under a millisecond). Returns 0, or -errno if no process
 * could be made. A child that fails later exits and reports the reason on words_fd. */
int launch_sandbox(const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		struct launch_sandbox *ret);

#endif
