/* SPDX-License-Identifier: MIT */
/* Several clients follow one process, and one of them takes nothing. For how long
 * others wait for it is told in wire/frame.h.
 *
 * Time runs against a subscriber while it can take nothing, another one can, and
 * there is something to take. It is forgotten when the subscriber has got half its
 * window back: one that gives a byte of credit now and then does not get off. No timer
 * runs while the process is silent, however long a client sleeps. */
#include "agent/sub.h"

#include <terrarium/error.h>

#include "agent/agent.h"
#include "agent/proc.h"

static bool has_several(const struct proc *proc)
{
	return proc->subs && proc->subs->next;
}

static uint64_t limit_ns(const struct sub *sub)
{
	return (sub->proc->turn == sub ? FRAME_TURN_PATIENCE_MS : FRAME_PATIENCE_MS) * UINT64_C(1000000);
}

static void clock_stop(struct sub *sub, uint64_t now_ns)
{
	if (sub->stalled_ns)
		sub->held_up_ns += now_ns - sub->stalled_ns;
	sub->stalled_ns = 0;
}

/* Subscribers that can take something; all others' clocks are left alone. */
static size_t count_able(struct proc *proc, size_t *ret_all)
{
	size_t n = 0;
	*ret_all = 0;
	for (struct sub *sub = proc->subs; sub; sub = sub->next, ++*ret_all) {
		if (!sub_can_take(sub))
			continue;
		n++;
		if (sub->stalled_ns)
			clock_stop(sub, agent_now_ns());
		if (sub->held_up_ns && sub->credit >= sub->window / 2)
			sub->held_up_ns = 0;
	}
	return n;
}

bool patience_judge(struct proc *proc)
{
	size_t n_all, n_able = has_several(proc) ? count_able(proc, &n_all) : 0;
	if (!n_able || n_able == n_all) {
		for (struct sub *sub = proc->subs; sub; sub = sub->next)
			if (sub->stalled_ns)
				clock_stop(sub, agent_now_ns());
		return false;
	}
	if (!output_is_waiting(proc))
		return true;
	for (struct sub *sub = proc->subs; sub; sub = sub->next)
		if (!sub->stalled_ns && !sub_can_take(sub))
			sub->stalled_ns = agent_now_ns();
	return false;
}

uint64_t patience_due_ns(const struct proc *proc)
{
	uint64_t due_ns = UINT64_MAX;
	for (const struct sub *sub = has_several(proc) ? proc->subs : NULL; sub; sub = sub->next) {
		uint64_t limit = limit_ns(sub), spent = sub->held_up_ns;
		uint64_t due = sub->stalled_ns + (spent < limit ? limit - spent : 0);
		if (sub->stalled_ns && due < due_ns)
			due_ns = due;
	}
	return due_ns;
}

void patience_end(struct sub *sub)
{
	client_error(sub->stream.client, sub->stream.id, TRM_EBUSY,
			"this client read the output of '%s' too slowly for the others; attach again",
			sub->proc->name);
	sub_destroy(sub);
}

void patience_check(struct proc *proc, uint64_t now_ns)
{
	if (patience_due_ns(proc) > now_ns)
		return;
	for (struct sub *sub = proc->subs, *next; sub; sub = next) {
		next = sub->next;
		if (sub->stalled_ns && sub->held_up_ns + (now_ns - sub->stalled_ns) >= limit_ns(sub))
			patience_end(sub);
	}
	output_pump(proc);
}
