/* SPDX-License-Identifier: MIT */
#include "supervisor/net/veth_relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "supervisor/net/netlink.h"

#define FAR_DEVICE "wire"

/* linux/if_link.h, linux/veth.h, linux/rtnetlink.h */
enum {
	NEW_LINK = 16,
	LINK_NAME = 3,
	LINK_INFO = 18,
	LINK_NAMESPACE = 28,
	INFO_KIND = 1,
	INFO_DATA = 2,
	VETH_PEER = 1
};
/* linux/if_packet.h, linux/if_ether.h */
enum { SOL_PACKET_LEVEL = 263, IGNORE_OUTGOING = 23, ALL_PROTOCOLS = 3 };
/* linux/ethtool.h, linux/sockios.h */
enum { ETHTOOL_CALL = 0x8946, SET_TX_CHECKSUMS = 0x17, SET_TSO = 0x1f, SET_GSO = 0x24 };

struct link_head {
	uint8_t family, pad;
	uint16_t type;
	int32_t index;
	uint32_t flags, change;
};

/* struct sockaddr_ll */
struct packet_address {
	uint16_t family, protocol;
	int32_t index;
	uint16_t hardware;
	uint8_t kind, len, addr[8];
};

/* ---- the device ------------------------------------------------------------------------ */

/* Make FAR_DEVICE here, and its peer in the namespace of that descriptor. */
static int make_pair(const char *device, int near_fd)
{
	const struct link_head head = {0};
	struct netlink n;
	netlink_begin(&n);
	size_t msg = netlink_open_msg(&n, NEW_LINK, NETLINK_CREATE | NETLINK_EXCLUSIVE, &head, sizeof head);
	netlink_put_text(&n, LINK_NAME, FAR_DEVICE);
	size_t info = netlink_open(&n, LINK_INFO);
	netlink_put_text(&n, INFO_KIND, "veth");
	size_t data = netlink_open(&n, INFO_DATA), peer = netlink_open(&n, VETH_PEER);
	netlink_put(&n, &head, sizeof head);
	netlink_put_text(&n, LINK_NAME, device);
	netlink_put_attr(&n, LINK_NAMESPACE, &near_fd, sizeof near_fd);
	netlink_close(&n, peer);
	netlink_close(&n, data);
	netlink_close(&n, info);
	netlink_close_msg(&n, msg);
	netlink_ask(&n, msg);
	return netlink_commit(&n, NETLINK_OF_ROUTES);
}

static bool raise_device(int fd, const char *name)
{
	struct ifreq req = {0};
	snprintf(req.ifr_name, sizeof req.ifr_name, "%s", name);
	if (ioctl(fd, SIOCGIFFLAGS, &req) < 0)
		return false;
	req.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &req) == 0;
}

static struct sockaddr_in internet(uint32_t address)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
}

static bool set_address(int fd, const char *name, unsigned long call, uint32_t address)
{
	struct ifreq req = {0};
	const struct sockaddr_in in = internet(address);
	snprintf(req.ifr_name, sizeof req.ifr_name, "%s", name);
	memcpy(&req.ifr_addr, &in, sizeof in);
	return ioctl(fd, call, &req) == 0;
}

static bool set_route(int fd, uint32_t gateway)
{
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
	const struct sockaddr_in any = internet(0), via = internet(gateway);
	memcpy(&route.rt_dst, &any, sizeof any);
	memcpy(&route.rt_genmask, &any, sizeof any);
	memcpy(&route.rt_gateway, &via, sizeof via);
	return ioctl(fd, SIOCADDRT, &route) == 0;
}

/* struct in6_ifreq of linux/ipv6.h */
struct address_request {
	uint8_t addr[16];
	uint32_t bits;
	int32_t index;
};

/* Configured by hand, because router advertisements may take seconds. */
static bool configure_v6(const struct veth_relay_plan *plan)
{
	struct address_request own = {.bits = 64, .index = (int32_t)if_nametoindex(plan->device)};
	struct in6_rtmsg route = {
			.rtmsg_flags = RTF_UP | RTF_GATEWAY, .rtmsg_metric = 1, .rtmsg_ifindex = own.index};
	memcpy(own.addr, plan->address_v6, sizeof own.addr);
	memcpy(&route.rtmsg_gateway, plan->gateway_v6, sizeof route.rtmsg_gateway);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_done = fd >= 0 && ioctl(fd, SIOCSIFADDR, &own) == 0 && ioctl(fd, SIOCADDRT, &route) == 0;
	if (fd >= 0)
		close(fd);
	return is_done;
}

/* Packets leave checksums and segmentation to the hardware. A packet socket has no hardware, so turn that
 * off. */
static void finish_packets(int fd, const char *name)
{
	static const uint32_t calls[] = {SET_TX_CHECKSUMS, SET_TSO, SET_GSO};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		uint32_t value[2] = {calls[i], 0};
		struct ifreq req = {.ifr_data = (char *)value};
		snprintf(req.ifr_name, sizeof req.ifr_name, "%s", name);
		ioctl(fd, ETHTOOL_CALL, &req);
	}
}

static bool configure(const struct veth_relay_plan *plan)
{
	const char *device = plan->device;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	finish_packets(fd, device);
	bool is_done = set_address(fd, device, SIOCSIFADDR, plan->address)
		       && set_address(fd, device, SIOCSIFNETMASK, 0xffffff00) && raise_device(fd, device)
		       && set_route(fd, plan->gateway);
	int error = errno;
	close(fd);
	if (is_done && plan->address_v6)
		configure_v6(plan); /* if it fails there is still IPv4 */
	errno = error;
	return is_done;
}

static int open_far_end(void)
{
	const int on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ALL_PROTOCOLS));
	struct packet_address at = {.family = AF_PACKET,
			.protocol = htons(ALL_PROTOCOLS),
			.index = (int32_t)if_nametoindex(FAR_DEVICE)};
	if (fd < 0)
		return -1;
	if (raise_device(fd, FAR_DEVICE) && bind(fd, (struct sockaddr *)&at, sizeof at) == 0
			&& setsockopt(fd, SOL_PACKET_LEVEL, IGNORE_OUTGOING, &on, sizeof on) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

int veth_relay_make(const struct veth_relay_plan *plan)
{
	int near_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (near_fd < 0 || unshare(CLONE_NEWNET) < 0)
		return -1;
	/* The device only carries frames. */
	sysfile_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	errno = make_pair(plan->device, near_fd);
	int fd = errno ? -1 : open_far_end();
	int error = errno;
	/* If setns() fails the caller must not go on: it would be in the wrong namespace. */
	bool is_back = setns(near_fd, CLONE_NEWNET) == 0;
	close(near_fd);
	if (is_back && fd >= 0 && configure(plan))
		return fd;
	error = is_back && fd < 0 ? error : errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* ---- frames ------------------------------------------------------------------------------ */

enum { MAX_FRAME = 65536, TRIES = 5000 };

int veth_relay_connect(const char *path)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
	for (int i = 0; fd >= 0 && i < TRIES; i++) {
		if (connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0)
			return fd;
		nanosleep(&nap, NULL);
	}
	return -1;
}

/* Returns false if that end is closed. Frames for which the other side has no room are dropped, as on any
 * network. */
static bool carry(int from, int to)
{
	static char frame[MAX_FRAME];
	ssize_t n = recv(from, frame, sizeof frame, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN))
		return false;
	return n < 0 || send(to, frame, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0
	       || (errno != EPIPE && errno != ECONNRESET && errno != ENOTCONN);
}

void veth_relay_carry(int packet_fd, int line)
{
	struct pollfd fds[] = {{.fd = packet_fd, .events = POLLIN}, {.fd = line, .events = POLLIN}};
	for (bool is_whole = true; is_whole;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			is_whole = carry(packet_fd, line);
		if (is_whole && fds[1].revents)
			is_whole = carry(line, packet_fd);
	}
	_exit(0);
}
