/* SPDX-License-Identifier: MIT */
/* Making a recipe's sandbox: see container.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/clock.h"
#include "base/sysfile.h"
#include "supervisor/container/exit_reason.h"
#include "supervisor/container/put_text.h"
#include "supervisor/core/supervisor.h"
#include "sweep/sweep.h"
#include "wire/engine_words.h"

enum { SWEEP_AFTER_MS = 300 };

/* Report that the last step has failed, and the start with it. */
static bool fail_step(struct supervisor *k)
{
	char words[STEP_WORDS];
	const struct step *s = &k->container.step;
	if (s->end == STEP_STOPPED)
		return false;
	step_clean_tail(s->err_bytes, s->err.n, words, sizeof words);
	int code = s->end == STEP_LATE ? TRM_ETIMEDOUT : engine_words_code(words, TRM_EIO);
	supervisor_fail(k, code, "%s", step_describe_failure(s, words, sizeof words));
	return false;
}

/* ---- what is made ---------------------------------------------------------------------- */

static bool create(struct supervisor *k, enum plan_step which)
{
	struct container *r = &k->container;
	/* Set first, because a command that is killed half-way may have made it. */
	r->shared->may_be_there = true;
	if (!container_run(k, which, -1, "creating the sandbox"))
		return false;
	r->owes_id = !step_is_over(&r->step);
	return r->owes_id || container_take_id(k);
}

/* ---- the direct way ----------------------------------------------------------------------- */

enum outcome { OUTCOME_UP, OUTCOME_FAILED, OUTCOME_NOT_SHARED };

/* If the agent's file cannot be mounted or executed there, the exec transport may still copy it in and run
 * it. */
static enum outcome classify_failure(struct supervisor *k)
{
	const struct step *s = &k->container.step;
	static const char *const signs[] = {"mount", "bind", "/.terrarium", ("/" SHARE_DIR), "exec format"};
	if (container_has(&k->container, PLAN_CONNECT)
			&& step_has_failed_with(s, signs, sizeof signs / sizeof *signs)) {
		step_clean_tail(s->err_bytes, s->err.n, k->container.note, 200);
		return OUTCOME_NOT_SHARED;
	}
	if (!k->is_ending)
		fail_step(k);
	return OUTCOME_FAILED;
}

/* Has the container ended already? Then waiting makes no sense. */
static bool has_stopped(struct supervisor *k)
{
	struct exit_reason why;
	return container_has(&k->container, PLAN_INSPECT) && container_run(k, PLAN_INSPECT, -1, NULL)
	       && exit_reason_read(&k->container.step, &why) && !exit_reason_is_running(&why);
}

static enum outcome wait_for_handoff(struct supervisor *k)
{
	struct container *r = &k->container;
	const uint64_t due_ms = clock_ms() + HANDOFF_TIMEOUT_MS;
	uint64_t look_ms = clock_ms() + 500;
	bool is_over = false;
	while (!k->is_ending && !r->handoff.has_report && !is_over) {
		supervisor_turn(k, look_ms < due_ms ? look_ms : due_ms);
		uint64_t now_ms = clock_ms();
		is_over = now_ms >= due_ms || r->is_lost;
		if (!is_over && !r->handoff.has_report && now_ms >= look_ms) {
			is_over = has_stopped(k);
			look_ms = now_ms + 1000;
		}
	}
	if (k->is_ending)
		return OUTCOME_FAILED;
	if (!r->handoff.has_report) {
		r->is_lost = false;
		snprintf(r->note, sizeof r->note, "the agent did not connect to the handoff socket");
		if (container_has(r, PLAN_CONNECT))
			return OUTCOME_NOT_SHARED;
		supervisor_fail(k, TRM_EIO, "%s: the agent does not answer", r->plan.backend);
		return OUTCOME_FAILED;
	}
	if (*r->handoff.report.error) {
		supervisor_fail(k, TRM_EIO, "%s: %s", r->plan.backend, r->handoff.report.error);
		return OUTCOME_FAILED;
	}
	return OUTCOME_UP;
}

static void find_groups(struct supervisor *k, pid_t pid)
{
	char path[64], theirs[4096], ours[4096];
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	if (pid <= 0 || sysfile_read(path, theirs, sizeof theirs) <= 0)
		return;
	sysfile_read("/proc/self/cgroup", ours, sizeof ours);
	groups_find(k->groups, CGROUP_ROOT, theirs, ours);
	if (!k->container.plan.is_adopted)
		groups_limit_sockets(k->groups);
	k->watchdog.root = pid; /* its processor time counts where no group counts it */
}

static bool start_directly(struct supervisor *k)
{
	return k->container.handoff.has_report || !container_has(&k->container, PLAN_START_DIRECT)
	       || container_run(k, PLAN_START_DIRECT, -1, "starting");
}

static enum outcome go_directly(struct supervisor *k)
{
	struct container *r = &k->container;
	enum outcome outcome;
	r->way = WAY_DIRECT;
	r->is_overtaken = true; /* the agent has mostly connected before the command that starts it ends */
	int error = handoff_open(&r->handoff, SUPERVISOR_ENTRY_DIR);
	if (error < 0) {
		snprintf(r->note, sizeof r->note, "the handoff socket cannot be made: %s", strerror(-error));
		outcome = OUTCOME_NOT_SHARED;
	} else if (!create(k, PLAN_CREATE_DIRECT) || !start_directly(k))
		outcome = classify_failure(k);
	else
		outcome = wait_for_handoff(k);
	r->is_overtaken = false;
	handoff_close(&r->handoff, SUPERVISOR_ENTRY_DIR);
	if (outcome == OUTCOME_UP)
		find_groups(k, r->root_pid = r->handoff.pid);
	else
		handoff_finish(&r->handoff, SUPERVISOR_ENTRY_DIR);
	return outcome;
}

/* ---- the exec way --------------------------------------------------------------------------- */

/* Our own connection ended before the agent answered. */
static bool fail_connect(struct supervisor *k, bool is_late)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	supervisor_fail(k, is_late ? TRM_ETIMEDOUT : TRM_EIO, "%s",
			bridges_describe(&r->bridges, is_late ? "hangs" : "failed", words, sizeof words));
	return false;
}

/* Sampling uses processor time in the sandbox, too, so it must not be so frequent that it counts as
 * activity. */
static uint32_t watch_interval_ms(const struct supervisor *k)
{
	enum { SHORTEST_MS = 500 };
	uint64_t period_ms = idle_period_ms(&k->idle);
	return period_ms && period_ms < SHORTEST_MS ? SHORTEST_MS : (uint32_t)period_ms;
}

static bool begin_line(struct supervisor *k)
{
	struct container *r = &k->container;
	container_report_commands(k, PLAN_CONNECT);
	int error = bridges_begin(&r->bridges, watch_interval_ms(k));
	if (error < 0)
		supervisor_fail(k, TRM_EIO, "%s: cannot start a process: %s", r->plan.backend,
				strerror(-error));
	return error == 0;
}

/* The API tells that a container runs only when the kubelet has told it, up to a second later. A process that
 * tries again and again is connected before. It needs no answer: if it has none, the connection is made in
 * the usual way. */
static bool begin_early_line(struct supervisor *k)
{
	struct container *r = &k->container;
	if (!r->facts.kube || !r->shared->kube.is_proxied || r->plan.is_adopted)
		return true;
	r->facts.is_early = true;
	bool has_begun = begin_line(k);
	r->facts.is_early = false;
	return has_begun;
}

bool container_redial(struct supervisor *k)
{
	/* Two proxies may die in one second; a connection that breaks again and again will not do better. */
	enum { LIVED_MS = 1000, BREAKS_MAX = 3 };
	struct container *r = &k->container;
	const bool has_lived = r->bridges.is_up && clock_ms() >= r->bridges.line_ms + LIVED_MS;
	r->bridges.n_breaks = has_lived ? 0 : r->bridges.n_breaks + 1;
	const bool is_hopeless = r->bridges.n_breaks == BREAKS_MAX;
	if (!r->facts.kube || !r->shared->kube.is_proxied || !k->is_announced || k->is_ending || is_hopeless)
		return false;
	r->bridges.line_ms = clock_ms();
	return bridges_begin(&r->bridges, watch_interval_ms(k)) == 0;
}

static bool open_line(struct supervisor *k)
{
	struct container *r = &k->container;
	const uint64_t due_ms = clock_ms() + r->plan.timeout_ms[PLAN_CONNECT];
	container_fail(k, "%s: connecting to the agent", r->plan.backend);
	r->is_lost = false;
	if (r->bridges.line_fd < 0 && !begin_line(k))
		return false;
	while (!k->is_ending && !r->bridges.is_up && !r->is_lost && clock_ms() < due_ms)
		supervisor_turn(k, due_ms);
	if (k->is_ending)
		return false;
	if (!r->bridges.is_up)
		return fail_connect(k, !r->is_lost);
	if (r->bridges.has_report && *r->bridges.report.error) {
		supervisor_fail(k, TRM_EIO, "%s: %s", r->plan.backend, r->bridges.report.error);
		return false;
	}
	return true;
}

/* The engine refuses this version: forget what it made of it. */
static void prepare_next(struct supervisor *k)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	step_clean_tail(r->step.err_bytes, r->step.err.n, words, sizeof words);
	const char *reason = strstr(words, "violates ");
	reason = reason ? reason : strstr(words, "denied");
	snprintf(r->note, sizeof r->note, "%s", reason ? reason : words);
	container_destroy(k, "trying another way");
	snprintf(r->shared->id, sizeof r->shared->id, "%s", r->plan.name);
	r->shared->may_be_there = true;
}

/* Where the agent was put, if the step tells it. */
static bool take_agent(struct supervisor *k)
{
	struct container *r = &k->container;
	step_last_line(&r->step, r->agent, sizeof r->agent);
	if (*r->agent != '/' || strpbrk(r->agent, " \t"))
		*r->agent = '\0';
	return true;
}

/* Returns false with the failed step, or at the end of the sandbox. */
static bool put(struct supervisor *k)
{
	struct container *r = &k->container;
	const char *doing = r->plan.puts_text ? "creating the sandbox" : "copying the agent in";
	if (!r->plan.puts_text)
		return *r->agent || (container_run(k, PLAN_PUT, SUPERVISOR_AGENT, doing) && take_agent(k));
	for (r->version = 0;; r->version++) {
		int fd = put_text_open(&r->facts, SUPERVISOR_AGENT, r->version);
		int next_fd = fd < 0 ? fd : put_text_open(&r->facts, SUPERVISOR_AGENT, r->version + 1);
		bool is_done = fd >= 0 && container_run(k, PLAN_PUT, fd, doing);
		bool has_next = next_fd >= 0;
		if (fd >= 0)
			close(fd);
		if (has_next)
			close(next_fd);
		if (!is_done && r->step.end == STEP_FAILED && !r->step.out.n)
			r->shared->may_be_there = false; /* it has told of nothing that it made */
		if (is_done || !has_next || k->is_ending || !put_text_is_refused(&r->step))
			return is_done;
		prepare_next(k);
	}
}

static bool go_by_exec(struct supervisor *k)
{
	struct container *r = &k->container;
	r->way = WAY_EXEC;
	if (!container_has(r, PLAN_CONNECT)) {
		supervisor_fail(k, TRM_ENOTSUP, "%s: the recipe has no step 'connect', and %s",
				r->plan.backend, r->note);
		return false;
	}
	if (!r->plan.is_adopted && !create(k, PLAN_CREATE_EXEC))
		return k->is_ending ? false : fail_step(k);
	const bool has_ready = container_has(r, PLAN_READY);
	const bool is_put_first = r->plan.puts_text || container_has(r, PLAN_START);
	if (has_ready && !is_put_first && !container_await(k))
		return false;
	if (!put(k) || !container_run(k, PLAN_START, -1, "starting"))
		return fail_step(k);
	if (has_ready && is_put_first && (!begin_early_line(k) || !container_await(k)))
		return false;
	if (!open_line(k))
		return false;
	bridges_serve(&r->bridges, SUPERVISOR_LISTEN);
	return true;
}

/* ---- start ------------------------------------------------------------------------------------ */

static bool make(struct supervisor *k)
{
	struct container *r = &k->container;
	if (r->plan.is_adopted || !container_has(r, PLAN_CREATE_DIRECT))
		return go_by_exec(k);
	enum outcome outcome = go_directly(k);
	if (outcome != OUTCOME_NOT_SHARED)
		return outcome == OUTCOME_UP;
	container_destroy(k, "trying another way");
	snprintf(r->shared->id, sizeof r->shared->id, "%s", r->plan.name);
	return !k->is_ending && go_by_exec(k);
}

bool container_start(struct supervisor *k)
{
	struct container *r = &k->container;
	if (!r->is_on) {
		supervisor_fail(k, TRM_EPROTO, "the sandbox's plan cannot be read");
		return false;
	}
	if (!make(k))
		return false;
	if (r->way == WAY_DIRECT)
		close(SUPERVISOR_LISTEN);
	close(SUPERVISOR_AGENT);
	if (container_has(r, PLAN_LIST))
		r->sweep_ms = clock_ms() + SWEEP_AFTER_MS;
	r->shared->is_up = true;
	supervisor_announce(k);
	return true;
}
