/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/loop.h>
#include <terrarium/sandbox.h>

#include "backend/host/machine.h"
#include "doctor/doctor.h"

/* One sandbox is started for all: its guards tell which limits hold here, and
 * the interpreters of the languages that everybody has are asked for their versions inside it. */

enum { START_TIMEOUT_MS = 20000, STEP_MS = 100, MAX_ANSWER = 120 };

struct answer {
	char text[MAX_ANSWER];
	size_t n;
	bool is_good;
};

struct trial {
	bool is_ready, is_closed;
	struct trm_error why;
	uint64_t started_ns, ready_ns;
	struct trm_loop *loop;
	size_t n_pending;
	struct answer answers[TRM_LANG_MAX];
};

/* ---- interpreters ------------------------------------------------------------- */

struct question {
	struct trial *trial;
	struct answer *answer;
};

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct question *q = user;
	struct answer *a = q->answer;
	(void)proc;
	if (channel != TRM_STDOUT)
		return;
	size_t room = sizeof a->text - 1 - a->n;
	memcpy(a->text + a->n, bytes, n < room ? n : room);
	a->n += n < room ? n : room;
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *how, const struct trm_error *why)
{
	struct question *q = user;
	(void)proc;
	(void)why;
	q->answer->is_good = how && how->exit_code == 0;
	q->answer->text[strcspn(q->answer->text, "\n")] = '\0';
	q->trial->n_pending--;
}

static void ask_question(
		struct trial *t, struct trm_sandbox *sandbox, const struct trm_lang *lang, struct question *q)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts), .argv = lang->version};
	struct trm_proc *proc;
	if (trm_proc_spawn(sandbox, &opts, &cb, q, &proc, NULL) == 0)
		t->n_pending++;
}

static void tell_interpreters(struct doctor *d, const struct trial *t)
{
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct trm_lang *lang = trm_lang_at(i);
		const struct answer *a = &t->answers[i];
		const char *slash = strrchr(lang->interpreter, '/');
		const char *name = slash ? slash + 1 : lang->interpreter;
		char advice[64];
		if (!lang->has_tab)
			continue;
		snprintf(advice, sizeof advice, "apt install %s", lang->package);
		if (a->is_good)
			doctor_say(d, TRM_CHECK_OK, name, NULL, "%s", a->text);
		else
			doctor_say(d, TRM_CHECK_WEAK, name, advice,
					"does not run inside the sandbox, which sees only the host's /usr");
	}
}

/* ---- guards ---------------------------------------------------------------------- */

/* Advice for a guard that is not enforced; NULL: there is none, or none is needed. */
static const char *guard_advice(const struct trm_guard *guard)
{
	static const char *const by_groups[] = {"memory", "cpu", "processes"};

	for (size_t i = 0; i < sizeof by_groups / sizeof *by_groups; i++)
		if (guard->strength != TRM_ENFORCED && strcmp(guard->what, by_groups[i]) == 0)
			return "it is enforced if control groups are usable: see that row";
	return NULL;
}

static void tell_guard(
		struct doctor *d, const struct trm_guard *guard, const char *advice, const char *before)
{
	char name[40];
	snprintf(name, sizeof name, "sandbox: %s", guard->what);
	doctor_say(d, guard->strength == TRM_ENFORCED ? TRM_CHECK_OK : TRM_CHECK_WEAK, name, advice, "%s%s",
			before, guard->how);
}

static void tell_guards(struct doctor *d, const struct trm_sandbox *sandbox)
{
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(sandbox, &guards);
	bool has_groups = false;
	for (size_t i = 0; i < n; i++) {
		tell_guard(d, &guards[i], guard_advice(&guards[i]),
				guards[i].strength == TRM_NOT_ENFORCED ? "not enforced: " : "");
		has_groups |= strstr(guards[i].how, "cgroup v") != NULL;
	}
	if (has_groups)
		doctor_say(d, TRM_CHECK_OK, "control groups", NULL, "usable");
	else
		doctor_say(d, TRM_CHECK_WEAK, "control groups",
				"limits are enforced if systemd runs for this user (apt install dbus-user-session), "
				"with cgroup v2",
				"not delegated to this user; limits are weak");
}

/* ---- the sandbox ------------------------------------------------------------------- */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct trial *t = user;
	(void)sandbox;
	t->is_ready = true;
	t->ready_ns = trm_loop_now_ns(t->loop);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct trial *t = user;
	(void)sandbox;
	t->is_closed = true;
	t->why = *why;
}

static void examine(struct doctor *d, struct trial *t, struct trm_sandbox *sandbox)
{
	struct question questions[TRM_LANG_MAX];
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		questions[i] = (struct question){t, &t->answers[i]};
		if (trm_lang_at(i)->has_tab)
			ask_question(t, sandbox, trm_lang_at(i), &questions[i]);
	}
	while (!t->is_closed && (!t->is_ready || t->n_pending))
		trm_loop_step(t->loop, STEP_MS);
	if (!t->is_ready) {
		doctor_say(d, TRM_CHECK_FAILED, "sandbox", NULL, "%s", t->why.msg);
		return;
	}
	doctor_say(d, TRM_CHECK_OK, "sandbox", NULL, "starts in %.1f ms",
			(double)(t->ready_ns - t->started_ns) / 1e6);
	tell_interpreters(d, t);
	if (!t->is_closed)
		tell_guards(d, sandbox);
}

/* Report whether the network of a sandbox works. */
static void examine_network(struct doctor *d, struct trial *t, struct trm_sandbox *sandbox)
{
	(void)sandbox;
	while (!t->is_closed && !t->is_ready)
		trm_loop_step(t->loop, STEP_MS);
	if (t->is_ready)
		doctor_say(d, TRM_CHECK_OK, "network (--net on)", NULL,
				"comes up, in a sandbox that starts in %.1f ms",
				(double)(t->ready_ns - t->started_ns) / 1e6);
	else
		doctor_say(d, TRM_CHECK_WEAK, "network (--net on)", NULL, "%s", t->why.msg);
}

typedef void examine_fn(struct doctor *d, struct trial *t, struct trm_sandbox *sandbox);

static void run_trial(struct doctor *d, const struct trm_sandbox_opts *opts, const char *name, examine_fn *fn)
{
	static const struct trm_sandbox_cb cb = {.ready = on_ready, .closed = on_closed};
	struct trm_sandbox *sandbox;
	struct trm_error e;
	struct trial t = {0};
	if (trm_loop_create(&t.loop, &e) < 0) {
		doctor_say(d, TRM_CHECK_FAILED, name, NULL, "%s", e.msg);
		return;
	}
	t.started_ns = trm_loop_now_ns(t.loop);
	if (trm_sandbox_open(t.loop, opts, &cb, &t, &sandbox, &e) < 0) {
		doctor_say(d, TRM_CHECK_FAILED, name, NULL, "%s", e.msg);
	} else {
		fn(d, &t, sandbox);
		if (!t.is_closed)
			trm_sandbox_close(sandbox);
		while (!t.is_closed)
			trm_loop_step(t.loop, STEP_MS);
	}
	trm_loop_destroy(t.loop);
}

void doctor_try_sandbox(struct doctor *d, enum trm_isolation want)
{
	struct trm_sandbox_opts opts;
	char path[MACHINE_PATH];
	trm_sandbox_opts_default(&opts);
	opts.start_timeout_ms = START_TIMEOUT_MS;
	opts.isolation = want;
	run_trial(d, &opts, "sandbox", examine);
	opts.limits.net = true;
	if (machine_find_slirp(path, NULL) == 0) /* otherwise this was reported before */
		run_trial(d, &opts, "network (--net on)", examine_network);
}

/* ---- a server --------------------------------------------------------------------------- */

/* False: it did not get ready, which is said. */
static bool await_ready(struct doctor *d, struct trial *t, const char *what)
{
	while (!t->is_closed && !t->is_ready)
		trm_loop_step(t->loop, STEP_MS);
	if (!t->is_ready)
		doctor_say(d, TRM_CHECK_FAILED, what, NULL, "%s", t->why.msg);
	return t->is_ready;
}

/* A server enforces everything itself: report the promises of its guards. */
static void examine_server(struct doctor *d, struct trial *t, struct trm_sandbox *sandbox)
{
	const struct trm_guard *guards;
	if (!await_ready(d, t, "server"))
		return;
	doctor_say(d, TRM_CHECK_OK, "server", NULL, "starts sandbox %s in %.1f ms", trm_sandbox_name(sandbox),
			(double)(t->ready_ns - t->started_ns) / 1e6);
	size_t n = trm_sandbox_guards(sandbox, &guards);
	for (size_t i = 0; i < n; i++)
		doctor_say(d, TRM_CHECK_NOTE, guards[i].what, NULL, "%s", guards[i].how);
}

void doctor_try_server(struct doctor *d, const struct trm_sandbox_opts *opts)
{
	struct trm_sandbox_opts own = *opts;
	own.name = NULL;
	own.metrics_interval_ms = 0;
	if (own.server.api_key && *own.server.api_key)
		doctor_say(d, TRM_CHECK_OK, "API key", NULL, "set; it is sent to the server");
	else
		doctor_say(d, TRM_CHECK_NOTE, "API key", NULL, "not set (MSB_API_KEY), so none is sent");
	run_trial(d, &own, "server", examine_server);
}

/* ---- what a recipe makes -------------------------------------------------------------------- */

static void examine_made(struct doctor *d, struct trial *t, struct trm_sandbox *sandbox)
{
	const struct trm_guard *guards;
	if (!await_ready(d, t, "sandbox"))
		return;
	doctor_say(d, TRM_CHECK_OK, "sandbox", NULL, "made from %s, starts in %.1f ms",
			trm_sandbox_origin(sandbox), (double)(t->ready_ns - t->started_ns) / 1e6);
	size_t n = trm_sandbox_guards(sandbox, &guards);
	for (size_t i = 0; i < n; i++)
		tell_guard(d, &guards[i], NULL, "");
}

void doctor_try_made(struct doctor *d, const struct trm_sandbox_opts *opts)
{
	struct trm_sandbox_opts own = *opts;
	own.name = NULL;
	own.metrics_interval_ms = 0;
	own.keep = false;
	run_trial(d, &own, "sandbox", examine_made);
}
