/* SPDX-License-Identifier: MIT */
/* Waiting for a sandbox that its engine starts by itself, in its own time: see PLAN_READY of wire/plan.h. */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/clock.h"
#include "supervisor/container/exit_reason.h"
#include "supervisor/core/supervisor.h"
#include "wire/engine_words.h"

enum { AGAIN_MS = 500 };

/* The last whole line so far. */
static bool read_state(struct step *s, struct exit_reason *ret)
{
	const size_t n = s->out.n;
	while (s->out.n && s->out_bytes[s->out.n - 1] != '\n')
		s->out.n--;
	bool has_state = s->out.n && exit_reason_read(s, ret);
	s->out.n = n;
	return has_state;
}

static void finish_watch(struct supervisor *k)
{
	struct step *s = &k->container.step;
	step_stop(s, clock_ms());
	while (!step_is_over(s)) {
		supervisor_turn(k, clock_ms() + 50);
		step_pass_time(s, clock_ms());
	}
}

/* Run the step until its line is not "waiting" any more, or it ends. Returns false if it ended. */
static bool watch(struct supervisor *k, uint64_t due_ms, struct exit_reason *last)
{
	struct container *r = &k->container;
	struct step *s = &r->step;
	char reported[sizeof last->error] = "";
	step_begin(s, &r->facts, PLAN_READY, -1, clock_ms());
	for (bool is_over = false; !is_over && !k->is_ending && clock_ms() < due_ms;) {
		supervisor_turn(k, due_ms);
		is_over = step_is_over(s);
		if (r->bridges.is_up) {
			snprintf(last->state, sizeof last->state, "running");
			return true;
		}
		if (!read_state(s, last))
			continue;
		if (!exit_reason_is_waiting(last))
			return true;
		if (*last->error && strcmp(reported, last->error) != 0)
			container_fail(k, "%s: waiting: %s", r->plan.backend, last->error);
		snprintf(reported, sizeof reported, "%s", last->error);
	}
	return false;
}

static bool fail_ready(struct supervisor *k, const struct exit_reason *last, bool is_late)
{
	const struct container *r = &k->container;
	char said[400] = "";
	const char *words = *last->error ? last->error : said, *state = last->state;
	step_clean_tail(r->step.err_bytes, r->step.err.n, said, sizeof said);
	if (is_late)
		supervisor_fail(k, TRM_ETIMEDOUT, "%s: the sandbox did not start within %u s: %s",
				r->plan.backend, (unsigned)(r->plan.timeout_ms[PLAN_READY] / 1000),
				*words ? words : "the engine gives no reason");
	else
		supervisor_fail(k, engine_words_code(state, engine_words_code(words, TRM_EIO)),
				"%s: the sandbox cannot start: %s%s%s", r->plan.backend,
				*state && !exit_reason_is_waiting(last) ? state : "",
				*state && *words && !exit_reason_is_waiting(last) ? ": " : "", words);
	return false;
}

/* It runs: take what the line says about where. */
static bool take_place(struct container *r, const struct exit_reason *last)
{
	snprintf(r->place, sizeof r->place, "%s", last->place);
	snprintf(r->agent, sizeof r->agent, "%s", last->agent);
	if (*r->place)
		r->facts.place = r->place;
	return true;
}

bool container_await(struct supervisor *k)
{
	struct container *r = &k->container;
	const uint64_t due_ms = clock_ms() + r->plan.timeout_ms[PLAN_READY];
	struct exit_reason last = {0};
	container_fail(k, "%s: waiting for it to start", r->plan.backend);
	container_report_commands(k, PLAN_READY);
	for (bool has_ended = false; !k->is_ending && clock_ms() < due_ms;) {
		bool is_final = watch(k, due_ms, &last);
		has_ended = step_is_over(&r->step);
		finish_watch(k);
		if (is_final)
			return exit_reason_is_running(&last) ? take_place(r, &last)
							     : fail_ready(k, &last, false);
		if (has_ended && r->step.end == STEP_FAILED)
			return fail_ready(k, &last, false);
		supervisor_turn(k, clock_ms() + AGAIN_MS); /* the watch was closed: begin another */
	}
	return k->is_ending ? false : fail_ready(k, &last, true);
}
