/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_FD_HANDOFF_H
#define TRM_SUPERVISOR_CONTAINER_FD_HANDOFF_H

/* The supervisor's side of a container's door (wire/fd_handoff.h). The socket lies in a directory of the
 * sandbox's entry that the container sees on a read-only mount: nothing that the container can write to is
 * ever opened by us. One connection is taken, the first one, which the agent makes before any other code of
 * the container runs; then the socket is gone. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/fd_handoff.h"

struct handoff {
	int listen_fd; /* -1: closed */
	int line_fd;   /* to the agent, once it has come; the caller's to keep */
	pid_t pid;     /* the agent's on this machine; 0: not in our PID namespace */
	bool has_report;
	struct handoff_report report;
};

#define HANDOFF_NONE \
	{ \
		.listen_fd = -1, .line_fd = -1 \
	}

/* Make SHARE_DIR/SHARE_SOCKET in the entry. 0 or -errno. */
int handoff_open(struct handoff *d, int entry_fd);
/* listen_fd can be read: let the agent in and hand it `agent_fd`. 0, or -errno and nobody is in. */
int handoff_let_in(struct handoff *d, int agent_fd);
/* line_fd can be read, and there is no report yet. 0 or TRM_EPROTO: nonsense, or it has ended. */
int handoff_handle(struct handoff *d);
/* Nobody comes any more: the socket is removed, the directory stays (it is mounted). */
void handoff_close(struct handoff *d, int entry_fd);
void handoff_finish(struct handoff *d, int entry_fd); /* with the line */
/* Remove what is left of it. */
void handoff_remove(int entry_fd);

#endif
