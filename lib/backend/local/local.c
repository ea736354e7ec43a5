/* SPDX-License-Identifier: MIT */

/* The host's side of a local sandbox. start() makes what must be there before
 * anything runs (the entry in the runtime directory, the agent's socket with our
 * connection already in its backlog, the spec) and starts the keeper, which does
 * the rest; from then on the carrier only listens to the lifeline.
 *
 *   client ── lifeline ── keeper ── bubblewrap ── agent (pid 1 inside)
 *      └───────────── agent.sock ────────────────────┘
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/local/argv.h"
#include "backend/local/filters.h"
#include "backend/local/guards.h"
#include "backend/local/machine.h"
#include "backend/local/rundir.h"
#include "backend/local/spawn.h"
#include "backend/local/stats.h"
#include "base/err.h"
#include "embed/embed.h"
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

/* Why a sandbox ended that nobody asked to end. */
static int tell_why(const struct local *l, struct trm_error *why)
{
	const struct gone_msg *gone = &l->gone.gone;
	char advice[MACHINE_ADVICE];
	if (l->gone.type != LIFELINE_GONE)
		return err_fail(why, TRM_EIO,
				"the sandbox's keeper was killed from outside, and the sandbox with it");
	if (gone->was_asked)
		return err_fail(why, TRM_ECLOSED, "the sandbox's keeper was told to end by a signal");
	if (*gone->words) {
		bool is_userns = strstr(gone->words, "namespace") || strstr(gone->words, "uid map");
		if (is_userns && machine_userns_is_off(advice))
			return err_fail(why, TRM_ENOTSUP, "bubblewrap cannot start: %s", advice);
		return err_fail(why, TRM_EIO, "bubblewrap cannot start: %s", gone->words);
	}
	/* Bubblewrap ends with 128 + n when its child was killed by signal n. */
	int status = gone->status;
	int signo = WIFSIGNALED(status)         ? WTERMSIG(status)
		    : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
						: 0;
	if (signo == SIGKILL && gone->oom_kills)
		return err_fail(why, TRM_ECLOSED, "the sandbox was killed: out of memory");
	if (signo)
		return err_fail(why, TRM_ECLOSED, "the sandbox's agent was killed by signal %d (%s)", signo,
				strsignal(signo));
	return err_fail(why, TRM_ECLOSED, "the sandbox's agent ended with exit status %d",
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
	stats_open(&l->stats, &l->ready.ready);
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

/* Files lie in memory: with no room left under the memory limit, a full disk would be
 * an out-of-memory kill instead of ENOSPC. */
static uint64_t disk_in_force(const struct trm_limits *limits)
{
	uint64_t most = limits->mem_bytes / 4 * 3;
	return limits->disk_bytes < most ? limits->disk_bytes : most;
}

static int put_spec(struct buf *out, const struct trm_sandbox_opts *opts, const struct rundir_entry *entry,
		const char *bwrap, uint64_t disk_bytes, struct trm_error *reterr)
{
	struct argv_facts facts;
	struct buf shared, separate;
	buf_init(&shared, LIFELINE_MAX_BYTES / 4);
	buf_init(&separate, LIFELINE_MAX_BYTES / 4);
	argv_facts_find(&facts);
	int r = argv_build(&shared, &facts, true, disk_bytes);
	if (r == 0)
		r = argv_build(&separate, &facts, false, disk_bytes);
	struct spec_msg spec = {
			.name = entry->name,
			.run_path = entry->path,
			.bwrap = bwrap,
			.mem_bytes = opts->limits.mem_bytes,
			.disk_bytes = disk_bytes,
			.file_bytes = opts->limits.file_bytes,
			.cpus = opts->limits.cpus,
			.procs = opts->limits.procs,
			.open_files = opts->limits.open_files,
			.calls = filters_calls(false),
			.arguments = filters_arguments(false),
			.calls_strict = filters_calls(true),
			.arguments_strict = filters_arguments(true),
	};
	spec.n_files = argv_files(spec.files, LIFELINE_MAX_FILES);
	if (r == 0) {
		spec.args_shared = (struct slice){buf_at(&shared), shared.len};
		spec.args_separate = (struct slice){buf_at(&separate), separate.len};
		r = spec_msg_put(out, &spec);
	}
	buf_finish(&shared);
	buf_finish(&separate);
	return r < 0 ? err_fail(reterr, r, "the sandbox's description does not fit: %s", trm_strerror(r)) : 0;
}

static int send_spec(struct local *l, const struct trm_sandbox_opts *opts, const struct rundir_entry *entry,
		const char *bwrap, struct trm_error *reterr)
{
	struct buf spec;
	buf_init(&spec, LIFELINE_MAX_BYTES);
	int r = put_spec(&spec, opts, entry, bwrap, l->disk_bytes, reterr);
	if (r == 0 && send(l->lifeline_fd, buf_at(&spec), spec.len, MSG_NOSIGNAL) < 0)
		r = err_errno(reterr, errno, "cannot tell the keeper what to start");
	buf_finish(&spec);
	return r;
}

/* Descriptors that only the start needs. */
struct parts {
	int null_fd, keeper_fd, agent_fd, listen_fd, far_fd;
};

static int make_parts(
		struct parts *p, struct local *l, const struct rundir_entry *entry, struct trm_error *reterr)
{
	int line[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return err_errno(reterr, errno, "cannot make a line to the keeper");
	l->lifeline_fd = line[0];
	p->far_fd = line[1];
	p->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (p->null_fd < 0)
		return err_errno(reterr, errno, "cannot open /dev/null");
	struct embed keeper = embed_keeper(), agent = embed_agent();
	p->keeper_fd = spawn_memfd("terrarium-keeper", keeper.bytes, keeper.n, reterr);
	if (p->keeper_fd < 0)
		return p->keeper_fd;
	p->agent_fd = spawn_memfd("terrarium-agent", agent.bytes, agent.n, reterr);
	if (p->agent_fd < 0)
		return p->agent_fd;
	return rundir_listen(entry, &p->listen_fd, &l->stream_fd, reterr);
}

static void close_parts(const struct parts *p)
{
	const int fds[] = {p->null_fd, p->keeper_fd, p->agent_fd, p->listen_fd, p->far_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int start_keeper(struct local *l, const struct parts *p, const struct rundir_entry *entry,
		struct trm_error *reterr)
{
	const int fds[KEEPER_FD_END] = {
			[0] = p->null_fd,
			[1] = p->null_fd,
			[2] = p->null_fd,
			[KEEPER_LIFELINE] = p->far_fd,
			[KEEPER_RUN_DIR] = entry->run_fd,
			[KEEPER_ENTRY_DIR] = entry->entry_fd,
			[KEEPER_LISTEN] = p->listen_fd,
			[KEEPER_AGENT] = p->agent_fd,
	};
	l->keeper_pid = spawn_program(p->keeper_fd, "terrarium-keeper", fds, KEEPER_FD_END, reterr);
	return l->keeper_pid < 0 ? l->keeper_pid : 0;
}

static int watch(struct local *l, struct trm_error *reterr)
{
	int r = trm_loop_add_fd(l->loop, l->lifeline_fd, TRM_READ, on_lifeline, l, &l->watch, reterr);
	if (r == 0)
		r = trm_loop_add_timer(l->loop, on_no_patience, l, &l->patience, reterr);
	return r;
}

static int launch(struct local *l, const struct trm_sandbox_opts *opts, struct rundir_entry *entry,
		const char *bwrap, struct trm_error *reterr)
{
	struct parts p = {-1, -1, -1, -1, -1};
	int r = make_parts(&p, l, entry, reterr);
	if (r == 0)
		r = send_spec(l, opts, entry, bwrap, reterr);
	if (r == 0)
		r = watch(l, reterr);
	if (r == 0)
		r = start_keeper(l, &p, entry, reterr);
	close_parts(&p);
	if (r < 0)
		return r;
	r = trm_loop_add_child(l->loop, l->keeper_pid, on_keeper_end, l, &l->child, reterr);
	if (r < 0) { /* it lives, but nobody would hear of its end: end it here and now */
		kill(l->keeper_pid, SIGKILL);
		waitpid(l->keeper_pid, NULL, 0);
	}
	return r;
}

static int check_limits(const struct trm_limits *limits, struct trm_error *reterr)
{
	if (limits->file_bytes < 1 << 20)
		return err_fail(reterr, TRM_EINVAL,
				"a file size limit below 1 MiB leaves no room for the agent");
	if (limits->open_files < 32)
		return err_fail(reterr, TRM_EINVAL, "a limit below 32 open files leaves none for the agent");
	if (limits->procs < 2)
		return err_fail(reterr, TRM_EINVAL, "a limit below 2 processes leaves none beside the agent");
	if (limits->mem_bytes < 8 << 20)
		return err_fail(reterr, TRM_EINVAL, "a memory limit below 8 MiB leaves none for a program");
	return 0;
}

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	char bwrap[MACHINE_PATH];
	struct rundir_entry entry = {0};
	int r = machine_check_filters(reterr);
	if (r == 0)
		r = machine_find_bwrap(bwrap, reterr);
	if (r == 0)
		r = check_limits(&opts->limits, reterr);
	if (r < 0)
		return r;
	struct local *l = calloc(1, sizeof *l);
	if (!l)
		return err_fail(reterr, TRM_ENOMEM, "out of memory");
	*l = (struct local){.base = {&backend_local, cb, user},
			.loop = loop,
			.limits = opts->limits,
			.disk_bytes = disk_in_force(&opts->limits),
			.stream_fd = -1,
			.lifeline_fd = -1};
	stats_init(&l->stats);
	r = rundir_entry_make(&entry, opts->name, reterr);
	if (r == 0)
		r = launch(l, opts, &entry, bwrap, reterr);
	if (r < 0) {
		rundir_entry_remove(&entry);
		destroy(l);
		return r;
	}
	rundir_entry_leave(&entry);
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

static void stats(struct carrier *carrier, struct trm_sample *sample)
{
	struct local *l = local(carrier);
	stats_sample(&l->stats, trm_loop_now_ns(l->loop), sample);
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

const struct backend_ops backend_local = {
		.name = "local",
		.caps = BACKEND_STATS,
		.probe = probe,
		.start = start,
		.stop = stop,
		.guards = guards,
		.nproc = nproc,
		.stats = stats,
};
