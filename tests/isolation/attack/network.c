/* SPDX-License-Identifier: MIT */

/* Ways to the host by sockets. Nothing here leaves the machine. */

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "isolation/attack/attack.h"

static enum verdict of_connect(struct found *f, int family, const void *address, socklen_t n)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && connect(fd, address, n) == 0 ? say(f, OPEN, "it answers")
						       : say(f, SHUT, "%s", strerror(errno));
}

/* Streams cannot leave their pair. */
static enum verdict of_way(struct found *f, long r)
{
	if (r >= 0)
		return say(f, OPEN, "it is sent");
	return say(f, errno == EISCONN ? LACKING : SHUT, "%s", strerror(errno));
}

/* To a socket file of the host. */
static struct sockaddr_un file_named(const struct target *t, const char *name)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	snprintf(to.sun_path, sizeof to.sun_path, "%.80s/%s", t->dir, name);
	return to;
}

/* One end of a pair, whose other end is closed; -1: there are no pairs of this type. */
static int half_pair(int type)
{
	int pair[2];
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	close(pair[1]);
	return pair[0];
}

static enum verdict send_to(struct found *f, int fd, const struct sockaddr_un *to, socklen_t n)
{
	return of_way(f, fd < 0 ? -1 : sendto(fd, "x", 1, MSG_NOSIGNAL, (const struct sockaddr *)to, n));
}

static enum verdict connect_half(struct found *f, int type, struct sockaddr_un to)
{
	int fd = half_pair(type);
	return of_way(f, fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof to));
}

static enum verdict send_from_pair(const struct target *t, struct found *f)
{
	struct sockaddr_un to = file_named(t, "datagrams");
	return send_to(f, half_pair(SOCK_DGRAM), &to, sizeof to);
}

static enum verdict send_from_raw_pair(const struct target *t, struct found *f)
{
	struct sockaddr_un to = file_named(t, "datagrams");
	return send_to(f, half_pair(SOCK_RAW), &to, sizeof to);
}

static enum verdict send_from_pair_by_high_bits(const struct target *t, struct found *f)
{
	struct sockaddr_un to = file_named(t, "datagrams");
	int pair[2] = {-1, -1};
	syscall(SYS_socketpair, AF_UNIX, 1ull << 32 | SOCK_DGRAM, 0, pair);
	return send_to(f, pair[0], &to, sizeof to);
}

static enum verdict send_from_pair_to_abstract(const struct target *t, struct found *f)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "%s-datagrams", t->word);
	return send_to(f, half_pair(SOCK_DGRAM), &to,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

/* The pair is dissolved first: then it can get a name, by which it is answered. */
static enum verdict send_from_dissolved_pair(const struct target *t, struct found *f)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	struct sockaddr_un to = file_named(t, "datagrams");
	int fd = half_pair(SOCK_DGRAM);
	if (fd >= 0)
		connect(fd, &none, sizeof none);
	return send_to(f, fd, &to, sizeof to);
}

static enum verdict connect_datagram_pair(const struct target *t, struct found *f)
{
	return connect_half(f, SOCK_DGRAM, file_named(t, "datagrams"));
}

static enum verdict connect_stream_pair(const struct target *t, struct found *f)
{
	return connect_half(f, SOCK_STREAM, file_named(t, "socket"));
}

static enum verdict connect_packet_pair(const struct target *t, struct found *f)
{
	return connect_half(f, SOCK_SEQPACKET, file_named(t, "packets"));
}

static enum verdict connect_loopback(const struct target *t, struct found *f)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons((uint16_t)t->port4),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return of_connect(f, AF_INET, &to, sizeof to);
}

static enum verdict connect_loopback_v6(const struct target *t, struct found *f)
{
	struct sockaddr_in6 to = {.sin6_family = AF_INET6,
			.sin6_port = htons((uint16_t)t->port6),
			.sin6_addr = in6addr_loopback};
	if (!t->port6)
		return say(f, LACKING, "the host has no IPv6");
	return of_connect(f, AF_INET6, &to, sizeof to);
}

static enum verdict connect_abstract(const struct target *t, struct found *f)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "%s", t->word);
	return of_connect(
			f, AF_UNIX, &to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

static enum verdict connect_path(const struct target *t, struct found *f)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	snprintf(to.sun_path, sizeof to.sun_path, "%s/socket", t->dir);
	return of_connect(f, AF_UNIX, &to, sizeof to);
}

/* A datagram needs no answer, only a way: to the ranges for documentation, of which nobody has any. */
static enum verdict find_way(const struct target *t, struct found *f)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	(void)t;
	inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
	return connect(fd, (struct sockaddr *)&to, sizeof to) == 0 ? say(f, OPEN, "there is a route")
								   : say(f, LACKING, "%s", strerror(errno));
}

static enum verdict see_devices(const struct target *t, struct found *f)
{
	struct if_nameindex *all = if_nameindex();
	(void)t;
	for (struct if_nameindex *at = all; at && at->if_index; at++)
		if (strcmp(at->if_name, "lo"))
			return say(f, OPEN, "%s", at->if_name);
	return say(f, LACKING, "only lo");
}

static enum verdict of_socket(struct found *f, int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);
	enum verdict v = of_call(f, fd);
	if (fd >= 0)
		close(fd);
	return v;
}

#define MAKER(name, family, type, protocol) \
	static enum verdict name(const struct target *t, struct found *f) \
	{ \
		(void)t; \
		return of_socket(f, family, type, protocol); \
	}

MAKER(make_vsock, AF_VSOCK, SOCK_STREAM, 0)
MAKER(make_packet, AF_PACKET, SOCK_RAW, 0)
MAKER(make_packet_of_old, AF_INET, SOCK_PACKET, 0)
MAKER(make_raw, AF_INET, SOCK_RAW, IPPROTO_ICMP)
MAKER(make_raw_v6, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)
MAKER(make_alg, AF_ALG, SOCK_SEQPACKET, 0)
MAKER(make_key, AF_KEY, SOCK_RAW, 2)
MAKER(make_sctp, AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP)
MAKER(make_sctp_stream, AF_INET6, SOCK_STREAM, IPPROTO_SCTP)
MAKER(make_dccp, AF_INET, 6, 33)
MAKER(make_udplite, AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE)
MAKER(make_audit, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT)
MAKER(make_diag, AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG)
MAKER(make_uevent, AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT)
MAKER(make_netfilter, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER)
MAKER(make_generic, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC)
MAKER(make_crypto, AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO)
MAKER(make_xfrm, AF_NETLINK, SOCK_RAW, NETLINK_XFRM)

/* All 64 bits of an argument reach the filter, 32 of them the kernel. */
static enum verdict make_vsock_by_high_bits(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(SYS_socket, 1ull << 32 | AF_VSOCK, SOCK_STREAM, 0));
}

static enum verdict make_diag_by_high_bits(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(SYS_socket, 1ull << 32 | AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
}

static enum verdict make_raw_by_high_bits(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(SYS_socket, 1ull << 32 | AF_INET, SOCK_RAW, IPPROTO_ICMP));
}

/* Every other family. */
static enum verdict make_any(const struct target *t, struct found *f)
{
	(void)t;
	for (int family = 1; family < 64; family++)
		for (int type = 1; type <= SOCK_PACKET; type++) {
			bool is_fine = family == AF_UNIX || family == AF_INET || family == AF_INET6
				       || family == AF_NETLINK;
			int fd = is_fine ? -1 : socket(family, type, 0);
			if (fd >= 0)
				return say(f, OPEN, "family %d, type %d", family, type);
		}
	return say(f, SHUT, "none");
}

/* socketpair() makes a socket before it finds that the family has no pairs. */
static enum verdict make_pair(const struct target *t, struct found *f)
{
	int pair[2];
	(void)t;
	for (int family = 2; family < 64; family++)
		if (family != AF_INET && family != AF_INET6 && family != AF_NETLINK
				&& (socketpair(family, SOCK_STREAM, 0, pair) == 0 || errno == EOPNOTSUPP))
			return say(f, OPEN, "family %d", family);
	return say(f, SHUT, "none");
}

/* A name for the loopback device is the administrator's to give. */
static enum verdict change_network(const struct target *t, struct found *f)
{
	struct {
		struct nlmsghdr head;
		unsigned char body[16];
	} ask = {{sizeof ask, 19 /* RTM_SETLINK */, NLM_F_REQUEST | NLM_F_ACK, 1, 0}, {[4] = 1}};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
	} answer = {0};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	(void)t;
	if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0 || recv(fd, &answer, sizeof answer, 0) <= 0)
		return say(f, LACKING, "no netlink");
	errno = -answer.err.error;
	return of_call(f, answer.err.error ? -1 : 0);
}

static const struct attempt ATTEMPTS[] = {
		{"network", "loopback of the host", connect_loopback, 0},
		{"network", "loopback of the host, IPv6", connect_loopback_v6, 0},
		{"network", "abstract socket of the host", connect_abstract, 0},
		{"network", "socket file of the host", connect_path, 0},
		{"pairs", "datagram to a socket file", send_from_pair, 0},
		{"pairs", "raw, to a socket file", send_from_raw_pair, 0},
		{"pairs", "datagram by high bits", send_from_pair_by_high_bits, 0},
		{"pairs", "datagram to an abstract socket", send_from_pair_to_abstract, 0},
		{"pairs", "dissolved", send_from_dissolved_pair, 0},
		{"pairs", "datagrams, connected", connect_datagram_pair, 0},
		{"pairs", "streams, connected", connect_stream_pair, 0},
		{"pairs", "packets, connected", connect_packet_pair, 0},
		{"network", "a way out", find_way, 0},
		{"network", "devices", see_devices, 0},
		{"network", "change it", change_network, CAP_NET_ADMIN},
		{"sockets", "vsock", make_vsock, 0},
		{"sockets", "vsock by high bits", make_vsock_by_high_bits, 0},
		{"sockets", "packet", make_packet, CAP_NET_RAW},
		{"sockets", "packet, the old way", make_packet_of_old, CAP_NET_RAW},
		{"sockets", "raw", make_raw, CAP_NET_RAW},
		{"sockets", "raw by high bits", make_raw_by_high_bits, CAP_NET_RAW},
		{"sockets", "raw IPv6", make_raw_v6, CAP_NET_RAW},
		{"sockets", "crypto", make_alg, 0},
		{"sockets", "keys", make_key, CAP_NET_ADMIN},
		{"sockets", "SCTP", make_sctp, 0},
		{"sockets", "SCTP as a stream", make_sctp_stream, 0},
		{"sockets", "DCCP", make_dccp, 0},
		{"sockets", "UDP-Lite", make_udplite, 0},
		{"sockets", "netlink audit", make_audit, 0},
		{"sockets", "netlink diagnosis", make_diag, 0},
		{"sockets", "netlink diagnosis by high bits", make_diag_by_high_bits, 0},
		{"sockets", "netlink uevent", make_uevent, 0},
		{"sockets", "netlink netfilter", make_netfilter, 0},
		{"sockets", "netlink generic", make_generic, 0},
		{"sockets", "netlink crypto", make_crypto, 0},
		{"sockets", "netlink xfrm", make_xfrm, 0},
		{"sockets", "any other family", make_any, 0},
		{"sockets", "pairs of other families", make_pair, 0},
};

struct attempts attempts_network(void)
{
	return (struct attempts){ATTEMPTS, sizeof ATTEMPTS / sizeof *ATTEMPTS};
}
