/* SPDX-License-Identifier: MIT */
/* A sandbox that somebody else has started: a connection to its agent, and a look at its control
 * groups. Nothing here keeps it alive, and nothing here ends it. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/local/found.h"
#include "backend/local/guards.h"
#include "base/err.h"

struct attached {
	struct carrier base;
	struct trm_loop *loop;
	int fd, keeper_fd; /* keeper_fd: readable when it has ended; -1: not to be had */
	struct trm_watch *watch;
	struct trm_timer *soon; /* callbacks go out from a turn of the loop */
	bool is_connected, is_stopping, is_over;
	struct info_msg info;
	struct stats stats;
	size_t n_guards;
	struct trm_guard guards[GUARDS_MAX];
};

static struct attached *attached(const struct carrier *carrier)
{
	assert(carrier->ops == &backend_attached);
	return (struct attached *)carrier;
}

static void destroy(struct attached *a)
{
	trm_watch_remove(a->watch);
	trm_timer_remove(a->soon);
	stats_close(&a->stats);
	info_msg_finish(&a->info);
	if (a->fd >= 0)
		close(a->fd);
	if (a->keeper_fd >= 0)
		close(a->keeper_fd);
	free(a);
}

static void on_soon(void *user)
{
	struct attached *a = user;
	struct trm_error why = {.code = TRM_OK};
	if (!a->is_stopping && !a->is_over) {
		a->is_connected = true;
		a->base.cb->connected(a->base.user, a->fd);
		return;
	}
	if (!a->is_stopping)
		trm_error_set(&why, TRM_ECLOSED, "the sandbox has ended");
	a->base.cb->closed(a->base.user, &why);
	destroy(a);
}

static void on_keeper_end(void *user, int fd, uint32_t events)
{
	struct attached *a = user;
	(void)fd;
	(void)events;
	trm_watch_remove(a->watch);
	a->watch = NULL;
	a->is_over = true;
	trm_timer_start(a->soon, 0, 0);
}

/* The path may be too long for a socket's address: then through the descriptor of the directory. */
static int connect_to(int run_fd, const char *name, struct trm_error *reterr)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	snprintf(addr.sun_path, sizeof addr.sun_path, "/proc/self/fd/%d/%.64s/agent.sock", run_fd, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0)
		return fd;
	int error = errno;
	if (fd >= 0)
		close(fd);
	return error == ENOENT || error == ECONNREFUSED
			       ? trm_error_set(reterr, TRM_ENOENT, "there is no running sandbox '%s'", name)
			       : trm_error_set_errno(reterr, error, "cannot connect to sandbox '%s'", name);
}

static int open_all(struct attached *a, const char *name, struct trm_error *reterr)
{
	int run_fd = found_open_dir(reterr);
	if (run_fd < 0)
		return run_fd;
	int r = found_read(run_fd, name, &a->info, reterr);
	if (r == 0) {
		a->keeper_fd = (int)syscall(SYS_pidfd_open, a->info.keeper, 0);
		r = found_is_alive(&a->info) ? 0
					     : trm_error_set(reterr, TRM_ENOENT,
							     "there is no running sandbox '%s'", name);
	}
	if (r == 0)
		r = a->fd = connect_to(run_fd, name, reterr);
	close(run_fd);
	if (r < 0)
		return r;
	stats_open(&a->stats, &a->info.ready, a->info.keeper);
	struct trm_limits limits;
	found_limits(&a->info, &limits);
	a->n_guards = guards_tell(a->guards, &a->info.ready, &limits, a->info.disk_bytes);
	return 0;
}

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct attached *a = calloc(1, sizeof *a);
	if (!a)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*a = (struct attached){
			.base = {&backend_attached, cb, user}, .loop = loop, .fd = -1, .keeper_fd = -1};
	stats_init(&a->stats);
	int r = open_all(a, opts->name, reterr);
	if (r >= 0)
		r = trm_loop_add_timer(loop, on_soon, a, &a->soon, reterr);
	if (r >= 0 && a->keeper_fd >= 0)
		r = trm_loop_add_fd(loop, a->keeper_fd, TRM_READ, on_keeper_end, a, &a->watch, reterr);
	if (r < 0) {
		destroy(a);
		return r;
	}
	trm_timer_start(a->soon, 0, 0);
	*ret_carrier = &a->base;
	return 0;
}

static void stop(struct carrier *carrier)
{
	struct attached *a = attached(carrier);
	a->is_stopping = true;
	trm_timer_start(a->soon, 0, 0);
}

static int probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static size_t guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	*ret_guards = attached(carrier)->guards;
	return attached(carrier)->n_guards;
}

static uint32_t nproc(const struct carrier *carrier)
{
	const struct info_msg *info = &attached(carrier)->info;
	return info->ready.limits & LIMIT_PIDS ? 0 : info->procs;
}

static void add_limits(const struct attached *a, struct trm_sample *sample)
{
	sample->cpu_limit = a->info.cpus;
	sample->mem_limit_bytes = a->info.mem_bytes;
	sample->disk_limit_bytes = a->info.disk_bytes;
	sample->procs_limit = a->info.procs;
	sample->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_DISK_LIMIT
			 | TRM_METRIC_PROCS_LIMIT;
}

static void stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct attached *a = attached(carrier);
	stats_sample(&a->stats, trm_loop_now_ns(a->loop), sample);
	add_limits(a, sample);
}

static bool events(struct carrier *carrier, bool marks, struct trm_sample *sample)
{
	struct attached *a = attached(carrier);
	(void)marks; /* the peak belongs to whoever runs code in there */
	stats_events(&a->stats, sample);
	add_limits(a, sample);
	return false;
}

static int watch_memory(struct carrier *carrier, uint64_t bytes)
{
	const struct attached *a = attached(carrier);
	return stats_watch_memory(&a->stats, a->info.ready.mem_dir, bytes);
}

const struct backend_ops backend_attached = {
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
