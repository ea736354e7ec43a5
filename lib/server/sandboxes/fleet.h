/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_FLEET_H
#define TRM_SERVER_SANDBOXES_FLEET_H

/* All sandboxes of a server, by namespace and name, both those that run and those that are only
 * remembered:
 *
 *             start                    stop
 *   STOPPED ────────► STARTING ──► RUNNING ────────► STOPPING ──► STOPPED
 *      ▲                  │            │ it died
 *      └──────────────────┴────────────┘
 *
 * Requests to a sandbox that is STARTING or STOPPING wait until that is over, and are then handled in the
 * order of their arrival. So a start right after a stop waits for the end, and a run right after a start
 * waits until the sandbox is ready.
 *
 * When a sandbox is stopped, its files are saved below the namespace directory (store.h, snapshot.h), and
 * restored before it is started again. The variables of its interpreters are lost. If there are not too
 * many files, they are also saved a few seconds after each use. So if a sandbox or the server dies, only
 * the latest changes are lost. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/sandbox.h>
#include <terrarium/server.h>
#include <terrarium/session.h>

#include "rpc/names.h"
#include "server/sandboxes/process_list.h"
#include "server/sandboxes/usage_rate.h"

struct cJSON;
struct fleet;
struct keep;
struct store;
struct trm_loop;

struct fleet_opts {
	const char *dir;                     /* of the store; NULL: the default of store_open() */
	const char *const *volume_dirs;      /* volumes with absolute host paths may lie below these;
						NULL-terminated, or NULL */
	struct trm_container_opts container; /* of recipes */
	const char *backend;                 /* NULL: local */
	enum trm_isolation isolation;
	const char *from;                     /* snapshot; NULL: none */
	const struct trm_remote_opts *server; /* address of "microsandbox"; may be NULL. Borrowed */
	/* For lists of sandboxes: "serve:5555", to which '/' and the namespace are added. */
	const char *group;
	struct trm_limits limits;  /* of sandboxes whose config does not set them */
	uint32_t start_timeout_ms; /* 0: the library's default */
	uint32_t idle_timeout_ms;  /* a sandbox that is unused for this long is stopped; 0: never */
	uint32_t max_sandboxes;    /* running at once; 0: no limit */
	size_t output_keep_bytes;  /* kept output of a run or command, for its reply; 0: FLEET_OUTPUT_BYTES */
	uint64_t output_max_bytes; /* output that a run or command may print; 0: no limit */
	uint64_t files_keep_bytes; /* saved files of a stopped sandbox; 0: FLEET_FILES_BYTES */
	struct trm_policy *policy; /* code that it refuses never runs; NULL: none */
	const char *const *snapshots; /* that a config may name; NULL-terminated, or NULL */
	bool adopts; /* sandboxes outlive the server, and the next one goes on with them: adopt.h */
	const struct trm_serve_pool *pools;
	size_t n_pools;
};
enum { FLEET_OUTPUT_BYTES = 16 << 20 };
#define FLEET_FILES_BYTES (UINT64_C(1) << 30)

enum served_state { SERVED_STOPPED, SERVED_STARTING, SERVED_RUNNING, SERVED_STOPPING };

/* A namespace. */
struct space {
	struct space *next;
	char name[RPC_NAME_MAX + 1];
	struct served *sandboxes; /* oldest first */
	struct served **end;
};

/* A sandbox, running or remembered. Valid while it is used (served_use()), and within a turn of the loop. */
struct served {
	struct served *next;
	struct fleet *fleet;
	struct space *space;
	char name[RPC_NAME_MAX + 1];
	enum served_state state;
	struct cJSON *config;        /* of the last start */
	unsigned languages;          /* of its image: mask of 1 << trm_lang.index */
	struct trm_sandbox *sandbox; /* while it is not STOPPED */
	struct trm_session *session; /* while it is RUNNING */
	struct trm_error why;        /* STOPPED: the reason, unless it was simply stopped */
	struct usage_rate usage_rate;
	struct process_list process_list;
	/* the rest is for fleet_internal.h */
	struct pending_op *pending_ops, **pending_ops_end;
	unsigned holds;  /* callers on the stack that must not lose it */
	bool is_dealing; /* the current change of state is for the first pending operation */
	unsigned n_uses;
	bool was_used;                    /* since the start, so its files may have changed */
	bool has_others;                  /* other programs are attached to it */
	bool dies_idle;                   /* the idle timeout is stopping it */
	bool is_ended;                    /* the sandbox was asked to stop */
	bool awaits_sample, awaits_files; /* STARTING: still waits for these */
	bool is_adopted;                  /* an earlier server has made it */
	const struct trm_kube_left *left; /* during lifecycle_start(): its pod; NULL: it is made */
	struct trm_error start_failure;
	struct trm_timer *idle;
	struct keep *keep; /* the current save or restore */
	/* Saving while it is RUNNING and unused. */
	struct trm_timer *rest;
	uint64_t rested_ns; /* unused since then */
	bool has_changed;   /* used since the last save began */
	bool was_saved;     /* since its start */
	struct keep *resting;
	char note[512];      /* for the reply to the current operation */
	uint64_t stopped_at; /* number of its stop; the lowest was stopped first */
};

/* Borrows `opts` and its texts while the fleet is open. Fails with errors of the store. */
int fleet_open(struct trm_loop *loop, const struct fleet_opts *opts, struct fleet **ret,
		struct trm_error *reterr);
/* Stop all sandboxes and save their files. Then `done` is called once, perhaps before this returns, and the
 * fleet is freed. All waiting calls fail first. */
void fleet_close(struct fleet *fleet, void (*done)(void *user), void *user);

/* The result of a start, a stop or a wait. Called once, perhaps from inside the call. If why->code is
 * TRM_OK, `note` is a remark, mostly "". TRM_EINVAL is the caller's mistake. `served` is NULL only with an
 * error. */
typedef void fleet_done_fn(void *user, struct served *served, const struct trm_error *why, const char *note);

/* `config` (borrowed; may be NULL) without an image: start the sandbox as the last time. A running sandbox
 * is left as it is. Names have been checked. */
void fleet_start(struct fleet *fleet, const char *space, const char *name, const struct cJSON *config,
		fleet_done_fn *fn, void *user);
void fleet_stop(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user);
/* Wait until it is RUNNING, if it is starting. `served` is then in use until the callee calls
 * served_unuse(). */
void fleet_use(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user);
/* Cancel a wait for a use. It fails now, unless the use has begun. */
void fleet_use_cancel(struct fleet *fleet, const char *space, const char *name, const void *user);
void served_unuse(struct served *served);

/* Fails with TRM_EINVAL if there is no such namespace, with TRM_ENOENT if it has no such sandbox. */
int fleet_find(struct fleet *fleet, const char *space, const char *name, struct served **ret,
		struct trm_error *reterr);
struct space *fleet_space(struct fleet *fleet, const char *name); /* NULL: there is none */
struct space *fleet_spaces(struct fleet *fleet);                  /* the first of all */
const struct fleet_opts *fleet_opts(const struct fleet *fleet);
/* The names of images that sandboxes can be started from, at most `cap`, borrowed. Returns their number. */
size_t fleet_images(const struct fleet *fleet, const char **names, size_t cap);
/* Report that a reply took much memory: the fleet returns it to the system later. */
void fleet_waste(struct fleet *fleet, size_t bytes);
unsigned fleet_running(const struct fleet *fleet); /* including those that start or stop */

#endif
