/* SPDX-License-Identifier: MIT */
#include "agent/core/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/client.h"
#include "agent/core/process_tree.h"
#include "agent/process/proc.h"
#include "agent/process/publish.h"
#include "agent/process/subscriber.h"
#include "agent/process/turns.h"
#include "agent/serve/ipc.h"
#include "base/clock.h"
#include "wire/folder.h"
#include "wire/message.h"

enum {
	EXIT_FAILED = 125,
	METRICS_UNPAID_MAX = 64 * 1024, /* a client with more unread bytes gets no further sample for now */
};

const char *agent_path(const struct agent *agent, const char *path, char out[AGENT_PATH_BYTES])
{
	return agent->folder && folder_path(agent->folder, path, out, AGENT_PATH_BYTES) ? out : path;
}

bool agent_may_show(const struct agent *agent, int fd)
{
	enum {
		PROC = 0x9fa0,
		SYSFS = 0x62656572,
		CGROUP = 0x27e0eb,
		CGROUP2 = 0x63677270
	}; /* linux/magic.h */
	struct statfs fs;
	if (agent->rules_fd < 0 || fd < 0)
		return true;
	return fstatfs(fd, &fs) == 0 && fs.f_type != PROC && fs.f_type != SYSFS && fs.f_type != CGROUP
	       && fs.f_type != CGROUP2;
}

/* ---- clients ---- */

/* Code in the sandbox can reach a socket with a name, but must not pretend to be a client. Neither may
 * another user of the host. Users outside our user namespace all look alike, though. */
static bool may_connect(const struct agent *agent, int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
		return false;
	if (!agent->is_keyed)
		return peer.uid == agent->owner;
	return peer.pid > 0 && (peer.uid == agent->owner || peer.uid == 0) && !tree_is_below(peer.pid);
}

static void on_connection(struct watch *watch, uint32_t events)
{
	struct agent *agent = OWNER_OF(watch, struct agent, listener);
	(void)events;
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0 && !may_connect(agent, fd)) {
		close(fd);
		return;
	}
	if (fd < 0 && errno == EMFILE) {
		/* A refused client must not stay in the queue, or the loop would spin on it. */
		close(agent->spare_fd);
		fd = accept(watch->fd, NULL, NULL);
		if (fd >= 0)
			close(fd);
		agent->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return;
	}
	if (fd < 0)
		return;
	int write_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* epoll wants one descriptor per watch */
	if (write_fd < 0) {
		close(fd);
		return;
	}
	struct client *client = client_create(agent, fd, write_fd);
	if (client && agent->n_clients > AGENT_MAX_CLIENTS)
		client_fail(client, "this sandbox already has %d clients, which is the maximum",
				AGENT_MAX_CLIENTS);
	else if (client && !client->dead)
		client->reader.ready(&client->reader, EPOLLIN); /* the first frames are usually there */
}

static void sweep_clients(struct agent *agent)
{
	for (struct client **at = &agent->clients, *client; (client = *at);) {
		if (!client->dead) {
			at = &client->next;
			continue;
		}
		*at = client->next;
		agent->n_clients--;
		agent->ending |= client->ends_agent;
		publish_forget(client);
		for (struct proc *proc = agent->procs; proc; proc = proc->next)
			turns_author_gone(proc, client); /* also where it was detached as slow */
		client_destroy(client);
		if (!agent->n_clients && agent->linger_ms)
			agent->alone_ns = clock_ns();
	}
}

static void sweep_procs(struct agent *agent)
{
	for (struct proc **at = &agent->procs, *proc; (proc = *at);) {
		if (!proc->over) {
			at = &proc->next;
			continue;
		}
		*at = proc->next;
		proc_destroy(proc);
	}
}

/* ---- children ---- */

static struct exited_msg exited_msg_of(int status, const struct rusage *usage)
{
	return (struct exited_msg){
			.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
			.signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0,
			.user_us = (uint64_t)usage->ru_utime.tv_sec * 1000000
				   + (uint64_t)usage->ru_utime.tv_usec,
			.system_us = (uint64_t)usage->ru_stime.tv_sec * 1000000
				     + (uint64_t)usage->ru_stime.tv_usec,
			.max_rss_bytes = (uint64_t)usage->ru_maxrss * 1024,
	};
}

/* Sent from another PID namespace, which no code inside can fake. */
static bool is_from_outside(const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_USER && info->ssi_pid == 0;
}

/* Was the process killed for lack of memory? The supervisor may be unable to read the counters. */
static void note_oom_kills(struct agent *agent, struct exited_msg *msg)
{
	uint64_t now = cgroup_oom_kills();
	msg->oom_kills = now > agent->oom_kills ? now - agent->oom_kills : 0;
	agent->oom_kills = now;
}

static void on_signal(struct watch *watch, uint32_t events)
{
	struct agent *agent = OWNER_OF(watch, struct agent, signals);
	struct signalfd_siginfo info;
	struct rusage usage;
	int status;
	pid_t pid;
	(void)events;
	while (read(watch->fd, &info, sizeof info) == sizeof info)
		agent->ending |= info.ssi_signo != SIGCHLD && (!agent->is_init || is_from_outside(&info));
	/* Orphans come to us as well: they are reaped and forgotten. */
	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		struct exited_msg msg = exited_msg_of(status, &usage);
		if (msg.signal == SIGKILL && agent->is_container)
			note_oom_kills(agent, &msg);
		for (struct proc *proc = agent->procs; proc; proc = proc->next)
			if (proc->pid == pid && !proc->exited) {
				if (msg.signal == SIGKILL && agent->is_init) /* perhaps for memory */
					ipc_clear();
				proc_exited(proc, &msg);
				break;
			}
	}
}

/* ---- timers ---- */

/* A client may set the name under which METRICS show its process, because a kernel's own command line is
 * our driver, which means nothing to people. */
static void set_labels(const struct agent *agent, struct trm_process *rows, size_t n)
{
	for (const struct proc *proc = agent->procs; proc; proc = proc->next)
		for (size_t i = 0; i < n && proc->label[0]; i++)
			if (rows[i].pid == (uint32_t)proc->pid)
				snprintf(rows[i].command, sizeof rows[i].command, "%s", proc->label);
}

static void send_metrics(struct client *client)
{
	struct agent *agent = client->agent;
	const struct trm_metrics *taken = sampler_take(&agent->sampler, agent->is_init, agent->nproc);
	size_t before = client->out.len;
	if (!taken)
		return;
	struct trm_metrics metrics = *taken;
	metrics.has_processes = client->watch_processes;
	set_labels(agent, agent->sampler.table, metrics.n_processes);
	if (metrics_msg_put(&client->out, &metrics) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

/* When the time without clients is over. UINT64_MAX: never. */
static uint64_t alone_until_ns(const struct agent *agent)
{
	bool is_waiting = agent->linger_ms && !agent->n_clients;
	return is_waiting ? agent->alone_ns + agent->linger_ms * UINT64_C(1000000) : UINT64_MAX;
}

static void run_timers(struct agent *agent, uint64_t now_ns)
{
	for (struct client *client = agent->clients; client; client = client->next) {
		if (!client->watch_ms || client->watch_due_ns > now_ns)
			continue;
		if (client->unpaid <= METRICS_UNPAID_MAX)
			send_metrics(client);
		client->watch_due_ns = now_ns + client->watch_ms * UINT64_C(1000000);
	}
	for (struct proc *proc = agent->procs; proc; proc = proc->next) {
		slow_client_check(proc, now_ns);
		limit_check(proc, now_ns);
	}
	agent->ending |= alone_until_ns(agent) <= now_ns;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t proc_due_ns(const struct proc *proc)
{
	return earlier(slow_client_due_ns(proc), limit_due_ns(proc));
}

static bool has_timers(const struct agent *agent)
{
	for (const struct client *client = agent->clients; client; client = client->next)
		if (client->watch_ms)
			return true;
	for (const struct proc *proc = agent->procs; proc; proc = proc->next)
		if (proc_due_ns(proc) != UINT64_MAX)
			return true;
	return alone_until_ns(agent) != UINT64_MAX;
}

static int timeout_ms(const struct agent *agent, uint64_t now_ns)
{
	uint64_t due_ns = alone_until_ns(agent);
	if (publish_is_due(agent))
		return 0; /* a follower got room while flushing */
	for (const struct client *client = agent->clients; client; client = client->next) {
		if (client->out.len && !client->writer.events)
			return 0; /* room was made and filled again while flushing */
		if (client->watch_ms)
			due_ns = earlier(due_ns, client->watch_due_ns);
	}
	for (const struct proc *proc = agent->procs; proc; proc = proc->next)
		due_ns = earlier(due_ns, proc_due_ns(proc));
	if (due_ns == UINT64_MAX)
		return -1;
	/* Round up: waking too early would make the loop spin through the last millisecond. */
	return due_ns <= now_ns ? 0 : (int)((due_ns - now_ns + 999999) / 1000000);
}

/* ---- the loop ---- */

static void turn(struct agent *agent)
{
	uint64_t now_ns = has_timers(agent) ? clock_ns() : 0;
	poller_turn(&agent->poller, timeout_ms(agent, now_ns));
	if (has_timers(agent))
		run_timers(agent, clock_ns());
	turns_count(agent);
	publish_pump(agent);
	for (struct client *client = agent->clients; client; client = client->next)
		agent_client_flush(client);
	sweep_clients(agent);
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		slow_client_end_left(proc);
	sweep_procs(agent);
}

static void kill_everybody(struct agent *agent)
{
	if (agent->is_init) {
		kill(-1, SIGKILL);
		return;
	}
	tree_signal_below(getpid(), SIGKILL);
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (!proc->exited && proc->pid > 0)
			kill(-proc->pid, SIGKILL);
}

static int open_signals(struct agent *agent)
{
	sigset_t mask;
	struct sigaction child = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigaction(SIGCHLD, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	if (!agent->is_init || agent->is_container) {
		/* Process 1 of bubblewrap's namespace leaves these signals unblocked: the kernel discards
		 * those that code inside sends to process 1, but it delivers blocked ones to a signalfd. In a
		 * container the engine sends them, so there on_signal() checks where they come from. */
		sigaddset(&mask, SIGTERM);
		sigaddset(&mask, SIGINT);
		sigaddset(&mask, SIGHUP);
		sigaddset(&mask, SIGQUIT);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	watch_init(&agent->signals, signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK), on_signal);
	return agent->signals.fd < 0 ? -1 : watch_set(&agent->poller, &agent->signals, EPOLLIN);
}

/* Occupy the lowest descriptors, so that none of ours can be mistaken for standard input or output. */
static void fill_standard_fds(void)
{
	int fd;
	while ((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && fd <= 2)
		;
	if (fd > 2)
		close(fd);
}

/* Programs that we start must not inherit other descriptors. */
static void hide_inherited(void)
{
	enum { SYS_CLOSE_RANGE = 436, ONLY_ON_EXEC = 4, GUESS = 256 };
	if (syscall(SYS_CLOSE_RANGE, 3u, ~0u, ONLY_ON_EXEC) == 0)
		return;
	for (int fd = 3; fd < GUESS; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Nothing is sent on this connection: only its end can be read. */
static void on_handoff_end(struct watch *watch, uint32_t events)
{
	char byte;
	(void)events;
	if (read(watch->fd, &byte, 1) <= 0 && errno != EAGAIN && errno != EINTR)
		OWNER_OF(watch, struct agent, handoff)->ending = true;
}

static struct agent *agent_create(bool is_container)
{
	struct agent *agent = calloc(1, sizeof *agent);
	if (!agent)
		return NULL;
	agent->is_init = getpid() == 1;
	agent->is_container = is_container;
	agent->rules_fd = -1;
	fill_standard_fds();
	hide_inherited();
	if (!agent->is_init)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	watch_init(&agent->listener, -1, on_connection);
	watch_init(&agent->handoff, -1, on_handoff_end);
	agent->next_mark = tree_first_mark();
	sampler_init(&agent->sampler);
	proxy_env_init(&agent->proxy_env);
	agent->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (poller_init(&agent->poller) == 0 && open_signals(agent) == 0)
		return agent;
	free(agent);
	return NULL;
}

static int run(struct agent *agent)
{
	while (!agent->ending)
		turn(agent);
	kill_everybody(agent);
	for (struct client *client = agent->clients; client; client = client->next)
		client->dead = true;
	sweep_clients(agent);
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		proc->over = true;
	sweep_procs(agent);
	publish_finish(agent);
	sampler_finish(&agent->sampler);
	proxy_env_finish(&agent->proxy_env);
	poller_finish(&agent->poller);
	free(agent);
	return 0;
}

static int keep_private(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static bool is_listening(int fd)
{
	int yes = 0;
	socklen_t n = sizeof yes;
	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &n) == 0 && yes;
}

/* The user of the listening process, as seen from here. */
static uint32_t maker_of(int listen_fd)
{
	struct ucred maker = {.uid = geteuid()};
	socklen_t n = sizeof maker;
	getsockopt(listen_fd, SOL_SOCKET, SO_PEERCRED, &maker, &n);
	return maker.uid;
}

/* Our stderr leads to the supervisor. If it died before bubblewrap had arranged that we die with it,
 * nobody is left to end us. */
static bool is_abandoned(void)
{
	struct pollfd p = {.fd = STDERR_FILENO};
	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

int agent_serve(const struct agent_way *way)
{
	struct agent *agent = is_listening(way->listen_fd) && !is_abandoned()
					      ? agent_create(way->is_container)
					      : NULL;
	if (!agent || keep_private(way->listen_fd) < 0
			|| (way->handoff_fd >= 0 && keep_private(way->handoff_fd) < 0))
		return EXIT_FAILED;
	agent->oom_kills = way->is_container || way->folder ? cgroup_oom_kills() : 0;
	agent->is_keyed = way->is_keyed;
	agent->owner = way->is_keyed ? way->owner : maker_of(way->listen_fd);
	agent->linger_ms = way->linger_ms;
	agent->alone_ns = clock_ns();
	agent->folder = way->folder;
	agent->rules_fd = way->rules_fd;
	agent->roots = way->roots;
	if (agent->folder)
		sampler_measure(&agent->sampler, agent->folder);
	agent->workdir = way->workdir;
	agent->report = way->report;
	agent->report_len = way->report_len;
	agent->listener.fd = way->listen_fd;
	agent->handoff.fd = way->handoff_fd;
	if (agent->handoff.fd >= 0 && watch_set(&agent->poller, &agent->handoff, EPOLLIN) < 0)
		return EXIT_FAILED;
	return watch_set(&agent->poller, &agent->listener, EPOLLIN) < 0 ? EXIT_FAILED : run(agent);
}

int agent_serve_stdio(void)
{
	struct agent *agent = agent_create(false);
	if (!agent || keep_private(0) < 0 || keep_private(1) < 0)
		return EXIT_FAILED;
	struct client *client = client_create(agent, 0, 1);
	if (!client)
		return EXIT_FAILED;
	client->ends_agent = true;
	return run(agent);
}
