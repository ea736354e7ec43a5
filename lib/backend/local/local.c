/* SPDX-License-Identifier: MIT */

/* The host's side of a local sandbox that we start. start() makes everything that must exist before
 * anything runs, and starts the supervisor, which does the rest. From then on the carrier only listens to
 * its control connection. */

#include <stdlib.h>

#include "backend/backend.h"
#include "backend/local/level.h"
#include "backend/local/start.h"
#include "backend/supervised/guards.h"
#include "backend/supervised/supervised.h"
#include "base/err.h"

/* The supervisor ends within milliseconds of a request. */
enum { STOP_TIMEOUT_MS = 5000 };

/* Does some level of isolation work? start() checks the one that is requested. */
static int local_probe(struct trm_error *reterr)
{
	enum isolation level;
	return level_choose(TRM_ISOLATION_AUTO, &level, reterr);
}

static void tell_guards(struct supervised *k, const struct ready_msg *ready)
{
	k->n_guards = guards_report(k->guards, ready, &k->limits, k->disk_bytes);
}

static void local_destroy(struct supervised *k)
{
	free(k);
}

static const struct supervised_kind LOCAL = {
		.ops = &backend_local,
		.wait_ms = STOP_TIMEOUT_MS,
		.tell_guards = tell_guards,
		.destroy = local_destroy,
};

static int local_start(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct carrier_cb *cb, void *user, struct carrier **ret_carrier,
		struct trm_error *reterr)
{
	struct started started;
	struct supervised *k = malloc(sizeof *k);
	if (!k)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	supervised_init(k, &LOCAL, loop, opts, cb, user);
	int r = start_supervisor(opts, &started, reterr);
	if (r == 0)
		r = supervised_watch(k, &started, reterr);
	if (r < 0) {
		supervised_finish(k);
		free(k);
		return r;
	}
	*ret_carrier = &k->base;
	return 0;
}

const struct backend_ops backend_local = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP | BACKEND_MOUNTS | BACKEND_ENV
			| BACKEND_TELLS_END,
		.probe = local_probe,
		.start = local_start,
		.stop = supervised_stop,
		.leave = supervised_leave,
		.keep = supervised_keep,
		.set_group = supervised_set_group,
		.guards = supervised_guards,
		.nproc = supervised_nproc,
		.isolation = supervised_isolation,
		.folder = supervised_folder,
		.stats = supervised_stats,
		.usage = supervised_usage,
		.events = supervised_events,
		.refused = supervised_refused,
		.watch_memory = supervised_watch_memory,
};
