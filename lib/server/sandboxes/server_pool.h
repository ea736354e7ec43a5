/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_SERVER_POOL_H
#define TRM_SERVER_SANDBOXES_SERVER_POOL_H

/* The pools of a server: one for each image that its options name. */

#include <stdbool.h>

#include <terrarium/pool.h>

struct fleet;
struct served;

/* Open the pools of fleet->opts. TRM_EINVAL: an image is unknown, or a number impossible; TRM_ENOTSUP: the
 * sandboxes live on another server. */
int server_pools_open(struct fleet *fleet, struct trm_error *reterr);
/* Close them; fleet->closing is started when the last one has closed. */
void server_pools_close(struct fleet *fleet);
void server_pools_free(struct fleet *fleet); /* accepts a fleet without pools */

/* Ask a pool for the sandbox that served->config describes, and set served->languages. False: no pool has one
 * ready; nothing happened. Otherwise `fn` follows, with `served` as its user. */
bool server_pool_take(struct served *served, const struct trm_sandbox_cb *cb, trm_pool_fn *fn);

/* Describe one pool; false: there are not that many. `*ret_image` is borrowed; `*ret_n_missed` counts the
 * starts that would have fitted, but found none ready. */
bool server_pool_stats(const struct fleet *fleet, size_t i, const char **ret_image,
		struct trm_pool_stats *ret, uint64_t *ret_n_missed);

#endif
