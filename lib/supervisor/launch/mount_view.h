/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_MOUNT_VIEW_H
#define TRM_SUPERVISOR_LAUNCH_MOUNT_VIEW_H

/* One tmpfs for all files that a sandbox can write, so that one limit holds
 * them together. It is mounted on SPACE_PATH in a mount namespace of its own
 * that bubblewrap is started in, and dies with it. */

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"

/* What the host shall be seen of is a promise: if one mount cannot be made there is no sandbox. */
struct mount_view_failure {
	const char *what; /* NULL: none */
	uint32_t which;   /* of the mounts */
	int error;
};

/* Give the calling process a mount namespace and mount there. With `is_root` the
 * directories are made for `uid`; else a user namespace is needed as well, in which
 * the caller stays what it is. CACHE_SOURCE is the folder spec->cache, or an empty one where that cannot be
 * had; below MOUNT_SOURCE are the mounts. False: not allowed here (nothing has happened), or, with
 * ret->what, a mount cannot be made. */
bool mount_view_make(bool is_root, uint32_t uid, const struct spec_msg *spec, struct mount_view_failure *ret);

#endif
