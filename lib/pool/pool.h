/* SPDX-License-Identifier: MIT */
#ifndef TRM_POOL_PRIVATE_H
#define TRM_POOL_PRIVATE_H

/* The inside of a pool. A member is one sandbox of it:
 *
 *   STARTING ──► PREPARING ──► IDLE ──► TAKEN
 *       └────────────┴───────────┴────────┴──► gone, when its sandbox has closed
 *
 * member.c moves a member up to IDLE. pool.c decides when to start, give away and replace members, all in one
 * function that a timer calls (wake_pool()), so that no callback of a caller comes from inside another call.
 */

#include <terrarium/install.h>
#include <terrarium/pool.h>
#include <terrarium/session.h>

enum member_state { MEMBER_STARTING, MEMBER_PREPARING, MEMBER_IDLE, MEMBER_TAKEN };

struct member {
	struct member *next;
	struct trm_pool *pool; /* NULL: taken, and the pool is gone */
	enum member_state state;
	struct trm_sandbox *sandbox;
	struct trm_session *session; /* PREPARING and IDLE; then it tells of kernels that end */
	struct trm_install *install; /* PREPARING, while libraries are installed */
	size_t n_languages;          /* of opts.languages, those that are prepared */
	bool is_ending;              /* its sandbox is closing */
	uint64_t idle_since_ns;
	struct trm_error why;            /* why it cannot be used; TRM_OK */
	const struct trm_sandbox_cb *cb; /* TAKEN: its owner's */
	void *user;
};

struct pool_request {
	struct pool_request *next;
	const struct trm_sandbox_cb *cb;
	void *cb_user;
	trm_pool_fn *fn;
	void *user;
	uint64_t asked_ns;
	bool has_waited; /* no sandbox was idle when it came */
};

/* publish.c: where others see the pool. */
struct published {
	int fd; /* -1: nowhere */
	char directory[256], path[320];
	uint64_t version;
	struct trm_pool_stats stats; /* as they were written */
};

struct trm_pool {
	struct trm_loop *loop;
	struct trm_pool_opts opts;
	struct member *members;
	struct pool_request *requests, **requests_end; /* oldest first */
	struct trm_timer *timer;
	struct trm_pool_stats stats; /* the counts since it was opened */
	uint64_t retry_ns;           /* no start before this time */
	uint64_t given_ns;           /* when one was last given away; 0: never */
	uint32_t pause_ms;           /* after the last failed start; 0: it succeeded */
	struct published published;
	bool is_closing;
	void (*closed)(void *user);
	void *closed_user;
};

/* pool.c. A member has become IDLE; a member that was not yet TAKEN has closed. */
void pool_is_prepared(struct trm_pool *pool);
void pool_has_lost(struct trm_pool *pool, enum member_state was, const struct trm_error *why);

/* member.c. Start one more sandbox. */
int member_start(struct trm_pool *pool, struct trm_error *reterr);
/* Give the sandbox to its owner. It is a member until it has closed. */
void member_give(struct member *member, const struct trm_sandbox_cb *cb, void *user);
/* End a sandbox that has no owner. */
void member_end(struct member *member);

#endif
