/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_MOUNTS_H
#define TRM_BACKEND_HOST_MOUNTS_H

/* The files and directories of the host that a sandbox is to see, opened.
 *
 * A path is resolved once, here, by opening it (O_PATH). From then on only the descriptor counts. Type,
 * location and permission are checked on the descriptor, and the supervisor gets it and mounts exactly
 * this file or directory, or nothing (supervisor/launch/bind_mounts.h). So it changes nothing if somebody
 * replaces the path by a link in between. */

#include <stddef.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

#include "base/buf.h"

struct mounts {
	size_t n;
	int fds[TRM_MOUNTS_MAX];                      /* O_PATH */
	uint32_t writable;                            /* a bit for each */
	char text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX]; /* "HOST:GUEST:ro\n" each, with the resolved HOST */
};

/* Open all mounts. `run_path`: the runtime directory, which no sandbox may see. TRM_EINVAL, TRM_ENOENT,
 * TRM_EPERM, TRM_ETOOBIG with a sentence; then nothing is open. */
int mounts_open(struct mounts *mounts, const struct trm_sandbox_opts *opts, const char *run_path,
		struct trm_error *reterr);
void mounts_close(struct mounts *mounts); /* accepts a zeroed object */

#endif
