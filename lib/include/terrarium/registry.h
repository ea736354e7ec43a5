/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REGISTRY_H
#define TERRARIUM_REGISTRY_H

/* The sandboxes of this user that run on this machine, local ones and those of recipes, whoever has started
 * them: other terminals, scripts, programs. They are found in the runtime directory, where each
 * sandbox's keeper has an entry; there is no daemon. The directory is
 * $XDG_RUNTIME_DIR/terrarium, else /run/terrarium for root and /tmp/terrarium-UID for others. One that is not
 * the user's own, or not closed to others, is refused with the reason. Everything here is synchronous and
 * quick. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

struct trm_error;
struct trm_registry;

struct trm_entry {
	char name[65];
	char backend[32];      /* "local", or the recipe that it is made by */
	char origin[128];      /* of a recipe's: the image or container that it was made from; "" */
	bool is_stale;         /* its keeper is gone: nothing runs; see trm_registry_sweep() */
	uint32_t keeper_pid;   /* of this machine; with keeper_start the identity of the sandbox */
	uint64_t keeper_start; /* 0 when stale */
	uint32_t client_pid;   /* who started it */
	bool has_client;       /* that process still lives */
	char client[128];      /* its command line */
	uint64_t started_ms;   /* Unix time */
	struct trm_limits limits;
	struct trm_sample sample; /* rates from the second refresh on */
	bool has_state;           /* the next three are known */
	bool is_kept;
	uint32_t clients; /* attached now */
	uint64_t idle_ms; /* since somebody was attached or something ran; 0 while somebody is */
	uint64_t idle_timeout_ms, max_lifetime_ms; /* in force while it is kept; 0: none */
	bool has_kernels;                          /* the next one is known */
	unsigned kernels;            /* languages whose kernels run: mask of 1 << enum trm_lang_id */
	char group[TRM_GROUP_BYTES]; /* who manages it; "": nobody */
};

/* What was wished for when it was started, beside its limits. One object: points into itself. */
struct trm_wishes {
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	char workdir[TRM_INSIDE_PATH];
	char group[TRM_GROUP_BYTES];
	char env[TRM_ENV_BYTES]; /* names alone, with commas between */
	char text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX];
};

/* Are sandboxes of this backend found here? Those at a server are not. NULL: local. */
bool trm_registry_lists(const char *backend);

int trm_registry_create(struct trm_registry **ret, struct trm_error *reterr);
void trm_registry_destroy(struct trm_registry *registry); /* takes NULL */

/* Look again and measure. The entries, sorted by name, are borrowed until the next call.
 * Errors: TRM_EPERM a runtime directory that is not the user's own, or open to others. None there
 * at all: 0 entries. */
int trm_registry_refresh(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr);

/* The same for a list, with fewer open files: measured are processor time, memory, processes and disk alone.
 * A registry is used for one or the other. */
int trm_registry_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr);

/* Measure again, for rates, without looking for sandboxes: the samples of the last entries change. */
void trm_registry_measure(struct trm_registry *registry);

/* The running sandbox of that name: quick, for nothing is measured (of the sample, only uptime is known) and
 * no other one is looked at. TRM_EINVAL: nothing can have that name; TRM_ENOENT: there is none; TRM_EPERM: as
 * above. */
int trm_registry_find(const char *name, struct trm_entry *ret, struct trm_error *reterr);

/* What else it was started with. Errors as above. */
int trm_registry_wishes(const char *name, struct trm_wishes *ret, struct trm_error *reterr);

/* Remove what dead keepers have left behind: entries, sockets, control groups with what is in them. (Each new
 * sandbox does that, too.) The number of entries that were removed. */
size_t trm_registry_sweep(struct trm_registry *registry);

/* Ask the keeper of this very sandbox to end it, with all that runs in it. A process that has the keeper's
 * number by now is not touched. TRM_ENOENT: it has ended already; TRM_EPERM: it is not the user's. */
int trm_registry_stop(struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);
/* The same by force: the keeper is killed, the sandbox dies with it, and what it leaves behind is swept. */
int trm_registry_kill(struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);
/* Blocks until it has ended and nothing of it is left. TRM_ETIMEDOUT: it has not. */
int trm_registry_wait(struct trm_registry *registry, const struct trm_entry *entry, uint64_t timeout_ms,
		struct trm_error *reterr);

/* Another client of a running sandbox: it can be measured, and processes, files and sessions can be made in
 * it, as with trm_sandbox_open(). trm_sandbox_close() leaves it running, trm_sandbox_stop() ends it. When the
 * sandbox itself ends, cb->closed says why. Of `opts` only metrics_interval_ms, metrics_with_processes and
 * is_onlooker count; NULL: none. Errors: TRM_ENOENT no running sandbox has that name; else as
 * trm_sandbox_open(). */
int trm_sandbox_attach(struct trm_loop *loop, const char *name, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr);

#endif
