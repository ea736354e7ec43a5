/* SPDX-License-Identifier: MIT */

/* The host's side of a local sandbox that we start. start() makes what must be there before anything runs
 * and starts the keeper, which does the rest; from then on the carrier only listens to its line. */

#include <stdlib.h>

#include "backend/backend.h"
#include "backend/kept/guards.h"
#include "backend/kept/kept.h"
#include "backend/local/level.h"
#include "backend/local/start.h"
#include "base/err.h"

/* The keeper ends within milliseconds of being asked. */
enum { STOP_PATIENCE_MS = 5000 };

/* Whether some level of isolation works; start() looks at the one that is asked for. */
static int probe(struct trm_error *reterr)
{
	enum isolation level;
	return level_choose(TRM_ISOLATION_AUTO, &level, reterr);
}

static void tell_guards(struct kept *k, const struct ready_msg *ready)
{
	k->n_guards = guards_tell(k->guards, ready, &k->limits, k->disk_bytes);
}

static void destroy(struct kept *k)
{
	free(k);
}

static const struct kept_kind LOCAL = {
		.ops = &backend_local,
		.patience_ms = STOP_PATIENCE_MS,
		.tell_guards = tell_guards,
		.destroy = destroy,
};

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct started started;
	struct kept *k = malloc(sizeof *k);
	if (!k)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	kept_init(k, &LOCAL, loop, opts, cb, user);
	int r = start_keeper(opts, &started, reterr);
	if (r == 0)
		r = kept_watch(k, &started, reterr);
	if (r < 0) {
		kept_finish(k);
		free(k);
		return r;
	}
	*ret_carrier = &k->base;
	return 0;
}

const struct backend_ops backend_local = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP | BACKEND_MOUNTS | BACKEND_ENV,
		.probe = probe,
		.start = start,
		.stop = kept_stop,
		.leave = kept_leave,
		.keep = kept_keep,
		.guards = kept_guards,
		.nproc = kept_nproc,
		.isolation = kept_isolation,
		.stats = kept_stats,
		.usage = kept_usage,
		.events = kept_events,
		.watch_memory = kept_watch_memory,
};
