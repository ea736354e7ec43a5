/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_FD_HANDOFF_H
#define TRM_SUPERVISOR_CONTAINER_FD_HANDOFF_H

/* The supervisor's side of a container's handoff socket (wire/fd_handoff.h). The socket lies in a directory
 * of the sandbox's entry that the container sees on a read-only mount. So we never open anything that the
 * container can write to. Only one connection is accepted. The agent makes it before any other code of the
 * container runs. Then the socket is removed. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/fd_handoff.h"

struct handoff {
	int listen_fd; /* -1: closed */
	int line_fd;   /* to the agent, once it has connected; the caller may keep it */
	pid_t pid;     /* the agent's on this machine; 0: it is not in our PID namespace */
	bool has_report;
	struct handoff_report report;
};

#define HANDOFF_NONE \
	{ \
		.listen_fd = -1, .line_fd = -1 \
	}

/* Make SHARE_DIR/SHARE_SOCKET in the entry. Returns 0 or -errno. */
int handoff_open(struct handoff *d, int entry_fd);
/* Call when listen_fd is readable: accept the agent and send it `agent_fd`. Returns 0, or -errno if the
 * agent was not accepted. */
int handoff_let_in(struct handoff *d, int agent_fd);
/* Call when line_fd is readable and there is no report yet. Returns 0, or TRM_EPROTO if the report is
 * invalid or the connection has ended. */
int handoff_handle(struct handoff *d);
/* Accept nobody any more: remove the socket, but keep the directory, because it is mounted. */
void handoff_close(struct handoff *d, int entry_fd);
void handoff_finish(struct handoff *d, int entry_fd); /* closes line_fd, too */
/* Remove the leftover directory and socket. */
void handoff_remove(int entry_fd);

#endif
