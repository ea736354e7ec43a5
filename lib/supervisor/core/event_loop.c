/* SPDX-License-Identifier: MIT */
/* The supervisor's event loop. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/clock.h"
#include "base/idle_memory.h"
#include "base/procstat.h"
#include "supervisor/core/cleanup.h"
#include "supervisor/core/entry.h"
#include "supervisor/core/supervisor.h"
#include "supervisor/net/proxy.h"

void supervisor_end(struct supervisor *k, enum gone_cause cause)
{
	if (!k->is_ending)
		k->cause = cause;
	k->is_ending = true;
}

static void end_asked(struct supervisor *k, enum gone_cause cause, pid_t by, const char *command)
{
	if (k->is_ending)
		return;
	k->asked_by = by;
	snprintf(k->asker, sizeof k->asker, "%s", command);
	supervisor_end(k, cause);
}

/* ---- the sandbox ------------------------------------------------------------------- */

void supervisor_read_stderr(struct supervisor *k)
{
	char bytes[4096];
	ssize_t n = 0;
	while (k->launch_sandbox.words_fd >= 0
			&& (n = read(k->launch_sandbox.words_fd, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof k->words - 1 - k->n_words;
		size_t take = (size_t)n < room ? (size_t)n : room;
		memcpy(k->words + k->n_words, bytes, take);
		k->n_words += take;
	}
	if (k->launch_sandbox.words_fd >= 0 && (n == 0 || errno != EAGAIN)) {
		close(k->launch_sandbox.words_fd);
		k->launch_sandbox.words_fd = -1;
	}
}

/* Called while bubblewrap starts, which takes about as long. No packet leaves before slirp4netns runs, and
 * by then the filter is in force. */
int supervisor_start_net(struct supervisor *k)
{
	net_finish(&k->net);
	k->net_starts++;
	k->refused_before = k->n_refused;
	const struct net_ends *ends = &k->launch_sandbox.net;
	return ends->proxy_fd >= 0 ? net_start_proxy(&k->net, &k->spec, k->groups, k->user.uid, ends)
				   : net_start(&k->net, &k->spec, k->groups, k->user.uid, ends);
}

/* slirp4netns has crashed on what the sandbox sent, or was killed. Its connections are lost, but the
 * network is started again, unless this keeps happening. */
static void note_net_end(struct supervisor *k)
{
	enum { MOST_STARTS = 6 };
	k->net.pid = 0;
	if (k->net.relay_pid > 0)
		kill(k->net.relay_pid, SIGKILL);
	k->net.relay_pid = 0;
	if (k->is_announced && !k->is_ending && k->net_starts < MOST_STARTS)
		supervisor_start_net(k);
}

void supervisor_child_ended(struct supervisor *k, pid_t pid, int status)
{
	if (pid == k->cleanup)
		k->cleanup = k->is_ending ? 0 : cleanup_start(k, NULL);
	else if (pid == k->net.pid)
		note_net_end(k);
	else if (pid == k->net.relay_pid && k->net.pid > 0)
		kill(k->net.pid, SIGKILL); /* both are started again */
	if (pid != k->launch_sandbox.pid || k->has_status)
		return;
	k->status = status;
	k->has_status = true;
	supervisor_end(k, GONE_BY_ITSELF);
}

static void reap(struct supervisor *k)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		supervisor_child_ended(k, pid, status);
		container_child_ended(&k->container, pid, status);
		addr_watch_note_end(&k->addr_watch, pid, &k->spec, &k->launch_sandbox.net);
	}
}

/* Those who get the signal with us may be gone before: then the end has begun for the lost connection. */
static void note_end_signal(struct supervisor *k, uint32_t signo)
{
	if ((signo == SIGTERM || signo == SIGHUP) && (!k->is_ending || k->cause == GONE_REASON))
		container_leave(&k->container);
}

static void handle_signals(struct supervisor *k)
{
	struct signalfd_siginfo info;
	char command[128];
	while (read(k->signal_fd, &info, sizeof info) == sizeof info) {
		pid_t from = (pid_t)info.ssi_pid;
		note_end_signal(k, info.ssi_signo);
		if (info.ssi_signo == SIGCHLD)
			reap(k);
		else if (info.ssi_signo != SIGUSR2 || (k->is_announced && container_suspend(&k->container)))
			end_asked(k, GONE_SIGNAL, from, procstat_command(from, command, sizeof command));
	}
}

static void handle_net(struct supervisor *k)
{
	char why[CONTROL_MAX_WORDS];
	bool is_up = net_is_up(&k->net, why, sizeof why);
	if (k->is_announced)
		return;
	if (is_up) {
		supervisor_announce(k);
		return;
	}
	k->n_words = (size_t)snprintf(k->words, sizeof k->words, "%s", why);
	supervisor_end(k, GONE_BY_ITSELF);
}

/* The proxy has refused connections: clients are told of the last one, and how many there were. */
static void handle_refused(struct supervisor *k)
{
	struct proxy_word word;
	ssize_t n = recv(k->net.refused_fd, &word, sizeof word, MSG_DONTWAIT);
	if (n == 0) { /* it has ended, and is started again */
		close(k->net.refused_fd);
		k->net.refused_fd = -1;
	}
	if (n != sizeof word)
		return;
	word.words[sizeof word.words - 1] = '\0';
	k->n_refused = k->refused_before + word.n_refused;
	snprintf(k->refused, sizeof k->refused, "%s", word.words);
	supervisor_publish_refused(k);
	send(k->net.refused_fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- clients ------------------------------------------------------------------------- */

static uint64_t cpu_ns(const struct supervisor *k)
{
	uint64_t ns;
	if (k->container.bridges.has_line)
		return k->container.bridges.cpu_ns;
	return groups_cpu_ns(k->groups, &ns) ? ns : watchdog_cpu_ns(&k->watchdog);
}

static void on_said(void *user, const struct client *client, enum client_word word)
{
	struct supervisor *k = user;
	bool is_owner = client->fd == k->owner_fd;
	switch (word) {
	case CLIENT_KEEP: k->is_kept = true; break;
	case CLIENT_KEEP_OFF:
		k->is_kept = false;
		k->owner_fd = client->fd;
		break;
	case CLIENT_OBSERVE:
	case CLIENT_GROUP: break;
	case CLIENT_STOP: /* its owner sends this before it exits */
		end_asked(k, is_owner && !k->is_kept ? GONE_OWNER : GONE_STOPPED, client->pid,
				client->command);
		break;
	case CLIENT_GONE:
		if (is_owner)
			k->owner_fd = -1;
		if (is_owner && !k->is_kept && !k->is_ending)
			container_leave(&k->container);
		if (is_owner && !k->is_kept)
			end_asked(k, GONE_OWNER, client->pid, client->command);
		else if (!client->is_observer && !clients_count(&k->clients))
			idle_touch(&k->idle, clock_ms(), cpu_ns(k));
		break;
	}
	if (!k->is_ending)
		supervisor_save_state(k);
}

/* ---- time ------------------------------------------------------------------------------ */

/* A sandbox that is not kept has its owner attached, so it is never idle. */
static void check_idle(struct supervisor *k, uint64_t now_ms)
{
	if (!k->is_kept || clients_count(&k->clients) || now_ms < idle_next_ms(&k->idle))
		return;
	if (idle_sample(&k->idle, now_ms, cpu_ns(k)))
		supervisor_save_state(k);
	if (!idle_is_over(&k->idle, now_ms))
		return;
	k->after_ms = k->idle.timeout_ms;
	supervisor_end(k, GONE_IDLE);
}

static uint64_t end_of_life_ms(const struct supervisor *k)
{
	uint64_t most = k->spec.max_lifetime_ms;
	return (k->is_kept || k->spec.limits_lifetime) && most ? k->started_ms + most : UINT64_MAX;
}

static void check_age(struct supervisor *k, uint64_t now_ms)
{
	if (now_ms < end_of_life_ms(k))
		return;
	k->after_ms = k->spec.max_lifetime_ms;
	supervisor_end(k, GONE_LIFETIME);
}

/* How long to wait for the next event. -1: no limit. */
static int wait_ms(const struct supervisor *k, uint64_t until_ms)
{
	enum { LONGEST_MS = 1000 * 1000 * 1000 };
	uint64_t now_ms = clock_ms(), next = until_ms;
	if (k->is_ending)
		return next <= now_ms ? 0 : next - now_ms > LONGEST_MS ? LONGEST_MS : (int)(next - now_ms);
	if (end_of_life_ms(k) < next)
		next = end_of_life_ms(k);
	if (k->is_kept && !clients_count(&k->clients) && idle_next_ms(&k->idle) < next)
		next = idle_next_ms(&k->idle);
	if (watchdog_next_ms(&k->watchdog) < next)
		next = watchdog_next_ms(&k->watchdog);
	if (container_next_ms(&k->container) < next)
		next = container_next_ms(&k->container);
	if (next == UINT64_MAX)
		return -1;
	return next <= now_ms ? 0 : next - now_ms > LONGEST_MS ? LONGEST_MS : (int)(next - now_ms);
}

static void pass_time(struct supervisor *k)
{
	uint64_t now_ms = clock_ms();
	if (watchdog_poll(&k->watchdog, now_ms, !clients_count(&k->clients)))
		supervisor_publish_oom(k);
	if (k->watchdog.overrun_bytes && !k->is_ending)
		supervisor_fail(k, TRM_ETOOBIG,
				"the sandbox's files use %llu MiB of the allowed %llu, and keep growing",
				(unsigned long long)(k->watchdog.overrun_bytes >> 20),
				(unsigned long long)(k->spec.disk_bytes >> 20));
	if (k->watchdog.hidden_looks > WATCHDOG_HIDDEN_LOOKS && !k->is_ending)
		supervisor_fail(k, TRM_ETOOBIG,
				"the sandbox's files cannot be counted: folders are nested too deeply, or locked again and "
				"again");
	check_idle(k, now_ms);
	check_age(k, now_ms);
	container_pass_time(k, now_ms);
}

void supervisor_turn(struct supervisor *k, uint64_t until_ms)
{
	enum { SIGNALS, WORDS, NET, ROAM, REFUSED, RECIPE, CLIENTS = RECIPE + CONTAINER_POLLS };
	static struct pollfd fds[CLIENTS + CLIENTS_POLLS];
	fds[SIGNALS] = (struct pollfd){.fd = k->signal_fd, .events = POLLIN};
	fds[WORDS] = (struct pollfd){.fd = k->launch_sandbox.words_fd, .events = POLLIN};
	fds[NET] = (struct pollfd){.fd = k->net.ready_fd, .events = POLLIN};
	fds[ROAM] = (struct pollfd){.fd = k->addr_watch.fd, .events = POLLIN};
	fds[REFUSED] = (struct pollfd){.fd = k->net.refused_fd, .events = POLLIN};
	container_poll(&k->container, fds + RECIPE);
	size_t n = CLIENTS + clients_poll(&k->clients, fds + CLIENTS);
	int happened = poll(fds, n, wait_ms(k, until_ms));
	if (happened > 0 && fds[WORDS].revents)
		supervisor_read_stderr(k);
	if (happened > 0)
		container_handle(k, fds + RECIPE);
	if (happened > 0 && fds[REFUSED].revents)
		handle_refused(k);
	if (happened > 0 && fds[SIGNALS].revents)
		handle_signals(k);
	if (happened > 0 && fds[ROAM].revents)
		addr_watch_poll(&k->addr_watch, &k->spec, &k->launch_sandbox.net);
	if (happened > 0 && fds[NET].revents && !k->is_ending)
		handle_net(k);
	if (happened > 0)
		clients_handle(&k->clients, fds + CLIENTS, on_said, k);
	if (happened > 0 && fds[CLIENTS].revents && clients_let_in(&k->clients))
		supervisor_save_state(k);
	if (!k->is_ending)
		pass_time(k);
}

void supervisor_run(struct supervisor *k)
{
	idle_memory_drop_stack(); /* starting took most */
	while (!k->is_ending)
		supervisor_turn(k, UINT64_MAX);
}
