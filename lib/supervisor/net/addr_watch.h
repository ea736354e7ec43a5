/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_ADDR_WATCH_H
#define TRM_SUPERVISOR_NET_ADDR_WATCH_H

/* The host's addresses may change while a sandbox with a network runs: the host moves to another network or
 * takes its next temporary IPv6 address. The filter is then replaced in one transaction. */

#include "supervisor/net/net.h"

struct addr_watch {
	int fd;             /* netlink: readable when an address came or went; -1: not watched */
	struct net_own own; /* the addresses that the filter has, or will soon have */
	pid_t pid;          /* the process that replaces the filter; 0: none */
	bool is_late;       /* addresses have changed since that process started */
};

/* Call before the filter is made for the first time. */
void addr_watch_begin(struct addr_watch *r);
/* Call when fd is readable. */
void addr_watch_poll(struct addr_watch *r, const struct spec_msg *spec, const struct net_ends *ends);
/* A child has been reaped. Replacements run one after the other, so that an older list never comes last. */
void addr_watch_note_end(
		struct addr_watch *r, pid_t pid, const struct spec_msg *spec, const struct net_ends *ends);

#endif
