/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_VETH_RELAY_H
#define TRM_SUPERVISOR_NET_VETH_RELAY_H

/* The device of a sandbox with a network, where /dev/net/tun may not be opened: a pair of veth devices,
 * of which the second lies in a network namespace of its own, with nothing but a packet socket on it.
 * A process of ours carries frames between that socket and slirp4netns, which then speaks the
 * protocol of BESS: one frame, one SOCK_SEQPACKET packet (slirp4netns(1), "BESS MODE").
 *
 * The packet filter is the same: it sits in front of the device, whatever that is. */

#include <stdint.h>

struct veth_relay_plan {
	const char *device;
	uint32_t address, gateway;              /* of IPv4, in host order, in a /24 */
	const uint8_t *address_v6, *gateway_v6; /* in a /64; NULL: no IPv6 */
};

/* In a network namespace in which the caller may do everything: make and configure the device, with default
 * routes. The packet socket, or -1 (errno). */
int veth_relay_make(const struct veth_relay_plan *plan);

/* The socket of slirp4netns, which will be listening at that path soon; -1: it does not. */
int veth_relay_connect(const char *path);
/* Carry frames until one of the two ends. */
_Noreturn void veth_relay_carry(int packet_fd, int line_fd);

#endif
