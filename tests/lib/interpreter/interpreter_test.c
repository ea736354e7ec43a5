/* SPDX-License-Identifier: MIT */
/* What CAMEL's own tests and example say of its interpreter, and what is ours. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

static struct trm_interpreter_opts opts;
static struct trm_interpreter *it;
static struct trm_error why;
static char *text;

/* Answers, one after the other; then the input ends. */
struct person {
	const char *const *answers;
	unsigned n_asked;
	char question[64];
};

static int answer(void *user, const char *question, char *out, size_t cap)
{
	struct person *person = user;
	snprintf(person->question, sizeof person->question, "%s", question);
	person->n_asked++;
	if (!*person->answers)
		return TRM_ECLOSED;
	snprintf(out, cap, "%s", *person->answers++);
	return 0;
}

static struct person person;

static void create(const char *backend, const char *const *answers)
{
	trm_interpreter_opts_default(&opts);
	assert_true(opts.require_confirm);
	assert_int_equal(opts.timeout_ms, 30000);
	opts.sync.sandbox.backend = backend;
	opts.require_confirm = answers != NULL;
	opts.prompt = answer;
	opts.prompt_user = &person;
	person = (struct person){.answers = answers};
	why = (struct trm_error){0};
	assert_int_equal(trm_interpreter_create(&opts, &it, &why), 0);
}

static int finish(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	trm_interpreter_destroy(it);
	it = NULL;
	return 0;
}

static int run(const char *code, const char *type)
{
	free(text);
	text = NULL;
	return trm_interpreter_run(it, code, type, &text, &why);
}

static void gives(const char *code, const char *type, const char *wanted)
{
	int r = run(code, type);
	if (r < 0)
		fail_msg("%s", why.msg);
	assert_string_equal(text, wanted);
}

/* ---- what is refused, and asked -------------------------------------------------------- */

static void code_types_are_those_of_camel(void **state)
{
	static const char *const wanted[] = {"python", "py3", "python3", "py", "javascript", "js", "node",
			"typescript", "ts", "bash", "shell", "sh"};
	const char *const *types = trm_interpreter_supported_code_types();
	(void)state;
	for (size_t i = 0; i < 12; i++)
		assert_string_equal(types[i], wanted[i]);
	assert_null(types[12]);
	create("fake", NULL);
	for (size_t i = 0; i < 12; i++)
		gives("print hi", wanted[i], "hi");
	gives("print hi", NULL, "hi");
}

static void others_are_refused_before_anything_else(void **state)
{
	static const char *const none[] = {NULL};
	static const char *const types[] = {"unsupported_language", "Python", "ruby", "", " py"};
	char wanted[300];
	(void)state;
	create("nonesuch", none);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		assert_int_equal(run("test", types[i]), TRM_EINVAL);
		snprintf(wanted, sizeof wanted,
				"Unsupported code type %s. `MicrosandboxInterpreter` only supports python, py3, python3, "
				"py, javascript, js, node, typescript, ts, bash, shell, sh.",
				types[i]);
		assert_string_equal(why.msg, wanted);
	}
	assert_int_equal(person.n_asked, 0);
	assert_false(trm_sync_is_started(trm_interpreter_sync(it)));
}

static void it_asks_until_it_is_answered(void **state)
{
	static const char *const answers[] = {"", "maybe", " y", "y", "YES", "Ye", NULL};
	(void)state;
	create("fake", answers);
	gives("print hi", "python", "hi");
	assert_int_equal(person.n_asked, 4);
	assert_string_equal(person.question, "Running code? [Y/n]:");
	gives("print hi", "sh", "hi");
	assert_string_equal(person.question, "Running code? [Y/n]:");
	free(text);
	assert_int_equal(trm_interpreter_execute_command(it, "print ho", &text, &why), 0);
	assert_string_equal(person.question, "Running command? [Y/n]:");
	assert_int_equal(person.n_asked, 6);
}

static void a_no_halts(void **state)
{
	static const char *const answers[] = {"n", "NO", NULL};
	(void)state;
	create("fake", answers);
	assert_int_equal(run("print hi", "python"), TRM_ECANCELED);
	assert_string_equal(why.msg,
			"Execution halted: User opted not to run the code. This choice stops the current operation "
			"and any further code execution.");
	assert_int_equal(trm_interpreter_execute_command(it, "print hi", &text, &why), TRM_ECANCELED);
	assert_string_equal(why.msg,
			"Execution halted: User opted not to run the command. This choice stops the current operation "
			"and any further command execution.");
	assert_int_equal(run("print hi", "python"), TRM_ECANCELED);
	assert_memory_equal(why.msg, "Execution halted: ", 18);
	assert_false(trm_sync_is_started(trm_interpreter_sync(it)));
	assert_null(text);
}

static void asking_needs_somebody_to_ask(void **state)
{
	(void)state;
	trm_interpreter_opts_default(&opts);
	opts.prompt = NULL;
	assert_int_equal(trm_interpreter_create(&opts, &it, &why), TRM_EINVAL);
}

static void no_function_of_ours_goes_in(void **state)
{
	(void)state;
	create("fake", NULL);
	assert_int_equal(trm_interpreter_update_action_space(it, &why), TRM_ENOTSUP);
	assert_memory_equal(why.msg, "Microsandbox doesn't support action space updates.", 50);
}

/* ---- texts ------------------------------------------------------------------------------ */

static void texts_are_put_together(void **state)
{
	(void)state;
	create("fake", NULL);
	gives("write  \nprint   a  \nprint \nprint b ", "python", "a  \n\nb");
	gives("err  oops ", "python", "STDERR: oops");
	gives("print a\nerr b", "python", "a\nSTDERR: b");
	gives("set x 1", "python", "Code executed successfully (no output)");
	gives("print \nerr  ", "python", "Code executed successfully (no output)");
	gives("set x 1", "bash", "Command executed successfully (no output)");
	gives("print a\nerr b\nexit 3", "bash", "a\nSTDERR: b\nExit code: 3");
	gives("exit 3", "sh", "Exit code: 3");
	gives("exit 3", "python", "Code executed successfully (no output)");
	gives("value 2", "python", "2");
}

static void failures_have_reasons(void **state)
{
	(void)state;
	create("nonesuch", NULL);
	assert_true(run("print hi", "python") < 0);
	assert_memory_equal(why.msg, "Error executing code in microsandbox: Failed to start sandbox: ", 62);
	assert_true(trm_interpreter_execute_command(it, "print hi", &text, &why) < 0);
	assert_memory_equal(
			why.msg, "Error executing command in microsandbox: Failed to start sandbox: ", 65);
	trm_interpreter_destroy(it);
	create("fake", NULL);
	assert_true(run("die 9", "python") < 0);
	assert_memory_equal(why.msg, "Error executing code in microsandbox: ", 38);
	assert_true(strlen(why.msg) > 50);
	gives("print hi", "python", "hi");
}

static void time_outs_have_reasons_too(void **state)
{
	(void)state;
	create("fake", NULL);
	trm_interpreter_destroy(it);
	opts.timeout_ms = 50;
	assert_int_equal(trm_interpreter_create(&opts, &it, &why), 0);
	assert_int_equal(run("loop", "python"), TRM_ETIMEDOUT);
	assert_memory_equal(why.msg, "Error executing code in microsandbox: timed out after 0.05", 57);
}

static void a_sandbox_that_ended_is_followed_by_another(void **state)
{
	(void)state;
	create("fake", NULL);
	gives("set x 1\nget x", "python", "1");
	assert_int_equal(trm_sync_stop(trm_interpreter_sync(it), &why), 0);
	gives("print hi", "python", "hi");
}

/* ---- with real interpreters: what CAMEL's live tests and example do ------------------------ */

static void on_local(void)
{
	create("local", NULL);
	if (trm_sync_start(trm_interpreter_sync(it), &why) < 0) {
		print_message("%s\n", why.msg);
		skip();
	}
}

static void the_live_cases_of_camel(void **state)
{
	(void)state;
	on_local();
	gives("x = 10 + 5\nprint(f'Result: {x}')", "python", "Result: 15");
	gives("console.log('Hello from JavaScript')", "javascript", "Hello from JavaScript");
	gives("echo test", "bash", "test");
	assert_int_equal(run("x = 1 / 0", "python"), 0);
	assert_memory_equal(text, "STDERR: Traceback (most recent call last):\n", 43);
	assert_non_null(strstr(text, "\nZeroDivisionError: division by zero"));
	assert_int_equal(run("throw new Error('boom')", "js"), 0);
	assert_memory_equal(text, "STDERR: ", 8);
	assert_non_null(strstr(text, "Error: boom"));
	gives("const x: number = 1", "sh", "STDERR: bash: line 1: const: command not found\nExit code: 127");
}

static void state_stays(void **state)
{
	(void)state;
	on_local();
	gives("import math\ndef f(n):\n    return math.sqrt(n)\nx = f(16)", "py",
			"Code executed successfully (no output)");
	gives("f(81)\nx", "py3", "9.0\n4.0");
	gives("let y = 6", "js", "Code executed successfully (no output)");
	gives("y * 7", "ts", "42");
	gives("mkdir -p demo && cd demo && echo hello > a.txt", "bash",
			"Command executed successfully (no output)");
	free(text);
	assert_int_equal(trm_interpreter_execute_command(it, "pwd; cat a.txt", &text, &why), 0);
	assert_non_null(strstr(text, "/workspace/demo\nhello"));
	gives("open('demo/a.txt').read()", "python", "'hello\\n'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(code_types_are_those_of_camel, finish),
			cmocka_unit_test_teardown(others_are_refused_before_anything_else, finish),
			cmocka_unit_test_teardown(it_asks_until_it_is_answered, finish),
			cmocka_unit_test_teardown(a_no_halts, finish),
			cmocka_unit_test_teardown(asking_needs_somebody_to_ask, finish),
			cmocka_unit_test_teardown(no_function_of_ours_goes_in, finish),
			cmocka_unit_test_teardown(texts_are_put_together, finish),
			cmocka_unit_test_teardown(failures_have_reasons, finish),
			cmocka_unit_test_teardown(time_outs_have_reasons_too, finish),
			cmocka_unit_test_teardown(a_sandbox_that_ended_is_followed_by_another, finish),
			cmocka_unit_test_teardown(the_live_cases_of_camel, finish),
			cmocka_unit_test_teardown(state_stays, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
