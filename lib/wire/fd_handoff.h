/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FD_HANDOFF_H
#define TRM_WIRE_FD_HANDOFF_H

/* The handoff socket of a container: how the agent, its main process, gets the listening socket for
 * clients. The supervisor listens on a SOCK_SEQPACKET socket that the container sees on a read-only
 * mount. The agent connects to it once (`container --door PATH`). Then each side sends one packet:
 *
 *   supervisor → agent   HANDOFF_LISTENER, with a listening stream socket by SCM_RIGHTS
 *   agent → supervisor   a report
 *
 * The connection then stays open, so that each side notices the end of the other. When the supervisor's
 * end closes, the agent ends with all its processes. An agent that has reported an error ends at once.
 *
 * The agent belongs to the sandbox, so the supervisor does not trust its report: it only displays the
 * strings, which the reader cleans. An agent that is reached by its key (`container --key`) sends the
 * same report at the end of WELCOME. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { HANDOFF_LISTENER = 'L', HANDOFF_REPORT_MAX = 8192 };

/* What the agent has seen of a network that it was told to look for (--probe-net). */
enum net_seen {
	NET_NOT_SEEN,  /* it did not look, or there was nothing to try */
	NET_SEEN_NONE, /* no network device is up, except the loopback device */
	NET_SEEN_DEAF, /* nothing answered at the address of the cluster's API */
	NET_SEEN_OPEN, /* something did */
	NET_SEEN_END
};

struct handoff_report {
	bool is_init;      /* the agent is process 1 of the container */
	uint32_t uid, gid; /* the agent's user and group, as seen in the container */
	enum net_seen net;
	char *user;    /* name, or the number if there is no name */
	char *workdir; /* where commands start */
	char *words;   /* requests that could not be met: clauses with "; " between; "": none */
	char *error;   /* why the agent cannot serve, a whole sentence; "": it can */
};

/* Supervisor: send the listening socket. 0 or -errno. */
int handoff_hand(int handoff_fd, int listen_fd);
/* Agent: wait for the socket. The descriptor (close-on-exec) or -errno; -EPROTO: something else came. */
int handoff_take(int handoff_fd);

/* Append a report. NULL is "". 0, TRM_ETOOBIG or TRM_ENOMEM. */
int handoff_report_put(struct buf *out, const struct handoff_report *report);
/* The strings are allocated and cleaned. TRM_EPROTO, TRM_ENOMEM: nothing to free. */
int handoff_report_get(const void *packet, size_t n, struct handoff_report *ret);
void handoff_report_finish(struct handoff_report *report);

#endif
