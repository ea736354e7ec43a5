/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REGISTRY_H
#define TERRARIUM_REGISTRY_H

/* The local sandboxes of this user that run on this machine, whoever has started them: other
 * terminals, scripts, programs. They are found in the runtime directory, where each
 * sandbox's keeper has an entry; there is no daemon. Only directories that belong to the user
 * and are closed to others are read. Everything here is synchronous and quick. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

struct trm_error;
struct trm_registry;

struct trm_entry {
	char name[65];
	char backend[24];
	bool is_stale;         /* its keeper is gone: nothing runs; the next sandbox sweeps it away */
	uint32_t keeper_pid;   /* of this machine; with keeper_start the identity of the sandbox */
	uint64_t keeper_start; /* 0 when stale */
	uint32_t client_pid;   /* who started it */
	bool has_client;       /* that process still lives */
	char client[128];      /* its command line */
	uint64_t started_ms;   /* Unix time */
	struct trm_limits limits;
	struct trm_sample sample; /* rates from the second refresh on */
};

int trm_registry_create(struct trm_registry **ret, struct trm_error *reterr);
void trm_registry_destroy(struct trm_registry *registry); /* takes NULL */

/* Look again and measure. The entries, sorted by name, are borrowed until the next call.
 * Errors: TRM_EPERM a runtime directory that is not the user's own, or open to others. None there
 * at all: 0 entries. */
int trm_registry_refresh(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr);

/* Ask the keeper of this very sandbox to end it, with all that runs in it; that it has ended is seen at a
 * refresh. A process that has the keeper's number by now is not touched. TRM_ENOENT: it has ended
 * already; TRM_EPERM: it is not the user's. */
int trm_registry_stop(struct trm_registry *registry, const struct trm_entry *entry, struct trm_error *reterr);

/* Another client of a running sandbox: it can be measured, and processes, files and sessions can be made in
 * it, as with trm_sandbox_open(). trm_sandbox_close() leaves it running. When the sandbox
 * itself ends, cb->closed says so. Of `opts` only metrics_interval_ms and metrics_with_processes count; NULL:
 * none. Errors: TRM_ENOENT no running sandbox has that name; else as trm_sandbox_open(). */
int trm_sandbox_attach(struct trm_loop *loop, const char *name, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr);

#endif
