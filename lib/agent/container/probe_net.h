/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_PROBE_NET_H
#define TRM_AGENT_CONTAINER_PROBE_NET_H

/* Looks from inside whether a network that should be cut is cut. */

#include <stdbool.h>

#include "wire/fd_handoff.h"

/* Wait until no network device is up, except the loopback device: another container of the pod takes them
 * down at this moment. False: one is still up after ten seconds. */
bool await_cut(void);

/* Are there network devices that are up? If so, try the address of the cluster's API, which every pod finds
 * in KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. Takes at most a second. */
enum net_seen probe_net(void);

#endif
