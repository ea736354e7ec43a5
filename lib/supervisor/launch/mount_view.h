/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_MOUNT_VIEW_H
#define TRM_SUPERVISOR_LAUNCH_MOUNT_VIEW_H

/* One tmpfs holds all files that a sandbox can write, so that one limit covers them together. It is mounted
 * on SPACE_PATH in the mount namespace that bubblewrap is started in, and disappears with it. */

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"

/* If one of the requested mounts cannot be made, there is no sandbox. */
struct mount_view_failure {
	const char *what; /* NULL: none */
	uint32_t which;   /* number of the mount */
	int error;
};

/* Give the calling process a mount namespace and mount the tmpfs there. With `is_root` the directories are
 * made for `uid`. Otherwise a user namespace is made, too, in which the caller keeps its ids. CACHE_SOURCE
 * becomes the folder spec->cache, or an empty folder if that is not available. The mounts are made below
 * MOUNT_SOURCE. Returns false if namespaces are not allowed here (nothing has changed), or, with ret->what
 * set, if a mount cannot be made. */
bool mount_view_make(bool is_root, uint32_t uid, const struct spec_msg *spec, struct mount_view_failure *ret);

#endif
