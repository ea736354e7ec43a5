/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_BIND_MOUNTS_H
#define TRM_SUPERVISOR_LAUNCH_BIND_MOUNTS_H

/* Theory of operation. The client opens the files and directories that the sandbox may see of the host
 * (backend/host/mounts.h), and the supervisor gets their descriptors. The mounts are made under
 * MOUNT_SOURCE in the mount namespace that bubblewrap is started in. From there bubblewrap binds them to
 * their targets.
 *
 * A descriptor from outside cannot be mounted in a new namespace. So the path that the kernel reports for
 * it is opened again in the namespace, without following links, and must lead to the very same file. After
 * that no path is used: a detached copy of the mount (open_tree) is put in place, without setuid and
 * devices, and read-only with all its submounts if the mount is.
 *
 * Sandboxes of root have a user of their own, who may not open root's files. For them the mount is mapped
 * (mount_setattr(2), MOUNT_ATTR_IDMAP). The owner of the mounted file or directory is then the sandbox's
 * user, and files that the sandbox makes belong to that owner on disk. Files of other users stay out of
 * reach. If a file system cannot map, the rights of others must allow reading (or writing). */

#include <stdint.h>

#include "wire/control.h"

struct bind_mounts {
	uint32_t n, writable;
	int fds[CONTROL_MAX_MOUNTS];
};

/* Call in the new mount namespace before anything is mounted there. Returns NULL, or the operation that
 * failed; errno and *ret_which tell why and for which mount. */
const char *bind_mounts_open(
		struct bind_mounts *bind_mounts, const struct spec_msg *spec, uint32_t *ret_which);
/* Make the mounts under SPACE_PATH, which exists by then, and close the descriptors. `uid` is the sandbox's
 * own user (0: the caller). Returns as above. */
const char *bind_mounts_make(struct bind_mounts *bind_mounts, uint32_t uid, uint32_t *ret_which);

#endif
