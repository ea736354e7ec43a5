/* SPDX-License-Identifier: MIT */
/* What all the times of a recipe's sandbox have in common, and its life between start and end. */
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

#include "keeper/heir.h"
#include "keeper/keeper.h"
#include "keeper/orphan.h"
#include "keeper/reason.h"

/* ---- the plan ------------------------------------------------------------------------ */

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
	snprintf(r->shared->id, sizeof r->shared->id, "%s",
			r->plan.is_adopted ? r->plan.container : r->plan.name);
	orphan_label(r->label, sizeof r->label);
	r->facts = (struct step_facts){&r->plan, r->shared->id, r->label};
	bridges_init(&r->bridges, &r->facts);
}

void recipe_load(struct keeper *k)
{
	struct recipe *r = &k->recipe;
	r->shared = heir_shared(sizeof *r->shared);
	if (r->shared && read_plan(r))
		settle(r);
	k->groups->kind = LIMITS_ENGINE; /* until groups are found */
}

bool recipe_has(const struct recipe *r, enum plan_step which)
{
	return r->plan.steps[which].n != 0;
}

/* ---- steps ------------------------------------------------------------------------- */

void recipe_tell(struct keeper *k, const char *format, ...)
{
	char words[STEP_WORDS];
	va_list args;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	keeper_tell_progress(k, words);
}

/* One turn of the wait for a step. */
static void wait_for_step(struct keeper *k, bool was_ending)
{
	enum { LONGEST_MS = 2000 };
	struct step *s = &k->recipe.step;
	const uint64_t now_ms = keeper_now_ms(), most_ms = now_ms + LONGEST_MS;
	keeper_turn(k, s->due_ms > now_ms && s->due_ms < most_ms ? s->due_ms : most_ms);
	if (k->is_ending && !was_ending)
		step_stop(s, keeper_now_ms());
	step_pass_time(s, keeper_now_ms());
}

/* The id goes into commands as an argument: nothing that is not one. */
bool recipe_take_id(struct keeper *k)
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
		keeper_fail(k, TRM_EPROTO,
				"%s: the last line that the step 'create' prints is not an id: %.80s",
				r->plan.backend, line);
		return false;
	}
	snprintf(r->shared->id, sizeof r->shared->id, "%s", line);
	return true;
}

bool recipe_run(struct keeper *k, enum plan_step which, int in_fd, const char *doing)
{
	enum { AGAIN_MS = 2000 };
	struct recipe *r = &k->recipe;
	struct step *s = &r->step;
	const bool was_ending = k->is_ending;
	uint64_t told_ms = keeper_now_ms();
	while (!step_is_over(s)) /* one that was overtaken */
		wait_for_step(k, was_ending);
	if (r->owes_id && s->end == STEP_DONE)
		recipe_take_id(k);
	r->owes_id = false;
	if (recipe_has(r, which) && doing)
		recipe_tell(k, "%s: %s", r->plan.backend, doing);
	step_begin(s, &r->facts, which, in_fd, keeper_now_ms());
	while (!step_is_over(s) && !(r->is_overtaken && r->door.has_report)) {
		if (was_ending && doing && keeper_now_ms() >= told_ms + AGAIN_MS) { /* who waits knows why */
			recipe_tell(k, "%s: %s", r->plan.backend, doing);
			told_ms = keeper_now_ms();
		}
		wait_for_step(k, was_ending);
	}
	return s->end == STEP_DONE || s->end == STEP_RUNS;
}

/* Engines tidy up after what has ended, and refuse meanwhile what is then asked of them. */
static bool destroy(struct keeper *k, const char *doing)
{
	enum { TRIES = 3, FIRST_WAIT_MS = 100 };
	struct recipe *r = &k->recipe;
	for (unsigned i = 0; !recipe_run(k, PLAN_DESTROY, -1, doing); i++) {
		const uint64_t again_ms = keeper_now_ms() + (FIRST_WAIT_MS << 2 * i);
		if (i + 1 == TRIES || r->step.end != STEP_FAILED || reason_is_missing(&r->step))
			return false;
		while (keeper_now_ms() < again_ms)
			keeper_turn(k, again_ms);
	}
	return true;
}

void recipe_destroy(struct keeper *k, const char *doing)
{
	struct recipe *r = &k->recipe;
	char words[STEP_WORDS];
	if (!r->shared->may_be_there || r->plan.is_adopted)
		return;
	if (destroy(k, doing))
		r->shared->may_be_there = false;
	else if (!reason_is_missing(&r->step))
		keeper_add_words(k, "%s%s", step_tell(&r->step, words, sizeof words),
				recipe_has(r, PLAN_LIST)
						? "; the next sandbox of this backend removes the rest"
						: "");
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
	bridges_note_end(&r->bridges, pid, status, keeper_now_ms());
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

/* Nobody waits for the agent's answer in vain, or thinks that it has ended. */
static void tell_lost(struct keeper *k, uint64_t now_ms)
{
	struct bridges *b = &k->recipe.bridges;
	char words[STEP_WORDS];
	for (pid_t client; (client = bridges_next_lost(b, now_ms)) > 0;)
		keeper_tell_lost(k, client, bridges_tell(b, "failed", words, sizeof words));
}

void recipe_pass_time(struct keeper *k, uint64_t now_ms)
{
	struct recipe *r = &k->recipe;
	if (!r->is_on)
		return;
	if (r->sweep_ms && now_ms >= r->sweep_ms)
		sweep(r);
	if (now_ms >= bridges_next_ms(&r->bridges))
		tell_lost(k, now_ms);
}

uint64_t recipe_next_ms(const struct recipe *r)
{
	if (!r->is_on)
		return UINT64_MAX;
	uint64_t lost_ms = bridges_next_ms(&r->bridges);
	return r->sweep_ms && r->sweep_ms < lost_ms ? r->sweep_ms : lost_ms;
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
			.where = (char *)r->shared->id,
			.note = (char *)r->note,
			.user = report->user && *report->user ? report->user : (char *)r->plan.user,
			.words = report->words ? report->words : none,
			.asks = r->plan.asks,
			.root_pid = r->root_pid,
	};
}
