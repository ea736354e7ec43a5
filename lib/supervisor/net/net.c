/* SPDX-License-Identifier: MIT */
#include "supervisor/net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "supervisor/net/nft.h"
#include "supervisor/net/proxy.h"
#include "supervisor/net/userns.h"
#include "supervisor/net/veth_relay.h"

enum { LOOPBACK_INDEX = 1, DNS_PORT = 53 };

/* libslirp's fixed IPv6 network. The last number of its name server is the same as with IPv4. */
static const struct cidr V6_SUBNET = {.family = 6, .bits = 64, .addr = {0xfd}};
static const struct cidr V6_DNS = {.family = 6, .bits = 128, .addr = {0xfd, [15] = NET_DNS}};
/* The part of IPv6 that is assigned for the internet. */
static const struct cidr V6_PUBLIC = {.family = 6, .bits = 3, .addr = {0x20}};
static const struct cidr V6_ALL = {.family = 6};

/* ---- the host's own addresses ---------------------------------------------------------- */

/* An address in a range that no option can open needs no rule of its own. */
static bool is_refused_anyway(const struct cidr *c)
{
	const struct cidr_refused *row = cidr_find_refused(c);
	return row && (row->kind == CIDR_NEVER || (c->family == 6 && row->kind == CIDR_LINK));
}

static bool add_own(struct net_own *own, const struct sockaddr *sa)
{
	struct cidr c;
	if (!cidr_of_address(sa, &c) || is_refused_anyway(&c))
		return true;
	if (own->n == NET_MAX_OWN)
		return false;
	own->addrs[own->n++] = c;
	return true;
}

bool net_find_own(struct net_own *own)
{
	struct ifaddrs *all;
	bool has_room = true;
	own->n = 0;
	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *at = all; at && has_room; at = at->ifa_next)
		has_room = !at->ifa_addr || add_own(own, at->ifa_addr);
	freeifaddrs(all);
	errno = EOVERFLOW;
	return has_room;
}

bool net_own_equal(const struct net_own *a, const struct net_own *b)
{
	return a->n == b->n && !memcmp(a->addrs, b->addrs, a->n * sizeof *a->addrs);
}

bool net_has_v6(const struct net_own *own)
{
	bool is_found = false;
	for (size_t i = 0; i < own->n && !is_found; i++)
		is_found = cidr_holds(&V6_PUBLIC, &own->addrs[i]);
	return is_found;
}

/* ---- the filter ----------------------------------------------------------------------------- */

struct cidr net_address(const struct spec_msg *spec, uint8_t last, uint8_t bits)
{
	const uint32_t net = spec->net_subnet;
	return (struct cidr){.family = 4,
			.bits = bits,
			.addr = {(uint8_t)(net >> 24), (uint8_t)(net >> 16), (uint8_t)(net >> 8), last}};
}

static size_t n_open(const struct spec_msg *spec)
{
	return spec->net_open.n / sizeof(struct cidr);
}

static struct cidr get_open(const struct spec_msg *spec, size_t i)
{
	struct cidr c;
	memcpy(&c, spec->net_open.bytes + i * sizeof c, sizeof c);
	return c;
}

/* The only open port of the stack's own addresses is that of the name server, which forwards to the host's
 * name server, wherever that is. */
static void rule_stack(struct nft *nft, const struct spec_msg *spec)
{
	const struct cidr dns = net_address(spec, NET_DNS, 32), all = net_address(spec, 0, 24);
	nft_accept_device(nft, 4, LOOPBACK_INDEX);
	nft_accept_device(nft, 6, LOOPBACK_INDEX);
	nft_rule(nft, &dns, IPPROTO_UDP, DNS_PORT, true);
	nft_rule(nft, &dns, IPPROTO_TCP, DNS_PORT, true);
	nft_rule(nft, &V6_DNS, IPPROTO_UDP, DNS_PORT, true);
	nft_rule(nft, &V6_DNS, IPPROTO_TCP, DNS_PORT, true);
	nft_accept_neighbors(nft);
	nft_rule(nft, &all, 0, 0, false);
	nft_rule(nft, &V6_SUBNET, 0, 0, false);
}

/* The refused ranges of one kind. */
static void rule_refused(struct nft *nft, enum cidr_kind kind)
{
	size_t n;
	const struct cidr_refused *rows = cidr_refused(&n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == kind)
			nft_rule(nft, &rows[i].range, 0, 0, false);
}

/* An option that opens a wide range does not open special addresses in it. The host's own addresses must be
 * named one by one, and metadata services by a range within theirs. */
static bool is_named(const struct cidr *open, enum cidr_kind kind)
{
	const struct cidr_refused *row = cidr_find_refused(open);
	return kind == CIDR_PRIVATE || (row && row->kind == kind);
}

static void rule_open(struct nft *nft, const struct spec_msg *spec, enum cidr_kind kind)
{
	for (size_t i = 0; i < n_open(spec); i++) {
		const struct cidr c = get_open(spec, i);
		if (is_named(&c, kind))
			nft_rule(nft, &c, 0, 0, true);
	}
}

static void rule_own(struct nft *nft, const struct spec_msg *spec, const struct net_own *own)
{
	for (size_t i = 0; i < n_open(spec); i++) {
		const struct cidr c = get_open(spec, i);
		if (cidr_is_single(&c))
			nft_rule(nft, &c, 0, 0, true);
	}
	for (size_t i = 0; i < own->n; i++)
		nft_rule(nft, &own->addrs[i], 0, 0, false);
}

/* The first matching rule decides. An address that no rule matches is public. */
static int set_filter(const struct spec_msg *spec, const struct net_own *own)
{
	struct nft nft;
	nft_begin(&nft);
	rule_stack(&nft, spec);
	rule_refused(&nft, CIDR_NEVER);
	rule_own(&nft, spec, own);
	rule_open(&nft, spec, CIDR_LINK);
	rule_refused(&nft, CIDR_LINK);
	rule_open(&nft, spec, CIDR_PRIVATE);
	rule_refused(&nft, CIDR_PRIVATE);
	nft_rule(&nft, &V6_PUBLIC, 0, 0, true);
	nft_rule(&nft, &V6_ALL, 0, 0, false);
	return nft_commit(&nft);
}

/* ---- the namespace ------------------------------------------------------------------------------ */

static bool raise_loopback(void)
{
	struct ifreq req = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &req) == 0;
	req.ifr_flags |= IFF_UP;
	is_up = is_up && ioctl(fd, SIOCSIFFLAGS, &req) == 0;
	if (fd >= 0)
		close(fd);
	return is_up;
}

/* The device's IPv6 address must be usable at once. No other host can have the same one, so skip the
 * detection of duplicates, which takes two seconds. */
static void hurry_v6(void)
{
	sysfile_write("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
	sysfile_write("/proc/sys/net/ipv6/conf/default/router_solicitation_delay", "0");
}

bool net_has_tun(void)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int make_wire(const struct spec_msg *spec, bool has_v6)
{
	static const uint8_t address[16] = {0xfd, [14] = 1}, gateway[16] = {0xfd, [15] = NET_GATEWAY};
	const struct veth_relay_plan plan = {.device = NET_DEVICE,
			.address = spec->net_subnet + NET_OWN,
			.gateway = spec->net_subnet + NET_GATEWAY,
			.address_v6 = has_v6 ? address : NULL,
			.gateway_v6 = has_v6 ? gateway : NULL};
	return veth_relay_make(&plan);
}

const char *net_enter(const struct spec_msg *spec, bool has_tun, struct net_ends *ret)
{
	const unsigned uid = getuid(), gid = getgid();
	static struct net_own own; /* static, because it is large */
	*ret = (struct net_ends)NET_ENDS_NONE;
	if (!net_find_own(&own)) /* read the host's addresses before leaving its namespace */
		return "list the host's addresses";
	if (!userns_enter(CLONE_NEWNET, 0, 0))
		return "make a user namespace with a network (see 'terrarium doctor')";
	if (!raise_loopback())
		return "start the loopback device";
	hurry_v6();
	errno = set_filter(spec, &own);
	if (errno)
		return "set the packet filter (nf_tables of the kernel)";
	if (!has_tun && (ret->veth_relay_fd = make_wire(spec, net_has_v6(&own))) < 0)
		return "make a network device (neither /dev/net/tun nor veth)";
	ret->user_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	ret->net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (ret->user_fd < 0 || ret->net_fd < 0)
		return "open the namespaces";
	return userns_enter(0, uid, gid) ? NULL : "make a second user namespace";
}

const char *net_enter_named(struct net_ends *ret)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
			.sin_port = htons(PROXY_PORT),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const unsigned uid = getuid(), gid = getgid();
	*ret = (struct net_ends)NET_ENDS_NONE;
	if (!userns_enter(CLONE_NEWNET, 0, 0))
		return "make a user namespace with a network (see 'terrarium doctor')";
	if (!raise_loopback())
		return "start the loopback device";
	ret->proxy_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (ret->proxy_fd < 0 || bind(ret->proxy_fd, (const struct sockaddr *)&address, sizeof address) < 0
			|| listen(ret->proxy_fd, SOMAXCONN) < 0)
		return "listen for connections to named hosts";
	return userns_enter(0, uid, gid) ? NULL : "make a second user namespace";
}

static bool is_opened(const struct spec_msg *spec, const struct cidr *address, enum cidr_kind kind)
{
	bool is_found = false;
	for (size_t i = 0; i < n_open(spec) && !is_found; i++) {
		const struct cidr c = get_open(spec, i);
		is_found = is_named(&c, kind) && cidr_holds(&c, address);
	}
	return is_found;
}

static bool is_opened_alone(const struct spec_msg *spec, const struct cidr *address)
{
	bool is_found = false;
	for (size_t i = 0; i < n_open(spec) && !is_found; i++) {
		const struct cidr c = get_open(spec, i);
		is_found = cidr_is_single(&c) && cidr_holds(&c, address);
	}
	return is_found;
}

/* In the order of set_filter(). */
bool net_may_reach(const struct spec_msg *spec, const struct net_own *own, const struct cidr *address)
{
	const struct cidr_refused *row = cidr_find_refused(address);
	if (row && row->kind == CIDR_NEVER)
		return false;
	if (is_opened_alone(spec, address))
		return true;
	for (size_t i = 0; i < own->n; i++)
		if (cidr_holds(&own->addrs[i], address))
			return false;
	if (is_opened(spec, address, CIDR_LINK))
		return true;
	if (row && row->kind == CIDR_LINK)
		return false;
	if (is_opened(spec, address, CIDR_PRIVATE))
		return true;
	return !row && (address->family == 4 || cidr_holds(&V6_PUBLIC, address));
}

bool net_set_again(const struct spec_msg *spec, const struct net_ends *ends, const struct net_own *own)
{
	return setns(ends->user_fd, CLONE_NEWUSER) == 0 && setns(ends->net_fd, CLONE_NEWNET) == 0
	       && set_filter(spec, own) == 0;
}
