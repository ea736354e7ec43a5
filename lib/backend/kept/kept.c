/* SPDX-License-Identifier: MIT */
#include "backend/kept/kept.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/kept/found.h"
#include "base/err.h"
#include "wire/lifeline.h"

static struct kept *kept(const struct carrier *carrier)
{
	struct kept *k = (struct kept *)carrier;
	assert(carrier->ops == k->kind->ops);
	return k;
}

void kept_init(struct kept *k, const struct kept_kind *kind, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user)
{
	*k = (struct kept){.base = {kind->ops, cb, user},
			.kind = kind,
			.loop = loop,
			.limits = opts->limits,
			.stream_fd = -1};
	stats_init(&k->stats);
	tether_init(&k->tether);
}

/* ---- end ------------------------------------------------------------------------- */

void kept_finish(struct kept *k)
{
	trm_child_remove(k->child);
	trm_timer_remove(k->patience);
	stats_close(&k->stats);
	tether_close(&k->tether);
	if (k->stream_fd >= 0)
		close(k->stream_fd);
}

void kept_close(struct kept *k, const struct trm_error *why)
{
	if (k->base.cb->closed)
		k->base.cb->closed(k->base.user, why);
	kept_finish(k);
	k->kind->destroy(k);
}

/* Of taking it away: an image that could not be saved, a container that is still there. */
static void tell_trouble(struct kept *k)
{
	const struct gone_msg *gone = &k->tether.gone.gone;
	if (k->kind->is_elsewhere && k->tether.gone.type && gone->cause != GONE_TOLD && *gone->words
			&& k->base.cb->warning)
		k->base.cb->warning(k->base.user, gone->words);
}

/* The keeper has been reaped: what it had to say lies in the socket. */
static void on_keeper_end(void *user, pid_t pid, int wait_status)
{
	struct kept *k = user;
	struct trm_error why = {.code = TRM_OK};
	(void)pid;
	(void)wait_status;
	k->child = NULL;
	tether_hear(&k->tether);
	if (!k->is_left && (!k->is_stopping || k->tether.is_garbled))
		tether_tell_why(&k->tether, &why);
	if (why.code && k->kind->advise)
		k->kind->advise(k, &why);
	tell_trouble(k);
	if (!k->tether.gone.type) /* it was killed, and has not taken anything away */
		found_sweep();
	kept_close(k, &why);
}

static void on_left(struct kept *k)
{
	const struct trm_error why = {.code = TRM_OK};
	trm_child_leave(k->child);
	k->child = NULL;
	kept_close(k, &why);
}

static void on_patience(void *user)
{
	struct kept *k = user;
	if (k->is_left)
		on_left(k);
	else if (k->child)
		kill(k->keeper_pid, SIGKILL);
}

void kept_stop(struct carrier *carrier)
{
	struct kept *k = kept(carrier);
	if (k->is_stopping)
		return;
	k->is_stopping = true;
	if (k->is_left && k->child) /* our side of the line is shut */
		kill(k->keeper_pid, SIGTERM);
	else
		tether_stop(&k->tether);
	k->is_left = false;
	trm_timer_start(k->patience, k->kind->patience_ms, 0);
}

void kept_leave(struct carrier *carrier)
{
	struct kept *k = kept(carrier);
	if (k->is_stopping)
		return;
	k->is_left = true;
	tether_leave(&k->tether);
	trm_timer_start(k->patience, k->tether.watch ? TETHER_GOODBYE_MS : 0, 0);
}

int kept_keep(struct carrier *carrier, bool is_kept, struct trm_error *reterr)
{
	return tether_keep(&kept(carrier)->tether, is_kept, reterr);
}

/* ---- life ------------------------------------------------------------------------- */

static void on_ready(void *user, const struct ready_msg *ready)
{
	struct kept *k = user;
	stats_open(&k->stats, ready, k->keeper_pid, STATS_ALL);
	k->kind->tell_guards(k, ready);
	if (!k->is_stopping && k->base.cb->connected)
		k->base.cb->connected(k->base.user, k->stream_fd);
}

/* If it is not our goodbye that was taken, the rest is said by the keeper's end. */
static void on_tether_end(void *user)
{
	struct kept *k = user;
	if (k->is_left)
		trm_timer_start(k->patience, 0, 0);
	else if (k->tether.is_garbled)
		kept_stop(&k->base);
}

static void on_progress(void *user, const char *words)
{
	struct kept *k = user;
	if (k->is_stopping)
		trm_timer_start(k->patience, k->kind->patience_ms, 0);
	if (k->base.cb->progress)
		k->base.cb->progress(k->base.user, words);
}

static void on_lost(void *user, const struct trm_error *why)
{
	struct kept *k = user;
	if (k->base.cb->lost && !k->is_left && !k->is_stopping)
		k->base.cb->lost(k->base.user, why);
}

static const struct tether_cb TETHER_CB = {
		.progress = on_progress, .ready = on_ready, .lost = on_lost, .ended = on_tether_end};

int kept_watch(struct kept *k, const struct started *started, struct trm_error *reterr)
{
	k->disk_bytes = started->disk_bytes;
	k->stream_fd = started->stream_fd;
	k->keeper_pid = started->keeper_pid;
	int r = tether_open(&k->tether, k->loop, started->lifeline_fd, &TETHER_CB, k, reterr);
	if (r == 0)
		r = trm_loop_add_timer(k->loop, on_patience, k, &k->patience, reterr);
	if (r == 0)
		r = trm_loop_add_child(k->loop, k->keeper_pid, on_keeper_end, k, &k->child, reterr);
	if (r < 0) {
		kill(k->keeper_pid, SIGTERM); /* it clears up and ends */
		waitpid(k->keeper_pid, NULL, 0);
	}
	return r;
}

/* ---- questions ------------------------------------------------------------------------ */

size_t kept_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	const struct kept *k = kept(carrier);
	*ret_guards = k->guards;
	return k->n_guards;
}

uint32_t kept_nproc_made(const struct ready_msg *ready, uint32_t procs)
{
	/* Elsewhere it would count all processes of that user there; so it does here where neither a
	 * namespace nor a user of its own holds the sandbox, and the keeper has set it by that. */
	bool counts_others =
			*ready->origin.backend || (ready->isolation != ISOLATION_NAMESPACES && !ready->uid);
	return counts_others || ready->limits & LIMIT_PIDS ? 0 : procs;
}

uint32_t kept_nproc(const struct carrier *carrier)
{
	const struct kept *k = kept(carrier);
	return k->kind->is_elsewhere ? 0 : kept_nproc_made(&k->tether.ready.ready, k->limits.procs);
}

enum trm_isolation kept_isolation_made(const struct ready_msg *ready)
{
	static const enum trm_isolation levels[] = {[ISOLATION_NAMESPACES] = TRM_ISOLATION_NAMESPACES,
			[ISOLATION_LANDLOCK] = TRM_ISOLATION_LANDLOCK,
			[ISOLATION_NONE] = TRM_ISOLATION_NONE};
	return *ready->origin.backend ? TRM_ISOLATION_AUTO : levels[ready->isolation];
}

enum trm_isolation kept_isolation(const struct carrier *carrier)
{
	const struct kept *k = kept(carrier);
	return k->tether.ready.type ? kept_isolation_made(&k->tether.ready.ready) : TRM_ISOLATION_AUTO;
}

void kept_limits_made(
		const struct trm_limits *limits, const struct ready_msg *ready, struct trm_sample *sample)
{
	const uint32_t asks = ready->origin.asks;
	sample->cpu_limit = limits->cpus;
	sample->mem_limit_bytes = limits->mem_bytes;
	sample->procs_limit = limits->procs;
	sample->known |= (asks & ASK_CPU ? TRM_METRIC_CPU_LIMIT : 0)
			 | (asks & ASK_MEMORY ? TRM_METRIC_MEM_LIMIT : 0)
			 | (asks & ASK_PROCS ? TRM_METRIC_PROCS_LIMIT : 0);
}

static void add_limits(const struct kept *k, struct trm_sample *sample)
{
	if (k->kind->is_elsewhere) {
		kept_limits_made(&k->limits, &k->tether.ready.ready, sample);
		return;
	}
	sample->cpu_limit = k->limits.cpus;
	sample->mem_limit_bytes = k->limits.mem_bytes;
	sample->disk_limit_bytes = k->disk_bytes;
	sample->procs_limit = k->limits.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
	if (!(k->tether.ready.ready.limits & LIMIT_MEMORY)) {
		sample->oom_kills = k->tether.oom_kills;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
}

void kept_stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct kept *k = kept(carrier);
	stats_sample(&k->stats, trm_loop_now_ns(k->loop), sample);
	add_limits(k, sample);
}

void kept_usage(struct carrier *carrier, struct trm_sample *sample)
{
	struct kept *k = kept(carrier);
	stats_usage(&k->stats, trm_loop_now_ns(k->loop), sample);
}

bool kept_events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct kept *k = kept(carrier);
	stats_events(&k->stats, sample);
	add_limits(k, sample);
	if (!(sample->known & TRM_METRIC_MEM) && k->tether.ready.type && !k->kind->is_elsewhere) {
		sample->mem_bytes = found_memory_below(k->keeper_pid) + sample->disk_bytes;
		sample->known |= TRM_METRIC_MEM;
	}
	return marks && stats_mark_peak(&k->stats);
}

int kept_watch_memory(struct carrier *carrier, uint64_t bytes)
{
	struct kept *k = kept(carrier);
	return stats_watch_memory(&k->stats, k->tether.ready.ready.mem_dir, bytes);
}
