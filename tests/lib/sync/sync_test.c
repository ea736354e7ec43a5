/* SPDX-License-Identifier: MIT */
/* On the fake backend, whose language is that of lib/backend/fake/fake.h. */
#include "cmocka_all.h"
#include "langs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

static struct trm_sync *s;
static struct trm_error why;
static struct trm_execution done;
static struct trm_sync_opts opts;

static void create(void)
{
	assert_int_equal(trm_sync_create(&opts, &s, &why), 0);
}

static int begin(void **state)
{
	(void)state;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = "fake";
	why = (struct trm_error){0};
	return 0;
}

static int begin_started(void **state)
{
	begin(state);
	create();
	return trm_sync_start(s, &why);
}

static int finish(void **state)
{
	(void)state;
	trm_execution_finish(&done);
	trm_sync_destroy(s);
	s = NULL;
	return 0;
}

static void run(const char *code)
{
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run(s, code, &done, &why), 0);
}

/* ---- life ---------------------------------------------------------------------------- */

static void what_is_not_started_says_so(void **state)
{
	static const char *const words = "Sandbox is not started. Call start() first.";
	struct trm_command_execution command;
	struct trm_sync_metrics metrics;
	char *bytes;
	size_t n;
	(void)state;
	create();
	assert_false(trm_sync_is_started(s));
	assert_null(trm_sync_sandbox(s));
	assert_int_equal(trm_sync_run(s, "print x", &done, &why), TRM_ECLOSED);
	assert_string_equal(why.msg, words);
	assert_string_equal(done.status, "unknown");
	assert_int_equal(trm_sync_command(s, "true", NULL, -1, &command, &why), TRM_ECLOSED);
	assert_string_equal(why.msg, words);
	assert_int_equal(command.exit_code, -1);
	trm_command_execution_finish(&command);
	assert_int_equal(trm_sync_metrics_all(s, &metrics, &why), TRM_ECLOSED);
	assert_string_equal(why.msg, words);
	assert_int_equal(trm_sync_metrics_is_running(s, &why), TRM_ECLOSED);
	assert_int_equal(trm_sync_put(s, "a", 0644, "", 0, &why), TRM_ECLOSED);
	assert_int_equal(trm_sync_get(s, "a", 10, &bytes, &n, &why), TRM_ECLOSED);
	assert_int_equal(trm_sync_stop(s, &why), 0);
}

static void starting_and_stopping_twice_is_nothing(void **state)
{
	(void)state;
	create();
	for (int round = 0; round < 2; round++) {
		assert_int_equal(trm_sync_start(s, &why), 0);
		run("set x 42");
		assert_int_equal(trm_sync_start(s, &why), 0);
		run("get x");
		assert_string_equal(done.output, "42");
		assert_true(trm_sync_is_started(s));
		assert_int_equal(trm_sync_stop(s, &why), 0);
		assert_false(trm_sync_is_started(s));
		assert_int_equal(trm_sync_stop(s, &why), 0);
	}
	assert_int_equal(trm_sync_start(s, &why), 0);
	run("get x");
	assert_true(done.has_error);
}

static void names_are_known_before_the_start(void **state)
{
	(void)state;
	create();
	assert_int_equal(strlen(trm_sync_name(s)), strlen("sandbox-01234567"));
	assert_memory_equal(trm_sync_name(s), "sandbox-", 8);
	trm_sync_destroy(s);
	opts.sandbox.name = "lab";
	create();
	assert_string_equal(trm_sync_name(s), "lab");
	assert_int_equal(trm_sync_start(s, &why), 0);
	assert_string_equal(trm_sandbox_name(trm_sync_sandbox(s)), "lab");
}

static void bad_options_are_refused(void **state)
{
	struct trm_sync *none = NULL;
	(void)state;
	opts.sandbox.name = "../etc";
	assert_int_equal(trm_sync_create(&opts, &none, &why), TRM_EINVAL);
	opts.sandbox.name = NULL;
	opts.size = 0;
	assert_int_equal(trm_sync_create(&opts, &none, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "_INIT"));
	assert_null(none);
	opts.size = sizeof opts;
	opts.sandbox.backend = "nonesuch";
	create();
	assert_true(trm_sync_start(s, &why) < 0);
	assert_memory_equal(why.msg, "Failed to start sandbox: ", 25);
	assert_non_null(strstr(why.msg, "nonesuch"));
}

/* ---- runs ---------------------------------------------------------------------------- */

static void a_run_is_an_execution(void **state)
{
	(void)state;
	run("print   hello\nerr oops\nwrite tail\nvalue 7");
	assert_string_equal(done.output, "  hello\ntail\n7");
	assert_string_equal(done.error, "oops");
	assert_true(done.has_error);
	assert_string_equal(done.status, "success");
	assert_string_equal(done.language, "python");
	assert_int_equal(done.exit_code, 0);
	assert_int_equal(done.result->stdout_bytes, 12);
	run("set x 1");
	assert_string_equal(done.output, "");
	assert_string_equal(done.error, "");
	assert_false(done.has_error);
}

static void exceptions_are_reported(void **state)
{
	(void)state;
	run("print before\nfail ValueError no good");
	assert_string_equal(done.output, "before");
	assert_non_null(strstr(done.error, "ValueError: no good"));
	assert_true(done.has_error);
	assert_string_equal(done.status, "error");
	assert_int_equal(done.exit_code, 1);
	run("exit 3");
	assert_int_equal(done.exit_code, 3);
	run("die 11");
	assert_string_equal(done.status, "killed");
	assert_true(done.has_error && *done.error);
	run("print again");
	assert_string_equal(done.output, "again");
}

static void languages_are_apart(void **state)
{
	(void)state;
	run("set x 1");
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run_as(s, trm_lang_at(LANG_JAVASCRIPT), "get x", -1, &done, &why), 0);
	assert_string_equal(done.language, "javascript");
	assert_true(done.has_error);
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run_as(s, NULL, "get x", -1, &done, &why), TRM_EINVAL);
}

static void time_outs_are_results(void **state)
{
	(void)state;
	assert_int_equal(trm_sync_run_as(s, trm_lang_at(LANG_PYTHON), "print a\nloop", 50, &done, &why), 0);
	assert_string_equal(done.status, "timeout");
	assert_int_equal(done.exit_code, 124);
	assert_string_equal(done.output, "a");
	assert_non_null(strstr(done.error, "timed out after"));
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run_as(s, trm_lang_at(LANG_PYTHON), "print on", INT64_MAX, &done, &why), 0);
	assert_string_equal(done.output, "on");
}

static void code_that_is_no_text_is_refused(void **state)
{
	(void)state;
	assert_int_equal(trm_sync_run(s, "\xff", &done, &why), TRM_EINVAL);
	assert_memory_equal(why.msg, "Failed to execute code: ", 24);
}

static void texts_that_are_missing_are_refused(void **state)
{
	struct trm_command_execution command;
	(void)state;
	assert_int_equal(trm_sync_run(s, NULL, &done, &why), TRM_EINVAL);
	assert_memory_equal(why.msg, "Failed to execute code: ", 24);
	assert_int_equal(trm_sync_command(s, NULL, NULL, -1, &command, &why), TRM_EINVAL);
	assert_memory_equal(why.msg, "Failed to execute command: ", 27);
	trm_command_execution_finish(&command);
	run("print fine");
	assert_string_equal(done.output, "fine");
}

static void what_a_policy_refuses_never_runs(void **state)
{
	static const char json[] =
			"{\"threshold\":\"high\",\"modules\":[{\"name\":\"echo\",\"reason\":\"is loud\","
			"\"severity\":\"high\"}]}";
	static const char *const args[] = {"a", NULL};
	struct trm_command_execution command;
	(void)state;
	if (trm_policy_parse("quiet", json, strlen(json), &opts.policy, &why) < 0) {
		print_message("%s\n", why.msg);
		skip();
	}
	create();
	assert_int_equal(trm_sync_start(s, &why), 0);
	assert_int_equal(trm_sync_run_as(s, trm_lang_at(LANG_BASH), "echo a", -1, &done, &why), TRM_EPERM);
	assert_int_equal(trm_sync_command(s, "echo", args, -1, &command, &why), TRM_EPERM);
	assert_memory_equal(why.msg, "Failed to execute command: the policy 'quiet'", 45);
	assert_string_equal(command.output, "");
	trm_command_execution_finish(&command);
	assert_int_equal(trm_sync_command(s, "true", NULL, -1, &command, &why), 0);
	trm_command_execution_finish(&command);
	trm_sync_destroy(s);
	s = NULL;
	trm_policy_free(opts.policy);
}

struct seen {
	char text[64];
	size_t n;
	bool wants_out;
};

static void on_output(void *user, int stream, const void *bytes, size_t n)
{
	struct seen *seen = user;
	assert_int_equal(stream, TRM_STDOUT);
	assert_true(seen->n + n < sizeof seen->text);
	memcpy(seen->text + seen->n, bytes, n);
	seen->n += n;
	seen->wants_out = true;
}

static bool wants_out(void *user)
{
	return ((struct seen *)user)->wants_out;
}

static void output_comes_meanwhile_and_a_function_interrupts(void **state)
{
	struct seen seen = {0};
	(void)state;
	opts.output = on_output;
	opts.is_interrupted = wants_out;
	opts.user = &seen;
	create();
	assert_int_equal(trm_sync_start(s, &why), 0);
	run("set x 5\nprint on\nloop");
	assert_string_equal(seen.text, "on\n");
	assert_string_equal(done.status, "interrupted");
	assert_int_equal(done.exit_code, 130);
	seen = (struct seen){0};
	run("get x");
	assert_string_equal(done.output, "5");
	seen = (struct seen){0};
	run("stubborn"); /* nothing is printed, so nothing interrupts: the time-out of the fake's loop is ours
			  */
	assert_string_equal(done.status, "timeout");
}

static void a_descriptor_interrupts(void **state)
{
	struct trm_command_execution command;
	int fd = eventfd(1, EFD_CLOEXEC);
	(void)state;
	opts.interrupt_fd = fd;
	create();
	assert_int_equal(trm_sync_start(s, &why), TRM_ECANCELED);
	assert_string_equal(why.msg, "Failed to start sandbox: interrupted");
	assert_false(trm_sync_is_started(s));
	eventfd_t n;
	eventfd_read(fd, &n);
	assert_int_equal(trm_sync_start(s, &why), 0);
	eventfd_write(fd, 1);
	why = (struct trm_error){0};
	run("loop");
	assert_string_equal(done.status, "interrupted");
	assert_int_equal(why.code, TRM_OK); /* that is no failure of the call */
	assert_int_equal(trm_sync_command(s, "sleep", NULL, -1, &command, &why), TRM_ECANCELED);
	assert_string_equal(why.msg, "Failed to execute command: interrupted");
	trm_command_execution_finish(&command);
	eventfd_read(fd, &n);
	run("print fine");
	assert_string_equal(done.output, "fine");
	close(fd);
}

/* ---- commands, metrics, files ----------------------------------------------------------- */

static void commands_are_executions(void **state)
{
	static const char *const args[] = {"a", "b c", NULL};
	struct trm_command_execution e;
	(void)state;
	assert_int_equal(trm_sync_command(s, "echo", args, -1, &e, &why), 0);
	assert_string_equal(e.output, "a b c");
	assert_string_equal(e.error, "");
	assert_true(e.success);
	assert_int_equal(e.exit_code, 0);
	assert_string_equal(e.command, "echo");
	assert_string_equal(e.args[1], "b c");
	assert_null(e.args[2]);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "false", NULL, INT64_MAX, &e, &why), 0);
	assert_false(e.success);
	assert_int_equal(e.exit_code, 1);
	assert_null(e.args[0]);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "nonesuch", NULL, -1, &e, &why), TRM_ENOENT);
	assert_memory_equal(why.msg, "Failed to execute command: ", 27);
	assert_int_equal(e.exit_code, -1);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "sleep", NULL, 50, &e, &why), TRM_ETIMEDOUT);
	assert_non_null(strstr(why.msg, "timed out after 0.05 s"));
	trm_command_execution_finish(&e);
	trm_command_execution_finish(&e);
}

static void what_is_measured_is_known(void **state)
{
	struct trm_sync_metrics all;
	double percent = -1;
	uint64_t memory = 0, disk = 0;
	(void)state;
	assert_int_equal(trm_sync_metrics_all(s, &all, &why), 0);
	assert_true(all.is_running);
	assert_string_equal(all.name, trm_sync_name(s));
	assert_int_equal(trm_sync_metrics_memory(s, &memory, &why), all.has_memory);
	assert_int_equal(memory, all.memory_mib);
	assert_int_equal(trm_sync_metrics_disk(s, &disk, &why), all.has_disk);
	assert_int_equal(trm_sync_metrics_cpu(s, &percent, &why), all.has_cpu);
	assert_int_equal(percent >= 0, all.has_cpu);
	assert_int_equal(trm_sync_metrics_is_running(s, &why), 1);
}

static void files_go_and_come(void **state)
{
	char *bytes = NULL;
	size_t n = 0;
	(void)state;
	assert_int_equal(trm_sync_put(s, "a.txt", 0644, "one\0two", 7, &why), 0);
	assert_int_equal(trm_sync_get(s, "a.txt", 100, &bytes, &n, &why), 0);
	assert_int_equal(n, 7);
	assert_memory_equal(bytes, "one\0two", 8);
	free(bytes);
	assert_int_equal(trm_sync_get(s, "a.txt", 3, &bytes, &n, &why), TRM_ETOOBIG);
	assert_int_equal(trm_sync_get(s, "none", 3, &bytes, &n, &why), TRM_ENOENT);
}

static int begin_impatient(void **state)
{
	begin(state);
	opts.timeout_ms = 100;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(what_is_not_started_says_so, begin, finish),
			cmocka_unit_test_setup_teardown(
					starting_and_stopping_twice_is_nothing, begin, finish),
			cmocka_unit_test_setup_teardown(names_are_known_before_the_start, begin, finish),
			cmocka_unit_test_setup_teardown(bad_options_are_refused, begin, finish),
			cmocka_unit_test_setup_teardown(a_run_is_an_execution, begin_started, finish),
			cmocka_unit_test_setup_teardown(exceptions_are_reported, begin_started, finish),
			cmocka_unit_test_setup_teardown(languages_are_apart, begin_started, finish),
			cmocka_unit_test_setup_teardown(time_outs_are_results, begin_started, finish),
			cmocka_unit_test_setup_teardown(
					code_that_is_no_text_is_refused, begin_started, finish),
			cmocka_unit_test_setup_teardown(
					texts_that_are_missing_are_refused, begin_started, finish),
			cmocka_unit_test_setup_teardown(what_a_policy_refuses_never_runs, begin, finish),
			cmocka_unit_test_setup_teardown(output_comes_meanwhile_and_a_function_interrupts,
					begin_impatient, finish),
			cmocka_unit_test_setup_teardown(a_descriptor_interrupts, begin, finish),
			cmocka_unit_test_setup_teardown(commands_are_executions, begin_started, finish),
			cmocka_unit_test_setup_teardown(what_is_measured_is_known, begin_started, finish),
			cmocka_unit_test_setup_teardown(files_go_and_come, begin_started, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
