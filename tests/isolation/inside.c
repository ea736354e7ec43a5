/* SPDX-License-Identifier: MIT */
#include "isolation/inside.h"

#include <string.h>
#include <time.h>

#include "backend/local/level.h"
#include "base/landlock.h"
#include "cmocka_all.h"

enum { STEP_MS = 50 };

enum trm_isolation inside_isolation = TRM_ISOLATION_NAMESPACES;

bool inside_contains_signals(void)
{
	return inside_isolation == TRM_ISOLATION_NAMESPACES || level_landlock_abi() >= LANDLOCK_ABI_SCOPES;
}

double host_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void inside_wait(struct inside *in, const bool *flag)
{
	double deadline = host_now_ms() + INSIDE_DEADLINE_MS;
	while (!*flag) {
		if (host_now_ms() > deadline)
			fail_msg("nothing happened in %d ms", INSIDE_DEADLINE_MS);
		trm_loop_step(in->loop, STEP_MS);
	}
}

/* ---- the sandbox ---------------------------------------------------------------- */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct inside *in = user;
	(void)sandbox;
	in->is_ready = true;
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct inside *in = user;
	(void)sandbox;
	in->sample = metrics->sample;
	in->n_metrics++;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct inside *in = user;
	(void)sandbox;
	in->is_closed = true;
	in->sandbox = NULL;
	in->why = *why;
}

int inside_try_open(struct inside *in, const char *name, const struct trm_limits *limits)
{
	static const struct trm_sandbox_cb cb = {
			.ready = on_ready, .metrics = on_metrics, .closed = on_closed};
	struct trm_sandbox_opts opts;
	*in = (struct inside){0};
	trm_sandbox_opts_default(&opts);
	opts.name = name;
	opts.isolation = inside_isolation;
	opts.hides_packages = true;
	if (limits)
		opts.limits = *limits;
	assert_int_equal(trm_loop_create(&in->loop, NULL), 0);
	int r = trm_sandbox_open(in->loop, &opts, &cb, in, &in->sandbox, &in->why);
	double deadline = host_now_ms() + INSIDE_DEADLINE_MS;
	while (r == 0 && !in->is_ready && !in->is_closed && host_now_ms() < deadline)
		trm_loop_step(in->loop, STEP_MS);
	if (r == 0 && in->is_ready)
		return 0;
	trm_loop_destroy(in->loop);
	in->loop = NULL;
	return r < 0 ? r : in->why.code;
}

void inside_open(struct inside *in, const struct trm_limits *limits)
{
	if (inside_try_open(in, NULL, limits) < 0)
		fail_msg("no sandbox: %s", in->why.msg);
}

void inside_wait_closed(struct inside *in)
{
	inside_wait(in, &in->is_closed);
	trm_loop_destroy(in->loop);
	in->loop = NULL;
}

void inside_close(struct inside *in)
{
	if (in->sandbox)
		trm_sandbox_close(in->sandbox);
	inside_wait_closed(in);
}

void inside_measure(struct inside *in)
{
	unsigned before = in->n_metrics;
	double deadline = host_now_ms() + INSIDE_DEADLINE_MS;
	assert_int_equal(trm_sandbox_set_metrics(in->sandbox, 200, false, NULL), 0);
	while (in->n_metrics < before + 2 && host_now_ms() < deadline)
		trm_loop_step(in->loop, STEP_MS);
	assert_true(in->n_metrics >= before + 2);
	trm_sandbox_set_metrics(in->sandbox, 0, false, NULL);
}

/* ---- programs --------------------------------------------------------------------- */

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct outcome *o = user;
	(void)proc;
	(void)channel;
	size_t room = sizeof o->text - 1 - o->n;
	size_t take = n < room ? n : room;
	memcpy(o->text + o->n, bytes, take);
	o->n += take;
	o->text[o->n] = '\0';
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *how, const struct trm_error *why)
{
	struct outcome *o = user;
	(void)proc;
	o->is_over = true;
	o->exit = how ? *how : (struct trm_exit){.exit_code = -1};
	if (why)
		o->why = *why;
}

struct trm_proc *inside_start(struct inside *in, const char *const *argv, struct outcome *ret)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts), .argv = argv};
	struct trm_proc *proc;
	struct trm_error e;
	memset(ret, 0, sizeof *ret);
	if (trm_proc_spawn(in->sandbox, &opts, &cb, ret, &proc, &e) < 0)
		fail_msg("%s: %s", argv[0], e.msg);
	return proc;
}

void inside_run(struct inside *in, const char *const *argv, struct outcome *ret)
{
	inside_start(in, argv, ret);
	inside_wait(in, &ret->is_over);
}

const char *inside_python(struct inside *in, const char *code, struct outcome *ret)
{
	const char *argv[] = {"/usr/bin/python3", "-c", code, NULL};
	inside_run(in, argv, ret);
	if (ret->exit.exit_code != 0)
		fail_msg("exit %d, signal %d: %s %s", ret->exit.exit_code, ret->exit.signal, ret->text,
				ret->why.msg);
	return ret->text;
}
