/* SPDX-License-Identifier: MIT */
/* Destroying a recipe's sandbox: see container.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <terrarium/error.h>

#include "base/clock.h"
#include "supervisor/container/exit_reason.h"
#include "supervisor/core/supervisor.h"
#include "sweep/sweep.h"

/* ---- end ------------------------------------------------------------------------------------------ */

static void wait_ms(struct supervisor *k, uint64_t ms)
{
	const uint64_t until_ms = clock_ms() + ms;
	while (clock_ms() < until_ms)
		supervisor_turn(k, until_ms);
}

/* Returns false if the engine says that the container still runs, or does not answer. */
static bool ask_why(struct supervisor *k, struct exit_reason *why)
{
	*why = (struct exit_reason){0};
	return (container_run(k, PLAN_INSPECT, -1, "asking for its state")
			       && exit_reason_read(&k->container.step, why) && !exit_reason_is_running(why))
	       || exit_reason_is_missing(&k->container.step);
}

/* The connection broke, and the engine knows why, perhaps only in a moment: removing a container kills it
 * first. */
static void find_reason(struct supervisor *k)
{
	enum { TIMEOUT_MS = 1500, BETWEEN_MS = 100 };
	struct container *r = &k->container;
	const bool has_inspect = container_has(r, PLAN_INSPECT);
	const uint64_t due_ms = clock_ms() + TIMEOUT_MS;
	struct exit_reason why = {0};
	char words[STEP_WORDS];
	while (has_inspect && !ask_why(k, &why) && clock_ms() < due_ms)
		wait_ms(k, BETWEEN_MS);
	if (exit_reason_is_killed(&why)) {
		wait_ms(k, BETWEEN_MS);
		ask_why(k, &why);
	}
	exit_reason_format(&r->step, has_inspect, &why, r->plan.is_adopted, words, sizeof words);
	supervisor_fail(k, TRM_ECLOSED, "%s: %s", r->plan.backend, words);
}

/* Closing our side ends the agent. It closes its side after all processes that it started are gone. */
static void end_agent(struct supervisor *k)
{
	enum { TIMEOUT_MS = 1000 };
	struct container *r = &k->container;
	const uint64_t due_ms = clock_ms() + TIMEOUT_MS;
	if (r->way == WAY_EXEC)
		bridges_shut_down(&r->bridges);
	else if (r->handoff.line_fd >= 0)
		shutdown(r->handoff.line_fd, SHUT_WR);
	while (!r->is_lost && clock_ms() < due_ms)
		supervisor_turn(k, due_ms);
}

/* Returns false if the changes could not be saved and the sandbox must be left. */
static bool save(struct supervisor *k)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	if (!k->is_announced || !container_has(r, PLAN_COMMIT))
		return true;
	if (!r->plan.is_adopted)
		end_agent(k);
	if (container_run(k, PLAN_COMMIT, -1, "saving the changes"))
		return true;
	step_describe_failure(&r->step, words, sizeof words);
	if (r->plan.is_adopted)
		supervisor_add_reason(k, "the changes could not be saved: %s", words);
	else if (container_run(k, PLAN_SPARE, -1, NULL) && container_has(r, PLAN_SPARE))
		supervisor_add_reason(k,
				"the changes could not be saved; they are still in '%s" PLAN_SPARED
				"', which is stopped: %s",
				r->plan.name, words);
	else
		supervisor_add_reason(k,
				"the changes could not be saved; they are still in %.60s, which is stopped: %s",
				r->shared->id, words);
	return false;
}

static void kill_sweeper(struct container *r)
{
	if (r->sweeper)
		kill(-r->sweeper, SIGKILL);
	r->sweep_ms = 0;
}

/* Remove our agent and its file from an adopted container. If the connection has broken, there may be
 * nothing left to remove. */
static void release(struct supervisor *k)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	if (r->plan.is_adopted && r->way == WAY_EXEC && !container_run(k, PLAN_RELEASE, -1, NULL)
			&& !r->is_lost)
		supervisor_add_reason(k, "the agent may still be inside: %s",
				step_describe_failure(&r->step, words, sizeof words));
}

/* What is not made of a text of ours was there before. */
static bool outlives_owner(const struct container *r)
{
	return r->plan.leaves && (r->shared->is_up || !r->plan.puts_text);
}

void container_leave(struct container *r)
{
	r->is_left |= r->is_on && outlives_owner(r);
}

bool container_suspend(struct container *r)
{
	r->is_suspended |= r->is_on && container_has(r, PLAN_SUSPEND);
	return r->is_suspended;
}

/* Leave a note, so that a client that asks for the name learns that the sandbox is suspended. If suspending
 * fails, the sandbox is destroyed, because nobody would find it again. */
static bool suspend_engine(struct supervisor *k)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	if (!r->is_suspended)
		return false;
	if (!container_run(k, PLAN_SUSPEND, -1, "suspending the sandbox")) {
		supervisor_add_reason(k, "it could not be suspended, and was removed: %s",
				step_describe_failure(&r->step, words, sizeof words));
		return false;
	}
	snprintf(words, sizeof words, "it is suspended: 'terrarium resume %.64s' goes on with it",
			k->spec.name);
	sweep_note_end(SUPERVISOR_RUN_DIR, k->spec.name, r->plan.backend, words);
	r->shared->may_be_there = false;
	return true;
}

void container_end(struct supervisor *k)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	if (!r->is_on)
		return;
	k->is_ending = true;
	kill_sweeper(r);
	if (r->is_lost && k->cause == GONE_REASON && !k->n_words)
		find_reason(k);
	release(k); /* first: an image that is saved then has no agent in it */
	bool is_saved = save(k);
	bridges_finish(&r->bridges);
	handoff_finish(&r->handoff, SUPERVISOR_ENTRY_DIR);
	if (r->is_left)
		r->shared->may_be_there = false;
	else if (is_saved && !suspend_engine(k)) {
		container_destroy(k, "removing the sandbox");
		if (container_has(r, PLAN_AFTER) && !container_run(k, PLAN_AFTER, -1, "removing its image"))
			supervisor_add_reason(k, "%s", step_describe_failure(&r->step, words, sizeof words));
	}
	handoff_remove(SUPERVISOR_ENTRY_DIR);
	k->words[k->n_words] = '\0';
	/* Note why a kept sandbox ended: whoever asks for its name must not get a new one without a word. */
	if (k->is_kept && k->is_announced && k->cause == GONE_REASON)
		sweep_note_end(SUPERVISOR_RUN_DIR, k->spec.name, r->plan.backend, k->words);
	plan_msg_finish(&r->plan);
}

/* ---- when the supervisor was killed --------------------------------------------------------- */

static void run_alone(struct container *r, enum plan_step which)
{
	if (container_has(r, which))
		step_run(&r->step, &r->facts, which, -1);
}

/* The connection broke with the supervisor, so the agent has ended or is about to. A container whose
 * changes were to be saved is left, stopped, so that they are not lost. */
void container_inherit(struct supervisor *k)
{
	struct container *r = &k->container;
	if (!r->is_on)
		return;
	if (r->plan.is_adopted)
		run_alone(r, PLAN_RELEASE);
	else if (r->shared->is_up && container_has(r, PLAN_COMMIT) && container_has(r, PLAN_SPARE))
		run_alone(r, PLAN_SPARE);
	else if (r->shared->may_be_there && !outlives_owner(r))
		run_alone(r, PLAN_DESTROY);
}
