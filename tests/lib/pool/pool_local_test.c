/* SPDX-License-Identifier: MIT */
/* A pool of local sandboxes whose interpreters run already. */
#include "cmocka_all.h"

#include <string.h>

#include <terrarium/terrarium.h>

#include "langs.h"

enum { LIMIT_MS = 60000 };

static struct trm_loop *loop;
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

static void step_until(const bool *condition)
{
	uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000;
	while (!*condition && trm_loop_now_ns(loop) < end)
		trm_loop_step(loop, 50);
	assert_true(*condition);
}

static void run_in(struct trm_sandbox *sandbox)
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
	run_opts.code = "import sys; sys.exit(7)";
	run_opts.code_len = strlen(run_opts.code);
	assert_int_equal(trm_session_run(session, &run_opts, &RUN_CB, NULL, &run, &why), 0);
	step_until(&is_done);
	trm_session_close(session);
}

static void a_kernel_runs_already(void **state)
{
	(void)state;
	struct trm_pool_opts opts;
	struct trm_pool *pool;
	const struct trm_lang *const languages[] = {trm_lang_at(LANG_PYTHON), trm_lang_at(LANG_BASH), NULL};
	trm_pool_opts_default(&opts);
	opts.languages = languages;
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), 0);
	assert_int_equal(trm_pool_take(pool, &SANDBOX_CB, NULL, on_taken, NULL, &why), 0);
	step_until(&has_answer);
	if (answer.code == TRM_ENOISOLATION || answer.code == TRM_EMISSING) {
		print_message("%s\n", answer.msg);
		skip();
	}
	assert_int_equal(answer.code, TRM_OK);
	run_in(taken);
	assert_int_equal(exit_code, 7);
	trm_pool_close(pool, on_pool_closed, NULL);
	step_until(&is_pool_closed);
	assert_false(is_closed);
	trm_sandbox_close(taken);
	step_until(&is_closed);
	trm_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_kernel_runs_already)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
