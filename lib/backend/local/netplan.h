/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_NETPLAN_H
#define TRM_LOCAL_NETPLAN_H

/* What the start of a sandbox with a network needs besides: see supervisor/net/net.h for what becomes of it.
 */

#include "backend/host/machine.h"
#include "backend/local/argv.h"
#include "base/cachedir.h"
#include "base/cidr.h"
#include "wire/control.h"

struct trm_error;
struct trm_sandbox_opts;

struct netplan {
	struct argv_net argv;
	char slirp[MACHINE_PATH];
	struct cidr open[CIDR_LIST_MAX];
	char resolv_conf[64];
	char cache[CACHEDIR_PATH];
};

/* Find everything and fill in the parts of `spec` that are about the network; they borrow from `plan`.
 * TRM_ENOTSUP with the package that is missing, TRM_EINVAL. */
int netplan_make(struct netplan *plan, const struct trm_sandbox_opts *opts, struct spec_msg *spec,
		struct trm_error *reterr);
void netplan_finish(struct netplan *plan); /* takes a zeroed object */

/* First 24 bits of a private network that meets none of these ranges, if possible. */
uint32_t netplan_choose_subnet(const struct cidr *open, size_t n);

#endif
