/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_VETH_RELAY_H
#define TRM_SUPERVISOR_NET_VETH_RELAY_H

/* The device of a sandbox with a network if /dev/net/tun may not be opened: a pair of veth devices. The
 * second one lies in a network namespace of its own, in which there is only a packet socket. A relay
 * process carries frames between that socket and slirp4netns, which then speaks the protocol of BESS: one
 * frame is one SOCK_SEQPACKET packet (slirp4netns(1), "BESS MODE").
 *
 * The packet filter is the same, because it sits in front of the device. */

#include <stdint.h>

struct veth_relay_plan {
	const char *device;
	uint32_t address, gateway;              /* IPv4, in host byte order, in a /24 */
	const uint8_t *address_v6, *gateway_v6; /* in a /64; NULL: no IPv6 */
};

/* Make and configure the device, with default routes, in a network namespace in which the caller has all
 * rights. Returns the packet socket, or -1 (errno). */
int veth_relay_make(const struct veth_relay_plan *plan);

/* Connect to the socket of slirp4netns at that path, waiting until it listens. -1: it does not. */
int veth_relay_connect(const char *path);
/* Carry frames until one of the two ends closes. */
_Noreturn void veth_relay_carry(int packet_fd, int line_fd);

#endif
