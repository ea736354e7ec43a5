/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_ROAM_H
#define TRM_KEEPER_ROAM_H

/* A host whose addresses change while a sandbox with a network runs: it moves to another network, or takes
 * its next temporary address of IPv6. The filter is made anew with those that it has now, in one transaction.
 */

#include "keeper/net.h"

struct roam {
	int fd;             /* netlink: readable when an address came or went; -1: nobody listens */
	struct net_own own; /* that the filter knows, or soon will */
	pid_t pid;          /* who makes it anew; 0: nobody */
	bool is_late;       /* something has changed since that one started */
};

/* Before the filter is made for the first time. */
void roam_begin(struct roam *r);
/* fd can be read. */
void roam_look(struct roam *r, const struct spec_msg *spec, const struct net_ends *ends);
/* A child has been reaped: one after the other, or the older list might come last. */
void roam_note_end(struct roam *r, pid_t pid, const struct spec_msg *spec, const struct net_ends *ends);

#endif
