/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "wire/plan.h"

static void fill(struct buf *step, const char *const *args)
{
	buf_init(step, PLAN_MAX_BYTES);
	for (unsigned i = 0; args[i]; i++)
		assert_int_equal(plan_arg_put(step, args[i], i == 0), 0);
}

static struct slice slice(const struct buf *b)
{
	return (struct slice){buf_at(b), b->len};
}

static struct plan_msg minimal(const struct buf *step)
{
	struct plan_msg m = {.backend = "docker",
			.image = "tt:deb",
			.name = "x-1",
			.container = "",
			.cwd = "/",
			.user = "u"};
	m.steps[PLAN_CREATE_DIRECT] = m.steps[PLAN_DESTROY] = slice(step);
	return m;
}

static void a_plan_comes_through(void **state)
{
	static const char *const args[] = {"docker", "", "--x=" PLAN_LATE_ID, NULL};
	static const char env[] = "PATH=/bin\0A=";
	struct buf step, b;
	struct plan_msg m;
	bool is_first;
	(void)state;
	fill(&step, args);
	struct plan_msg msg = minimal(&step);
	msg.has_net = true;
	msg.timeout_ms[PLAN_DESTROY] = 7;
	msg.env = (struct slice){env, sizeof env};
	buf_init(&b, PLAN_MAX_BYTES);
	assert_int_equal(plan_msg_put(&b, &msg), 0);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(plan_msg_get(buf_at(&b), n, &m), TRM_EPROTO);
	assert_int_equal(plan_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.backend, "docker");
	assert_string_equal(m.name, "x-1");
	assert_true(m.has_net && !m.is_adopted);
	assert_int_equal(m.timeout_ms[PLAN_DESTROY], 7);
	assert_int_equal(m.steps[PLAN_PUT].n, 0);
	assert_memory_equal(m.env.bytes, env, sizeof env);
	struct slice at = m.steps[PLAN_DESTROY];
	for (int i = 0; args[i]; i++) {
		const char *arg = plan_arg_next(&at, &is_first);
		assert_non_null(arg);
		assert_string_equal(arg, args[i]);
		assert_int_equal(is_first, i == 0);
	}
	assert_null(plan_arg_next(&at, &is_first));
	plan_msg_finish(&m);
	buf_finish(&b);
	buf_finish(&step);
}

static void what_is_missing_is_refused(void **state)
{
	static const char *const args[] = {"x", NULL};
	struct buf step, b;
	(void)state;
	fill(&step, args);
	buf_init(&b, PLAN_MAX_BYTES);
	struct plan_msg msg = minimal(&step);
	msg.steps[PLAN_DESTROY].n = 0;
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	msg.is_adopted = true;
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	msg.container = "c";
	assert_int_equal(plan_msg_put(&b, &msg), 0);
	msg.steps[PLAN_CREATE_DIRECT].n = 0;
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	msg.steps[PLAN_CONNECT] = slice(&step);
	assert_int_equal(plan_msg_put(&b, &msg), 0);
	msg.name = "";
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	buf_finish(&b);
	buf_finish(&step);
}

static void malformed_steps_are_refused(void **state)
{
#define BYTES(s) \
	{ \
		s, sizeof s - 1 \
	}
	static const struct slice bad[] = {
			BYTES("\1x\0"),          /* does not begin a command */
			BYTES("\2x"),            /* no end */
			BYTES("\2\0"),           /* a program without a name */
			BYTES("\2x\0\1"),        /* a head alone */
			BYTES("\2x\0\0y\0"),     /* no head */
			BYTES("\2x\0\xffy\0"),   /* an unknown one */
			BYTES("\2x\0\1y\0\2\0"), /* the second command has no name */
	};
	static const char *const args[] = {"x", NULL};
	struct buf step, b;
	(void)state;
	fill(&step, args);
	buf_init(&b, PLAN_MAX_BYTES);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct plan_msg msg = minimal(&step);
		msg.steps[PLAN_PUT] = bad[i];
		assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	}
	struct plan_msg msg = minimal(&step);
	msg.env = (struct slice){"A=b", 3};
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	for (int i = 0; i < PLAN_MAX_ARGS; i++)
		plan_arg_put(&step, "y", false);
	msg = minimal(&step);
	assert_int_equal(plan_msg_put(&b, &msg), TRM_EINVAL);
	buf_finish(&b);
	buf_finish(&step);
}

static void each_step_has_a_name(void **state)
{
	(void)state;
	for (enum plan_step i = 0; i < PLAN_STEPS; i++)
		assert_true(*plan_step_name(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_plan_comes_through),
			cmocka_unit_test(what_is_missing_is_refused),
			cmocka_unit_test(malformed_steps_are_refused),
			cmocka_unit_test(each_step_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
