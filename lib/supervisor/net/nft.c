/* SPDX-License-Identifier: MIT */
#include "supervisor/net/nft.h"

#include <netinet/in.h>

enum { TABLE_V4 = 2, TABLE_V6 = 10 };
#define TABLE "terrarium"
#define CHAIN "out"

/* linux/netlink.h, linux/netfilter/nfnetlink.h */
enum { SUBSYS_NFTABLES = 10, BATCH_BEGIN = 0x10, BATCH_END = 0x11 };
/* linux/netfilter/nf_tables.h; attributes of each kind count from 1. */
enum { NEW_TABLE = 0, DELETE_TABLE = 2, NEW_CHAIN = 3, NEW_RULE = 6 };
enum { REG_VERDICT = 0, REG_1 = 1 };
enum { PAYLOAD_NETWORK = 1, PAYLOAD_TRANSPORT = 2 };
enum { CMP_EQ = 0, CMP_LTE = 3, CMP_GTE = 5 };
enum { META_OIF = 5, META_L4PROTO = 16 };
enum { HOOK_OUTPUT = 3, VERDICT_ACCEPT = 1, REJECT_ICMP = 0, V4_PROHIBITED = 13, V6_PROHIBITED = 1 };
enum { NEIGHBOR_FIRST = 133, NEIGHBOR_LAST = 136 };

static size_t open_msg(struct nft *n, uint16_t type, uint16_t flags, uint8_t family, uint16_t id)
{
	const uint8_t head[4] = {family, 0, (uint8_t)(id >> 8), (uint8_t)id};
	return netlink_open_msg(&n->link, type, flags, head, sizeof head);
}

/* ---- expressions --------------------------------------------------------------------- */

struct nest {
	size_t element, data;
};

static struct nest open_expr(struct nft *n, const char *name)
{
	struct nest nest;
	nest.element = netlink_open(&n->link, 1);
	netlink_put_text(&n->link, 1, name);
	nest.data = netlink_open(&n->link, 2);
	return nest;
}

static void close_expr(struct nft *n, struct nest nest)
{
	netlink_close(&n->link, nest.data);
	netlink_close(&n->link, nest.element);
}

static void put_value(struct nft *n, uint16_t type, const void *bytes, size_t len)
{
	size_t at = netlink_open(&n->link, type);
	netlink_put_attr(&n->link, 1, bytes, len);
	netlink_close(&n->link, at);
}

static void load_payload(struct nft *n, uint32_t base, uint32_t offset, uint32_t len)
{
	struct nest e = open_expr(n, "payload");
	netlink_put_u32(&n->link, 1, REG_1);
	netlink_put_u32(&n->link, 2, base);
	netlink_put_u32(&n->link, 3, offset);
	netlink_put_u32(&n->link, 4, len);
	close_expr(n, e);
}

static void load_meta(struct nft *n, uint32_t key)
{
	struct nest e = open_expr(n, "meta");
	netlink_put_u32(&n->link, 1, REG_1);
	netlink_put_u32(&n->link, 2, key);
	close_expr(n, e);
}

static void mask(struct nft *n, unsigned bits, uint32_t len)
{
	uint8_t ones[16] = {0}, zeros[16] = {0};
	for (unsigned i = 0; i < bits; i++)
		ones[i / 8] |= (uint8_t)(0x80 >> i % 8);
	struct nest e = open_expr(n, "bitwise");
	netlink_put_u32(&n->link, 1, REG_1);
	netlink_put_u32(&n->link, 2, REG_1);
	netlink_put_u32(&n->link, 3, len);
	put_value(n, 4, ones, len);
	put_value(n, 5, zeros, len);
	close_expr(n, e);
}

static void compare(struct nft *n, uint32_t op, const void *bytes, size_t len)
{
	struct nest e = open_expr(n, "cmp");
	netlink_put_u32(&n->link, 1, REG_1);
	netlink_put_u32(&n->link, 2, op);
	put_value(n, 3, bytes, len);
	close_expr(n, e);
}

static void accept_packet(struct nft *n)
{
	struct nest e = open_expr(n, "immediate");
	netlink_put_u32(&n->link, 1, REG_VERDICT);
	size_t data = netlink_open(&n->link, 2), verdict = netlink_open(&n->link, 2);
	netlink_put_u32(&n->link, 1, VERDICT_ACCEPT);
	netlink_close(&n->link, verdict);
	netlink_close(&n->link, data);
	close_expr(n, e);
}

/* Rejected rather than dropped, so that a connection fails at once and not after two minutes. */
static void reject_packet(struct nft *n, uint8_t family)
{
	uint8_t code = family == 4 ? V4_PROHIBITED : V6_PROHIBITED;
	struct nest e = open_expr(n, "reject");
	netlink_put_u32(&n->link, 1, REJECT_ICMP);
	netlink_put_attr(&n->link, 2, &code, sizeof code);
	close_expr(n, e);
}

/* ---- rules ------------------------------------------------------------------------------ */

static uint8_t table_of(uint8_t family)
{
	return family == 4 ? TABLE_V4 : TABLE_V6;
}

static void add_chain(struct nft *n, uint8_t family)
{
	const uint16_t type = SUBSYS_NFTABLES << 8;
	/* Create the table first, so that deleting it cannot fail. The transaction hides the moment without
	 * it. */
	static const uint16_t steps[] = {NEW_TABLE, DELETE_TABLE, NEW_TABLE};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		size_t at = open_msg(n, type | steps[i], steps[i] == NEW_TABLE ? NETLINK_CREATE : 0,
				table_of(family), 0);
		netlink_put_text(&n->link, 1, TABLE);
		netlink_close_msg(&n->link, at);
	}
	size_t msg = open_msg(n, type | NEW_CHAIN, NETLINK_CREATE, table_of(family), 0);
	netlink_put_text(&n->link, 1, TABLE);
	netlink_put_text(&n->link, 3, CHAIN);
	size_t hook = netlink_open(&n->link, 4);
	netlink_put_u32(&n->link, 1, HOOK_OUTPUT);
	netlink_put_u32(&n->link, 2, 0); /* priority: an ordinary filter */
	netlink_close(&n->link, hook);
	netlink_put_text(&n->link, 7, "filter");
	netlink_close_msg(&n->link, msg);
}

static void batch_edge(struct nft *n, uint16_t type)
{
	netlink_close_msg(&n->link, open_msg(n, type, 0, 0, SUBSYS_NFTABLES));
}

void nft_begin(struct nft *n)
{
	*n = (struct nft){0};
	netlink_begin(&n->link);
	batch_edge(n, BATCH_BEGIN);
	add_chain(n, 4);
	add_chain(n, 6);
}

struct rule {
	size_t msg, list;
};

static struct rule open_rule(struct nft *n, uint8_t family)
{
	struct rule rule;
	rule.msg = open_msg(n, SUBSYS_NFTABLES << 8 | NEW_RULE, NETLINK_CREATE | NETLINK_APPEND,
			table_of(family), 0);
	n->last_rule = rule.msg;
	netlink_put_text(&n->link, 1, TABLE);
	netlink_put_text(&n->link, 2, CHAIN);
	rule.list = netlink_open(&n->link, 4);
	return rule;
}

static void close_rule(struct nft *n, struct rule rule)
{
	netlink_close(&n->link, rule.list);
	netlink_close_msg(&n->link, rule.msg);
}

static void match_address(struct nft *n, const struct cidr *to)
{
	const uint32_t len = to->family == 4 ? 4 : 16, offset = to->family == 4 ? 16 : 24;
	if (!to->bits)
		return;
	load_payload(n, PAYLOAD_NETWORK, offset, len);
	if (!cidr_is_single(to))
		mask(n, to->bits, len);
	compare(n, CMP_EQ, to->addr, len);
}

void nft_rule(struct nft *n, const struct cidr *to, uint8_t proto, uint16_t port, bool is_accepted)
{
	struct rule rule = open_rule(n, to->family);
	match_address(n, to);
	if (port) {
		const uint8_t wire[2] = {(uint8_t)(port >> 8), (uint8_t)port};
		load_meta(n, META_L4PROTO);
		compare(n, CMP_EQ, &proto, 1);
		load_payload(n, PAYLOAD_TRANSPORT, 2, 2);
		compare(n, CMP_EQ, wire, sizeof wire);
	}
	if (is_accepted)
		accept_packet(n);
	else
		reject_packet(n, to->family);
	close_rule(n, rule);
}

void nft_accept_device(struct nft *n, uint8_t family, uint32_t index)
{
	struct rule rule = open_rule(n, family);
	load_meta(n, META_OIF);
	compare(n, CMP_EQ, &index, sizeof index);
	accept_packet(n);
	close_rule(n, rule);
}

void nft_accept_neighbors(struct nft *n)
{
	const uint8_t icmp = IPPROTO_ICMPV6, first = NEIGHBOR_FIRST, last = NEIGHBOR_LAST;
	struct rule rule = open_rule(n, 6);
	load_meta(n, META_L4PROTO);
	compare(n, CMP_EQ, &icmp, 1);
	load_payload(n, PAYLOAD_TRANSPORT, 0, 1);
	compare(n, CMP_GTE, &first, 1);
	compare(n, CMP_LTE, &last, 1);
	accept_packet(n);
	close_rule(n, rule);
}

int nft_commit(struct nft *n)
{
	netlink_ask(&n->link, n->last_rule);
	batch_edge(n, BATCH_END);
	return netlink_commit(&n->link, NETLINK_OF_FILTERS);
}
