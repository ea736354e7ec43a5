/* SPDX-License-Identifier: MIT */
#include "backend/supervised/supervised.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/supervised/found.h"
#include "base/err.h"
#include "wire/control.h"

static struct supervised *supervised(const struct carrier *carrier)
{
	struct supervised *k = (struct supervised *)carrier;
	assert(carrier->ops == k->kind->ops);
	return k;
}

void supervised_init(struct supervised *k, const struct supervised_kind *kind, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user)
{
	*k = (struct supervised){.base = {kind->ops, cb, user},
			.kind = kind,
			.loop = loop,
			.limits = opts->limits,
			.stream_fd = -1};
	stats_init(&k->stats);
	control_conn_init(&k->control_conn);
}

/* ---- end ------------------------------------------------------------------------- */

void supervised_finish(struct supervised *k)
{
	trm_child_remove(k->child);
	trm_timer_remove(k->timeout);
	stats_close(&k->stats);
	control_conn_close(&k->control_conn);
	if (k->stream_fd >= 0)
		close(k->stream_fd);
}

void supervised_close(struct supervised *k, const struct trm_error *why)
{
	if (k->base.cb->closed)
		k->base.cb->closed(k->base.user, why);
	supervised_finish(k);
	k->kind->destroy(k);
}

/* Report failures during removal: an image that could not be saved, a container that still exists. */
static void report_trouble(struct supervised *k)
{
	const struct gone_msg *gone = &k->control_conn.gone.gone;
	if (k->kind->is_elsewhere && k->control_conn.gone.type && gone->cause != GONE_REASON && *gone->words
			&& k->base.cb->warning)
		k->base.cb->warning(k->base.user, gone->words);
}

/* The supervisor has been reaped. Its last messages are in the socket. */
static void on_supervisor_end(void *user, pid_t pid, int wait_status)
{
	struct supervised *k = user;
	struct trm_error why = {.code = TRM_OK};
	(void)pid;
	(void)wait_status;
	k->child = NULL;
	control_conn_receive(&k->control_conn);
	if (!k->is_detached && (!k->is_stopping || k->control_conn.is_garbled))
		control_conn_end_reason(&k->control_conn, &why);
	if (why.code && k->kind->advise)
		k->kind->advise(k, &why);
	report_trouble(k);
	if (!k->control_conn.gone.type) /* the supervisor was killed and has removed nothing */
		found_sweep();
	supervised_close(k, &why);
}

static void on_left(struct supervised *k)
{
	const struct trm_error why = {.code = TRM_OK};
	trm_child_detach(k->child);
	k->child = NULL;
	supervised_close(k, &why);
}

/* False: there is no supervisor (yet). */
static bool signal_supervisor(const struct supervised *k, int signo)
{
	if (k->child)
		kill(k->supervisor_pid, signo);
	else if (k->supervisor_start)
		found_kill(k->supervisor_pid, k->supervisor_start, signo, NULL);
	return k->child || k->supervisor_start;
}

void supervised_on_timeout(void *user)
{
	struct supervised *k = user;
	if (k->is_detached)
		on_left(k);
	else
		signal_supervisor(k, SIGKILL); /* this ends the control connection, too */
}

void supervised_stop(struct carrier *carrier)
{
	struct supervised *k = supervised(carrier);
	if (k->is_stopping)
		return;
	k->is_stopping = true;
	/* After leaving, our side of the connection is shut. */
	if (!k->is_detached || !signal_supervisor(k, SIGINT))
		control_conn_stop(&k->control_conn);
	k->is_detached = false;
	trm_timer_start(k->timeout, k->kind->wait_ms, 0);
}

void supervised_leave(struct carrier *carrier)
{
	struct supervised *k = supervised(carrier);
	if (k->is_stopping)
		return;
	k->is_detached = true;
	control_conn_leave(&k->control_conn);
	trm_timer_start(k->timeout, k->control_conn.watch ? CONTROL_CONN_GOODBYE_MS : 0, 0);
}

int supervised_keep(struct carrier *carrier, bool is_kept, struct trm_error *reterr)
{
	return control_conn_keep(&supervised(carrier)->control_conn, is_kept, reterr);
}

int supervised_set_group(struct carrier *carrier, const char *group, struct trm_error *reterr)
{
	return control_conn_set_group(&supervised(carrier)->control_conn, group, reterr);
}

/* ---- life ------------------------------------------------------------------------- */

static void on_ready(void *user, const struct ready_msg *ready)
{
	struct supervised *k = user;
	stats_open(&k->stats, ready, k->supervisor_pid, STATS_ALL & ~STATS_SAMPLED);
	k->kind->tell_guards(k, ready);
	if (!k->is_stopping && k->base.cb->connected)
		k->base.cb->connected(k->base.user, k->stream_fd);
}

/* Unless our own disconnect closed the connection, the end of the supervisor explains the rest. */
static void on_control_end(void *user)
{
	struct supervised *k = user;
	if (k->is_detached)
		trm_timer_start(k->timeout, 0, 0);
	else if (k->control_conn.is_garbled)
		supervised_stop(&k->base);
}

static void on_progress(void *user, const char *words)
{
	struct supervised *k = user;
	if (k->is_stopping)
		trm_timer_start(k->timeout, k->kind->wait_ms, 0);
	if (k->base.cb->progress)
		k->base.cb->progress(k->base.user, words);
}

void supervised_on_lost(void *user, const struct trm_error *why)
{
	struct supervised *k = user;
	if (k->base.cb->lost && !k->is_detached && !k->is_stopping)
		k->base.cb->lost(k->base.user, why);
}

static const struct control_conn_cb CONTROL_CONN_CB = {.progress = on_progress,
		.ready = on_ready,
		.lost = supervised_on_lost,
		.ended = on_control_end};

int supervised_watch(struct supervised *k, const struct started *started, struct trm_error *reterr)
{
	k->disk_bytes = started->disk_bytes;
	k->stream_fd = started->stream_fd;
	k->supervisor_pid = started->supervisor_pid;
	int r = control_conn_open(
			&k->control_conn, k->loop, started->control_fd, &CONTROL_CONN_CB, k, reterr);
	if (r == 0)
		r = trm_loop_add_timer(k->loop, supervised_on_timeout, k, &k->timeout, reterr);
	if (r == 0)
		r = trm_loop_add_child(k->loop, k->supervisor_pid, on_supervisor_end, k, &k->child, reterr);
	if (r < 0) {
		kill(k->supervisor_pid, SIGINT); /* it cleans up and ends */
		waitpid(k->supervisor_pid, NULL, 0);
	}
	return r;
}

/* ---- questions ------------------------------------------------------------------------ */

size_t supervised_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	const struct supervised *k = supervised(carrier);
	*ret_guards = k->guards;
	return k->n_guards;
}

static uint32_t nproc_made(const struct ready_msg *ready, uint32_t procs)
{
	/* On another machine RLIMIT_NPROC would count all processes of that user. So it does here if
	 * neither a namespace nor a separate user isolates the sandbox, and the supervisor has set the
	 * limit accordingly. */
	bool counts_others =
			*ready->origin.backend || (ready->isolation != ISOLATION_NAMESPACES && !ready->uid);
	return counts_others || ready->limits & LIMIT_PIDS ? 0 : procs;
}

uint32_t supervised_nproc(const struct carrier *carrier)
{
	const struct supervised *k = supervised(carrier);
	return k->kind->is_elsewhere ? 0 : nproc_made(&k->control_conn.ready.ready, k->limits.procs);
}

enum trm_isolation supervised_isolation(const struct carrier *carrier)
{
	const struct supervised *k = supervised(carrier);
	return k->control_conn.ready.type ? found_isolation(&k->control_conn.ready.ready)
					  : TRM_ISOLATION_AUTO;
}

const char *supervised_folder(const struct carrier *carrier)
{
	const struct ready_msg *ready = &supervised(carrier)->control_conn.ready.ready;
	return ready->folder ? ready->folder : "";
}

void supervised_limits_made(
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

static void add_limits(const struct supervised *k, struct trm_sample *sample)
{
	if (k->kind->is_elsewhere) {
		supervised_limits_made(&k->limits, &k->control_conn.ready.ready, sample);
		return;
	}
	sample->cpu_limit = k->limits.cpus;
	sample->mem_limit_bytes = k->limits.mem_bytes;
	sample->disk_limit_bytes = k->disk_bytes;
	sample->procs_limit = k->limits.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
	if (!(k->control_conn.ready.ready.limits & LIMIT_MEMORY)) {
		sample->oom_kills = k->control_conn.oom_kills;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
	if (*k->limits.net_allow_host) {
		sample->net_refused = k->control_conn.n_refused;
		sample->known |= TRM_METRIC_NET_REFUSED;
	}
}

void supervised_stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct supervised *k = supervised(carrier);
	if (k->control_conn.ready.type)
		stats_open_more(&k->stats, &k->control_conn.ready.ready, k->supervisor_pid, STATS_SAMPLED);
	stats_sample(&k->stats, trm_loop_now_ns(k->loop), sample);
	add_limits(k, sample);
}

const char *supervised_refused(struct carrier *carrier, uint64_t *ret_n)
{
	struct supervised *k = supervised(carrier);
	control_conn_receive_refused(&k->control_conn);
	*ret_n = k->control_conn.n_refused;
	return k->control_conn.refused;
}

void supervised_usage(struct carrier *carrier, struct trm_sample *sample)
{
	struct supervised *k = supervised(carrier);
	stats_usage(&k->stats, trm_loop_now_ns(k->loop), sample);
}

bool supervised_events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct supervised *k = supervised(carrier);
	stats_events(&k->stats, sample);
	add_limits(k, sample);
	const bool is_ours = k->child;
	if (!(sample->known & TRM_METRIC_MEM) && k->control_conn.ready.type && is_ours
			&& !k->kind->is_elsewhere) {
		sample->mem_bytes = found_memory_below(k->supervisor_pid) + sample->disk_bytes;
		sample->known |= TRM_METRIC_MEM;
	}
	return marks && is_ours && stats_mark_peak(&k->stats);
}

int supervised_watch_memory(struct carrier *carrier, uint64_t bytes)
{
	struct supervised *k = supervised(carrier);
	return stats_watch_memory(&k->stats, k->control_conn.ready.ready.mem_dir, bytes);
}
