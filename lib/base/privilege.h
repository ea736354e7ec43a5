/* SPDX-License-Identifier: MIT */
#ifndef TRM_PRIVILEGE_H
#define TRM_PRIVILEGE_H

/* Giving up capabilities: see capabilities(7). */

/* Empty the bounding set, so that no exec grants a capability. This takes CAP_SETPCAP; without it only
 * no_new_privs keeps an exec from granting any. */
void privilege_drop_bounds(void);
/* Empty the ambient, effective, permitted and inheritable sets of this thread. */
void privilege_drop_capabilities(void);

#endif
