/* SPDX-License-Identifier: MIT */

/* The host's side of a local sandbox that we start. start() makes what must be there before anything runs
 * and starts the keeper, which does the rest; from then on the carrier only listens to its line.
 *
 *   client ── line ── keeper ── bubblewrap ── agent (pid 1 inside)
 *      └───────────── agent.sock ────────────────────┘
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/local/found.h"
#include "backend/local/guards.h"
#include "backend/local/machine.h"
#include "backend/local/start.h"
#include "backend/local/stats.h"
#include "backend/local/tether.h"
#include "base/err.h"
#include "wire/lifeline.h"

/* The keeper ends within milliseconds of being asked. If it does not, it is killed,
 * and bubblewrap with everything below dies with it. */
enum { STOP_PATIENCE_MS = 5000 };

struct local {
	struct carrier base;
	struct trm_loop *loop;
	struct trm_limits limits;
	uint64_t disk_bytes; /* in force */
	int stream_fd;
	struct tether tether;
	pid_t keeper_pid;
	struct trm_child *child;
	struct trm_timer *patience; /* while it is being stopped; then, if it is left, until the next turn */
	bool is_stopping, is_left;
	struct stats stats;
	size_t n_guards;
	struct trm_guard guards[GUARDS_MAX];
};

static struct local *local(const struct carrier *carrier)
{
	assert(carrier->ops == &backend_local);
	return (struct local *)carrier;
}

static int probe(struct trm_error *reterr)
{
	char path[MACHINE_PATH];
	int r = machine_check_filters(reterr);
	return r < 0 ? r : machine_find_bwrap(path, reterr);
}

/* ---- end ------------------------------------------------------------------------- */

static void destroy(struct local *l)
{
	if (!l)
		return;
	trm_child_remove(l->child);
	trm_timer_remove(l->patience);
	stats_close(&l->stats);
	tether_close(&l->tether);
	if (l->stream_fd >= 0)
		close(l->stream_fd);
	free(l);
}

/* The keeper has been reaped: what it had to say lies in the socket. */
static void on_keeper_end(void *user, pid_t pid, int wait_status)
{
	struct local *l = user;
	struct trm_error why = {.code = TRM_OK};
	(void)pid;
	(void)wait_status;
	l->child = NULL;
	tether_hear(&l->tether);
	if (!l->is_left && (!l->is_stopping || l->tether.is_garbled))
		tether_tell_why(&l->tether, &why);
	if (!l->tether.gone.type) /* it was killed, and has not taken anything away */
		found_sweep();
	if (l->base.cb->closed)
		l->base.cb->closed(l->base.user, &why);
	destroy(l);
}

static void on_left(struct local *l)
{
	const struct trm_error why = {.code = TRM_OK};
	trm_child_leave(l->child);
	l->child = NULL;
	if (l->base.cb->closed)
		l->base.cb->closed(l->base.user, &why);
	destroy(l);
}

static void on_patience(void *user)
{
	struct local *l = user;
	if (l->is_left)
		on_left(l);
	else if (l->child)
		kill(l->keeper_pid, SIGKILL);
}

static void stop(struct carrier *carrier)
{
	struct local *l = local(carrier);
	if (l->is_stopping)
		return;
	l->is_stopping = true;
	l->is_left = false;
	tether_stop(&l->tether);
	trm_timer_start(l->patience, STOP_PATIENCE_MS, 0);
}

static void leave(struct carrier *carrier)
{
	struct local *l = local(carrier);
	if (l->is_stopping)
		return;
	l->is_left = true;
	tether_leave(&l->tether);
	trm_timer_start(l->patience, l->tether.watch ? TETHER_GOODBYE_MS : 0, 0);
}

static int keep(struct carrier *carrier, bool is_kept, struct trm_error *reterr)
{
	return tether_keep(&local(carrier)->tether, is_kept, reterr);
}

/* ---- life ------------------------------------------------------------------------- */

static void on_ready(void *user, const struct ready_msg *ready)
{
	struct local *l = user;
	stats_open(&l->stats, ready, l->keeper_pid);
	l->n_guards = guards_tell(l->guards, ready, &l->limits, l->disk_bytes);
	if (!l->is_stopping && l->base.cb->connected)
		l->base.cb->connected(l->base.user, l->stream_fd);
}

/* If it is not our goodbye that was taken, the rest is said by the keeper's end. */
static void on_tether_end(void *user)
{
	struct local *l = user;
	if (l->is_left)
		trm_timer_start(l->patience, 0, 0);
	else if (l->tether.is_garbled)
		stop(&l->base);
}

static const struct tether_cb TETHER_CB = {.ready = on_ready, .ended = on_tether_end};

/* ---- start ------------------------------------------------------------------------- */

static int watch(struct local *l, int lifeline_fd, struct trm_error *reterr)
{
	int r = tether_open(&l->tether, l->loop, lifeline_fd, &TETHER_CB, l, reterr);
	if (r == 0)
		r = trm_loop_add_timer(l->loop, on_patience, l, &l->patience, reterr);
	if (r == 0)
		r = trm_loop_add_child(l->loop, l->keeper_pid, on_keeper_end, l, &l->child, reterr);
	return r;
}

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct started started;
	struct local *l = calloc(1, sizeof *l);
	if (!l)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*l = (struct local){.base = {&backend_local, cb, user},
			.loop = loop,
			.limits = opts->limits,
			.stream_fd = -1};
	stats_init(&l->stats);
	tether_init(&l->tether);
	int r = start_keeper(opts, &started, reterr);
	if (r < 0) {
		destroy(l);
		return r;
	}
	l->disk_bytes = started.disk_bytes;
	l->stream_fd = started.stream_fd;
	l->keeper_pid = started.keeper_pid;
	r = watch(l, started.lifeline_fd, reterr);
	if (r < 0) {
		pid_t pid = l->keeper_pid;
		destroy(l);
		kill(pid, SIGTERM); /* it clears up and ends */
		waitpid(pid, NULL, 0);
		return r;
	}
	*ret_carrier = &l->base;
	return 0;
}

/* ---- questions ------------------------------------------------------------------------ */

static size_t guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	const struct local *l = local(carrier);
	*ret_guards = l->guards;
	return l->n_guards;
}

static uint32_t nproc(const struct carrier *carrier)
{
	const struct local *l = local(carrier);
	return l->tether.ready.ready.limits & LIMIT_PIDS ? 0 : l->limits.procs;
}

static void add_limits(const struct local *l, struct trm_sample *sample)
{
	sample->cpu_limit = l->limits.cpus;
	sample->mem_limit_bytes = l->limits.mem_bytes;
	sample->disk_limit_bytes = l->disk_bytes;
	sample->procs_limit = l->limits.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
	if (!(l->tether.ready.ready.limits & LIMIT_MEMORY)) {
		sample->oom_kills = l->tether.oom_kills;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
}

static void stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_sample(&l->stats, trm_loop_now_ns(l->loop), sample);
	add_limits(l, sample);
}

static void usage(struct carrier *carrier, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_usage(&l->stats, trm_loop_now_ns(l->loop), sample);
}

static bool events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_events(&l->stats, sample);
	add_limits(l, sample);
	if (!(sample->known & TRM_METRIC_MEM) && l->tether.ready.type) {
		sample->mem_bytes = found_memory_below(l->keeper_pid) + sample->disk_bytes;
		sample->known |= TRM_METRIC_MEM;
	}
	return marks && stats_mark_peak(&l->stats);
}

static int watch_memory(struct carrier *carrier, uint64_t bytes)
{
	struct local *l = local(carrier);
	return stats_watch_memory(&l->stats, l->tether.ready.ready.mem_dir, bytes);
}

const struct backend_ops backend_local = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP | BACKEND_MOUNTS | BACKEND_ENV,
		.probe = probe,
		.start = start,
		.stop = stop,
		.leave = leave,
		.keep = keep,
		.guards = guards,
		.nproc = nproc,
		.stats = stats,
		.usage = usage,
		.events = events,
		.watch_memory = watch_memory,
};
