/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_NFT_H
#define TRM_SUPERVISOR_NET_NFT_H

/* A packet filter for packets that leave a network namespace. It is written to the kernel's nf_tables in
 * one transaction. The first matching rule decides. There is one table for each IP version. The numbers are
 * those of linux/netfilter/nf_tables.h, which a musl toolchain need not have. */

#include <stdbool.h>
#include <stdint.h>

#include "base/cidr.h"
#include "supervisor/net/netlink.h"

struct nft {
	struct netlink link;
	size_t last_rule; /* its offset in the batch */
};

void nft_begin(struct nft *n);

/* Add a rule for packets to `to`. It matches only `proto` (an IPPROTO_…) and `port` if they are not 0. */
void nft_rule(struct nft *n, const struct cidr *to, uint8_t proto, uint16_t port, bool is_accepted);
/* Accept everything through the device with that index. */
void nft_accept_device(struct nft *n, uint8_t family, uint32_t index);
/* Accept IPv6 address resolution, which is ICMP to multicast and link-local addresses. */
void nft_accept_neighbors(struct nft *n);

/* Replace the current filter in the caller's network namespace, which needs CAP_NET_ADMIN. Returns 0 or an
 * errno. Frees the batch in any case. */
int nft_commit(struct nft *n);

#endif
