/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SYNC_POOL_H
#define TERRARIUM_SYNC_POOL_H

/* A pool of sandboxes (terrarium/pool.h) with blocking calls:
 *
 *   struct trm_pool_opts opts;
 *   trm_pool_opts_default(&opts);
 *   opts.min_idle = 4;
 *   trm_sync_pool_open(&opts, &pool, &why);
 *   trm_sync_pool_take(pool, NULL, &sync, &why);
 *   trm_sync_run(sync, "print(6 * 7)", &done, &why);
 *   trm_sync_destroy(sync);
 *   trm_sync_pool_close(pool);
 *
 * The pool and what was taken from it belong to one thread at a time. There is no thread in the background:
 * the pool starts sandboxes while any call of its thread waits, such as a run, or trm_sync_pool_fill(). */

#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/pool.h>
#include <terrarium/sync.h>

TRM_BEGIN_API

struct trm_error;
struct trm_sync_pool;

/* Open a pool; it starts nothing yet. Copies `opts`, and borrows what they point to until it is closed.
 * Errors: as trm_pool_open(). */
int trm_sync_pool_open(
		const struct trm_pool_opts *opts, struct trm_sync_pool **ret_pool, struct trm_error *reterr);
/* End the sandboxes that nobody has taken, and block until they are gone. Destroy what was taken before: it
 * uses the pool's loop. Takes NULL. */
void trm_sync_pool_close(struct trm_sync_pool *pool);

/* Block until opts.min_idle sandboxes are ready. TRM_ETIMEDOUT: not within timeout_ms; if a start failed, its
 * reason is in the sentence. */
int trm_sync_pool_fill(struct trm_sync_pool *pool, uint32_t timeout_ms, struct trm_error *reterr);

/* Take a sandbox, as a trm_sync that is started. The kernels that the pool has started are used. `opts` as in
 * trm_sync_create(), but for `may_join` and `sandbox`, which are the pool's; NULL: the defaults. Stop or
 * destroy it: it never goes back into the pool. trm_sync_start() after trm_sync_stop() starts another one
 * like it. Errors: as trm_pool_fn of terrarium/pool.h; TRM_ECANCELED: interrupted. */
int trm_sync_pool_take(struct trm_sync_pool *pool, const struct trm_sync_opts *opts,
		struct trm_sync **ret_sync, struct trm_error *reterr);

/* As trm_pool_stats(). */
void trm_sync_pool_stats(const struct trm_sync_pool *pool, struct trm_pool_stats *ret);

TRM_END_API

#endif
