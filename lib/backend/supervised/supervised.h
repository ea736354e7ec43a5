/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_H
#define TRM_BACKEND_SUPERVISED_H

/* A sandbox with a supervisor: the part of a carrier that depends neither on what the supervisor runs nor on
 * who has started it. attach.c is a carrier for the supervisors of other programs, those of local and recipe
 * are for our own, which are our children. The carrier listens to the control connection, reads the control
 * groups that the supervisor names, and notices its end.
 *
 *   client ── control ── supervisor ── bubblewrap, container … ── agent
 *      └──────────────────── agent.sock ──────────────────────────┘ */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend/backend.h"
#include "backend/host/stats.h"
#include "backend/supervised/control_conn.h"
#include "backend/supervised/guards.h"

struct supervised;

/* The result of a start. */
struct started {
	int stream_fd;        /* to the agent; non-blocking */
	int control_fd;       /* to the supervisor: closing it ends the sandbox */
	pid_t supervisor_pid; /* a child of the caller */
	uint64_t disk_bytes;  /* limit in force: it may be lower than requested */
};

struct supervised_kind {
	const struct backend_ops *ops;
	/* A supervisor that has not ended this long after a request is killed, together with everything
	 * below it. */
	uint32_t wait_ms;
	bool is_elsewhere; /* the sandbox is not below its supervisor, so only the agent knows the metrics
			      that the supervisor lacks */
	/* Fill k->guards when READY comes. */
	void (*tell_guards)(struct supervised *k, const struct ready_msg *ready);
	/* Append advice to the reason of the end. May be NULL. */
	void (*advise)(struct supervised *k, struct trm_error *why);
	/* Free the object whose first member is `k`; supervised_finish() has been called. */
	void (*destroy)(struct supervised *k);
};

/* First member of a carrier. */
struct supervised {
	struct carrier base;
	const struct supervised_kind *kind;
	struct trm_loop *loop;
	struct trm_limits limits;
	uint64_t disk_bytes; /* in force */
	int stream_fd;
	struct control_conn control_conn;
	pid_t supervisor_pid;
	struct trm_child *child;   /* NULL: there is no supervisor (yet), or another program has started it */
	uint64_t supervisor_start; /* in the latter case (see found_kill); else 0 */
	struct trm_timer *
			timeout; /* while it is being stopped; after leaving, until the next loop iteration */
	bool is_stopping, is_detached;
	struct stats stats;
	size_t n_guards;
	struct trm_guard guards[GUARDS_MAX];
};

/* Set everything but the base to zero, and copy the limits. */
void supervised_init(struct supervised *k, const struct supervised_kind *kind, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user);
/* Accepts one that is only initialized. Closes the connection to the supervisor, if there is one. */
void supervised_finish(struct supervised *k);

/* Watch the supervisor from now on. Takes the descriptors. On an error the supervisor has ended. */
int supervised_watch(struct supervised *k, const struct started *started, struct trm_error *reterr);

/* Calls closed() and destroy(). */
void supervised_close(struct supervised *k, const struct trm_error *why);

/* For a carrier that watches a supervisor by itself: the function of k->timeout, and control_conn_cb.lost. */
void supervised_on_timeout(void *user);
void supervised_on_lost(void *user, const struct trm_error *why);

/* The operations of the carrier (backend.h), as soon as there is a supervisor. */
void supervised_stop(struct carrier *carrier);
void supervised_leave(struct carrier *carrier);
int supervised_keep(struct carrier *carrier, bool is_kept, struct trm_error *reterr);
int supervised_set_group(struct carrier *carrier, const char *group, struct trm_error *reterr);
size_t supervised_guards(const struct carrier *carrier, const struct trm_guard **ret_guards);
uint32_t supervised_nproc(const struct carrier *carrier);
enum trm_isolation supervised_isolation(const struct carrier *carrier);
const char *supervised_folder(const struct carrier *carrier);
void supervised_stats(struct carrier *carrier, struct trm_sample *sample);
void supervised_usage(struct carrier *carrier, struct trm_sample *sample);
const char *supervised_refused(struct carrier *carrier, uint64_t *ret_n);
/* The peak is marked only in our own sandbox: that of others belongs to the client that runs code there. */
bool supervised_events(struct carrier *carrier, bool marks, struct trm_sample *sample);
int supervised_watch_memory(struct carrier *carrier, uint64_t bytes);

/* The limits of a sandbox that a recipe has made, as far as they were requested. */
void supervised_limits_made(
		const struct trm_limits *limits, const struct ready_msg *ready, struct trm_sample *sample);

#endif
