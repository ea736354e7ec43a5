/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_H
#define TRM_SUPERVISOR_LAUNCH_H

/* Theory of operation. A child of the supervisor makes itself what the sandbox is
 * to be held in, from the outside in, and then becomes bubblewrap:
 *
 *   control groups → oom score → mount namespace with the tmpfs → own user → network
 *   namespace with its filter → descriptors → resource limits → exec with an empty environment
 *
 * or, without namespaces, the agent itself:
 *
 *   control groups → oom score → own user → descriptors → resource limits → Landlock → seccomp → exec
 *
 * Everything that needs privileges comes before the change of user, and
 * nothing of the sandbox runs before all of it is done. What goes wrong is said
 * in a sentence on the same pipe that bubblewrap's own stderr is. */

#include <stdbool.h>
#include <sys/types.h>

#include "supervisor/limits/group.h"
#include "supervisor/net/net.h"
#include "wire/control.h"

struct launch_sandbox {
	pid_t pid;           /* bubblewrap, or without namespaces the agent: a child of the caller */
	int words_fd;        /* what it has to say: stdout and stderr of everything up to the agent */
	int space_fd;        /* the tmpfs; -1 if there is one for each directory */
	bool is_shared;      /* one tmpfs for all files */
	struct net_ends net; /* -1 each without a network */
};

/* Nothing started. */
#define LAUNCH_NONE \
	{ \
		.words_fd = -1, .space_fd = -1, .net = { -1, -1, -1 } \
	}

/* Blocks until the child is about to exec (well under a millisecond). 0, or -errno
 * when no process could be made. A child that fails later exits; ask words_fd why. */
int launch_sandbox(const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		struct launch_sandbox *ret);

#endif
