/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_H
#define TRM_SUPERVISOR_NET_H

/* Theory of operation. A sandbox with a network (spec->slirp) lives in a network namespace with
 * one device, whose other end is slirp4netns: a TCP/IP stack in a process of the host,
 * which makes ordinary sockets of what comes in. Nothing leads inwards.
 *
 * What must not be reached is refused in that namespace by a packet filter for all that leaves it
 * (nft.h), by address: names, forms of addresses, and what a name may resolve to later,
 * play no part. Why there:
 *
 *   - it sees each packet, whatever socket options chose its way. Routes that
 *     prohibit would not do: SO_BINDTODEVICE, which needs no privilege, goes round them;
 *   - it is complete before bubblewrap is even started: no moment without it;
 *   - slirp4netns itself has --disable-host-loopback and nothing finer; that is given as well.
 *
 * The host's own addresses, which it may change, are followed (supervisor/net/addr_watch.c).
 *
 * The namespace belongs to a user namespace outside the sandbox's own:
 *
 *   host ── U1 (owns the network namespace; slirp4netns) ── U2 ── bubblewrap's own
 *
 * The code inside, root of nothing above its own user namespace, cannot change filter, device,
 * address or route, even with all the capabilities that it could ever get there.
 *
 * slirp4netns runs as the sandbox's own user, as root of U1 and of nothing else, in the sandbox's
 * control groups (what it costs is counted and limited there), in an empty file system of its own
 * (--enable-sandbox) and behind a system call filter (--enable-seccomp). It makes the device through
 * /dev/net/tun; where that may not be opened the device is a veth, see veth_relay.h. It ends with the
 * supervisor: a pipe of which the supervisor holds the other end, and the parent-death signal. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cidr.h"
#include "supervisor/limits/group.h"
#include "wire/control.h"

/* The device inside. */
#define NET_DEVICE "tap0"

struct net {
	pid_t pid;       /* slirp4netns; 0: none */
	pid_t relay_pid; /* what carries frames to it (veth_relay.h); 0: none */
	int ready_fd;    /* one byte comes when the network can be used, EOF when it never will */
	int exit_fd;     /* closing it ends slirp4netns */
	int words_fd;    /* what it has to complain of; never blocks either side */
};

/* Of one without a network. */
#define NET_NONE \
	{ \
		0, 0, -1, -1, -1 \
	}

/* What the supervisor needs of the namespaces; veth_relay_fd is -1 where slirp4netns makes a device by
 * itself. */
struct net_ends {
	int user_fd, net_fd, veth_relay_fd;
};

/* The host's own addresses. */
enum { NET_MAX_OWN = 512 };
struct net_own {
	struct cidr addrs[NET_MAX_OWN];
	size_t n;
};
bool net_find_own(struct net_own *own); /* false: it has too many, or they cannot be had (errno) */
bool net_own_equal(const struct net_own *a, const struct net_own *b);
bool net_has_v6(const struct net_own *own); /* a public one of IPv6 */

/* Can the caller open /dev/net/tun? Else there will be a pair of veth devices. */
bool net_has_tun(void);

/* In the child that becomes bubblewrap, with or without a user namespace: make the namespaces, the filter and
 * perhaps the device, and step on into a further user namespace, without capabilities in the one that owns
 * the network. NULL, or what could not be done (errno is set). */
const char *net_enter(const struct spec_msg *spec, bool has_tun, struct net_ends *ret);

/* In a child of the supervisor, which then is in the sandbox's namespaces: the same filter with other
 * addresses of the host. */
bool net_set_again(const struct spec_msg *spec, const struct net_ends *ends, const struct net_own *own);

/* In the supervisor: start slirp4netns on the namespaces. 0, or -errno. `uid`: the user that it shall
 * become, 0: stay. */
int net_start(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends);

/* ready_fd can be read: true if the network is up; else the sentence why it is not. */
bool net_is_up(struct net *net, char *out, size_t cap);

/* Takes NET_NONE. The processes, if they still run, have to be killed and reaped by the caller. */
void net_finish(struct net *net);

/* An address, or all, in the sandbox's network. */
struct cidr net_address(const struct spec_msg *spec, uint8_t last, uint8_t bits);

#endif
