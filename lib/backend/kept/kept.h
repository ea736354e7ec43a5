/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEPT_H
#define TRM_KEPT_H

/* A sandbox whose keeper is a child of ours: the part of a carrier that is the same whatever it is that
 * the keeper holds. The carrier listens to the keeper's line, reads the control groups that it names, and
 * sees it end.
 *
 *   client ── line ── keeper ── bubblewrap, container … ── agent
 *      └───────────────── agent.sock ───────────────────────┘
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend/backend.h"
#include "backend/kept/guards.h"
#include "backend/kept/stats.h"
#include "backend/kept/tether.h"

struct kept;

/* What a start leaves. */
struct started {
	int stream_fd;       /* to the agent; non-blocking */
	int lifeline_fd;     /* to the keeper: closing it ends the sandbox */
	pid_t keeper_pid;    /* a child of the caller */
	uint64_t disk_bytes; /* limit in force: it may be less than what was asked for */
};

struct kept_kind {
	const struct backend_ops *ops;
	/* A keeper that has not ended so long after it was asked to is killed, and all below it dies. */
	uint32_t patience_ms;
	bool is_elsewhere; /* the sandbox is not below its keeper: what that knows not, only the agent knows
			    */
	/* Fill k->guards. */
	void (*tell_guards)(struct kept *k, const struct ready_msg *ready);
	/* Add to the reason of its end what to do about it. May be NULL. */
	void (*advise)(struct kept *k, struct trm_error *why);
	/* Free the object that `k` is the first member of; kept_finish() has been called. */
	void (*destroy)(struct kept *k);
};

/* First member of a carrier. */
struct kept {
	struct carrier base;
	const struct kept_kind *kind;
	struct trm_loop *loop;
	struct trm_limits limits;
	uint64_t disk_bytes; /* in force */
	int stream_fd;
	struct tether tether;
	pid_t keeper_pid;
	struct trm_child *child;    /* NULL: there is no keeper (yet) */
	struct trm_timer *patience; /* while it is being stopped; then, if it is left, until the next turn */
	bool is_stopping, is_left;
	struct stats stats;
	size_t n_guards;
	struct trm_guard guards[GUARDS_MAX];
};

/* Zeroes what follows the base, and copies the limits. */
void kept_init(struct kept *k, const struct kept_kind *kind, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user);
/* Takes one that is only initialised; the keeper, if there is one, loses its line. */
void kept_finish(struct kept *k);

/* Look after the keeper from now on; takes the descriptors over. With an error the keeper has ended. */
int kept_watch(struct kept *k, const struct started *started, struct trm_error *reterr);

/* closed() and destroy(). */
void kept_close(struct kept *k, const struct trm_error *why);

/* The operations of the carrier (backend.h), as soon as there is a keeper. */
void kept_stop(struct carrier *carrier);
void kept_leave(struct carrier *carrier);
int kept_keep(struct carrier *carrier, bool is_kept, struct trm_error *reterr);
size_t kept_guards(const struct carrier *carrier, const struct trm_guard **ret_guards);
uint32_t kept_nproc(const struct carrier *carrier);
enum trm_isolation kept_isolation(const struct carrier *carrier);
enum trm_isolation kept_isolation_made(const struct ready_msg *ready);
/* Of a sandbox that is up: RLIMIT_NPROC for what is started in it; 0: to be left as it is. */
uint32_t kept_nproc_made(const struct ready_msg *ready, uint32_t procs);
void kept_stats(struct carrier *carrier, struct trm_sample *sample);
void kept_usage(struct carrier *carrier, struct trm_sample *sample);
bool kept_events(struct carrier *carrier, bool marks, struct trm_sample *sample);
int kept_watch_memory(struct carrier *carrier, uint64_t bytes);

/* The limits of what a recipe has made, as far as they were asked for. */
void kept_limits_made(
		const struct trm_limits *limits, const struct ready_msg *ready, struct trm_sample *sample);

#endif
