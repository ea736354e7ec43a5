/* SPDX-License-Identifier: MIT */
/* Pools with blocking calls. */
#include <stdio.h>
#include <stdlib.h>

#include <terrarium/loop.h>
#include <terrarium/sync_pool.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/opts.h"
#include "sync/sync.h"

struct trm_sync_pool {
	struct trm_loop *loop;
	struct trm_pool *pool;
	struct trm_pool_opts opts;
};

int trm_sync_pool_open(
		const struct trm_pool_opts *opts, struct trm_sync_pool **ret_pool, struct trm_error *reterr)
{
	struct trm_pool_opts own = TRM_POOL_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	struct trm_sync_pool *pool = r < 0 ? NULL : calloc(1, sizeof *pool);
	if (r < 0)
		return r;
	if (!pool)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	pool->opts = own;
	pool->opts.sandbox.size = sizeof pool->opts.sandbox;
	r = trm_loop_create(&pool->loop, reterr);
	if (r == 0)
		r = trm_pool_open(pool->loop, &pool->opts, &pool->pool, reterr);
	if (r < 0) {
		trm_loop_destroy(pool->loop);
		free(pool);
		return r;
	}
	*ret_pool = pool;
	return 0;
}

static void on_pool_closed(void *user)
{
	*(bool *)user = true;
}

void trm_sync_pool_close(struct trm_sync_pool *pool)
{
	bool is_closed = false;
	if (!pool)
		return;
	trm_pool_close(pool->pool, on_pool_closed, &is_closed);
	while (!is_closed && trm_loop_step(pool->loop, -1) >= 0)
		;
	trm_loop_destroy(pool->loop);
	free(pool);
}

int trm_sync_pool_fill(struct trm_sync_pool *pool, uint32_t timeout_ms, struct trm_error *reterr)
{
	const int64_t until = (int64_t)clock_ms() + timeout_ms;
	struct trm_pool_stats stats;
	for (;;) {
		int64_t left_ms = until - (int64_t)clock_ms();
		trm_pool_stats(pool->pool, &stats);
		if (stats.idle >= pool->opts.min_idle)
			return 0;
		if (left_ms <= 0)
			return trm_error_set(reterr, TRM_ETIMEDOUT,
					"%u of %u sandboxes of the pool are ready after %g s%s%s", stats.idle,
					pool->opts.min_idle, timeout_ms / 1000.0, stats.why.code ? ": " : "",
					stats.why.code ? stats.why.msg : "");
		int r = trm_loop_step(pool->loop, left_ms > INT32_MAX ? INT32_MAX : (int)left_ms);
		if (r < 0)
			return trm_error_set(reterr, r, "the loop cannot wait: %s", trm_strerror(r));
	}
}

/* ---- taking ---------------------------------------------------------------------------------- */

struct taking {
	struct trm_sync *sync;
	bool is_over;
	struct trm_error why;
};

static void on_taken(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct taking *taking = user;
	taking->is_over = true;
	taking->why = *why;
	taking->sync->sandbox = sandbox;
	taking->sync->is_joined = sandbox != NULL;
}

static int make_sync(struct trm_sync_pool *pool, const struct trm_sync_opts *opts, struct trm_sync **ret,
		struct trm_error *reterr)
{
	struct trm_sync_opts own = TRM_SYNC_OPTS_INIT;
	int r = opts ? opts_take(&own, sizeof own, opts, reterr) : 0;
	struct trm_sync *s = r < 0 ? NULL : calloc(1, sizeof *s);
	if (r < 0)
		return r;
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->opts = own;
	s->opts.may_join = false;
	s->opts.sandbox = pool->opts.sandbox;
	if (!s->opts.language)
		s->opts.language = trm_lang_default();
	s->loop = pool->loop;
	s->is_pooled = true;
	*ret = s;
	return 0;
}

int trm_sync_pool_take(struct trm_sync_pool *pool, const struct trm_sync_opts *opts,
		struct trm_sync **ret_sync, struct trm_error *reterr)
{
	struct taking taking = {0};
	int r = make_sync(pool, opts, &taking.sync, reterr);
	struct trm_sync *s = taking.sync;
	if (r < 0)
		return r;
	r = trm_pool_take(pool->pool, &sync_sandbox_cb, s, on_taken, &taking, reterr);
	if (r == 0 && (r = sync_wait(s, &taking.is_over, -1, reterr)) < 0)
		trm_pool_withdraw(pool->pool, &taking);
	if (r == 0 && taking.why.code)
		r = trm_error_set(reterr, taking.why.code, "%s", taking.why.msg);
	if (r == 0 && !s->sandbox) /* it ended in the same moment */
		r = trm_error_set(reterr, TRM_ECLOSED, "the sandbox of the pool has ended");
	if (r == 0) {
		snprintf(s->name, sizeof s->name, "%s", trm_sandbox_name(s->sandbox));
		s->opts.sandbox.name = s->name;
		r = sync_open_session(s, reterr);
	}
	if (r < 0)
		trm_sync_destroy(s);
	else
		*ret_sync = s;
	return r;
}

void trm_sync_pool_stats(const struct trm_sync_pool *pool, struct trm_pool_stats *ret)
{
	trm_pool_stats(pool->pool, ret);
}
