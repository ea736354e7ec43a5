/* SPDX-License-Identifier: MIT */
#include "agent/process/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "agent/core/process_tree.h"
#include "agent/process/exec.h"
#include "agent/process/publish.h"
#include "agent/process/subscriber.h"
#include "agent/process/turns.h"
#include "base/err.h"

enum { PASTS_MAX = 8 }; /* each may hold some megabytes */

bool proc_is_shared(const struct proc *proc)
{
	return proc->key[0] && !proc->exited && !proc->closed;
}

static struct proc *find_living(struct agent *agent, const char *key)
{
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (proc_is_shared(proc) && strcmp(proc->key, key) == 0)
			return proc;
	return NULL;
}

/* ---- past ---- */

bool proc_has_past(const struct proc *proc)
{
	return proc->is_past && proc->proc_history && !proc->over;
}

static struct proc *find_past(struct agent *agent, const char *key)
{
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (proc_has_past(proc) && strcmp(proc->key, key) == 0)
			return proc;
	return NULL;
}

static void forget_recent(struct proc *proc)
{
	if (proc->proc_history)
		proc_history_finish(proc->proc_history);
	free(proc->proc_history);
	proc->proc_history = NULL;
}

/* A client that is being told about the past has its own copy. */
static void inherit(struct proc *proc)
{
	struct proc *past = find_past(proc->agent, proc->key);
	if (!past)
		return;
	forget_recent(proc);
	proc->proc_history = past->proc_history;
	past->proc_history = NULL;
	proc_send_past(past);
}

/* Free the oldest one if there are too many. */
static void thin_pasts(struct agent *agent)
{
	struct proc *oldest = NULL;
	size_t n = 0;
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (proc_has_past(proc)) {
			oldest = proc;
			n++;
		}
	if (n <= PASTS_MAX)
		return;
	forget_recent(oldest);
	proc_send_past(oldest);
}

static struct proc *proc_create(struct agent *agent, const struct spawn_msg *msg);

/* Keep the output of the process, and the history that it had inherited. */
static void bury(struct proc *proc, uint32_t exit_code)
{
	char none[] = "", *argv[] = {none, NULL};
	const struct spawn_msg msg = {.key = proc->key, .flags = SPAWN_KEEP, .argv = argv, .label = none};
	if (!proc->proc_history || !proc->proc_history->position)
		return;
	struct proc *past = proc_create(proc->agent, &msg);
	if (!past)
		return;
	proc_history_end(proc->proc_history, (uint8_t)exit_code);
	forget_recent(past);
	past->is_past = past->started = past->exited = past->closed = true;
	past->proc_history = proc->proc_history;
	past->over = !past->key;
	proc->proc_history = NULL;
	thin_pasts(proc->agent);
}

void proc_send_past(struct proc *proc)
{
	for (struct subscriber *subscriber = proc->subscribers, *next; subscriber; subscriber = next) {
		next = subscriber->next;
		if (subscriber->backlog.len)
			continue;
		client_error(subscriber->stream.client, subscriber->stream.id, TRM_ENOENT,
				"'%s' no longer runs in this sandbox", proc->key);
		subscriber_destroy(subscriber);
	}
	proc->over = !proc->subscribers && !proc->proc_history;
}

/* ---- beginning ---- */

static void join(struct proc *proc, struct client *client, uint32_t stream, const struct spawn_msg *msg)
{
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		if (subscriber->stream.client == client) {
			client_error(client, stream, TRM_EBUSY,
					"stream %u of this client already follows the process '%s'",
					subscriber->stream.id, proc->key);
			return;
		}
	struct subscriber *subscriber = subscriber_create(proc, client, stream, msg->window);
	if (!subscriber) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		return;
	}
	subscriber->wants = msg->flags & (SPAWN_RECENT | SPAWN_PAST);
	if (!(msg->flags & SPAWN_RESUMED))
		turns_author_gone(proc, client); /* what was let go as slow has ended since */
	if (proc->started)
		subscriber_send_started(subscriber, true);
	output_pump(proc);
}

static char *copy_last(char *const *argv)
{
	while (argv[1])
		argv++;
	return strdup(*argv);
}

static struct proc *proc_create(struct agent *agent, const struct spawn_msg *msg)
{
	struct proc *proc = calloc(1, sizeof *proc);
	if (!proc)
		return NULL;
	proc->agent = agent;
	proc->flags = msg->flags;
	proc->mark = agent->next_mark ? agent->next_mark-- : 0;
	proc->key = strdup(msg->key);
	proc->name = strdup(msg->argv[0]);
	proc->last_arg = copy_last(msg->argv);
	proc->label = strdup(msg->label);
	if (*msg->key && (proc->proc_history = malloc(sizeof *proc->proc_history)))
		proc_history_init(proc->proc_history);
	buf_init(&proc->held, 256 * 1024);
	watch_init(&proc->report, -1, proc_on_report);
	proc_output_init(&proc->control, proc, -1, CHANNEL_CONTROL, false);
	for (size_t i = 0; i < PROC_OUTPUTS; i++)
		proc_output_init(&proc->outputs[i], proc, -1, (uint8_t)i, false);
	for (int i = 0; i < FEED_KINDS; i++)
		feed_init(&proc->feeds[i], proc, (enum feed_kind)i);
	proc->next = agent->procs;
	agent->procs = proc;
	return proc;
}

/* Close all pipes. The process itself, if it lives, is handled elsewhere. */
static void close_pipes(struct proc *proc)
{
	struct poller *poller = &proc->agent->poller;
	proc->closed = true;
	watch_close(poller, &proc->report);
	watch_close(poller, &proc->control.watch);
	for (size_t i = 0; i < PROC_OUTPUTS; i++)
		watch_close(poller, &proc->outputs[i].watch);
	for (int i = 0; i < FEED_KINDS; i++)
		feed_finish(&proc->feeds[i]);
}

void proc_request(struct client *client, uint32_t stream, const struct spawn_msg *msg)
{
	struct agent *agent = client->agent;
	struct proc *proc = find_living(agent, msg->key);
	struct trm_error error = {.code = TRM_ENOMEM, .msg = "the agent is out of memory"};
	if (!proc && msg->flags & SPAWN_ATTACH && msg->flags & SPAWN_PAST)
		proc = find_past(agent, msg->key);
	if (proc) {
		join(proc, client, stream, msg);
		return;
	}
	if (msg->flags & SPAWN_ATTACH) {
		client_error(client, stream, TRM_ENOENT, "'%s' does not run in this sandbox", msg->key);
		return;
	}
	proc = proc_create(agent, msg);
	if (!proc || !proc->key || !proc->name || !proc->last_arg || !proc->label
			|| (*msg->key && !proc->proc_history)
			|| spawn_process(proc, msg, client->nproc, &error) < 0) {
		client_error(client, stream, error.code, "%s", error.msg);
		if (proc) {
			close_pipes(proc);
			proc->over = true; /* the sweep frees it */
		}
		return;
	}
	publish_prepare(proc, client, msg);
	struct subscriber *first = subscriber_create(proc, client, stream, msg->window);
	if (!first) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		proc_signal(proc, SIGKILL, true);
		close_pipes(proc);
		return;
	}
	if (proc->proc_history)
		inherit(proc);
	turns_begin(first);
	watch_set(&agent->poller, &proc->report, EPOLLIN);
}

static void could_not_start(struct proc *proc, const struct exec_report *report)
{
	struct trm_error error;
	exec_sentence(report, proc->name, &error);
	while (proc->subscribers) {
		client_error(proc->subscribers->stream.client, proc->subscribers->stream.id, error.code, "%s",
				error.msg);
		subscriber_destroy(proc->subscribers);
	}
	bury(proc, 127);
	close_pipes(proc);
	/* It must be reaped before it is over: until then its pid cannot be reused. */
	proc->over = proc->exited;
}

void proc_on_report(struct watch *watch, uint32_t events)
{
	struct proc *proc = OWNER_OF(watch, struct proc, report);
	struct exec_report report;
	(void)events;
	ssize_t n = read(watch->fd, &report, sizeof report);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == sizeof report) {
		could_not_start(proc, &report);
		return;
	}
	watch_close(&proc->agent->poller, watch);
	proc->started = true;
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		subscriber_send_started(subscriber, subscriber != proc->subscribers);
	turns_announce(proc);
	publish_start(proc);
	feed_run(&proc->feeds[FEED_SCRIPT]);
	output_pump(proc);
}

void proc_exited(struct proc *proc, const struct exited_msg *status)
{
	int n = 0;
	proc->exited = true;
	proc->exit = *status;
	if (status->signal && status->signal == (uint32_t)proc->last_signal) {
		proc->exit.by_client = proc->signal_client;
		proc->exit.by_pid = proc->signal_pid;
		/* A shell that was just starting a child may have handled the first signal itself, and
		 * the exec has discarded its handler. */
		if (status->signal == SIGINT)
			kill(-proc->pid, SIGINT);
	}
	if (proc->control.watch.fd >= 0 && ioctl(proc->control.watch.fd, FIONREAD, &n) == 0 && n > 0)
		proc->control_left = (size_t)n;
	if (proc->started)
		output_pump(proc);
	else if (proc->report.fd < 0)
		proc->over = true; /* it could not start, or no client was waiting for it any more */
}

void proc_note_signal(struct proc *proc, int signo, const struct client *client)
{
	proc->last_signal = signo;
	proc->signal_client = client->number;
	proc->signal_pid = client->pid;
}

void proc_end(struct proc *proc)
{
	proc->exit.has_unread = feed_is_unread(&proc->feeds[FEED_CONTROL]);
	while (proc->subscribers) {
		struct client *client = proc->subscribers->stream.client;
		size_t before = client->out.len;
		if (exited_msg_put(&client->out, proc->subscribers->stream.id, &proc->exit) < 0)
			client->dead = true;
		client_count_unpaid(client, before);
		subscriber_destroy(proc->subscribers);
	}
	publish_exit(proc, &proc->exit);
	bury(proc, proc->exit.signal ? 128 + proc->exit.signal : (uint32_t)proc->exit.exit_code);
	close_pipes(proc);
	proc->over = true;
}

void proc_left(struct proc *proc)
{
	if (proc->subscribers || proc->flags & SPAWN_KEEP) {
		output_pump(proc);
		return;
	}
	if (!proc->exited)
		tree_signal(proc->pid, proc->mark, SIGKILL);
	publish_exit(proc, NULL);
	close_pipes(proc);
	proc->over = proc->exited;
}

void proc_signal(struct proc *proc, int signo, bool whole_tree)
{
	/* After its exit the pid may belong to another process. Processes that it left behind still have
	 * its tag. */
	if (whole_tree && signo == SIGKILL)
		tree_signal(proc->exited ? 0 : proc->pid, proc->mark, signo);
	else if (proc->exited)
		return;
	else if (whole_tree)
		tree_signal(proc->pid, 0, signo);
	else
		kill(-proc->pid, signo);
}

/* The time since which processes of that age were started. The request may have waited long before we read
 * it. */
static uint64_t since_ms(uint32_t age_ms, uint64_t sent_ms)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	bool is_our_clock = sent_ms <= now_ms && now_ms - sent_ms < 60000;
	uint64_t then_ms = is_our_clock ? sent_ms : now_ms;
	return age_ms && age_ms < then_ms ? then_ms - age_ms : 0;
}

void proc_kill_leftovers(
		const struct agent *agent, const struct proc *proc, uint32_t age_ms, uint64_t sent_ms)
{
	enum { MOST = 1024 };
	pid_t spared[MOST];
	size_t n = 0;
	for (const struct proc *other = agent->procs; other && n < MOST; other = other->next)
		if (!other->exited && other->pid > 0)
			spared[n++] = other->pid;
	tree_kill_leftovers(proc && !proc->exited ? proc->pid : 0, proc && age_ms ? proc->mark : 0, spared, n,
			since_ms(age_ms, sent_ms));
}

void proc_resize(struct proc *proc, uint16_t rows, uint16_t cols)
{
	struct winsize size = {.ws_row = rows, .ws_col = cols};
	if (proc->outputs[0].is_tty && proc->outputs[0].watch.fd >= 0)
		ioctl(proc->outputs[0].watch.fd, TIOCSWINSZ, &size);
}

void proc_destroy(struct proc *proc)
{
	if (!proc)
		return;
	close_pipes(proc);
	publish_exit(proc, NULL);
	buf_finish(&proc->held);
	forget_recent(proc);
	free(proc->key);
	free(proc->label);
	free(proc->name);
	free(proc->last_arg);
	free(proc);
}
