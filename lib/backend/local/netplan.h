/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_NETPLAN_H
#define TRM_LOCAL_NETPLAN_H

/* Additional parts for the start of a sandbox with a network. supervisor/net/net.h explains their use. */

#include "backend/host/machine.h"
#include "backend/local/argv.h"
#include "base/cidr.h"
#include "wire/control.h"

struct trm_error;
struct trm_sandbox_opts;

struct netplan {
	struct argv_net argv;
	char slirp[MACHINE_PATH];
	struct cidr open[CIDR_LIST_MAX];
	char resolv_conf[64];
};

/* Find everything and fill in the network fields of `spec`, which borrow from `plan`. TRM_ENOTSUP with
 * the missing package, TRM_EINVAL. */
int netplan_make(struct netplan *plan, const struct trm_sandbox_opts *opts, struct spec_msg *spec,
		struct trm_error *reterr);
void netplan_finish(struct netplan *plan); /* accepts a zeroed object */

/* The first 24 bits of a private network that overlaps none of these ranges, if possible. */
uint32_t netplan_choose_subnet(const struct cidr *open, size_t n);

#endif
