/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_MOUNTS_H
#define TRM_BACKEND_HOST_MOUNTS_H

/* What a sandbox is to see of the host, opened.
 *
 * Theory of operation. A path is resolved once, here, by opening it (O_PATH). From then on the
 * descriptor is what counts: what it is, where it lies, and whether that may be shown, is asked of it, and it
 * is handed on to the supervisor, which mounts the very same file or directory or nothing
 * (supervisor/launch/bind_mounts.h). Whoever exchanges the path for a link in between changes nothing. */

#include <stddef.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

#include "base/buf.h"

struct mounts {
	size_t n;
	int fds[TRM_MOUNTS_MAX];                      /* O_PATH */
	uint32_t writable;                            /* a bit for each */
	char text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX]; /* "HOST:GUEST:ro\n" each, HOST as it was found */
};

/* Open them all. `run_path`: the runtime directory, which is shown to nobody. TRM_EINVAL, TRM_ENOENT,
 * TRM_EPERM, TRM_ETOOBIG with a sentence, and nothing is open. */
int mounts_open(struct mounts *mounts, const struct trm_sandbox_opts *opts, const char *run_path,
		struct trm_error *reterr);
void mounts_close(struct mounts *mounts); /* takes a zeroed object */

#endif
