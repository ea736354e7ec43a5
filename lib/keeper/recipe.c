/* SPDX-License-Identifier: MIT */
#include "keeper/recipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/sysfile.h"
#include "keeper/keeper.h"
#include "keeper/orphan.h"
#include "keeper/reason.h"
#include "sweep/sweep.h"

enum { SWEEP_AFTER_MS = 300 };

static bool has(const struct recipe *r, enum plan_step which)
{
	return r->plan.steps[which].n != 0;
}

/* ---- steps ------------------------------------------------------------------------- */

static void tell(struct keeper *k, const char *format, ...)
{
	char words[STEP_WORDS];
	va_list args;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	keeper_tell_progress(k, words);
}

/* Run a step while everything else goes on. It is killed when the end comes meanwhile; those of the end
 * itself are not. */
static bool run(struct keeper *k, enum plan_step which, int in_fd, const char *doing)
{
	enum { AGAIN_MS = 2000 };
	struct step *s = &k->recipe.step;
	const bool was_ending = k->is_ending;
	uint64_t told_ms = keeper_now_ms();
	if (has(&k->recipe, which) && doing)
		tell(k, "%s: %s", k->recipe.plan.backend, doing);
	step_begin(s, &k->recipe.facts, which, in_fd, keeper_now_ms());
	while (!step_is_over(s)) {
		uint64_t now_ms = keeper_now_ms();
		if (was_ending && doing
				&& now_ms >= told_ms + AGAIN_MS) { /* who waits for the end knows why */
			tell(k, "%s: %s", k->recipe.plan.backend, doing);
			told_ms = now_ms;
		}
		keeper_turn(k, s->due_ms > now_ms && s->due_ms < now_ms + AGAIN_MS ? s->due_ms
										   : now_ms + AGAIN_MS);
		if (k->is_ending && !was_ending)
			step_stop(s);
		step_pass_time(s, keeper_now_ms());
	}
	return s->end == STEP_DONE;
}

/* The step that ran last has failed, and the sandbox with it. */
static bool fail_step(struct keeper *k)
{
	char words[STEP_WORDS];
	const struct step *s = &k->recipe.step;
	if (s->end != STEP_STOPPED)
		keeper_fail(k, s->end == STEP_LATE ? TRM_ETIMEDOUT : TRM_EIO, "%s",
				step_tell(s, words, sizeof words));
	return false;
}

/* ---- what is made ---------------------------------------------------------------------- */

/* The id goes into commands as an argument: nothing that is not one. */
static bool take_id(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	char line[RECIPE_ID];
	step_last_line(&r->step, line, sizeof line);
	if (!*line)
		return true;
	bool is_id = *line != '-' && strlen(line) + 1 < sizeof line; /* or it may be cut */
	for (const char *at = line; *at; at++)
		is_id &= *at > ' ' && *at < 0x7F;
	if (!is_id) {
		keeper_fail(k, TRM_EPROTO, "%s: the last line that the step 'create' prints is no id: %.80s",
				r->plan.backend, line);
		return false;
	}
	snprintf(r->id, sizeof r->id, "%s", line);
	return true;
}

static void destroy(struct keeper *k, const char *doing)
{
	struct recipe *r = &k->recipe;
	char words[STEP_WORDS];
	if (!r->may_be_there || r->plan.is_adopted)
		return;
	if (run(k, PLAN_DESTROY, -1, doing))
		r->may_be_there = false;
	else if (!reason_is_missing(&r->step))
		keeper_add_words(k, "%s", step_tell(&r->step, words, sizeof words));
}

static bool create(struct keeper *k, enum plan_step which)
{
	struct recipe *r = &k->recipe;
	r->may_be_there = true; /* a command that is killed half-way may have made it */
	return run(k, which, -1, "creating the sandbox") && take_id(k);
}

/* ---- the direct way ----------------------------------------------------------------------- */

enum outcome { OUTCOME_UP, OUTCOME_FAILED, OUTCOME_NOT_SHARED };

/* What cannot be mounted or run there may still be copied and run there. */
static enum outcome judge(struct keeper *k)
{
	const struct step *s = &k->recipe.step;
	static const char *const signs[] = {"mount", "bind", "/.terrarium", "/" SHARE_DIR, "exec format"};
	if (s->end == STEP_FAILED && has(&k->recipe, PLAN_CONNECT))
		for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
			if (memmem(s->err_bytes, s->err.n, signs[i], strlen(signs[i]))) {
				step_clean_tail(s->err_bytes, s->err.n, k->recipe.note, 200);
				return OUTCOME_NOT_SHARED;
			}
	if (!k->is_ending)
		fail_step(k);
	return OUTCOME_FAILED;
}

/* Has it ended while we wait? Then waiting longer makes no sense. */
static bool has_stopped(struct keeper *k)
{
	struct reason why;
	return has(&k->recipe, PLAN_INSPECT) && run(k, PLAN_INSPECT, -1, NULL)
	       && reason_read(&k->recipe.step, &why) && !reason_is_running(&why);
}

static enum outcome wait_at_door(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	const uint64_t due_ms = keeper_now_ms() + DOOR_PATIENCE_MS;
	uint64_t look_ms = keeper_now_ms() + 500;
	bool is_over = false;
	while (!k->is_ending && !r->door.has_report && !is_over) {
		uint64_t now_ms = keeper_now_ms();
		keeper_turn(k, look_ms < due_ms ? look_ms : due_ms);
		now_ms = keeper_now_ms();
		is_over = now_ms >= due_ms || r->is_lost;
		if (!is_over && !r->door.has_report && now_ms >= look_ms) {
			is_over = has_stopped(k);
			look_ms = now_ms + 1000;
		}
	}
	if (k->is_ending)
		return OUTCOME_FAILED;
	if (!r->door.has_report) {
		r->is_lost = false;
		snprintf(r->note, sizeof r->note, "the agent did not come to its door");
		if (has(r, PLAN_CONNECT))
			return OUTCOME_NOT_SHARED;
		keeper_fail(k, TRM_EIO, "%s: the agent does not answer", r->plan.backend);
		return OUTCOME_FAILED;
	}
	if (*r->door.report.error) {
		keeper_fail(k, TRM_EIO, "%s: %s", r->plan.backend, r->door.report.error);
		return OUTCOME_FAILED;
	}
	return OUTCOME_UP;
}

static void find_groups(struct keeper *k, pid_t pid)
{
	char path[64], theirs[4096], ours[4096];
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	if (pid <= 0 || sysfile_read(path, theirs, sizeof theirs) <= 0)
		return;
	sysfile_read("/proc/self/cgroup", ours, sizeof ours);
	groups_find(k->groups, CGROUP_ROOT, theirs, ours);
	k->watchdog.bwrap = pid; /* for its processor time, where no group counts it */
}

static enum outcome go_directly(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	enum outcome outcome;
	r->way = WAY_DIRECT;
	int error = door_open(&r->door, KEEPER_ENTRY_DIR);
	if (error < 0) {
		snprintf(r->note, sizeof r->note, "the door cannot be made: %s", strerror(-error));
		outcome = OUTCOME_NOT_SHARED;
	} else if (!create(k, PLAN_CREATE_DIRECT) || !run(k, PLAN_START, -1, "starting"))
		outcome = judge(k);
	else
		outcome = wait_at_door(k);
	door_close(&r->door, KEEPER_ENTRY_DIR);
	if (outcome == OUTCOME_UP)
		find_groups(k, r->root_pid = r->door.pid);
	else
		door_finish(&r->door, KEEPER_ENTRY_DIR);
	return outcome;
}

/* ---- the exec way --------------------------------------------------------------------------- */

/* Our own line has ended before the agent has answered. */
static bool fail_connect(struct keeper *k, bool is_late)
{
	struct recipe *r = &k->recipe;
	char said[400], command[96];
	struct bridges *b = &r->bridges;
	step_describe(r->plan.steps[PLAN_CONNECT], command, sizeof command);
	step_tail_read(&b->words, b->words_bytes, STEP_ERR_BYTES);
	step_clean_tail(b->words_bytes, b->words.n, said, sizeof said);
	keeper_fail(k, is_late ? TRM_ETIMEDOUT : TRM_EIO, "%s: the step 'connect' %s: %s ('%s')",
			r->plan.backend, is_late ? "hangs" : "failed", *said ? said : "it does not say why",
			command);
	return false;
}

static bool open_line(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	const uint64_t due_ms = keeper_now_ms() + r->plan.timeout_ms[PLAN_CONNECT];
	tell(k, "%s: connecting to the agent", r->plan.backend);
	int error = bridges_begin(&r->bridges);
	if (error < 0) {
		keeper_fail(k, TRM_EIO, "%s: cannot start a process: %s", r->plan.backend, strerror(-error));
		return false;
	}
	while (!k->is_ending && !r->bridges.is_up && !r->is_lost && keeper_now_ms() < due_ms)
		keeper_turn(k, due_ms);
	if (k->is_ending)
		return false;
	if (!r->bridges.is_up)
		return fail_connect(k, !r->is_lost);
	if (r->bridges.has_report && *r->bridges.report.error) {
		keeper_fail(k, TRM_EIO, "%s: %s", r->plan.backend, r->bridges.report.error);
		return false;
	}
	return true;
}

static bool go_by_exec(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	r->way = WAY_EXEC;
	if (!has(r, PLAN_CONNECT)) {
		keeper_fail(k, TRM_ENOTSUP, "%s: the recipe has no step 'connect', and %s", r->plan.backend,
				r->note);
		return false;
	}
	if (!r->plan.is_adopted && !create(k, PLAN_CREATE_EXEC))
		return k->is_ending ? false : fail_step(k);
	if (!run(k, PLAN_PUT, KEEPER_AGENT, "copying the agent in") || !run(k, PLAN_START, -1, "starting"))
		return fail_step(k);
	if (!open_line(k))
		return false;
	bridges_serve(&r->bridges, KEEPER_LISTEN);
	return true;
}

/* ---- start ------------------------------------------------------------------------------------ */

static bool read_plan(struct recipe *r)
{
	struct stat st;
	if (fstat(KEEPER_PLAN, &st) < 0 || st.st_size <= 0 || st.st_size > PLAN_MAX_BYTES)
		return false;
	const size_t n = (size_t)st.st_size;
	r->bytes = malloc(n);
	if (!r->bytes || pread(KEEPER_PLAN, r->bytes, n, 0) != (ssize_t)n
			|| plan_msg_get(r->bytes, n, &r->plan) < 0)
		return false;
	for (int i = 0; i < PLAN_STEPS; i++)
		if (!r->plan.timeout_ms[i])
			r->plan.timeout_ms[i] = PLAN_TIMEOUT_MS;
	return true;
}

static void settle(struct recipe *r)
{
	/* What commands leave behind on purpose (podman's conmon) is not for us to adopt, or to kill. */
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	r->is_on = true;
	r->door = (struct door)DOOR_NONE;
	r->step.end = STEP_DONE;
	r->step.out.fd = r->step.err.fd = -1;
	snprintf(r->id, sizeof r->id, "%s", r->plan.is_adopted ? r->plan.container : r->plan.name);
	orphan_label(r->label, sizeof r->label);
	r->facts = (struct step_facts){&r->plan, r->id, r->label};
	bridges_init(&r->bridges, &r->facts);
}

static bool make(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	if (r->plan.is_adopted || !has(r, PLAN_CREATE_DIRECT))
		return go_by_exec(k);
	enum outcome outcome = go_directly(k);
	if (outcome != OUTCOME_NOT_SHARED)
		return outcome == OUTCOME_UP;
	destroy(k, "trying another way");
	snprintf(r->id, sizeof r->id, "%s", r->plan.name);
	return !k->is_ending && go_by_exec(k);
}

bool recipe_start(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	if (!read_plan(r)) {
		keeper_fail(k, TRM_EPROTO, "the sandbox's plan cannot be read");
		return false;
	}
	settle(r);
	k->groups->kind = LIMITS_ENGINE; /* until groups are found */
	if (!make(k))
		return false;
	if (r->way == WAY_DIRECT)
		close(KEEPER_LISTEN);
	close(KEEPER_AGENT);
	if (has(r, PLAN_LIST))
		r->sweep_ms = keeper_now_ms() + SWEEP_AFTER_MS;
	keeper_announce(k);
	return true;
}

/* ---- life --------------------------------------------------------------------------------------- */

static int line_fd(const struct recipe *r)
{
	return r->door.line_fd;
}

size_t recipe_poll(const struct recipe *r, struct pollfd *fds)
{
	if (!r->is_on) {
		for (int i = 0; i < RECIPE_POLLS; i++)
			fds[i] = (struct pollfd){.fd = -1};
		return RECIPE_POLLS;
	}
	step_poll(&r->step, fds);
	fds[STEP_POLLS] = (struct pollfd){.fd = r->door.listen_fd, .events = POLLIN};
	fds[STEP_POLLS + 1] = (struct pollfd){.fd = line_fd(r), .events = POLLIN};
	bridges_poll(&r->bridges, fds + STEP_POLLS + 2);
	return RECIPE_POLLS;
}

static void hear_agent(struct recipe *r)
{
	char byte;
	if (!r->door.has_report) {
		r->is_lost |= door_hear(&r->door) < 0;
		return;
	}
	ssize_t n = recv(r->door.line_fd, &byte, 1, MSG_DONTWAIT);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	r->is_lost = true;
}

void recipe_hear(struct keeper *k, const struct pollfd *fds)
{
	struct recipe *r = &k->recipe;
	if (!r->is_on)
		return;
	step_hear(&r->step);
	if (fds[STEP_POLLS].revents && r->door.listen_fd >= 0 && door_let_in(&r->door, KEEPER_LISTEN) == 0)
		door_close(&r->door, KEEPER_ENTRY_DIR);
	if (fds[STEP_POLLS + 1].revents)
		hear_agent(r);
	bridges_hear(&r->bridges, fds + STEP_POLLS + 2);
	r->is_lost |= r->bridges.has_line && r->bridges.line_fd < 0;
	if (r->is_lost && r->door.line_fd >= 0) {
		close(r->door.line_fd);
		r->door.line_fd = -1;
	}
	if (r->is_lost && k->is_announced)
		keeper_end(k, GONE_TOLD); /* why, is found out in the end */
}

void recipe_note_end(struct recipe *r, pid_t pid, int status)
{
	if (!r->is_on)
		return;
	step_note_end(&r->step, pid, status);
	bridges_note_end(&r->bridges, pid);
	if (pid == r->sweeper)
		r->sweeper = 0;
}

/* Clients' lines and the entry's lock are the keeper's alone. */
static void let_go_of_all(void)
{
	if (syscall(SYS_close_range, (unsigned)KEEPER_LIFELINE, ~0u, 0u) == 0)
		return;
	for (int fd = KEEPER_LIFELINE; fd < 1024; fd++) /* Linux before 5.9 */
		close(fd);
}

static void sweep(struct recipe *r)
{
	const pid_t keeper = getpid();
	r->sweep_ms = 0;
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != keeper)
			_exit(1);
		let_go_of_all();
		orphan_sweep(&r->facts);
	}
	r->sweeper = pid > 0 ? pid : 0;
}

void recipe_pass_time(struct keeper *k, uint64_t now_ms)
{
	struct recipe *r = &k->recipe;
	if (r->is_on && r->sweep_ms && now_ms >= r->sweep_ms)
		sweep(r);
}

uint64_t recipe_next_ms(const struct recipe *r)
{
	return r->is_on && r->sweep_ms ? r->sweep_ms : UINT64_MAX;
}

struct origin_msg recipe_origin(const struct recipe *r)
{
	static char none[] = "";
	const struct door_report *report = r->door.has_report ? &r->door.report : &r->bridges.report;
	if (!r->is_on)
		return (struct origin_msg){0};
	return (struct origin_msg){
			.way = r->way,
			.is_adopted = r->plan.is_adopted,
			.backend = (char *)r->plan.backend,
			.image = (char *)r->plan.image,
			.where = (char *)r->id,
			.note = (char *)r->note,
			.user = report->user && *report->user ? report->user : (char *)r->plan.user,
			.words = report->words ? report->words : none,
			.asks = r->plan.asks,
			.root_pid = r->root_pid,
	};
}

/* ---- end ------------------------------------------------------------------------------------------ */

/* The line broke: the engine knows why, perhaps in a moment. */
static void find_reason(struct keeper *k)
{
	enum { PATIENCE_MS = 1500, BETWEEN_MS = 100 };
	struct recipe *r = &k->recipe;
	const uint64_t due_ms = keeper_now_ms() + PATIENCE_MS;
	struct reason why = {0};
	char words[STEP_WORDS];
	for (;;) {
		bool is_told = has(r, PLAN_INSPECT) && run(k, PLAN_INSPECT, -1, NULL);
		bool is_known = is_told && reason_read(&r->step, &why) && !reason_is_running(&why);
		if (is_known || !has(r, PLAN_INSPECT) || keeper_now_ms() >= due_ms
				|| reason_is_missing(&r->step))
			break;
		const uint64_t again_ms = keeper_now_ms() + BETWEEN_MS;
		while (keeper_now_ms() < again_ms)
			keeper_turn(k, again_ms);
	}
	keeper_fail(k, TRM_ECLOSED, "%s: %s", r->plan.backend,
			reason_tell(&r->step, has(r, PLAN_INSPECT), &why, r->plan.is_adopted, words,
					sizeof words));
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
	if (!k->is_announced || !has(r, PLAN_COMMIT))
		return true;
	if (!r->plan.is_adopted)
		end_agent(k);
	if (run(k, PLAN_COMMIT, -1, "saving the changes"))
		return true;
	step_tell(&r->step, words, sizeof words);
	if (r->plan.is_adopted)
		keeper_add_words(k, "the changes could not be saved: %s", words);
	else if (run(k, PLAN_SPARE, -1, NULL) && has(r, PLAN_SPARE))
		keeper_add_words(k,
				"the changes could not be saved; they are still in '%s" PLAN_SPARED
				"', which is stopped: %s",
				r->plan.name, words);
	else
		keeper_add_words(k,
				"the changes could not be saved; they are still in %.60s, which is stopped: %s",
				r->id, words);
	return false;
}

static void kill_sweeper(struct recipe *r)
{
	if (r->sweeper)
		kill(-r->sweeper, SIGKILL);
	r->sweep_ms = 0;
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
	if (r->plan.is_adopted && r->way == WAY_EXEC && !run(k, PLAN_RELEASE, -1, NULL)
			&& !reason_is_missing(&r->step))
		keeper_add_words(k, "our agent may still be in there: %s",
				step_tell(&r->step, words, sizeof words));
	bridges_finish(&r->bridges);
	door_finish(&r->door, KEEPER_ENTRY_DIR);
	if (is_saved) {
		destroy(k, "removing the sandbox");
		if (has(r, PLAN_AFTER) && !run(k, PLAN_AFTER, -1, "removing its image"))
			keeper_add_words(k, "%s", step_tell(&r->step, words, sizeof words));
	}
	door_remove(KEEPER_ENTRY_DIR);
	plan_msg_finish(&r->plan);
	free(r->bytes);
}
