/* SPDX-License-Identifier: MIT */
/* The parts of a recipe's sandbox that making, running and ending it share, and its life while it runs. */
#include "supervisor/core/container.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/clock.h"
#include "base/fds.h"
#include "supervisor/container/container_gc.h"
#include "supervisor/container/exit_reason.h"
#include "supervisor/core/cleanup.h"
#include "supervisor/core/supervisor.h"
#include "sweep/owner.h"

/* ---- the plan ------------------------------------------------------------------------ */

static bool read_plan(struct container *r)
{
	struct stat st;
	if (fstat(SUPERVISOR_PLAN, &st) < 0 || st.st_size <= 0 || st.st_size > PLAN_MAX_BYTES)
		return false;
	const size_t n = (size_t)st.st_size;
	void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, SUPERVISOR_PLAN, 0);
	close(SUPERVISOR_PLAN);
	if (bytes == MAP_FAILED || plan_msg_get(bytes, n, &r->plan) < 0)
		return false;
	for (int i = 0; i < PLAN_STEPS; i++)
		if (!r->plan.timeout_ms[i])
			r->plan.timeout_ms[i] = PLAN_TIMEOUT_MS;
	return true;
}

static void init_container(struct container *r, const char *run_path)
{
	/* Processes that commands leave behind on purpose (podman's conmon) must not become our children,
	 * or we would kill them. */
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	r->is_on = true;
	r->version = r->plan.version;
	r->handoff = (struct handoff)HANDOFF_NONE;
	r->step.end = STEP_DONE;
	r->step.out.fd = r->step.err.fd = -1;
	snprintf(r->shared->id, sizeof r->shared->id, "%s",
			r->plan.is_adopted ? r->plan.container : r->plan.name);
	owner_label(r->label, sizeof r->label);
	r->facts = (struct step_facts){.plan = &r->plan,
			.id = r->shared->id,
			.supervisor = r->label,
			.place = r->shared->id,
			.agent = r->agent,
			.run_path = run_path,
			.kube = r->plan.shares_proxy ? &r->shared->kube : NULL};
	bridges_init(&r->bridges, &r->facts);
}

void container_load(struct supervisor *k)
{
	struct container *r = &k->container;
	r->shared = cleanup_shared(sizeof *r->shared);
	if (r->shared && read_plan(r))
		init_container(r, k->spec.run_path);
	k->groups->kind = LIMITS_ENGINE; /* until groups_find() has found some */
}

bool container_has(const struct container *r, enum plan_step which)
{
	return r->plan.steps[which].n != 0;
}

/* ---- steps ------------------------------------------------------------------------- */

void container_fail(struct supervisor *k, const char *format, ...)
{
	char words[STEP_WORDS];
	va_list args;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	supervisor_publish_progress(k, words);
}

/* Handle events once while a step runs. */
static void wait_for_step(struct supervisor *k, bool was_ending)
{
	enum { LONGEST_MS = 2000 };
	struct step *s = &k->container.step;
	const uint64_t now_ms = clock_ms(), most_ms = now_ms + LONGEST_MS;
	supervisor_turn(k, s->due_ms > now_ms && s->due_ms < most_ms ? s->due_ms : most_ms);
	if (k->is_ending && !was_ending)
		step_stop(s, clock_ms());
	step_pass_time(s, clock_ms());
}

/* The id becomes an argument of commands, so it must not look like an option. */
bool container_take_id(struct supervisor *k)
{
	struct container *r = &k->container;
	char line[CONTAINER_ID];
	step_last_line(&r->step, line, sizeof line);
	if (!*line)
		return true;
	bool is_id = *line != '-' && strlen(line) + 1 < sizeof line; /* a longer line may have been cut */
	for (const char *at = line; *at; at++)
		is_id &= *at > ' ' && *at < 0x7F;
	if (!is_id) {
		supervisor_fail(k, TRM_EPROTO,
				"%s: the last line that the step 'create' prints is not an id: %.80s",
				r->plan.backend, line);
		return false;
	}
	snprintf(r->shared->id, sizeof r->shared->id, "%s", line);
	return true;
}

void container_report_commands(struct supervisor *k, enum plan_step which)
{
	struct container *r = &k->container;
	struct command_words words;
	for (struct slice step = r->plan.steps[which]; r->plan.is_verbose && step.n;)
		supervisor_publish_progress(k, step_format_command(&r->facts, which, &step, &words));
}

bool container_run(struct supervisor *k, enum plan_step which, int in_fd, const char *doing)
{
	enum { AGAIN_MS = 2000 };
	struct container *r = &k->container;
	struct step *s = &r->step;
	const bool was_ending = k->is_ending;
	uint64_t reported_ms = clock_ms();
	while (!step_is_over(s)) /* a step that is no longer waited for may still run */
		wait_for_step(k, was_ending);
	if (r->owes_id && s->end == STEP_DONE)
		container_take_id(k);
	r->owes_id = false;
	if (container_has(r, which) && doing)
		container_fail(k, "%s: %s", r->plan.backend, doing);
	container_report_commands(k, which);
	step_begin(s, &r->facts, which, in_fd, clock_ms());
	while (!step_is_over(s) && !(r->is_overtaken && r->handoff.has_report)) {
		/* Repeat the failure while destroying takes long, so that a waiting client sees the reason.
		 */
		if (was_ending && doing && clock_ms() >= reported_ms + AGAIN_MS) {
			container_fail(k, "%s: %s", r->plan.backend, doing);
			reported_ms = clock_ms();
		}
		wait_for_step(k, was_ending);
	}
	return s->end == STEP_DONE || s->end == STEP_RUNS;
}

/* An engine that is still cleaning up after a container refuses other operations on it, so try again. */
static bool destroy(struct supervisor *k, const char *doing)
{
	enum { TRIES = 3, FIRST_WAIT_MS = 100 };
	struct container *r = &k->container;
	for (unsigned i = 0; !container_run(k, PLAN_DESTROY, -1, doing); i++) {
		const uint64_t again_ms = clock_ms() + (FIRST_WAIT_MS << 2 * i);
		if (i + 1 == TRIES || r->step.end != STEP_FAILED || exit_reason_is_missing(&r->step))
			return false;
		while (clock_ms() < again_ms)
			supervisor_turn(k, again_ms);
	}
	return true;
}

void container_destroy(struct supervisor *k, const char *doing)
{
	struct container *r = &k->container;
	char words[STEP_WORDS];
	if (!r->shared->may_be_there || r->plan.is_adopted)
		return;
	if (destroy(k, doing))
		r->shared->may_be_there = false;
	else if (!exit_reason_is_missing(&r->step))
		supervisor_add_reason(k, "%s%s", step_describe_failure(&r->step, words, sizeof words),
				container_has(r, PLAN_LIST)
						? "; the next sandbox of this backend removes the rest"
						: "");
}

/* ---- life --------------------------------------------------------------------------------------- */

static int line_fd(const struct container *r)
{
	return r->handoff.line_fd;
}

size_t container_poll(const struct container *r, struct pollfd *fds)
{
	if (!r->is_on) {
		for (int i = 0; i < CONTAINER_POLLS; i++)
			fds[i] = (struct pollfd){.fd = -1};
		return CONTAINER_POLLS;
	}
	step_poll(&r->step, fds);
	fds[STEP_POLLS] = (struct pollfd){.fd = r->handoff.listen_fd, .events = POLLIN};
	fds[STEP_POLLS + 1] = (struct pollfd){.fd = line_fd(r), .events = POLLIN};
	bridges_poll(&r->bridges, fds + STEP_POLLS + 2);
	return CONTAINER_POLLS;
}

static void read_handoff(struct container *r)
{
	char byte;
	if (!r->handoff.has_report) {
		r->is_lost |= handoff_handle(&r->handoff) < 0;
		return;
	}
	ssize_t n = recv(r->handoff.line_fd, &byte, 1, MSG_DONTWAIT);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	r->is_lost = true;
}

void container_handle(struct supervisor *k, const struct pollfd *fds)
{
	struct container *r = &k->container;
	if (!r->is_on)
		return;
	step_read(&r->step);
	if (fds[STEP_POLLS].revents && r->handoff.listen_fd >= 0
			&& handoff_let_in(&r->handoff, SUPERVISOR_LISTEN) == 0)
		handoff_close(&r->handoff, SUPERVISOR_ENTRY_DIR);
	if (fds[STEP_POLLS + 1].revents)
		read_handoff(r);
	bridges_handle(&r->bridges, fds + STEP_POLLS + 2);
	if (r->bridges.has_line && r->bridges.line_fd < 0)
		r->is_lost |= !container_redial(k);
	if (r->is_lost && r->handoff.line_fd >= 0) {
		close(r->handoff.line_fd);
		r->handoff.line_fd = -1;
	}
	if (r->is_lost && k->is_announced)
		supervisor_end(k, GONE_REASON); /* container_end() finds out the reason */
}

void container_child_ended(struct container *r, pid_t pid, int status)
{
	if (!r->is_on)
		return;
	step_child_ended(&r->step, pid, status);
	bridges_note_end(&r->bridges, pid, status, clock_ms());
	if (pid == r->sweeper)
		r->sweeper = 0;
}

static void sweep(struct container *r)
{
	const pid_t supervisor = getpid();
	r->sweep_ms = 0;
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != supervisor)
			_exit(1);
		/* the clients' connections and the entry's lock belong to the supervisor alone */
		fds_close_from(SUPERVISOR_CLIENT);
		container_gc_sweep(&r->facts);
	}
	r->sweeper = pid > 0 ? pid : 0;
}

/* Notify clients whose bridge has broken, so that they neither wait for an answer nor believe that the
 * agent ended. */
static void publish_lost(struct supervisor *k, uint64_t now_ms)
{
	struct bridges *b = &k->container.bridges;
	char words[STEP_WORDS];
	for (pid_t client; (client = bridges_next_lost(b, now_ms)) > 0;)
		supervisor_publish_lost(k, client, bridges_describe(b, "failed", words, sizeof words));
}

void container_pass_time(struct supervisor *k, uint64_t now_ms)
{
	struct container *r = &k->container;
	if (!r->is_on)
		return;
	if (r->sweep_ms && now_ms >= r->sweep_ms)
		sweep(r);
	if (now_ms >= bridges_next_ms(&r->bridges))
		publish_lost(k, now_ms);
}

uint64_t container_next_ms(const struct container *r)
{
	if (!r->is_on)
		return UINT64_MAX;
	uint64_t lost_ms = bridges_next_ms(&r->bridges);
	return r->sweep_ms && r->sweep_ms < lost_ms ? r->sweep_ms : lost_ms;
}

struct origin_msg container_origin(const struct container *r)
{
	static char none[] = "";
	const struct handoff_report *report = r->handoff.has_report ? &r->handoff.report : &r->bridges.report;
	if (!r->is_on)
		return (struct origin_msg){0};
	const struct kube_report *kube = &r->shared->kube;
	return (struct origin_msg){
			.way = r->way == WAY_EXEC && kube->is_proxied ? WAY_PROXY : r->way,
			.stream = (char *)kube->why,
			.is_adopted = r->plan.is_adopted,
			.backend = (char *)r->plan.backend,
			.image = (char *)r->plan.image,
			.where = (char *)r->shared->id,
			.note = (char *)r->note,
			.user = report->user && *report->user ? report->user : (char *)r->plan.user,
			.words = report->words ? report->words : none,
			.asks = r->plan.asks,
			.root_pid = r->root_pid,
			.version = (uint8_t)r->version,
			.net_seen = (uint8_t)report->net,
	};
}
