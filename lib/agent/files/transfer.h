/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_FILES_TRANSFER_H
#define TRM_AGENT_FILES_TRANSFER_H

/* Files in (PUT) and out (GET). Only regular files; a FIFO or a device is
 * refused and never waited for. PUT fills a new file beside the target and
 * renames it at the end: readers see the old file or the whole new one, and a
 * link at the target's name is replaced, not followed. */

#include <stddef.h>
#include <stdint.h>

#include "agent/core/client.h"

enum { TRANSFER_PATH_MAX = 4096 };

/* Both send their result to the client, also as ERROR. */
void transfer_put(struct client *client, uint32_t stream, const char *path, uint32_t mode, uint64_t size);
void transfer_get(struct client *client, uint32_t stream, const char *path, uint64_t max_bytes,
		uint32_t window);
/* DATA for a PUT. Fails with TRM_EPROTO if the stream is no PUT, or gets more than it announced. */
int transfer_data(struct stream *stream, const char *bytes, size_t n);

#endif
