/* SPDX-License-Identifier: MIT */
/* A pool: its requests, and when its sandboxes are started, given away and replaced. */
#include "pool/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "base/opts.h"
#include "base/sysfile.h"

enum {
	MS = 1000000,
	STARTS_AT_ONCE = 2, /* see starts_at_once() */
	PAUSE_MIN_MS = 1000,
	PAUSE_MAX_MS = 30000,
	MEMORY_LOOK_MS = 1000,
	REST_MS = 100, /* see is_resting() */
};

/* How many members there are in each state, without those that are ending. */
struct pool_count {
	unsigned idle, starting, taken, alive;
};

static struct pool_count count_members(const struct trm_pool *pool)
{
	struct pool_count n = {0};
	for (const struct member *m = pool->members; m; m = m->next) {
		n.alive++;
		n.taken += m->state == MEMBER_TAKEN;
		n.idle += m->state == MEMBER_IDLE && !m->is_ending;
		n.starting += m->state < MEMBER_IDLE && !m->is_ending;
	}
	return n;
}

static unsigned count_requests(const struct trm_pool *pool)
{
	unsigned n = 0;
	for (const struct pool_request *request = pool->requests; request; request = request->next)
		n++;
	return n;
}

/* ---- requests ---------------------------------------------------------------------------------- */

static struct pool_request *remove_first(struct trm_pool *pool)
{
	struct pool_request *request = pool->requests;
	pool->requests = request->next;
	if (!pool->requests)
		pool->requests_end = &pool->requests;
	return request;
}

static void refuse_first(struct trm_pool *pool, const struct trm_error *why)
{
	struct pool_request *request = remove_first(pool);
	pool->stats.n_refused++;
	request->fn(request->user, NULL, why);
	free(request);
}

static void give_to_first(struct trm_pool *pool, struct member *member)
{
	static const struct trm_error well = {.code = TRM_OK};
	struct pool_request *request = remove_first(pool);
	pool->stats.n_given++;
	pool->stats.n_at_once += !request->has_waited;
	pool->given_ns = trm_loop_now_ns(pool->loop);
	member_give(member, request->cb, request->cb_user);
	request->fn(request->user, member->sandbox, &well);
	free(request);
}

/* The idle member that has waited longest. */
static struct member *oldest_idle(const struct trm_pool *pool)
{
	struct member *oldest = NULL;
	for (struct member *m = pool->members; m; m = m->next)
		if (m->state == MEMBER_IDLE && !m->is_ending
				&& (!oldest || m->idle_since_ns < oldest->idle_since_ns))
			oldest = m;
	return oldest;
}

static void serve_requests(struct trm_pool *pool)
{
	struct member *member;
	while (pool->requests && (member = oldest_idle(pool)))
		give_to_first(pool, member);
	for (struct pool_request *request = pool->requests; request; request = request->next)
		request->has_waited = true;
}

static void refuse_all(struct trm_pool *pool, int code, const char *text)
{
	struct trm_error why;
	trm_error_set(&why, code, "%s", text);
	while (pool->requests)
		refuse_first(pool, &why);
}

/* Refuse the requests that have waited too long, or may not wait. */
static void refuse_waiting(struct trm_pool *pool)
{
	uint64_t limit_ns = (uint64_t)pool->opts.wait_timeout_ms * MS;
	uint64_t now = trm_loop_now_ns(pool->loop);
	struct trm_error why;
	if (pool->requests && pool->opts.when_empty == TRM_POOL_FAIL)
		refuse_all(pool, TRM_EBUSY, "the pool is used up: no sandbox is idle now");
	while (limit_ns && pool->requests && now - pool->requests->asked_ns >= limit_ns) {
		trm_error_set(&why, TRM_ETIMEDOUT, "no sandbox of the pool became free within %g s",
				pool->opts.wait_timeout_ms / 1000.0);
		refuse_first(pool, &why);
	}
}

/* ---- starts --------------------------------------------------------------------------------------- */

static bool has_spare_memory(const struct trm_pool *pool)
{
	enum { KIB = 1024 };
	char text[4096];
	const char *line;
	if (!pool->opts.spare_memory_bytes || sysfile_read("/proc/meminfo", text, sizeof text) < 0
			|| !(line = strstr(text, "MemAvailable:")))
		return true;
	return strtoull(line + strlen("MemAvailable:"), NULL, 10) * KIB >= pool->opts.spare_memory_bytes;
}

static void note_failed_start(struct trm_pool *pool, const struct trm_error *why)
{
	pool->stats.n_failed++;
	pool->stats.why = *why;
	pool->pause_ms = !pool->pause_ms                     ? PAUSE_MIN_MS
			 : pool->pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS
							     : pool->pause_ms * 2;
	pool->retry_ns = trm_loop_now_ns(pool->loop) + (uint64_t)pool->pause_ms * MS;
	if (pool->requests)
		refuse_first(pool, why);
}

/* A client that has just got a sandbox is using it. The next start would compete with it for the processor,
 * so it waits a moment, unless the pool is half empty. */
static bool is_resting(const struct trm_pool *pool, const struct pool_count *n)
{
	return n->idle && n->idle * 2 >= pool->opts.min_idle && pool->given_ns
	       && trm_loop_now_ns(pool->loop) < pool->given_ns + (uint64_t)REST_MS * MS;
}

/* A pool that is refilled while nobody waits leaves a processor to those who use its sandboxes. */
static unsigned starts_at_once(const struct trm_pool *pool, bool is_urgent)
{
	return is_urgent || !pool->given_ns ? STARTS_AT_ONCE : 1;
}

/* Is one more sandbox to be started now? */
static bool wants_start(struct trm_pool *pool)
{
	struct pool_count n = count_members(pool);
	unsigned waiting = count_requests(pool), coming = n.idle + n.starting;
	bool has_room = !pool->opts.max || n.alive < pool->opts.max
			|| (pool->opts.when_empty == TRM_POOL_TEMPORARY && coming < waiting);
	pool->stats.is_short_of_memory = false;
	if (!has_room || n.starting >= starts_at_once(pool, coming < waiting)
			|| coming >= pool->opts.min_idle + waiting
			|| trm_loop_now_ns(pool->loop) < pool->retry_ns || is_resting(pool, &n))
		return false;
	if (coming >= waiting && !has_spare_memory(pool)) {
		pool->stats.is_short_of_memory = true;
		return false;
	}
	return true;
}

static void start_members(struct trm_pool *pool)
{
	struct trm_error why = {0};
	while (wants_start(pool)) {
		pool->stats.n_started++;
		if (member_start(pool, &why) < 0)
			note_failed_start(pool, &why);
	}
}

static void replace_old(struct trm_pool *pool)
{
	uint64_t limit_ns = (uint64_t)pool->opts.idle_timeout_ms * MS;
	uint64_t now = trm_loop_now_ns(pool->loop);
	for (struct member *m = pool->members; m && limit_ns; m = m->next)
		if (m->state == MEMBER_IDLE && !m->is_ending && now - m->idle_since_ns >= limit_ns) {
			pool->stats.n_expired++;
			member_end(m);
		}
}

/* ---- the timer ---------------------------------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When something is due without any event: a request's or a member's time, or the next attempt. */
static void plan_next(struct trm_pool *pool)
{
	const struct trm_pool_opts *opts = &pool->opts;
	uint64_t now = trm_loop_now_ns(pool->loop), due = UINT64_MAX;
	const struct member *oldest = oldest_idle(pool);
	if (pool->requests && opts->wait_timeout_ms)
		due = earlier(due, pool->requests->asked_ns + (uint64_t)opts->wait_timeout_ms * MS);
	if (oldest && opts->idle_timeout_ms)
		due = earlier(due, oldest->idle_since_ns + (uint64_t)opts->idle_timeout_ms * MS);
	if (pool->retry_ns > now)
		due = earlier(due, pool->retry_ns);
	if (pool->given_ns + (uint64_t)REST_MS * MS > now)
		due = earlier(due, pool->given_ns + (uint64_t)REST_MS * MS);
	if (pool->stats.is_short_of_memory)
		due = earlier(due, now + (uint64_t)MEMORY_LOOK_MS * MS);
	if (due != UINT64_MAX)
		trm_timer_start(pool->timer, due > now ? (uint32_t)((due - now) / MS) + 1 : 0, 0);
}

static void end_pool(struct trm_pool *pool)
{
	void (*closed)(void *user) = pool->closed;
	void *user = pool->closed_user;
	for (struct member *m = pool->members; m; m = m->next)
		m->pool = NULL;
	trm_timer_remove(pool->timer);
	free(pool);
	if (closed)
		closed(user);
}

static void on_wake(void *user)
{
	struct trm_pool *pool = user;
	if (pool->is_closing) {
		refuse_all(pool, TRM_ECANCELED, "the pool is closing");
		struct pool_count n = count_members(pool);
		if (n.alive == n.taken)
			end_pool(pool);
		return;
	}
	replace_old(pool);
	serve_requests(pool);
	refuse_waiting(pool);
	start_members(pool);
	publish_stats(pool);
	plan_next(pool);
}

/* Look at everything again, in a later turn of the loop. */
static void wake_pool(struct trm_pool *pool)
{
	trm_timer_start(pool->timer, 0, 0);
}

void pool_is_prepared(struct trm_pool *pool)
{
	pool->pause_ms = 0;
	pool->retry_ns = 0;
	pool->stats.why.code = TRM_OK;
	wake_pool(pool);
}

void pool_has_lost(struct trm_pool *pool, enum member_state was, const struct trm_error *why)
{
	if (was < MEMBER_IDLE && !pool->is_closing)
		note_failed_start(pool, why);
	else if (was == MEMBER_IDLE)
		pool->stats.n_lost += why->code != TRM_OK;
	wake_pool(pool);
}

/* ---- the public functions --------------------------------------------------------------------------------
 */

void trm_pool_opts_init(struct trm_pool_opts *opts, size_t size)
{
	static const struct trm_pool_opts defaults = TRM_POOL_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

static int check_opts(const struct trm_pool_opts *opts, struct trm_error *reterr)
{
	enum { NAME_MAX_BYTES = 55 };
	if (opts->sandbox.keep)
		return trm_error_set(reterr, TRM_EINVAL,
				"a pool cannot keep its sandboxes: call trm_sandbox_keep() after taking one");
	if (opts->max && opts->min_idle > opts->max)
		return trm_error_set(reterr, TRM_EINVAL,
				"the pool is to keep %u sandboxes idle, but may have at most %u",
				opts->min_idle, opts->max);
	if (!opts->min_idle && opts->when_empty == TRM_POOL_FAIL)
		return trm_error_set(reterr, TRM_EINVAL,
				"a pool that keeps no sandbox idle would refuse every request");
	if (opts->libraries && *opts->libraries && !(opts->languages && *opts->languages))
		return trm_error_set(reterr, TRM_EINVAL,
				"the libraries of a pool are for its first language, but it has none");
	for (size_t i = 0; opts->libraries && opts->libraries[i]; i++)
		if (trm_package_check(opts->languages[0], opts->libraries[i], reterr) < 0)
			return reterr ? reterr->code : TRM_EINVAL;
	if (opts->sandbox.name && strlen(opts->sandbox.name) > NAME_MAX_BYTES)
		return trm_error_set(reterr, TRM_EINVAL, "the name of a pool has at most %d characters",
				NAME_MAX_BYTES);
	if (opts->sandbox.name && trm_sandbox_name_check(opts->sandbox.name, reterr) < 0)
		return TRM_EINVAL;
	return trm_sandbox_opts_check(&opts->sandbox, reterr);
}

int trm_pool_open(struct trm_loop *loop, const struct trm_pool_opts *opts, struct trm_pool **ret_pool,
		struct trm_error *reterr)
{
	struct trm_pool_opts own = TRM_POOL_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	own.sandbox.size = sizeof own.sandbox;
	if (r == 0)
		r = check_opts(&own, reterr);
	struct trm_pool *pool = r < 0 ? NULL : calloc(1, sizeof *pool);
	if (r < 0)
		return r;
	if (!pool)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*pool = (struct trm_pool){.loop = loop, .opts = own, .requests_end = NULL};
	pool->requests_end = &pool->requests;
	r = trm_loop_add_timer(loop, on_wake, pool, &pool->timer, reterr);
	if (r < 0) {
		free(pool);
		return r;
	}
	publish_begin(pool);
	wake_pool(pool);
	*ret_pool = pool;
	return 0;
}

void trm_pool_close(struct trm_pool *pool, void (*done)(void *user), void *user)
{
	if (!pool)
		return;
	publish_end(pool);
	pool->is_closing = true;
	pool->closed = done;
	pool->closed_user = user;
	for (struct member *m = pool->members; m; m = m->next)
		if (m->state != MEMBER_TAKEN)
			member_end(m);
	wake_pool(pool);
}

int trm_pool_take(struct trm_pool *pool, const struct trm_sandbox_cb *cb, void *cb_user, trm_pool_fn *fn,
		void *user, struct trm_error *reterr)
{
	if (pool->is_closing)
		return trm_error_set(reterr, TRM_ECLOSED, "the pool is closing");
	struct pool_request *request = calloc(1, sizeof *request);
	if (!request)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*request = (struct pool_request){.cb = cb,
			.cb_user = cb_user,
			.fn = fn,
			.user = user,
			.asked_ns = trm_loop_now_ns(pool->loop)};
	*pool->requests_end = request;
	pool->requests_end = &request->next;
	wake_pool(pool);
	return 0;
}

void trm_pool_withdraw(struct trm_pool *pool, const void *user)
{
	struct pool_request **at = &pool->requests;
	while (*at) {
		struct pool_request *request = *at;
		if (request->user != user) {
			at = &request->next;
			continue;
		}
		*at = request->next;
		free(request);
	}
	pool->requests_end = at;
	wake_pool(pool);
}

void trm_pool_stats(const struct trm_pool *pool, struct trm_pool_stats *ret)
{
	struct pool_count n = count_members(pool);
	*ret = pool->stats;
	ret->idle = n.idle;
	ret->starting = n.starting;
	ret->taken = n.taken;
	ret->waiting = count_requests(pool);
}
