/* SPDX-License-Identifier: MIT */
/* A pool of local sandboxes whose interpreters run already. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "langs.h"

enum { LIMIT_MS = 60000 };

static struct trm_loop *loop;
static struct trm_pool *pool;
static struct trm_pool_opts opts;
static struct trm_sandbox *taken;
static struct trm_error why, answer;
static bool has_answer, is_closed, is_pool_closed, is_done;
static int64_t exit_code = -1;

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *reason)
{
	(void)user;
	(void)sandbox;
	(void)reason;
	is_closed = true;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.closed = on_closed};

static void on_taken(void *user, struct trm_sandbox *sandbox, const struct trm_error *reason)
{
	(void)user;
	taken = sandbox;
	answer = *reason;
	has_answer = true;
}

static void on_pool_closed(void *user)
{
	(void)user;
	is_pool_closed = true;
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	(void)user;
	(void)run;
	exit_code = result->exit_code;
	assert_int_equal(result->number, 1);
	is_done = true;
}

static const struct trm_run_cb RUN_CB = {.done = on_done};

static void on_ended(void *user, struct trm_run *run, const struct trm_result *result)
{
	(void)user;
	(void)run;
	(void)result;
	is_done = true;
}

static const struct trm_run_cb ENDED_CB = {.done = on_ended};

static void step_until(const bool *condition)
{
	uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000;
	while (!*condition && trm_loop_now_ns(loop) < end)
		trm_loop_step(loop, 50);
	assert_true(*condition);
}

static void run_in(struct trm_sandbox *sandbox, const char *code)
{
	struct trm_session *session;
	struct trm_session_opts session_opts;
	struct trm_run_opts run_opts;
	struct trm_run *run;
	trm_session_opts_default(&session_opts);
	session_opts.is_shared = true;
	assert_int_equal(trm_session_open(sandbox, &session_opts, NULL, NULL, &session, &why), 0);
	trm_run_opts_default(&run_opts);
	run_opts.lang = trm_lang_at(LANG_PYTHON);
	run_opts.code = code;
	run_opts.code_len = strlen(run_opts.code);
	is_done = false;
	assert_int_equal(trm_session_run(session, &run_opts, &RUN_CB, NULL, &run, &why), 0);
	step_until(&is_done);
	trm_session_close(session);
}

static struct trm_pool_stats stats(void)
{
	struct trm_pool_stats now;
	trm_pool_stats(pool, &now);
	return now;
}

static void open_pool(void)
{
	has_answer = is_closed = is_pool_closed = false;
	taken = NULL;
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), 0);
}

static void take(void)
{
	assert_int_equal(trm_pool_take(pool, &SANDBOX_CB, NULL, on_taken, NULL, &why), 0);
	step_until(&has_answer);
	if (answer.code == TRM_ENOISOLATION || answer.code == TRM_EMISSING) {
		print_message("%s\n", answer.msg);
		skip();
	}
}

static void close_pool(void)
{
	trm_pool_close(pool, on_pool_closed, NULL);
	step_until(&is_pool_closed);
	assert_false(is_closed);
	if (taken) {
		trm_sandbox_close(taken);
		step_until(&is_closed);
	}
	trm_loop_destroy(loop);
}

static void a_kernel_runs_already(void **state)
{
	(void)state;
	const struct trm_lang *const languages[] = {trm_lang_at(LANG_PYTHON), trm_lang_at(LANG_BASH), NULL};
	trm_pool_opts_default(&opts);
	opts.languages = languages;
	open_pool();
	take();
	assert_int_equal(answer.code, TRM_OK);
	run_in(taken, "import sys; sys.exit(7 if '_' not in dir(__builtins__) else 8)");
	assert_int_equal(exit_code, 7);
	close_pool();
}

/* The owner finds what the setup has made, and its first run is the first one. */
static void a_setup_has_run(void **state)
{
	(void)state;
	const struct trm_lang *const languages[] = {trm_lang_at(LANG_BASH), trm_lang_at(LANG_PYTHON), NULL};
	const char *const setup[] = {NULL, "import sys\nmade = 9", NULL};
	trm_pool_opts_default(&opts);
	opts.languages = languages;
	opts.setup = setup;
	open_pool();
	take();
	assert_int_equal(answer.code, TRM_OK);
	run_in(taken, "sys.exit(made)");
	assert_int_equal(exit_code, 9);
	close_pool();
}

static void a_setup_that_fails_says_why(void **state)
{
	(void)state;
	const struct trm_lang *const languages[] = {trm_lang_at(LANG_PYTHON), NULL};
	const char *const setup[] = {"import nowhere_at_all", NULL};
	trm_pool_opts_default(&opts);
	opts.languages = languages;
	opts.setup = setup;
	open_pool();
	take();
	assert_null(taken);
	assert_non_null(strstr(answer.msg, "nowhere_at_all"));
	assert_true(stats().n_failed > 0); /* the pool may have tried again meanwhile */
	close_pool();
}

static bool is_refilled(unsigned n_lost)
{
	return stats().n_lost >= n_lost && stats().idle == 1;
}

static void step_until_refilled(unsigned n_lost)
{
	uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000;
	while (!is_refilled(n_lost) && trm_loop_now_ns(loop) < end)
		trm_loop_step(loop, 50);
	assert_true(is_refilled(n_lost));
}

/* Another program ends the interpreter of an idle sandbox. */
static void end_interpreter(const char *name)
{
	struct trm_sandbox *other;
	struct trm_session *session;
	struct trm_session_opts session_opts;
	is_closed = false;
	assert_int_equal(trm_sandbox_attach(loop, name, NULL, &SANDBOX_CB, NULL, &other, &why), 0);
	trm_session_opts_default(&session_opts);
	session_opts.is_shared = true;
	assert_int_equal(trm_session_open(other, &session_opts, NULL, NULL, &session, &why), 0);
	struct trm_run_opts run_opts;
	struct trm_run *run;
	trm_run_opts_default(&run_opts);
	run_opts.lang = trm_lang_at(LANG_PYTHON);
	run_opts.code = "import os; os._exit(1)";
	run_opts.code_len = strlen(run_opts.code);
	is_done = false;
	assert_int_equal(trm_session_run(session, &run_opts, &ENDED_CB, NULL, &run, &why), 0);
	step_until(&is_done);
	trm_session_close(session);
	if (!is_closed) {
		trm_sandbox_close(other);
		step_until(&is_closed);
	}
	is_closed = false;
}

/* The name of the only idle sandbox. */
static void find_idle(char name[65])
{
	const struct trm_entry *entries;
	struct trm_registry *registry;
	size_t n;
	name[0] = '\0';
	assert_int_equal(trm_registry_create(&registry, &why), 0);
	assert_int_equal(trm_registry_list(registry, &entries, &n, &why), 0);
	for (size_t i = 0; i < n; i++)
		if (!strncmp(entries[i].name, opts.sandbox.name, strlen(opts.sandbox.name)))
			memcpy(name, entries[i].name, sizeof entries[i].name);
	trm_registry_destroy(registry);
	assert_true(*name);
}

/* Without anybody who asks for a sandbox: the pool looks after its health by itself. */
static void what_loses_its_kernel_is_replaced(void **state)
{
	(void)state;
	const struct trm_lang *const languages[] = {trm_lang_at(LANG_PYTHON), NULL};
	char before[65], after[65], own[32];
	snprintf(own, sizeof own, "health%u", (unsigned)getpid());
	trm_pool_opts_default(&opts);
	opts.languages = languages;
	opts.sandbox.name = own;
	open_pool();
	uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000;
	while (!is_refilled(0) && !stats().n_failed && trm_loop_now_ns(loop) < end)
		trm_loop_step(loop, 50);
	if (stats().n_failed)
		skip();
	find_idle(before);
	end_interpreter(before);
	step_until_refilled(1);
	find_idle(after);
	assert_string_not_equal(before, after);
	close_pool();
}

/* Its whole life is limited, also while nobody has it. */
static void what_is_too_old_is_replaced(void **state)
{
	(void)state;
	trm_pool_opts_default(&opts);
	opts.sandbox.max_lifetime_ms = 300;
	opts.sandbox.limits_lifetime = true;
	open_pool();
	uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000;
	while (stats().n_lost < 2 && !stats().n_failed && trm_loop_now_ns(loop) < end)
		trm_loop_step(loop, 50);
	if (stats().n_failed)
		skip();
	assert_true(stats().n_lost >= 2);
	close_pool();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_kernel_runs_already),
			cmocka_unit_test(a_setup_has_run),
			cmocka_unit_test(a_setup_that_fails_says_why),
			cmocka_unit_test(what_loses_its_kernel_is_replaced),
			cmocka_unit_test(what_is_too_old_is_replaced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
