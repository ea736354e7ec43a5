/* SPDX-License-Identifier: MIT */
#ifndef TRM_POOL_PUBLISH_H
#define TRM_POOL_PUBLISH_H

/* Shows a pool to `terrarium ps` and others: wire/pool_note.h. Without a runtime directory nobody sees the
 * pool; it works all the same. */

#include "pool/pool.h"

void publish_begin(struct trm_pool *pool);
/* Write the statistics, if they have changed. */
void publish_stats(struct trm_pool *pool);
void publish_end(struct trm_pool *pool);

#endif
