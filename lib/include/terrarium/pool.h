/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_POOL_H
#define TERRARIUM_POOL_H

/* A pool keeps sandboxes ready, so that whoever needs one does not wait for its start. It works on every
 * backend. It prepares sandboxes in the background: it starts them, installs libraries, and starts the
 * kernels of languages.
 *
 * Every sandbox is given away once. The pool never takes one back, so nobody sees the files, variables or
 * processes of a predecessor. The new owner ends it with trm_sandbox_close(), as if it had opened the sandbox
 * itself, and the pool starts another one.
 *
 *   trm_pool_opts_default(&opts);
 *   opts.languages = (const struct trm_lang *const[]){trm_lang_default(), NULL};
 *   opts.min_idle = 4;
 *   trm_pool_open(loop, &opts, &pool, &why);
 *   trm_pool_take(pool, &sandbox_cb, me, on_taken, me, &why);
 *
 * Everything is asynchronous, as in terrarium/sandbox.h: callbacks come from inside trm_loop_step().
 * terrarium/sync_pool.h has the same as calls that wait. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/error.h>
#include <terrarium/sandbox.h>

TRM_BEGIN_API

struct trm_lang;
struct trm_loop;
struct trm_pool;

/* What a request gets if no sandbox is idle. */
enum trm_pool_empty {
	TRM_POOL_WAIT,      /* it waits until there is one, at most max of them being alive */
	TRM_POOL_FAIL,      /* it fails with TRM_EBUSY */
	TRM_POOL_TEMPORARY, /* another one is started for it, even beyond max */
};

struct trm_pool_opts {
	size_t size; /* sizeof(struct trm_pool_opts), as TRM_POOL_OPTS_INIT sets it */
	/* Languages whose kernels are started, and packages that are installed for the first of them, as
	 * with is_shared of trm_install_opts. NULL-terminated; NULL: none. Borrowed until the pool has
	 * closed. Only sessions with is_shared use these kernels. */
	const struct trm_lang *const *languages;
	const char *const *libraries;
	/* For each of `languages`, code that its kernel runs before a sandbox is given away: imports,
	 * functions. Its state is there for the owner, whose first run has number 1 all the same. If it
	 * fails, so does the start of the sandbox. NULL, also for one language: a run of nothing, after which
	 * the owner's first run is as fast as later ones (not in batch languages). Borrowed, as above. */
	const char *const *setup;
	unsigned min_idle; /* sandboxes to keep ready. Default 1 */
	unsigned max; /* at most this many at a time, those given away included; 0: no limit. Default 0 */
	/* An idle sandbox of this age is replaced by a new one. 0: never. Default 1 hour. */
	uint32_t idle_timeout_ms;
	enum trm_pool_empty when_empty; /* Default TRM_POOL_WAIT */
	uint32_t wait_timeout_ms;       /* longest wait of a request; 0: no limit. Default 60 000 */
	/* While this machine has less memory available, no sandbox is started in advance; those that requests
	 * wait for are. 0: never look. Default 512 MiB. */
	uint64_t spare_memory_bytes;
	/* Each sandbox. `name` is the beginning of their names, and a dash and 8 hex digits follow; NULL:
	 * "pool". Its lifetime (max_lifetime_ms with limits_lifetime) begins at its start, not when it is
	 * taken. `keep` must not be set; an owner may call trm_sandbox_keep(). Strings and lists are borrowed
	 * until the pool has closed. */
	struct trm_sandbox_opts sandbox;
};
#define TRM_POOL_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_pool_opts), .min_idle = 1, .idle_timeout_ms = 60 * 60 * 1000, \
		.wait_timeout_ms = 60000, .spare_memory_bytes = UINT64_C(512) << 20, \
		.sandbox = TRM_SANDBOX_OPTS_INIT \
	}
void trm_pool_opts_init(struct trm_pool_opts *opts, size_t size);
#define trm_pool_opts_default(opts) trm_pool_opts_init(opts, sizeof *(opts))

/* Open a pool. It looks after the health of idle sandboxes without using the processor for it: one that ends,
 * or a kernel of which ends, is replaced at once. `terrarium ps` shows its statistics while it is open, from
 * a file in the runtime directory (terrarium/registry.h).
 *
 * It starts sandboxes from now on, two at a time; after the first one was taken, one at a time while nobody
 * waits. If a start fails, the requests that wait get the reason, and the next attempt follows after a pause
 * of up to 30 s.
 * Owns:   copies `opts` but borrows what they point to, and `loop`, until trm_pool_close() has ended.
 * Errors: TRM_EINVAL a bad option (also of the sandbox); TRM_ENOMEM. */
int trm_pool_open(struct trm_loop *loop, const struct trm_pool_opts *opts, struct trm_pool **ret_pool,
		struct trm_error *reterr);
/* Close the pool. Waiting requests fail with TRM_ECANCELED, and its own sandboxes end. Those given away are
 * not touched. Then `done` (may be NULL) is called, never before this returns, and the pool is freed. Takes
 * NULL, and then calls nothing. */
void trm_pool_close(struct trm_pool *pool, void (*done)(void *user), void *user);

/* Exactly one call for each request. `sandbox` is ready and yours: its callbacks go to the `cb` of the
 * request, beginning after this call, without `ready`. It is NULL if why->code is not TRM_OK:
 * TRM_EBUSY the pool is used up; TRM_ETIMEDOUT none was free in time; TRM_ECANCELED; or why a sandbox could
 * not be started or prepared. */
typedef void trm_pool_fn(void *user, struct trm_sandbox *sandbox, const struct trm_error *why);
/* Ask for a sandbox. Requests are served in their order. `fn` is never called before this returns. Borrows
 * `cb` until the sandbox has closed. Errors: TRM_ECLOSED the pool is closing; TRM_ENOMEM. */
int trm_pool_take(struct trm_pool *pool, const struct trm_sandbox_cb *cb, void *cb_user, trm_pool_fn *fn,
		void *user, struct trm_error *reterr);
/* Withdraw the waiting requests with this `user`. Their `fn` is not called. */
void trm_pool_withdraw(struct trm_pool *pool, const void *user);

struct trm_pool_stats {
	/* now */
	unsigned idle, starting, taken, waiting;
	bool is_short_of_memory; /* it starts none in advance, see spare_memory_bytes */
	/* since it was opened */
	uint64_t n_started;   /* starts, successful or not */
	uint64_t n_given;     /* requests that got a sandbox */
	uint64_t n_at_once;   /* of these, those that found an idle one */
	uint64_t n_refused;   /* requests that got none */
	uint64_t n_failed;    /* starts that failed */
	uint64_t n_expired;   /* idle sandboxes replaced because of their age */
	uint64_t n_lost;      /* idle sandboxes that ended by themselves, or lost a kernel */
	struct trm_error why; /* of the last failed start; TRM_OK if none failed since a success */
};
void trm_pool_stats(const struct trm_pool *pool, struct trm_pool_stats *ret);

TRM_END_API

#endif
