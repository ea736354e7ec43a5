/* SPDX-License-Identifier: MIT */
/* Bytes from a process's pipes to its subscribers.
 *
 * Barrier. Control bytes are read into `held`. Then each output pipe is asked how much it contains. A
 * process writes to stdout and stderr before it mentions that on control, so exactly those bytes must go
 * first. Until they are forwarded (as credit allows), no newer bytes are read. Then the control bytes
 * follow, and the barrier is lifted. Usually all pipes are empty, and this costs one poll().
 *
 * End. When the process has been reaped, the same barrier is raised once more for the bytes in its pipes.
 * Then EXITED is sent, however many children still hold the pipes open. */
#include "agent/process/proc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "agent/process/publish.h"
#include "agent/process/subscriber.h"
#include "base/sysfile.h"

enum {
	CHUNK = 128 * 1024, /* read at a time */
	CONTROL_CHUNK = 64 * 1024,
	/* A pty does not report how much its inner buffers hold (64 KiB at most), so read until it is
	 * empty. */
	TTY_LEFT = 128 * 1024,
};

static void on_readable(struct watch *watch, uint32_t events);

void proc_output_init(struct output *output, struct proc *proc, int fd, uint8_t channel, bool is_tty)
{
	*output = (struct output){.proc = proc, .channel = channel, .is_tty = is_tty};
	watch_init(&output->watch, fd, on_readable);
}

/* The number of bytes that every subscriber accepts now. */
static size_t allowance(const struct proc *proc)
{
	size_t n = proc->subscribers ? CHUNK : AGENT_SCRATCH;
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next) {
		if (!subscriber_can_take(subscriber))
			return 0;
		if (subscriber->credit < n)
			n = (size_t)subscriber->credit;
	}
	return n;
}

/* Clients that do not subscribe get it, too: later, or as followers. */
static void publish(struct proc *proc, uint8_t channel, const char *bytes, size_t n)
{
	struct proc_history *history = proc->proc_history;
	bool was_greeted = history && history->has_greeting;
	if (history)
		proc_history_add(history, channel, bytes, n);
	if (history && history->has_greeting && !was_greeted)
		limit_restart(proc);
	if (history && history->newest.has_compiled)
		limit_code_begins(proc);
	publish_output(proc, channel, bytes, n);
}

/* Read into the first subscriber's queue, after the place of the header. */
static ssize_t read_and_send(struct proc *proc, struct output *output, size_t max)
{
	struct subscriber *first = proc->subscribers;
	struct buf *out = &first->stream.client->out;
	char *at = buf_reserve(out, FRAME_HEADER + max);
	if (!at) {
		first->stream.client->dead = true;
		errno = EAGAIN;
		return -1;
	}
	ssize_t n = read(output->watch.fd, at + FRAME_HEADER, max);
	if (n <= 0)
		return n;
	frame_put_header(out, first->stream.id, FRAME_OUTPUT, output->channel, (size_t)n);
	buf_fill(out, (size_t)n);
	first->credit -= (size_t)n;
	for (struct subscriber *subscriber = first->next; subscriber; subscriber = subscriber->next)
		subscriber_send(subscriber, output->channel, at + FRAME_HEADER, (size_t)n);
	publish(proc, output->channel, at + FRAME_HEADER, (size_t)n);
	return n;
}

/* Nobody follows the process: read anyway, so that it does not block. */
static ssize_t read_and_keep(struct proc *proc, struct output *output, size_t max)
{
	char *scratch = proc->agent->scratch;
	ssize_t n = read(output->watch.fd, scratch, max < AGENT_SCRATCH ? max : AGENT_SCRATCH);
	if (n > 0)
		publish(proc, output->channel, scratch, (size_t)n);
	return n;
}

/* Forward up to max bytes of one output. False when it has none now. */
static bool forward(struct proc *proc, struct output *output, size_t max)
{
	ssize_t n = proc->subscribers ? read_and_send(proc, output, max) : read_and_keep(proc, output, max);
	if (n > 0) {
		output->left -= output->left < (size_t)n ? output->left : (size_t)n;
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	output->left = 0;
	if (n == 0 || errno != EAGAIN)
		watch_close(&proc->agent->poller, &output->watch); /* a pty ends with EIO */
	return false;
}

static size_t pending(const struct output *output)
{
	int n = 0;
	if (output->is_tty)
		return TTY_LEFT;
	return ioctl(output->watch.fd, FIONREAD, &n) < 0 || n < 0 ? 0 : (size_t)n;
}

static void raise_barrier(struct proc *proc)
{
	struct pollfd polls[PROC_OUTPUTS];
	proc->barrier = true;
	for (size_t i = 0; i < proc->n_outputs; i++) {
		polls[i] = (struct pollfd){.fd = proc->outputs[i].watch.fd, .events = POLLIN};
		proc->outputs[i].left = 0;
	}
	if (poll(polls, (nfds_t)proc->n_outputs, 0) <= 0)
		return;
	for (size_t i = 0; i < proc->n_outputs; i++)
		if (polls[i].revents)
			proc->outputs[i].left = pending(&proc->outputs[i]);
}

/* True if the process is exiting: it has closed its files before we are notified (include/linux/sched.h:
 * PF_EXITING). */
static bool is_ending(const struct proc *proc)
{
	enum { PF_EXITING = 4 };
	char path[40], text[512];
	unsigned flags = PF_EXITING;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)proc->pid);
	const char *at = sysfile_read(path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
	if (at)
		sscanf(at, ") %*c %*d %*d %*d %*d %*d %u", &flags);
	return flags & PF_EXITING;
}

/* `exec` in Bash, os.execv() in Python: another program goes on under the same number, without the pipe.
 * While it is being loaded the command line is empty. */
static bool has_other_program(const struct proc *proc)
{
	char path[40], text[4096];
	size_t last = strlen(proc->last_arg) + 1;
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)proc->pid);
	ssize_t n = sysfile_read(path, text, sizeof text);
	return n < (ssize_t)last || memcmp(text + n - last, proc->last_arg, last) != 0;
}

/* A process that has closed only its control pipe cannot be used any more. An empty OUTPUT reports that. */
static void note_hang_up(struct proc *proc)
{
	watch_close(&proc->agent->poller, &proc->control.watch);
	if (proc->exited || is_ending(proc) || has_other_program(proc))
		return;
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		if (subscriber_can_take(subscriber))
			subscriber_send(subscriber, CHANNEL_CONTROL, "", 0);
}

/* Read control bytes and raise the barrier for them. Bytes read; 0 when there are none (now or ever). */
static size_t hold_control(struct proc *proc, size_t max)
{
	char *to = buf_reserve(&proc->held, max);
	ssize_t n = to ? read(proc->control.watch.fd, to, max) : 0;
	if (n > 0) {
		buf_fill(&proc->held, (size_t)n);
		raise_barrier(proc);
		return (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		note_hang_up(proc);
	return 0;
}

/* Forward the bytes before the barrier. Returns true when all are forwarded. */
static bool forward_left(struct proc *proc)
{
	for (size_t i = 0; i < proc->n_outputs; i++) {
		struct output *output = &proc->outputs[i];
		while (output->watch.fd >= 0 && output->left) {
			size_t n = allowance(proc);
			if (!n)
				return false;
			if (!forward(proc, output, n < output->left ? n : output->left))
				break;
		}
	}
	return true;
}

static bool forward_held(struct proc *proc)
{
	while (proc->held.len) {
		size_t n = allowance(proc);
		if (!n)
			return false;
		if (n > proc->held.len)
			n = proc->held.len;
		for (struct subscriber *subscriber = proc->subscribers; subscriber;
				subscriber = subscriber->next)
			subscriber_send(subscriber, CHANNEL_CONTROL, buf_at(&proc->held), n);
		publish(proc, CHANNEL_CONTROL, buf_at(&proc->held), n);
		buf_take(&proc->held, n);
	}
	return true;
}

/* The process is gone: find the next piece to forward. Returns false when nothing is left. */
static bool raise_last_barrier(struct proc *proc)
{
	if (proc->control_left && proc->control.watch.fd >= 0) {
		size_t n = hold_control(proc,
				proc->control_left < CONTROL_CHUNK ? proc->control_left : CONTROL_CHUNK);
		proc->control_left = n ? proc->control_left - n : 0;
		return true;
	}
	if (proc->is_final)
		return false;
	proc->is_final = true;
	raise_barrier(proc);
	return true;
}

bool output_is_waiting(const struct proc *proc)
{
	struct pollfd polls[PROC_OUTPUTS + 1];
	if (proc->barrier || proc->exited)
		return true;
	for (size_t i = 0; i < proc->n_outputs; i++)
		polls[i] = (struct pollfd){.fd = proc->outputs[i].watch.fd, .events = POLLIN};
	polls[proc->n_outputs] = (struct pollfd){.fd = proc->control.watch.fd, .events = POLLIN};
	return poll(polls, (nfds_t)proc->n_outputs + 1, 0) > 0;
}

/* Wait for exactly the pipes that may be read now. */
static void update_watches(struct proc *proc)
{
	struct poller *poller = &proc->agent->poller;
	bool can = proc->started && allowance(proc) > 0;
	if (proc->started && slow_client_judge(proc))
		can = true;
	for (size_t i = 0; i < proc->n_outputs; i++) {
		struct output *output = &proc->outputs[i];
		watch_set(poller, &output->watch, can && (!proc->barrier || output->left) ? EPOLLIN : 0);
	}
	watch_set(poller, &proc->control.watch, can && !proc->barrier ? EPOLLIN : 0);
}

/* True if a subscriber has not received everything that comes before EXITED. */
static bool has_backlog(const struct proc *proc)
{
	for (const struct subscriber *subscriber = proc->subscribers; subscriber;
			subscriber = subscriber->next)
		if (subscriber->backlog.len)
			return true;
	return false;
}

void output_pump(struct proc *proc)
{
	if (proc->is_past) {
		proc_send_past(proc);
		return;
	}
	while (!proc->over) {
		if (proc->barrier) {
			if (!forward_left(proc) || !forward_held(proc))
				break;
			proc->barrier = false;
		}
		if (!proc->exited || !proc->started)
			break;
		if (!raise_last_barrier(proc)) {
			if (has_backlog(proc))
				break;
			proc_end(proc);
		}
	}
	if (!proc->over)
		update_watches(proc);
}

static void on_readable(struct watch *watch, uint32_t events)
{
	struct output *output = OWNER_OF(watch, struct output, watch);
	struct proc *proc = output->proc;
	(void)events;
	if (output == &proc->control && !proc->barrier)
		hold_control(proc, CONTROL_CHUNK);
	if (proc->barrier) {
		output_pump(proc);
		return;
	}
	if (output == &proc->control)
		return;
	size_t n = allowance(proc);
	if (n)
		forward(proc, output, n);
	if (allowance(proc) == 0)
		update_watches(proc);
}
