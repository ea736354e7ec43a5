/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LAUNCH_BIND_MOUNTS_H
#define TRM_SUPERVISOR_LAUNCH_BIND_MOUNTS_H

/* Theory of operation. What a sandbox is to see of the host comes to the supervisor as descriptors, opened by
 * the client (backend/host/mounts.h). The mounts are made in the mount namespace that bubblewrap is started
 * in, under MOUNT_SOURCE, from where it binds them to where they belong. A descriptor
 * from outside cannot be mounted in a new namespace: so each path, which the kernel tells, is opened again
 * there, links refused, and counts only if it is the very same file. From then on it has no path any more:
 * a detached copy of the mount (open_tree), read-only and without setuid and devices with all its
 * submounts, is put into its place.
 *
 * Sandboxes of root have a user of their own, to whom root's files are closed. For them the mount
 * is mapped (mount_setattr(2), MOUNT_ATTR_IDMAP): the owner of the mounted file or directory is the sandbox's
 * user there, and what that one makes is the owner's on disk; everybody else's files stay somebody
 * else's. Where a file system cannot do that, its owner's rights are not lent, and others must be allowed to
 * read (to write) it. */

#include <stdint.h>

#include "wire/control.h"

struct bind_mounts {
	uint32_t n, writable;
	int fds[CONTROL_MAX_MOUNTS];
};

/* In the new mount namespace, before anything is mounted there. NULL, or what could not be done with
 * which of them (errno is set). */
const char *bind_mounts_open(
		struct bind_mounts *bind_mounts, const struct spec_msg *spec, uint32_t *ret_which);
/* Make them, under SPACE_PATH, which is there now. Closes the descriptors. `uid`: the sandbox's own user; 0:
 * it is the caller. As above. */
const char *bind_mounts_make(struct bind_mounts *bind_mounts, uint32_t uid, uint32_t *ret_which);

#endif
