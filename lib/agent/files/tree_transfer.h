/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_FILES_TREE_TRANSFER_H
#define TRM_AGENT_FILES_TREE_TRANSFER_H

/* Trees of files in (TREE_PUT) and out (TREE_GET): streams around the halves of
 * a copy in lib/tree. Reading goes by small steps between which others have their turn. */

#include <stddef.h>
#include <stdint.h>

#include "agent/core/client.h"
#include "wire/entry.h"

/* These send their result to the client, also as ERROR. */
void tree_transfer_get(struct client *client, uint32_t stream, const struct tree_msg *msg);
void tree_transfer_put(struct client *client, uint32_t stream, const struct tree_msg *msg);
void tree_transfer_op(
		struct client *client, uint32_t stream, enum file_op op, const char *path, uint32_t mode);

bool tree_transfer_is_put(const struct stream *stream);
/* ENTRY and DATA for a PUT. Fails with TRM_EPROTO and a message if the client broke the rules. */
int tree_transfer_entry(struct stream *stream, const struct frame *frame, struct trm_error *why);
int tree_transfer_data(struct stream *stream, const struct frame *frame, struct trm_error *why);

/* file_op.c: done at once. Returns 0, or the error. */
int file_op_do(enum file_op op, const char *path, uint32_t mode, struct trm_error *why);

#endif
