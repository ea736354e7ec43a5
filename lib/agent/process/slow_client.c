/* SPDX-License-Identifier: MIT */
/* Several clients follow one process, and one of them accepts nothing. wire/frame.h says how long the
 * others wait for it.
 *
 * Time counts against a subscriber while it cannot accept output, another one can, and there is output.
 * The time is forgotten once the subscriber has got half its window back, so a client that gives a byte
 * of credit now and then is detached as well. No timer runs while the process is silent, however long a
 * client sleeps. */
#include "agent/process/subscriber.h"

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/process/limit.h"
#include "agent/process/proc.h"
#include "base/clock.h"

/* While the agent ends a run, a lone client must not hold up its end. */
static bool is_waited_for(const struct proc *proc)
{
	return limit_is_being_kept(proc) && proc->flags & SPAWN_KEEP;
}

/* May a client be detached? */
static bool has_judge(const struct proc *proc)
{
	return proc->subscribers && (proc->subscribers->next || is_waited_for(proc));
}

static uint64_t limit_ns(const struct subscriber *subscriber)
{
	return (subscriber->proc->turn == subscriber ? FRAME_TURN_TIMEOUT_MS : FRAME_SLOW_MS)
	       * UINT64_C(1000000);
}

static void clock_stop(struct subscriber *subscriber, uint64_t now_ns)
{
	if (subscriber->stalled_ns)
		subscriber->held_up_ns += now_ns - subscriber->stalled_ns;
	subscriber->stalled_ns = 0;
}

/* Subscribers that can take something; all others' clocks are left alone. */
static size_t count_able(struct proc *proc, size_t *ret_all)
{
	size_t n = 0;
	*ret_all = 0;
	for (struct subscriber *subscriber = proc->subscribers; subscriber;
			subscriber = subscriber->next, ++*ret_all) {
		if (!subscriber_can_take(subscriber))
			continue;
		n++;
		if (subscriber->stalled_ns)
			clock_stop(subscriber, clock_ns());
		if (subscriber->held_up_ns && subscriber->credit >= subscriber->window / 2)
			subscriber->held_up_ns = 0;
	}
	return n;
}

bool slow_client_judge(struct proc *proc)
{
	size_t n_all = 0, n_able = has_judge(proc) ? count_able(proc, &n_all) : 0;
	if (n_able == n_all || (!n_able && !is_waited_for(proc))) {
		for (struct subscriber *subscriber = proc->subscribers; subscriber;
				subscriber = subscriber->next)
			if (subscriber->stalled_ns)
				clock_stop(subscriber, clock_ns());
		return false;
	}
	if (!output_is_waiting(proc))
		return true;
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		if (!subscriber->stalled_ns && !subscriber_can_take(subscriber))
			subscriber->stalled_ns = clock_ns();
	return false;
}

uint64_t slow_client_due_ns(const struct proc *proc)
{
	uint64_t due_ns = UINT64_MAX;
	for (const struct subscriber *subscriber = has_judge(proc) ? proc->subscribers : NULL; subscriber;
			subscriber = subscriber->next) {
		uint64_t limit = limit_ns(subscriber), spent = subscriber->held_up_ns;
		uint64_t due = subscriber->stalled_ns + (spent < limit ? limit - spent : 0);
		if (subscriber->stalled_ns && due < due_ns)
			due_ns = due;
	}
	return due_ns;
}

static void detach(struct subscriber *subscriber)
{
	client_error(subscriber->stream.client, subscriber->stream.id, TRM_EBUSY,
			"this client read the output of '%s' too slowly for the others; attach again",
			subscriber->proc->name);
	subscriber_destroy(subscriber);
}

void slow_client_check(struct proc *proc, uint64_t now_ns)
{
	if (slow_client_due_ns(proc) > now_ns)
		return;
	for (struct subscriber *subscriber = proc->subscribers, *next; subscriber; subscriber = next) {
		next = subscriber->next;
		if (subscriber->stalled_ns
				&& subscriber->held_up_ns + (now_ns - subscriber->stalled_ns)
						   >= limit_ns(subscriber))
			detach(subscriber);
	}
	proc_left(proc);
}

void slow_client_end_left(struct proc *proc)
{
	bool has_left = false;
	for (struct subscriber **at = &proc->subscribers, *subscriber; (subscriber = *at);)
		if (subscriber->is_left_behind) {
			detach(subscriber);
			has_left = true;
			at = &proc->subscribers; /* what it has sent may have left others behind */
		} else {
			at = &subscriber->next;
		}
	if (has_left && !proc->over)
		proc_left(proc);
}
