/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_H
#define TRM_SUPERVISOR_NET_H

/* Theory of operation. A sandbox with a network (spec->slirp) has a network namespace with one device. The
 * other end of that device is slirp4netns: a TCP/IP stack in a process of the host, which turns the
 * sandbox's connections into ordinary sockets. Nothing leads inwards.
 *
 * A packet filter in that namespace (nft.h) refuses addresses that must not be reached. It does not know
 * names, forms of addresses, or what a name may resolve to later. The filter is there because:
 *
 *   - it sees each packet, whatever socket options chose its route. Prohibiting routes would not do:
 *     SO_BINDTODEVICE, which needs no privilege, bypasses them;
 *   - it is complete before bubblewrap is even started, so there is no moment without it;
 *   - slirp4netns itself offers only --disable-host-loopback, which is used as well.
 *
 * The filter follows changes of the host's own addresses (supervisor/net/addr_watch.c).
 *
 * The namespace belongs to a user namespace outside the sandbox's own:
 *
 *   host ── U1 (owns the network namespace; slirp4netns) ── U2 ── bubblewrap's own
 *
 * The code inside is at most root of its own user namespace. So it can change neither filter, device,
 * address nor route, even with all capabilities that it could ever get there.
 *
 * slirp4netns runs as the sandbox's own user, as root of U1 and of nothing else. It runs in the sandbox's
 * control groups, so that its cost is counted and limited there, in an empty file system of its own
 * (--enable-sandbox) and behind a system call filter (--enable-seccomp). It makes the device through
 * /dev/net/tun. If that may not be opened, the device is a veth (veth_relay.h). It ends with the
 * supervisor, by a pipe whose other end the supervisor holds, and by the parent-death signal. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cidr.h"
#include "supervisor/limits/group.h"
#include "wire/control.h"

/* The name of the device inside. */
#define NET_DEVICE "tap0"

struct net {
	pid_t pid;       /* slirp4netns; 0: none */
	pid_t relay_pid; /* the relay that carries frames to it (veth_relay.h); 0: none */
	int ready_fd;    /* one byte arrives when the network is usable, EOF if it failed */
	int exit_fd;     /* closing it ends slirp4netns */
	int words_fd;    /* its error messages; neither side blocks */
	int refused_fd;  /* of a proxy: one struct proxy_word for each refusal; -1: none */
};

/* A sandbox without a network. */
#define NET_NONE \
	{ \
		0, 0, -1, -1, -1, -1 \
	}

/* Descriptors of the namespaces. veth_relay_fd is -1 if slirp4netns makes the device itself. With named hosts
 * there is only proxy_fd, the socket on which the proxy listens. */
struct net_ends {
	int user_fd, net_fd, veth_relay_fd, proxy_fd;
};

/* Nothing. */
#define NET_ENDS_NONE \
	{ \
		-1, -1, -1, -1 \
	}

/* The host's own addresses. */
enum { NET_MAX_OWN = 512 };
struct net_own {
	struct cidr addrs[NET_MAX_OWN];
	size_t n;
};
bool net_find_own(struct net_own *own); /* false: there are too many, or reading them failed (errno) */
bool net_own_equal(const struct net_own *a, const struct net_own *b);
bool net_has_v6(const struct net_own *own); /* a public IPv6 address */

/* True if the caller can open /dev/net/tun. Otherwise the device will be a veth. */
bool net_has_tun(void);

/* Runs in the child that becomes bubblewrap, with or without a user namespace. Makes the namespaces, the
 * filter and, if needed, the device. Then it enters a further user namespace, in which it has no
 * capabilities over the network. Returns NULL, or what failed (errno is set). */
const char *net_enter(const struct spec_msg *spec, bool has_tun, struct net_ends *ret);

/* The same for a sandbox that may reach only named hosts (proxy.h): only a loopback device, and on it the
 * proxy's listening socket, ret->proxy_fd. */
const char *net_enter_named(struct net_ends *ret);

/* May this address be reached? The rules of the packet filter, for a connection that the proxy makes. */
bool net_may_reach(const struct spec_msg *spec, const struct net_own *own, const struct cidr *address);

/* In the supervisor: start the proxy on its socket, as the user `uid` (0: the caller). Returns 0 or -errno.
 */
int net_start_proxy(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends);

/* Runs in a child of the supervisor, which enters the sandbox's namespaces: replace the filter after the
 * host's addresses have changed. */
bool net_set_again(const struct spec_msg *spec, const struct net_ends *ends, const struct net_own *own);

/* In the supervisor: start slirp4netns on the namespaces, as the user `uid` (0: the caller). Returns 0 or
 * -errno. */
int net_start(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends);

/* Call when ready_fd is readable. Returns true if the network is up; otherwise `out` says why not. */
bool net_is_up(struct net *net, char *out, size_t cap);

/* Accepts NET_NONE. The caller has to kill and reap processes that still run. */
void net_finish(struct net *net);

/* An address of the sandbox's network, or with fewer bits the network itself. */
struct cidr net_address(const struct spec_msg *spec, uint8_t last, uint8_t bits);

#endif
