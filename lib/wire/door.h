/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_DOOR_H
#define TRM_WIRE_DOOR_H

/* The door of a container, between its keeper and the agent, which is its main process. The keeper listens
 * on a SOCK_SEQPACKET socket that the container sees on a read-only mount; the agent connects to it
 * (`container --door PATH`), once. Then
 *
 *   keeper → agent   one packet: DOOR_LISTENER, with a listening stream socket by SCM_RIGHTS
 *   agent → keeper   one packet: a report
 *
 * and nothing more: the line stays open, and its end is the end of the other side. The agent ends when the
 * keeper's is closed, and takes all its processes along. Who has answered with an error ends at once.
 *
 * The agent belongs to the sandbox, so the keeper takes nothing in a report for true but as words to be
 * shown; strings are cleaned by the reader. An agent that is reached by its key (`container --key`)
 * tells the same at the end of WELCOME. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/pack.h"

enum { DOOR_LISTENER = 'L', DOOR_REPORT_MAX = 8192 };

struct door_report {
	bool is_init;      /* the agent is process 1 in there */
	uint32_t uid, gid; /* whom it runs as, as seen in there */
	char *user;        /* name, or the number where it has none */
	char *workdir;     /* where commands start */
	char *words; /* what was asked for and could not be done: clauses with "; " between; "": nothing */
	char *error; /* a whole sentence: it cannot serve; "": it does */
};

/* Keeper: hand the listening socket over. 0 or -errno. */
int door_hand(int door_fd, int listen_fd);
/* Agent: wait for it. The descriptor (close-on-exec) or -errno; -EPROTO: something else came. */
int door_take(int door_fd);

/* Append a report. NULL is "". 0, TRM_ETOOBIG or TRM_ENOMEM. */
int door_report_put(struct buf *out, const struct door_report *report);
/* As fields of something else. Sets u->bad when it is none; then there is nothing to free. */
void door_report_pack(struct pack *p, const struct door_report *report);
void door_report_unpack(struct unpack *u, struct door_report *ret);
/* The strings are allocated and cleaned. TRM_EPROTO, TRM_ENOMEM: nothing to free. */
int door_report_get(const void *packet, size_t n, struct door_report *ret);
void door_report_finish(struct door_report *report);

#endif
