/* SPDX-License-Identifier: MIT */
#include "agent/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/exec.h"
#include "agent/tree.h"
#include "base/err.h"

static void sub_close(struct stream *stream);
static void sub_credit(struct stream *stream, uint32_t n);
static void sub_room(struct stream *stream);

static const struct stream_ops sub_ops = {
		.close = sub_close,
		.credit = sub_credit,
		.room = sub_room,
};

struct sub *sub_of(struct stream *stream)
{
	return stream && stream->ops == &sub_ops ? OWNER_OF(stream, struct sub, stream) : NULL;
}

static struct sub *attach(struct proc *proc, struct client *client, uint32_t stream, uint32_t window)
{
	struct sub *sub = calloc(1, sizeof *sub), **at = &proc->subs;
	if (!sub)
		return NULL;
	stream_add(&sub->stream, &sub_ops, client, stream);
	sub->proc = proc;
	sub->credit = sub->window = window;
	for (int i = 0; i < FEED_CLIENT_KINDS; i++)
		inlet_init(&sub->inlets[i]);
	while (*at)
		at = &(*at)->next;
	*at = sub;
	return sub;
}

static void detach(struct sub *sub)
{
	struct sub **at = &sub->proc->subs;
	while (*at != sub)
		at = &(*at)->next;
	*at = sub->next;
	sub->proc->stalled_ns = 0; /* to be judged anew */
	stream_remove(&sub->stream);
	for (int i = 0; i < FEED_CLIENT_KINDS; i++) {
		feed_forget(&sub->proc->feeds[i], sub);
		inlet_finish(&sub->inlets[i]);
	}
	free(sub);
}

static void tell_started(struct sub *sub, bool was_there)
{
	struct client *client = sub->stream.client;
	size_t before = client->out.len;
	struct started_msg msg = {
			.pid = (uint32_t)sub->proc->pid, .was_there = was_there, .has_turn = !was_there};
	if (started_msg_put(&client->out, sub->stream.id, &msg) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

static struct proc *find_living(struct agent *agent, const char *key)
{
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (*key && !proc->exited && !proc->closed && strcmp(proc->key, key) == 0)
			return proc;
	return NULL;
}

static void join(struct proc *proc, struct client *client, uint32_t stream, uint32_t window)
{
	for (struct sub *sub = proc->subs; sub; sub = sub->next)
		if (sub->stream.client == client) {
			client_error(client, stream, TRM_EBUSY,
					"stream %u of this client follows the process '%s' already",
					sub->stream.id, proc->key);
			return;
		}
	struct sub *sub = attach(proc, client, stream, window);
	if (!sub) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		return;
	}
	if (proc->started)
		tell_started(sub, true);
	output_pump(proc);
}

static struct proc *proc_create(struct agent *agent, const struct spawn_msg *msg)
{
	struct proc *proc = calloc(1, sizeof *proc);
	if (!proc)
		return NULL;
	proc->agent = agent;
	proc->flags = msg->flags;
	proc->key = strdup(msg->key);
	proc->name = strdup(msg->argv[0]);
	proc->label = strdup(msg->label);
	buf_init(&proc->held, 256 * 1024);
	watch_init(&proc->report, -1, proc_on_report);
	output_init(&proc->control, proc, -1, CHANNEL_CONTROL, false);
	for (size_t i = 0; i < PROC_OUTPUTS; i++)
		output_init(&proc->outputs[i], proc, -1, (uint8_t)i, false);
	for (int i = 0; i < FEED_KINDS; i++)
		feed_init(&proc->feeds[i], proc, (enum feed_kind)i);
	proc->next = agent->procs;
	agent->procs = proc;
	return proc;
}

/* No pipe stays open; the process itself, if it lives, is somebody else's matter. */
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
	if (proc) {
		join(proc, client, stream, msg->window);
		return;
	}
	if (msg->flags & SPAWN_ATTACH) {
		client_error(client, stream, TRM_ENOENT, "'%s' does not run in this sandbox (any more)",
				msg->key);
		return;
	}
	proc = proc_create(agent, msg);
	if (!proc || !proc->key || !proc->name || !proc->label
			|| spawn_process(proc, msg, client->nproc, &error) < 0) {
		client_error(client, stream, error.code, "%s", error.msg);
		if (proc) {
			close_pipes(proc);
			proc->over = true; /* the sweep frees it */
		}
		return;
	}
	if (!attach(proc, client, stream, msg->window)) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		proc_signal(proc, SIGKILL, true);
		close_pipes(proc);
		return;
	}
	watch_set(&agent->poller, &proc->report, EPOLLIN);
}

static void could_not_start(struct proc *proc, const struct exec_report *report)
{
	struct trm_error error;
	exec_sentence(report, proc->name, &error);
	while (proc->subs) {
		client_error(proc->subs->stream.client, proc->subs->stream.id, error.code, "%s", error.msg);
		detach(proc->subs);
	}
	close_pipes(proc);
	/* Not over before it is reaped: its pid is its own until then. */
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
	for (struct sub *sub = proc->subs; sub; sub = sub->next)
		tell_started(sub, sub != proc->subs);
	feed_run(&proc->feeds[FEED_SCRIPT]);
	output_pump(proc);
}

void proc_exited(struct proc *proc, const struct exited_msg *status)
{
	int n = 0;
	proc->exited = true;
	proc->exit = *status;
	if (proc->control.watch.fd >= 0 && ioctl(proc->control.watch.fd, FIONREAD, &n) == 0 && n > 0)
		proc->control_left = (size_t)n;
	if (proc->started)
		output_pump(proc);
	else if (proc->report.fd < 0)
		proc->over = true; /* it could not start, or nobody was waiting for it any more */
}

void proc_end(struct proc *proc)
{
	while (proc->subs) {
		struct client *client = proc->subs->stream.client;
		size_t before = client->out.len;
		if (exited_msg_put(&client->out, proc->subs->stream.id, &proc->exit) < 0)
			client->dead = true;
		client_count_unpaid(client, before);
		detach(proc->subs);
	}
	close_pipes(proc);
	proc->over = true;
}

static void sub_close(struct stream *stream)
{
	struct sub *sub = sub_of(stream);
	struct proc *proc = sub->proc;
	detach(sub);
	if (proc->subs || proc->flags & SPAWN_KEEP) {
		output_pump(proc);
		return;
	}
	if (!proc->exited)
		tree_signal(proc->pid, SIGKILL);
	close_pipes(proc);
	proc->over = proc->exited;
}

static void sub_credit(struct stream *stream, uint32_t n)
{
	struct sub *sub = sub_of(stream);
	bool was_out = sub->credit == 0;
	sub->credit += n;
	if (was_out || sub->proc->stalled_ns)
		output_pump(sub->proc);
}

static void sub_room(struct stream *stream)
{
	output_pump(sub_of(stream)->proc);
}

int sub_input(struct sub *sub, uint8_t channel, const char *bytes, size_t n)
{
	enum feed_kind kind = channel == CHANNEL_STDIN ? FEED_STDIN : FEED_CONTROL;
	struct feed *feed = &sub->proc->feeds[kind];
	if ((channel != CHANNEL_STDIN && channel != CHANNEL_CONTROL) || !feed->exists
			|| n > sub->inlets[kind].credit)
		return TRM_EPROTO;
	sub->inlets[kind].credit -= (uint32_t)n;
	if (feed_push(feed, sub, bytes, n) < 0)
		sub->stream.client->dead = true;
	return 0;
}

void proc_signal(struct proc *proc, int signo, bool whole_tree)
{
	if (proc->exited)
		return; /* the pid may be another's by now */
	if (whole_tree)
		tree_signal(proc->pid, signo);
	else
		kill(-proc->pid, signo);
}

void proc_resize(struct proc *proc, uint16_t rows, uint16_t cols)
{
	struct winsize size = {.ws_row = rows, .ws_col = cols};
	if (proc->outputs[0].is_tty && proc->outputs[0].watch.fd >= 0)
		ioctl(proc->outputs[0].watch.fd, TIOCSWINSZ, &size);
}

void proc_check_patience(struct proc *proc, uint64_t now_ns)
{
	if (!proc->stalled_ns || now_ns - proc->stalled_ns < PROC_PATIENCE_MS * UINT64_C(1000000))
		return;
	proc->stalled_ns = 0;
	for (struct sub *sub = proc->subs->next, *next; sub; sub = next) {
		next = sub->next;
		if (sub->credit && client_has_room(sub->stream.client))
			continue;
		client_error(sub->stream.client, sub->stream.id, TRM_ECLOSED,
				"this client took the output of '%s' too slowly for the others; attach again",
				proc->name);
		detach(sub);
	}
	output_pump(proc);
}

void proc_destroy(struct proc *proc)
{
	if (!proc)
		return;
	close_pipes(proc);
	buf_finish(&proc->held);
	free(proc->key);
	free(proc->label);
	free(proc->name);
	free(proc);
}
