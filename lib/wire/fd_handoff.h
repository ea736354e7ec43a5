/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FD_HANDOFF_H
#define TRM_WIRE_FD_HANDOFF_H

/* The door of a container, between its supervisor and the agent, which is its main process. The supervisor
 * listens on a SOCK_SEQPACKET socket that the container sees on a read-only mount; the agent connects to it
 * (`container --door PATH`), once. Then
 *
 *   supervisor → agent   one packet: HANDOFF_LISTENER, with a listening stream socket by SCM_RIGHTS
 *   agent → supervisor   one packet: a report
 *
 * and nothing more: the line stays open, and its end is the end of the other side. The agent ends when the
 * supervisor's is closed, and takes all its processes along. Who has answered with an error ends at once.
 *
 * The agent belongs to the sandbox, so the supervisor takes nothing in a report for true but as words to be
 * shown; strings are cleaned by the reader. An agent that is reached by its key (`container --key`)
 * tells the same at the end of WELCOME. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/pack.h"

enum { HANDOFF_LISTENER = 'L', HANDOFF_REPORT_MAX = 8192 };

struct handoff_report {
	bool is_init;      /* the agent is process 1 in there */
	uint32_t uid, gid; /* whom it runs as, as seen in there */
	char *user;        /* name, or the number where it has none */
	char *workdir;     /* where commands start */
	char *words; /* what was requested but could not be done: clauses with "; " between; "": nothing */
	char *error; /* why it cannot serve, a whole sentence; "": it can */
};

/* Supervisor: hand the listening socket over. 0 or -errno. */
int handoff_hand(int handoff_fd, int listen_fd);
/* Agent: wait for it. The descriptor (close-on-exec) or -errno; -EPROTO: something else came. */
int handoff_take(int handoff_fd);

/* Append a report. NULL is "". 0, TRM_ETOOBIG or TRM_ENOMEM. */
int handoff_report_put(struct buf *out, const struct handoff_report *report);
/* The same as fields of another message. An invalid report sets u->bad, and then there is nothing to free. */
void handoff_report_pack(struct pack *p, const struct handoff_report *report);
void handoff_report_unpack(struct unpack *u, struct handoff_report *ret);
/* The strings are allocated and cleaned. TRM_EPROTO, TRM_ENOMEM: nothing to free. */
int handoff_report_get(const void *packet, size_t n, struct handoff_report *ret);
void handoff_report_finish(struct handoff_report *report);

#endif
