/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_USERNS_H
#define TRM_SUPERVISOR_NET_USERNS_H

#include <stdbool.h>

/* Enter a new user namespace that maps only the caller, as `uid` and `gid`. `more_flags` are CLONE_NEW…
 * flags of clone(2) for further namespaces that it owns. Returns false if that is not allowed here
 * (errno). */
bool userns_enter(int more_flags, unsigned uid, unsigned gid);

#endif
