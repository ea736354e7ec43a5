/* SPDX-License-Identifier: MIT */
#include "keeper/nft.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_BATCH = 256 * 1024, TABLE_V4 = 2, TABLE_V6 = 10 };
#define TABLE "terrarium"
#define CHAIN "out"

/* linux/netlink.h, linux/netfilter/nfnetlink.h */
enum { NETLINK_NETFILTER_NR = 12, SUBSYS_NFTABLES = 10, BATCH_BEGIN = 0x10, BATCH_END = 0x11, MSG_ERROR = 2 };
enum { F_REQUEST = 1, F_ACK = 4, F_CREATE = 0x400, F_APPEND = 0x800, NESTED = 0x8000 };
/* linux/netfilter/nf_tables.h; attributes of each kind count from 1. */
enum { NEW_TABLE = 0, NEW_CHAIN = 3, NEW_RULE = 6 };
enum { REG_VERDICT = 0, REG_1 = 1 };
enum { PAYLOAD_NETWORK = 1, PAYLOAD_TRANSPORT = 2 };
enum { CMP_EQ = 0, CMP_LTE = 3, CMP_GTE = 5 };
enum { META_OIF = 5, META_L4PROTO = 16 };
enum { HOOK_OUTPUT = 3, VERDICT_ACCEPT = 1, REJECT_ICMP = 0, V4_PROHIBITED = 13, V6_PROHIBITED = 1 };
enum { NEIGHBOUR_FIRST = 133, NEIGHBOUR_LAST = 136 };

struct header {
	uint32_t len;
	uint16_t type, flags;
	uint32_t seq, port;
};

/* ---- attributes -------------------------------------------------------------------- */

static void put(struct nft *n, const void *bytes, size_t len)
{
	static const char zeros[4];
	if (!n->error
			&& (buf_append(&n->batch, bytes, len) < 0
					|| buf_append(&n->batch, zeros, -len & 3) < 0))
		n->error = ENOBUFS;
}

static void put_attr(struct nft *n, uint16_t type, const void *bytes, size_t len)
{
	const uint16_t head[2] = {(uint16_t)(4 + len), type};
	put(n, head, sizeof head);
	put(n, bytes, len);
}

static void put_text(struct nft *n, uint16_t type, const char *text)
{
	put_attr(n, type, text, strlen(text) + 1);
}

static void put_u32(struct nft *n, uint16_t type, uint32_t v)
{
	v = htonl(v);
	put_attr(n, type, &v, sizeof v);
}

/* Begin a length that is filled in when what it counts is complete. Returns its place. */
static size_t open_attr(struct nft *n, uint16_t type)
{
	put_attr(n, type | NESTED, NULL, 0);
	return n->batch.len - 4;
}

static void close_attr(struct nft *n, size_t at)
{
	uint16_t len = (uint16_t)(n->batch.len - at);
	if (!n->error)
		memcpy(buf_at(&n->batch) + at, &len, sizeof len);
}

static size_t open_msg(struct nft *n, uint16_t type, uint16_t flags, uint8_t family, uint16_t id)
{
	const struct header head = {.type = type, .flags = F_REQUEST | flags, .seq = ++n->seq};
	const uint8_t nf[4] = {family, 0, (uint8_t)(id >> 8), (uint8_t)id};
	put(n, &head, sizeof head);
	put(n, nf, sizeof nf);
	return n->batch.len - sizeof head - sizeof nf;
}

static void close_msg(struct nft *n, size_t at)
{
	uint32_t len = (uint32_t)(n->batch.len - at);
	if (!n->error)
		memcpy(buf_at(&n->batch) + at, &len, sizeof len);
}

/* ---- expressions --------------------------------------------------------------------- */

struct nest {
	size_t element, data;
};

static struct nest open_expr(struct nft *n, const char *name)
{
	struct nest nest;
	nest.element = open_attr(n, 1);
	put_text(n, 1, name);
	nest.data = open_attr(n, 2);
	return nest;
}

static void close_expr(struct nft *n, struct nest nest)
{
	close_attr(n, nest.data);
	close_attr(n, nest.element);
}

static void put_value(struct nft *n, uint16_t type, const void *bytes, size_t len)
{
	size_t at = open_attr(n, type);
	put_attr(n, 1, bytes, len);
	close_attr(n, at);
}

static void load_payload(struct nft *n, uint32_t base, uint32_t offset, uint32_t len)
{
	struct nest e = open_expr(n, "payload");
	put_u32(n, 1, REG_1);
	put_u32(n, 2, base);
	put_u32(n, 3, offset);
	put_u32(n, 4, len);
	close_expr(n, e);
}

static void load_meta(struct nft *n, uint32_t key)
{
	struct nest e = open_expr(n, "meta");
	put_u32(n, 1, REG_1);
	put_u32(n, 2, key);
	close_expr(n, e);
}

static void mask(struct nft *n, unsigned bits, uint32_t len)
{
	uint8_t ones[16] = {0}, zeros[16] = {0};
	for (unsigned i = 0; i < bits; i++)
		ones[i / 8] |= (uint8_t)(0x80 >> i % 8);
	struct nest e = open_expr(n, "bitwise");
	put_u32(n, 1, REG_1);
	put_u32(n, 2, REG_1);
	put_u32(n, 3, len);
	put_value(n, 4, ones, len);
	put_value(n, 5, zeros, len);
	close_expr(n, e);
}

static void compare(struct nft *n, uint32_t op, const void *bytes, size_t len)
{
	struct nest e = open_expr(n, "cmp");
	put_u32(n, 1, REG_1);
	put_u32(n, 2, op);
	put_value(n, 3, bytes, len);
	close_expr(n, e);
}

static void accept_packet(struct nft *n)
{
	struct nest e = open_expr(n, "immediate");
	put_u32(n, 1, REG_VERDICT);
	size_t data = open_attr(n, 2), verdict = open_attr(n, 2);
	put_u32(n, 1, VERDICT_ACCEPT);
	close_attr(n, verdict);
	close_attr(n, data);
	close_expr(n, e);
}

/* Not dropped in silence: whoever tries shall be told at once, not after two minutes. */
static void reject_packet(struct nft *n, uint8_t family)
{
	uint8_t code = family == 4 ? V4_PROHIBITED : V6_PROHIBITED;
	struct nest e = open_expr(n, "reject");
	put_u32(n, 1, REJECT_ICMP);
	put_attr(n, 2, &code, sizeof code);
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
	size_t msg = open_msg(n, type | NEW_TABLE, F_CREATE, table_of(family), 0);
	put_text(n, 1, TABLE);
	close_msg(n, msg);
	msg = open_msg(n, type | NEW_CHAIN, F_CREATE, table_of(family), 0);
	put_text(n, 1, TABLE);
	put_text(n, 3, CHAIN);
	size_t hook = open_attr(n, 4);
	put_u32(n, 1, HOOK_OUTPUT);
	put_u32(n, 2, 0); /* priority: an ordinary filter */
	close_attr(n, hook);
	put_text(n, 7, "filter");
	close_msg(n, msg);
}

static void batch_edge(struct nft *n, uint16_t type)
{
	close_msg(n, open_msg(n, type, 0, 0, SUBSYS_NFTABLES));
}

void nft_begin(struct nft *n)
{
	*n = (struct nft){0};
	buf_init(&n->batch, MAX_BATCH);
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
	rule.msg = open_msg(n, SUBSYS_NFTABLES << 8 | NEW_RULE, F_CREATE | F_APPEND, table_of(family), 0);
	n->last_rule = rule.msg;
	put_text(n, 1, TABLE);
	put_text(n, 2, CHAIN);
	rule.list = open_attr(n, 4);
	return rule;
}

static void close_rule(struct nft *n, struct rule rule)
{
	close_attr(n, rule.list);
	close_msg(n, rule.msg);
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

void nft_accept_neighbours(struct nft *n)
{
	const uint8_t icmp = IPPROTO_ICMPV6, first = NEIGHBOUR_FIRST, last = NEIGHBOUR_LAST;
	struct rule rule = open_rule(n, 6);
	load_meta(n, META_L4PROTO);
	compare(n, CMP_EQ, &icmp, 1);
	load_payload(n, PAYLOAD_TRANSPORT, 0, 1);
	compare(n, CMP_GTE, &first, 1);
	compare(n, CMP_LTE, &last, 1);
	accept_packet(n);
	close_rule(n, rule);
}

/* ---- the kernel ---------------------------------------------------------------------------- */

/* Until the last rule is acknowledged, or the first error. */
static int hear(int fd, uint32_t last_seq)
{
	union {
		struct header align;
		char bytes[8192];
	} in;
	for (;;) {
		ssize_t got = recv(fd, &in, sizeof in, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		for (size_t at = 0; at + sizeof(struct header) + 4 <= (size_t)got;) {
			struct header head;
			int32_t error;
			memcpy(&head, in.bytes + at, sizeof head);
			memcpy(&error, in.bytes + at + sizeof head, sizeof error);
			if (head.type == MSG_ERROR && (error || head.seq == last_seq))
				return -error;
			if (head.len < sizeof head)
				return EPROTO;
			at += (head.len + 3) & ~3u;
		}
	}
}

static void ask_for_ack(struct nft *n, size_t msg)
{
	const uint16_t flags = F_REQUEST | F_CREATE | F_APPEND | F_ACK;
	if (!n->error)
		memcpy(buf_at(&n->batch) + msg + offsetof(struct header, flags), &flags, sizeof flags);
}

int nft_commit(struct nft *n)
{
	const struct {
		uint16_t family, pad;
		uint32_t pid, groups;
	} kernel = {.family = AF_NETLINK};
	const struct timeval patience = {.tv_sec = 5};
	const uint32_t last_seq = n->seq;
	batch_edge(n, BATCH_END);
	ask_for_ack(n, n->last_rule);
	int error = n->error;
	int fd = error ? -1 : socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER_NR);
	if (fd < 0 && !error)
		error = errno;
	if (!error)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (!error
			&& sendto(fd, buf_at(&n->batch), n->batch.len, 0, (const struct sockaddr *)&kernel,
					   sizeof kernel)
					   < 0)
		error = errno;
	if (!error)
		error = hear(fd, last_seq);
	if (fd >= 0)
		close(fd);
	buf_finish(&n->batch);
	return error;
}
