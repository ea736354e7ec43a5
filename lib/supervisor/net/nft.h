/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_NFT_H
#define TRM_SUPERVISOR_NET_NFT_H

/* A packet filter for what leaves a network namespace, written to the kernel's nf_tables in one
 * transaction: first rule that fits decides. One table for each IP version; the numbers are those of
 * linux/netfilter/nf_tables.h, which a musl toolchain need not have. */

#include <stdbool.h>
#include <stdint.h>

#include "base/cidr.h"
#include "supervisor/net/netlink.h"

struct nft {
	struct netlink link;
	size_t last_rule; /* its place in the batch */
};

void nft_begin(struct nft *n);

/* Rules for packets to `to`. Only those of `proto` (an IPPROTO_…) and `port` if it is not 0. */
void nft_rule(struct nft *n, const struct cidr *to, uint8_t proto, uint16_t port, bool is_accepted);
/* Everything through the device of that index. */
void nft_accept_device(struct nft *n, uint8_t family, uint32_t index);
/* IPv6's address resolution, which is ICMP to multicast and link-local addresses. */
void nft_accept_neighbors(struct nft *n);

/* Put them in force instead of what was set before, in the caller's network namespace, which needs
 * CAP_NET_ADMIN. 0 or an errno. Frees, in any case. */
int nft_commit(struct nft *n);

#endif
