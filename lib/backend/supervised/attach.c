/* SPDX-License-Identifier: MIT */
/* A sandbox that another program has started: a connection to its agent, a control connection to its
 * supervisor, and the readings of its control groups. It is left running, unless we stop it, or have
 * asked that it end with us. */
#include <stdlib.h>

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
	struct supervised k;
	const char *name;         /* the sandbox's */
	struct found_entry entry; /* its state file; its directory only while we connect */
	struct trm_error no_line; /* why the supervisor or the agent could not be reached */
	struct trm_timer *soon;   /* delivers callbacks from the loop */
	bool awaits_end, is_over;
	struct info_msg info;
};

static void attached_destroy(struct supervised *k)
{
	struct attached *a = (struct attached *)k;
	trm_timer_remove(a->soon);
	info_msg_finish(&a->info);
	found_close(&a->entry);
	free(a);
}

static const struct supervised_kind HERE = {
		.ops = &backend_attached, .wait_ms = STOP_TIMEOUT_MS, .destroy = attached_destroy};
static const struct supervised_kind ELSEWHERE = {.ops = &backend_attached,
		.wait_ms = STOP_TIMEOUT_MS,
		.is_elsewhere = true,
		.destroy = attached_destroy};

static void on_control_end(void *user)
{
	struct attached *a = user;
	a->is_over = true;
	trm_timer_start(a->soon, 0, 0);
}

static const struct control_conn_cb CONTROL_CONN_CB = {.lost = supervised_on_lost, .ended = on_control_end};

/* We do not check that this supervisor belongs to the entry: a dead supervisor has no socket. */
static void connect_both(struct attached *a, bool is_observer)
{
	int fd = rundir_connect(a->entry.path, a->entry.fd, a->name, CONTROL_FILE, &a->no_line);
	if (fd >= 0
			&& control_conn_open(&a->k.control_conn, a->k.loop, fd, &CONTROL_CONN_CB, a,
					   &a->no_line)
					   == 0) {
		if (is_observer)
			control_conn_observe(&a->k.control_conn);
		a->k.stream_fd = rundir_connect(a->entry.path, a->entry.fd, a->name, AGENT_FILE, &a->no_line);
	}
	found_close_directory(&a->entry);
}

static void explain_end(struct attached *a, struct trm_error *why)
{
	struct control_conn *conn = &a->k.control_conn;
	if (a->k.is_detached)
		return;
	bool is_reported = conn->gone.type || found_entry_gone(&a->entry, &conn->gone);
	if (!is_reported && a->no_line.code && a->no_line.code != TRM_ENOENT)
		*why = a->no_line;
	else if (!a->k.is_stopping)
		control_conn_end_reason(conn, why);
	if (!is_reported) /* its supervisor was killed */
		found_sweep();
}

static void finish_attached(struct attached *a)
{
	struct trm_error why = {.code = TRM_OK};
	explain_end(a, &why);
	supervised_close(&a->k, &why);
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
	struct supervised *k = &a->k;
	if (a->is_over) {
		finish_attached(a);
	} else if (k->is_detached) {
		return; /* until the supervisor closes the connection, or k->timeout */
	} else if (k->stream_fd >= 0) {
		k->base.cb->connected(k->base.user, k->stream_fd);
	} else if (k->is_stopping) {
		return; /* until the supervisor has ended, or k->timeout */
	} else if (k->control_conn.watch && a->no_line.code == TRM_ENOENT && !a->awaits_end) {
		await_end(a);
	} else {
		if (a->awaits_end)
			trm_error_set(&a->no_line, TRM_ETIMEDOUT,
					"the agent of sandbox '%s' has ended, and its supervisor does not say why",
					a->name);
		finish_attached(a);
	}
}

/* ---- start ----------------------------------------------------------------------------- */

/* Take over the information about the sandbox. It contains what READY has for a sandbox of our own. */
static void take_info(struct attached *a, struct info_msg *info)
{
	struct supervised *k = &a->k;
	found_limits(info, &k->limits);
	k->disk_bytes = info->disk_bytes;
	k->supervisor_pid = info->supervisor;
	k->supervisor_start = info->supervisor_start;
	k->control_conn.ready = (struct control_msg){.type = CONTROL_READY, .ready = info->ready};
	a->info = *info;
	a->info.ready = (struct ready_msg){0};
	*info = (struct info_msg){0};
	stats_open(&k->stats, &k->control_conn.ready.ready, k->supervisor_pid, STATS_ALL & ~STATS_SAMPLED);
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
	supervised_init(&a->k, *info->ready.origin.backend ? &ELSEWHERE : &HERE, loop, opts, cb, user);
	a->name = opts->name;
	a->entry = (struct found_entry){.fd = -1, .state_fd = -1};
	int r = trm_loop_add_timer(loop, on_soon, a, &a->soon, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, supervised_on_timeout, &a->k, &a->k.timeout, reterr);
	if (r < 0) {
		supervised_finish(&a->k);
		attached_destroy(&a->k);
		return r;
	}
	a->entry = *entry;
	entry->fd = entry->state_fd = -1;
	connect_both(a, opts->is_observer);
	take_info(a, info);
	trm_timer_start(a->soon, 0, 0);
	*ret_carrier = &a->k.base;
	return 0;
}

/* ---- questions ----------------------------------------------------------------------------- */

static int attached_probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static const struct origin_msg *origin_of(const struct carrier *carrier)
{
	return &((const struct supervised *)carrier)->control_conn.ready.ready.origin;
}

/* A client that only runs code never asks for them, so they are opened at the first sample. */
static size_t attached_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	struct supervised *k = (struct supervised *)carrier;
	if (!k->n_guards)
		k->n_guards = guards_report(
				k->guards, &k->control_conn.ready.ready, &k->limits, k->disk_bytes);
	return supervised_guards(carrier, ret_guards);
}

static const char *attached_origin(const struct carrier *carrier)
{
	const struct origin_msg *o = origin_of(carrier);
	return *o->image ? o->image : o->where;
}

static bool is_adopted(const struct carrier *carrier)
{
	return origin_of(carrier)->is_adopted;
}

const struct backend_ops backend_attached = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP | BACKEND_TELLS_END,
		.probe = attached_probe,
		.stop = supervised_stop,
		.leave = supervised_leave,
		.keep = supervised_keep,
		.set_group = supervised_set_group,
		.guards = attached_guards,
		.nproc = supervised_nproc,
		.isolation = supervised_isolation,
		.folder = supervised_folder,
		.stats = supervised_stats,
		.events = supervised_events,
		.refused = supervised_refused,
		.watch_memory = supervised_watch_memory,
		.origin = attached_origin,
		.is_adopted = is_adopted,
};
