/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REGISTRY_H
#define TERRARIUM_REGISTRY_H

/* The sandboxes of this user that run on this machine: local ones and those of recipes, including those
 * that other terminals, scripts and programs started. Each sandbox's supervisor has an entry in the runtime
 * directory; there is no daemon. The directory is $XDG_RUNTIME_DIR/terrarium, else /run/terrarium for root
 * and /tmp/terrarium-UID for other users, or /dev/shm/terrarium-UID on a read-only root. A directory that
 * does not belong to the user, or that other users can access, is refused with the reason. Everything here is
 * synchronous and fast. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/metrics.h>
#include <terrarium/pool.h>
#include <terrarium/sandbox.h>
#include <terrarium/snapshot.h>

TRM_BEGIN_API

struct trm_error;
struct trm_registry;

struct trm_entry {
	char name[65];
	char backend[32]; /* "local", or the recipe that made it */
	char origin[128]; /* for a recipe: the image or container that it was made from; else "" */
	bool is_stale;    /* its supervisor is gone and nothing runs; see trm_registry_sweep() */
	/* pid of its supervisor; together with supervisor_start the identity of the sandbox */
	uint32_t supervisor_pid;
	uint64_t supervisor_start; /* 0 when stale */
	uint32_t client_pid;       /* the process that started it */
	bool has_client;           /* that process still runs */
	char client[128];          /* its command line */
	uint64_t started_ms;       /* Unix time */
	struct trm_limits limits;
	struct trm_sample sample; /* rates from the second refresh on */
	bool has_state;           /* the next three are known */
	bool is_kept;
	uint32_t clients; /* attached now */
	/* time since a client was attached or something ran; 0 while a client is attached */
	uint64_t idle_ms;
	uint64_t idle_timeout_ms, max_lifetime_ms; /* apply while it is kept; 0: none */
	bool has_kernels;                          /* the next one is known */
	unsigned kernels;             /* languages whose kernels run: mask of 1 << trm_lang.index */
	char group[TRM_GROUP_BYTES];  /* its manager; "": none */
	enum trm_isolation isolation; /* of a local sandbox; TRM_ISOLATION_AUTO for others */
};

/* The options that it was started with, besides its limits. The object contains pointers into itself; do
 * not copy it. */
struct trm_requested {
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	char workdir[TRM_INSIDE_PATH];
	char group[TRM_GROUP_BYTES];
	char env[TRM_ENV_BYTES]; /* only the names, separated by commas */
	/* options for the engine, each ended by a newline; the runtime is "--runtime=NAME" */
	char engine[TRM_ENGINE_ARGS_BYTES];
	char from[TRM_SNAPSHOT_TAG]; /* the snapshot that it was started from; "": none */
	char text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX];
};

/* True if sandboxes of this backend are found here. Those at a server are not. NULL: local. */
bool trm_registry_lists(const char *backend);

int trm_registry_create(struct trm_registry **ret, struct trm_error *reterr);
void trm_registry_destroy(struct trm_registry *registry); /* takes NULL */

/* Find the sandboxes and measure them. The entries, sorted by name, are borrowed until the next call.
 * Errors: TRM_EPERM the runtime directory does not belong to the user, or other users can access it.
 * Without a runtime directory there are 0 entries. */
int trm_registry_refresh(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr);

/* Like trm_registry_refresh(), with fewer open files: it measures only processor time, memory, processes
 * and disk. Use a registry either with this function or with trm_registry_refresh(). */
int trm_registry_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr);

/* Measure the last entries again, for rates, without looking for new sandboxes. */
void trm_registry_measure(struct trm_registry *registry);

/* A pool (terrarium/pool.h) that a program of this user keeps: a server, or another user of the library. */
struct trm_pool_entry {
	char name[65]; /* what the names of its sandboxes begin with */
	char backend[32];
	char group[TRM_GROUP_BYTES]; /* of its sandboxes; "": none */
	uint32_t pid;                /* of the program */
	unsigned size, max;          /* sandboxes to keep ready; at most at a time, 0: no limit */
	struct trm_pool_stats stats; /* of stats.why only the message is the pool's own */
};
/* Find the pools, sorted by group and name. Free *ret_pools with free(); it may be NULL. Errors: as
 * trm_registry_refresh(). */
int trm_registry_pools(struct trm_pool_entry **ret_pools, size_t *ret_n, struct trm_error *reterr);

/* Find the running sandbox of that name. This is fast: nothing is measured (only the uptime of the sample
 * is known), and no other sandbox is examined. TRM_EINVAL: not a valid name; TRM_ENOENT: there is none;
 * TRM_EPERM: as above. */
int trm_registry_find(const char *name, struct trm_entry *ret, struct trm_error *reterr);

/* A kept sandbox that has ended by itself, because its container was stopped, killed or removed. This is
 * remembered until a sandbox of that name starts, at most a week. */
struct trm_ended {
	char backend[65];
	char why[512]; /* a sentence */
};
/* False: no sandbox of that name is remembered. */
bool trm_registry_ended(const char *name, struct trm_ended *ret);

/* Get the other options that it was started with. Errors as above. */
int trm_registry_requested(const char *name, struct trm_requested *ret, struct trm_error *reterr);

/* Remove what dead supervisors have left behind: entries, sockets, control groups and the processes in
 * them. (Each new sandbox does that, too.) Returns the number of removed entries. */
size_t trm_registry_sweep(struct trm_registry *registry);

/* Ask the supervisor of exactly this sandbox to end it, with everything that runs in it. If another process
 * has reused the supervisor's pid, it is not touched. TRM_ENOENT: the sandbox has already ended; TRM_EPERM:
 * it belongs to another user. */
int trm_registry_stop(struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);
/* The same, but its engine keeps the sandbox with its volumes, if trm_recipe_suspends() is true of its
 * backend: a sandbox that is opened with kube.resumes (terrarium/container.h) goes on with them. Processes
 * and what is in no volume are lost. Any other sandbox is not affected. */
int trm_registry_suspend(
		struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);
/* The same as stopping, by force: the supervisor is killed, the sandbox dies with it, and its remains are
 * removed. */
int trm_registry_kill(struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);
/* Block until the sandbox has ended and nothing of it is left. TRM_ETIMEDOUT: it has not ended in time. */
int trm_registry_wait(struct trm_registry *registry, const struct trm_entry *entry, uint64_t timeout_ms,
		struct trm_error *reterr);

/* Attach to a running sandbox as another client. You can measure it and create processes, files and
 * sessions in it, as with trm_sandbox_open(). trm_sandbox_close() leaves it running, trm_sandbox_stop()
 * ends it. When the sandbox itself ends, cb->closed says why. Of `opts` only metrics_interval_ms,
 * metrics_with_processes and is_observer are used; it may be NULL. Errors: TRM_ENOENT no running sandbox
 * has that name; otherwise as trm_sandbox_open(). */
int trm_sandbox_attach(struct trm_loop *loop, const char *name, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr);

TRM_END_API

#endif
