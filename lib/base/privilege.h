/* SPDX-License-Identifier: MIT */
#ifndef TRM_PRIVILEGE_H
#define TRM_PRIVILEGE_H

/* Giving up capabilities: see capabilities(7). */

/* Empty the bounding set, so that no exec grants a capability. This requires CAP_SETPCAP. Without it,
 * only no_new_privs prevents an exec from granting one. */
void privilege_drop_bounds(void);
/* Empty the ambient, effective, permitted and inheritable sets of this thread. */
void privilege_drop_capabilities(void);

#endif
