/* SPDX-License-Identifier: MIT */
/* A sandbox that another program has started: a connection to its agent, a control connection to its
 * supervisor, and the readings of its control groups. It is left running, unless we stop it, or have
 * asked that it end with us. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/host/rundir.h"
#include "backend/supervised/control_conn.h"
#include "backend/supervised/found.h"
#include "backend/supervised/guards.h"
#include "backend/supervised/supervised.h"
#include "base/err.h"

/* As in local.c: the supervisor ends within milliseconds of a request, or is killed. It also ends after
 * its agent has ended; then we only wait. */
enum { STOP_TIMEOUT_MS = 5000 };

struct attached {
	struct carrier base;
	struct trm_loop *loop;
	const char *name;         /* the sandbox's */
	struct found_entry entry; /* its state file; its directory only while we connect */
	int fd;
	struct control_conn control_conn;
	struct trm_error no_line; /* why the supervisor or the agent could not be reached */
	struct trm_timer *soon;   /* delivers callbacks from the loop */
	struct trm_timer *timeout;
	bool is_connected, awaits_end, is_leaving, is_stopping, is_over;
	struct info_msg info;
	struct stats stats;
	struct trm_guard *guards; /* NULL: not requested so far */
	size_t n_guards;
};

static struct attached *attached(const struct carrier *carrier)
{
	assert(carrier->ops == &backend_attached);
	return (struct attached *)carrier;
}

static void attached_destroy(struct attached *a)
{
	trm_timer_remove(a->soon);
	trm_timer_remove(a->timeout);
	stats_close(&a->stats);
	info_msg_finish(&a->info);
	free(a->guards);
	control_conn_close(&a->control_conn);
	found_close(&a->entry);
	if (a->fd >= 0)
		close(a->fd);
	free(a);
}

static void on_control_end(void *user)
{
	struct attached *a = user;
	a->is_over = true;
	trm_timer_start(a->soon, 0, 0);
}

static void on_lost(void *user, const struct trm_error *why)
{
	struct attached *a = user;
	if (a->base.cb->lost && !a->is_leaving && !a->is_stopping)
		a->base.cb->lost(a->base.user, why);
}

static const struct control_conn_cb CONTROL_CONN_CB = {.lost = on_lost, .ended = on_control_end};

/* We do not check that this supervisor belongs to the entry: a dead supervisor has no socket. */
static void connect_both(struct attached *a, bool is_observer)
{
	int fd = rundir_connect(a->entry.path, a->entry.fd, a->name, CONTROL_FILE, &a->no_line);
	if (fd >= 0
			&& control_conn_open(&a->control_conn, a->loop, fd, &CONTROL_CONN_CB, a, &a->no_line)
					   == 0) {
		if (is_observer)
			control_conn_observe(&a->control_conn);
		a->fd = rundir_connect(a->entry.path, a->entry.fd, a->name, AGENT_FILE, &a->no_line);
	}
	found_close_directory(&a->entry);
}

static void explain_end(struct attached *a, struct trm_error *why)
{
	if (a->is_leaving)
		return;
	bool is_reported = a->control_conn.gone.type || found_entry_gone(&a->entry, &a->control_conn.gone);
	if (!is_reported && a->no_line.code && a->no_line.code != TRM_ENOENT)
		*why = a->no_line;
	else if (!a->is_stopping)
		control_conn_end_reason(&a->control_conn, why);
	if (!is_reported) /* its supervisor was killed */
		found_sweep();
}

static void finish_attached(struct attached *a)
{
	struct trm_error why = {.code = TRM_OK};
	explain_end(a, &why);
	a->base.cb->closed(a->base.user, &why);
	attached_destroy(a);
}

/* The agent has ended, so the supervisor is about to end, and will give the reason. */
static void await_end(struct attached *a)
{
	a->awaits_end = true;
	trm_timer_start(a->soon, STOP_TIMEOUT_MS, 0);
}

static void on_soon(void *user)
{
	struct attached *a = user;
	if (a->is_over || a->is_leaving) {
		finish_attached(a);
	} else if (a->fd >= 0) {
		a->is_connected = true;
		a->base.cb->connected(a->base.user, a->fd);
	} else if (a->is_stopping) {
		return; /* until the supervisor has ended, or on_timeout() */
	} else if (a->control_conn.watch && a->no_line.code == TRM_ENOENT && !a->awaits_end) {
		await_end(a);
	} else {
		if (a->awaits_end)
			trm_error_set(&a->no_line, TRM_ETIMEDOUT,
					"the agent of sandbox '%s' has ended, and its supervisor does not say why",
					a->name);
		finish_attached(a);
	}
}

static void on_timeout(void *user)
{
	struct attached *a = user;
	/* This ends the control connection. */
	found_kill(a->info.supervisor, a->info.supervisor_start, SIGKILL, NULL);
}

/* ---- start ----------------------------------------------------------------------------- */

/* Take over the entry and its information. */
static void take_found(struct attached *a, struct found_entry *entry, struct info_msg *info)
{
	a->entry = *entry;
	entry->fd = entry->state_fd = -1;
	a->info = *info;
	*info = (struct info_msg){0};
	stats_open(&a->stats, &a->info.ready, a->info.supervisor, STATS_ALL);
}

int attached_start(struct found_entry *entry, struct info_msg *info, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user,
		struct carrier **ret_carrier, struct trm_error *reterr)
{
	if (!found_entry_is_held(entry))
		return trm_error_set(reterr, TRM_ENOENT, "there is no running sandbox '%s'", opts->name);
	struct attached *a = calloc(1, sizeof *a);
	if (!a)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*a = (struct attached){.base = {&backend_attached, cb, user},
			.loop = loop,
			.name = opts->name,
			.entry = {.fd = -1, .state_fd = -1},
			.fd = -1};
	stats_init(&a->stats);
	control_conn_init(&a->control_conn);
	int r = trm_loop_add_timer(loop, on_soon, a, &a->soon, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_timeout, a, &a->timeout, reterr);
	if (r < 0) {
		attached_destroy(a);
		return r;
	}
	take_found(a, entry, info);
	connect_both(a, opts->is_observer);
	trm_timer_start(a->soon, 0, 0);
	*ret_carrier = &a->base;
	return 0;
}

/* ---- end --------------------------------------------------------------------------------- */

static void attached_leave(struct carrier *carrier)
{
	struct attached *a = attached(carrier);
	if (a->is_stopping)
		return;
	a->is_leaving = true;
	control_conn_leave(&a->control_conn);
	trm_timer_start(a->soon, a->control_conn.watch ? CONTROL_CONN_GOODBYE_MS : 0, 0);
}

static void attached_stop(struct carrier *carrier)
{
	struct attached *a = attached(carrier);
	if (a->is_stopping)
		return;
	a->is_stopping = true;
	if (a->is_leaving) /* our side of the connection is shut */
		found_kill(a->info.supervisor, a->info.supervisor_start, SIGTERM, NULL);
	else
		control_conn_stop(&a->control_conn);
	a->is_leaving = false;
	trm_timer_start(a->timeout, STOP_TIMEOUT_MS, 0);
}

static int set_group(struct carrier *carrier, const char *group, struct trm_error *reterr)
{
	return control_conn_set_group(&attached(carrier)->control_conn, group, reterr);
}

static int set_kept(struct carrier *carrier, bool is_kept, struct trm_error *reterr)
{
	return control_conn_keep(&attached(carrier)->control_conn, is_kept, reterr);
}

/* ---- questions ----------------------------------------------------------------------------- */

static int attached_probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static size_t attached_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	struct attached *a = attached(carrier);
	struct trm_limits limits;
	if (!a->guards && (a->guards = calloc(GUARDS_MAX, sizeof *a->guards))) {
		found_limits(&a->info, &limits);
		a->n_guards = guards_report(a->guards, &a->info.ready, &limits, a->info.disk_bytes);
	}
	*ret_guards = a->guards;
	return a->n_guards;
}

static bool is_elsewhere(const struct attached *a)
{
	return *a->info.ready.origin.backend;
}

static uint32_t attached_nproc(const struct carrier *carrier)
{
	const struct info_msg *info = &attached(carrier)->info;
	return supervised_nproc_made(&info->ready, info->procs);
}

static enum trm_isolation isolation(const struct carrier *carrier)
{
	return supervised_isolation_made(&attached(carrier)->info.ready);
}

static void add_limits(const struct attached *a, struct trm_sample *sample)
{
	if (is_elsewhere(a)) {
		struct trm_limits limits;
		found_limits(&a->info, &limits);
		supervised_limits_made(&limits, &a->info.ready, sample);
		return;
	}
	sample->cpu_limit = a->info.cpus;
	sample->mem_limit_bytes = a->info.mem_bytes;
	sample->disk_limit_bytes = a->info.disk_bytes;
	sample->procs_limit = a->info.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
	if (!(a->info.ready.limits & LIMIT_MEMORY)) {
		sample->oom_kills = a->control_conn.oom_kills;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
	if (*a->info.net_hosts) {
		sample->net_refused = a->control_conn.n_refused;
		sample->known |= TRM_METRIC_NET_REFUSED;
	}
}

static const char *attached_origin(const struct carrier *carrier)
{
	const struct origin_msg *o = &attached(carrier)->info.ready.origin;
	return *o->image ? o->image : o->where;
}

static bool is_adopted(const struct carrier *carrier)
{
	return attached(carrier)->info.ready.origin.is_adopted;
}

static void stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct attached *a = attached(carrier);
	stats_sample(&a->stats, trm_loop_now_ns(a->loop), sample);
	add_limits(a, sample);
}

/* Do not reset the peak: it belongs to the client that runs code there. */
static bool events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct attached *a = attached(carrier);
	(void)marks;
	stats_events(&a->stats, sample);
	add_limits(a, sample);
	return false;
}

static int watch_memory(struct carrier *carrier, uint64_t bytes)
{
	struct attached *a = attached(carrier);
	return stats_watch_memory(&a->stats, a->info.ready.mem_dir, bytes);
}

static const char *refused(struct carrier *carrier, uint64_t *ret_n)
{
	struct attached *a = attached(carrier);
	control_conn_receive_refused(&a->control_conn);
	*ret_n = a->control_conn.n_refused;
	return a->control_conn.refused;
}

const struct backend_ops backend_attached = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP,
		.probe = attached_probe,
		.stop = attached_stop,
		.leave = attached_leave,
		.keep = set_kept,
		.set_group = set_group,
		.guards = attached_guards,
		.nproc = attached_nproc,
		.isolation = isolation,
		.stats = stats,
		.events = events,
		.refused = refused,
		.watch_memory = watch_memory,
		.origin = attached_origin,
		.is_adopted = is_adopted,
};
