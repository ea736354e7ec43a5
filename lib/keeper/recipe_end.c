/* SPDX-License-Identifier: MIT */
/* How a recipe's sandbox is taken away: recipe.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <terrarium/error.h>

#include "keeper/keeper.h"
#include "keeper/reason.h"

/* ---- end ------------------------------------------------------------------------------------------ */

static void wait_ms(struct keeper *k, uint64_t ms)
{
	const uint64_t until_ms = keeper_now_ms() + ms;
	while (keeper_now_ms() < until_ms)
		keeper_turn(k, until_ms);
}

/* False: it is not over yet, as far as the engine knows, or the engine does not answer. */
static bool ask_why(struct keeper *k, struct reason *why)
{
	*why = (struct reason){0};
	return (recipe_run(k, PLAN_INSPECT, -1, "asking for its state") && reason_read(&k->recipe.step, why)
			       && !reason_is_running(why))
	       || reason_is_missing(&k->recipe.step);
}

/* The line broke: the engine knows why, perhaps in a moment. Who removes a container kills it first. */
static void find_reason(struct keeper *k)
{
	enum { PATIENCE_MS = 1500, BETWEEN_MS = 100 };
	struct recipe *r = &k->recipe;
	const bool has_inspect = recipe_has(r, PLAN_INSPECT);
	const uint64_t due_ms = keeper_now_ms() + PATIENCE_MS;
	struct reason why = {0};
	char words[STEP_WORDS];
	while (has_inspect && !ask_why(k, &why) && keeper_now_ms() < due_ms)
		wait_ms(k, BETWEEN_MS);
	if (reason_is_killed(&why)) {
		wait_ms(k, BETWEEN_MS);
		ask_why(k, &why);
	}
	reason_tell(&r->step, has_inspect, &why, r->plan.is_adopted, words, sizeof words);
	keeper_fail(k, TRM_ECLOSED, "%s: %s", r->plan.backend, words);
}

/* The agent ends when its line does; what it has started is gone when it answers with the end of its own. */
static void end_agent(struct keeper *k)
{
	enum { PATIENCE_MS = 1000 };
	struct recipe *r = &k->recipe;
	const uint64_t due_ms = keeper_now_ms() + PATIENCE_MS;
	if (r->way == WAY_EXEC)
		bridges_shut_down(&r->bridges);
	else if (r->door.line_fd >= 0)
		shutdown(r->door.line_fd, SHUT_WR);
	while (!r->is_lost && keeper_now_ms() < due_ms)
		keeper_turn(k, due_ms);
}

/* False: they are not saved, and the sandbox is to be left. */
static bool save(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	char words[STEP_WORDS];
	if (!k->is_announced || !recipe_has(r, PLAN_COMMIT))
		return true;
	if (!r->plan.is_adopted)
		end_agent(k);
	if (recipe_run(k, PLAN_COMMIT, -1, "saving the changes"))
		return true;
	step_tell(&r->step, words, sizeof words);
	if (r->plan.is_adopted)
		keeper_add_words(k, "the changes could not be saved: %s", words);
	else if (recipe_run(k, PLAN_SPARE, -1, NULL) && recipe_has(r, PLAN_SPARE))
		keeper_add_words(k,
				"the changes could not be saved; they are still in '%s" PLAN_SPARED
				"', which is stopped: %s",
				r->plan.name, words);
	else
		keeper_add_words(k,
				"the changes could not be saved; they are still in %.60s, which is stopped: %s",
				r->shared->id, words);
	return false;
}

static void kill_sweeper(struct recipe *r)
{
	if (r->sweeper)
		kill(-r->sweeper, SIGKILL);
	r->sweep_ms = 0;
}

/* Our agent goes from what was adopted, and its file. Where the line has broken there may be nothing to go.
 */
static void release(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	char words[STEP_WORDS];
	if (r->plan.is_adopted && r->way == WAY_EXEC && !recipe_run(k, PLAN_RELEASE, -1, NULL) && !r->is_lost)
		keeper_add_words(k, "the agent may still be inside: %s",
				step_tell(&r->step, words, sizeof words));
}

void recipe_end(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	char words[STEP_WORDS];
	if (!r->is_on)
		return;
	k->is_ending = true;
	kill_sweeper(r);
	if (r->is_lost && k->cause == GONE_TOLD && !k->n_words)
		find_reason(k);
	bool is_saved = save(k);
	release(k);
	bridges_finish(&r->bridges);
	door_finish(&r->door, KEEPER_ENTRY_DIR);
	if (is_saved) {
		recipe_destroy(k, "removing the sandbox");
		if (recipe_has(r, PLAN_AFTER) && !recipe_run(k, PLAN_AFTER, -1, "removing its image"))
			keeper_add_words(k, "%s", step_tell(&r->step, words, sizeof words));
	}
	door_remove(KEEPER_ENTRY_DIR);
	plan_msg_finish(&r->plan);
	free(r->bytes);
}

/* ---- when the keeper was killed --------------------------------------------------------- */

static void run_alone(struct recipe *r, enum plan_step which)
{
	if (recipe_has(r, which))
		step_run(&r->step, &r->facts, which, -1);
}

/* The line broke with the keeper, so the agent has ended or is about to. What was to be saved in the end is
 * left, stopped, rather than lost. */
void recipe_inherit(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	if (!r->is_on)
		return;
	if (r->plan.is_adopted)
		run_alone(r, PLAN_RELEASE);
	else if (r->shared->is_up && recipe_has(r, PLAN_COMMIT) && recipe_has(r, PLAN_SPARE))
		run_alone(r, PLAN_SPARE);
	else if (r->shared->may_be_there)
		run_alone(r, PLAN_DESTROY);
}
