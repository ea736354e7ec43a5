/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_ADDR_WATCH_H
#define TRM_SUPERVISOR_NET_ADDR_WATCH_H

/* A host whose addresses change while a sandbox with a network runs: it moves to another network, or takes
 * its next temporary address of IPv6. The filter is made anew with those that it has now, in one transaction.
 */

#include "supervisor/net/net.h"

struct addr_watch {
	int fd;             /* netlink: readable when an address came or went; -1: nobody listens */
	struct net_own own; /* that the filter knows, or soon will */
	pid_t pid;          /* who makes it anew; 0: nobody */
	bool is_late;       /* something has changed since that one started */
};

/* Before the filter is made for the first time. */
void addr_watch_begin(struct addr_watch *r);
/* fd can be read. */
void addr_watch_poll(struct addr_watch *r, const struct spec_msg *spec, const struct net_ends *ends);
/* A child has been reaped: one after the other, or the older list might come last. */
void addr_watch_note_end(
		struct addr_watch *r, pid_t pid, const struct spec_msg *spec, const struct net_ends *ends);

#endif
