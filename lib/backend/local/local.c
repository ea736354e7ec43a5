/* SPDX-License-Identifier: MIT */

/* The host's side of a local sandbox. start() makes what must be there before anything runs
 * and starts the keeper, which does the rest; from then on the carrier only listens to the
 * lifeline.
 *
 *   client ── lifeline ── keeper ── bubblewrap ── agent (pid 1 inside)
 *      └───────────── agent.sock ────────────────────┘
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/local/found.h"
#include "backend/local/guards.h"
#include "backend/local/machine.h"
#include "backend/local/start.h"
#include "backend/local/stats.h"
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
	int stream_fd, lifeline_fd;
	pid_t keeper_pid;
	struct trm_watch *watch;
	struct trm_child *child;
	struct trm_timer *patience;
	bool is_stopping;
	struct lifeline_msg ready, gone; /* type 0: not heard yet */
	uint64_t watchdog_kills;
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
	trm_watch_remove(l->watch);
	trm_child_remove(l->child);
	trm_timer_remove(l->patience);
	stats_close(&l->stats);
	lifeline_finish(&l->ready);
	lifeline_finish(&l->gone);
	if (l->stream_fd >= 0)
		close(l->stream_fd);
	if (l->lifeline_fd >= 0)
		close(l->lifeline_fd);
	free(l);
}

static int line_length(const char *text)
{
	size_t n = strlen(text);
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	return (int)n;
}

/* Why a sandbox ended that nobody asked to end. */
static int tell_why(const struct local *l, struct trm_error *why)
{
	const struct gone_msg *gone = &l->gone.gone;
	char advice[MACHINE_ADVICE];
	if (l->gone.type != LIFELINE_GONE)
		return trm_error_set(why, TRM_EIO,
				"the sandbox's keeper was killed from outside, and the sandbox with it");
	if (gone->was_asked)
		return trm_error_set(why, TRM_ECLOSED, "the sandbox's keeper was told to end by a signal");
	if (*gone->words) {
		bool is_userns = strstr(gone->words, "namespace") || strstr(gone->words, "uid map");
		if (is_userns && machine_userns_is_off(advice))
			return trm_error_set(why, TRM_ENOTSUP, "bubblewrap cannot start: %s", advice);
		return trm_error_set(why, TRM_EIO, "bubblewrap cannot start: %.*s", line_length(gone->words),
				gone->words);
	}
	/* Bubblewrap ends with 128 + n when its child was killed by signal n. */
	int status = gone->status;
	int signo = WIFSIGNALED(status)         ? WTERMSIG(status)
		    : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
						: 0;
	if (signo == SIGKILL && gone->oom_kills)
		return trm_error_set(why, TRM_ECLOSED, "the sandbox was killed: out of memory");
	if (signo)
		return trm_error_set(why, TRM_ECLOSED, "the sandbox's agent was killed by signal %d (%s)",
				signo, strsignal(signo));
	return trm_error_set(why, TRM_ECLOSED, "the sandbox's agent ended with exit status %d",
			WEXITSTATUS(status));
}

static void hear_all(struct local *l);

/* The keeper has been reaped: what it had to say lies in the socket. */
static void on_keeper_end(void *user, pid_t pid, int wait_status)
{
	struct local *l = user;
	struct trm_error why = {.code = TRM_OK};
	(void)pid;
	(void)wait_status;
	l->child = NULL;
	hear_all(l);
	if (!l->is_stopping)
		tell_why(l, &why);
	if (l->base.cb->closed)
		l->base.cb->closed(l->base.user, &why);
	destroy(l);
}

static void on_no_patience(void *user)
{
	struct local *l = user;
	if (l->child)
		kill(l->keeper_pid, SIGKILL);
}

static void stop(struct carrier *carrier)
{
	struct local *l = local(carrier);
	if (l->is_stopping)
		return;
	l->is_stopping = true;
	shutdown(l->lifeline_fd, SHUT_WR);
	trm_timer_start(l->patience, STOP_PATIENCE_MS, 0);
}

/* ---- life ------------------------------------------------------------------------- */

static void on_ready(struct local *l)
{
	stats_open(&l->stats, &l->ready.ready, l->keeper_pid);
	l->n_guards = guards_tell(l->guards, &l->ready.ready, &l->limits, l->disk_bytes);
	if (!l->is_stopping && l->base.cb->connected)
		l->base.cb->connected(l->base.user, l->stream_fd);
}

static void hear(struct local *l, struct lifeline_msg *msg)
{
	if (msg->type == LIFELINE_READY && !l->ready.type) {
		l->ready = *msg;
		on_ready(l);
	} else if (msg->type == LIFELINE_GONE && !l->gone.type) {
		l->gone = *msg;
	} else {
		if (msg->type == LIFELINE_OOM)
			l->watchdog_kills = msg->oom_kills;
		lifeline_finish(msg);
	}
}

static void hear_all(struct local *l)
{
	char packet[4096 + LIFELINE_MAX_WORDS];
	struct lifeline_msg msg;
	ssize_t n;
	while ((n = recv(l->lifeline_fd, packet, sizeof packet, MSG_DONTWAIT)) > 0)
		if (lifeline_get(packet, (size_t)n, &msg) == 0)
			hear(l, &msg);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	trm_watch_remove(l->watch); /* the rest is said by the keeper's end */
	l->watch = NULL;
}

static void on_lifeline(void *user, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	hear_all(user);
}

/* ---- start ------------------------------------------------------------------------- */

static int watch(struct local *l, struct trm_error *reterr)
{
	int r = trm_loop_add_fd(l->loop, l->lifeline_fd, TRM_READ, on_lifeline, l, &l->watch, reterr);
	if (r == 0)
		r = trm_loop_add_timer(l->loop, on_no_patience, l, &l->patience, reterr);
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
			.stream_fd = -1,
			.lifeline_fd = -1};
	stats_init(&l->stats);
	int r = start_keeper(opts, &started, reterr);
	if (r < 0) {
		destroy(l);
		return r;
	}
	l->disk_bytes = started.disk_bytes;
	l->stream_fd = started.stream_fd;
	l->lifeline_fd = started.lifeline_fd;
	l->keeper_pid = started.keeper_pid;
	r = watch(l, reterr);
	if (r < 0) {
		pid_t pid = l->keeper_pid;
		destroy(l); /* closes the lifeline: the keeper clears up and ends */
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
	return l->ready.ready.limits & LIMIT_PIDS ? 0 : l->limits.procs;
}

static void add_limits(const struct local *l, struct trm_sample *sample)
{
	sample->cpu_limit = l->limits.cpus;
	sample->mem_limit_bytes = l->limits.mem_bytes;
	sample->disk_limit_bytes = l->disk_bytes;
	sample->procs_limit = l->limits.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
	if (!(l->ready.ready.limits & LIMIT_MEMORY)) {
		sample->oom_kills = l->watchdog_kills;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
}

static void stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_sample(&l->stats, trm_loop_now_ns(l->loop), sample);
	add_limits(l, sample);
}

static bool events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_events(&l->stats, sample);
	add_limits(l, sample);
	if (!(sample->known & TRM_METRIC_MEM) && l->ready.type) {
		sample->mem_bytes = found_memory_below(l->keeper_pid) + sample->disk_bytes;
		sample->known |= TRM_METRIC_MEM;
	}
	return marks && stats_mark_peak(&l->stats);
}

static int watch_memory(struct carrier *carrier, uint64_t bytes)
{
	const struct local *l = local(carrier);
	return stats_watch_memory(&l->stats, l->ready.ready.mem_dir, bytes);
}

const struct backend_ops backend_local = {
		.name = "local",
		.caps = BACKEND_STATS | BACKEND_EVENTS,
		.probe = probe,
		.start = start,
		.stop = stop,
		.guards = guards,
		.nproc = nproc,
		.stats = stats,
		.events = events,
		.watch_memory = watch_memory,
};
