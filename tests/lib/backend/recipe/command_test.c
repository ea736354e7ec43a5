/* SPDX-License-Identifier: MIT */
#include "backend/recipe/command.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmocka_all.h"

struct seen {
	struct trm_loop *loop;
	bool is_done;
	struct command_result result;
	char out[256], words[256], last[256], lines[512];
};

static void on_line(void *user, const char *line)
{
	struct seen *s = user;
	size_t n = strlen(s->lines);
	snprintf(s->lines + n, sizeof s->lines - n, "%s|", line);
}

static void on_done(void *user, const struct command_result *result)
{
	struct seen *s = user;
	s->is_done = true;
	s->result = *result;
	snprintf(s->out, sizeof s->out, "%s", result->out);
	snprintf(s->words, sizeof s->words, "%s", result->words);
	snprintf(s->last, sizeof s->last, "%s", result->last);
}

static const struct command_cb CB = {.line = on_line, .done = on_done};

static struct command *begin(struct seen *s, struct command_opts opts)
{
	struct command *command;
	struct trm_error why = {0};
	*s = (struct seen){0};
	assert_int_equal(trm_loop_create(&s->loop, &why), 0);
	assert_int_equal(command_start(s->loop, &opts, &CB, s, &command, &why), 0);
	return command;
}

static void finish(struct seen *s)
{
	while (!s->is_done)
		assert_true(trm_loop_step(s->loop, 10000) >= 0);
	trm_loop_destroy(s->loop);
}

#define STEP(words) .step = words, .n = sizeof(words)

static void test_several(void **state)
{
	struct seen s;
	(void)state;
	begin(&s, (struct command_opts){STEP("echo\0one\0\0printf\0two\\n\\nthree\\n\\n")});
	finish(&s);
	assert_int_equal(s.result.status, 0);
	assert_string_equal(s.out, "two\n\nthree");
	assert_string_equal(s.lines, "one|two|three|");
}

static void test_first_that_fails(void **state)
{
	struct seen s;
	(void)state;
	begin(&s, (struct command_opts){STEP(
				  "sh\0-c\0echo bad >&2; echo '\033[31mworse' >&2; exit 3\0\0echo\0never")});
	finish(&s);
	assert_int_equal(WEXITSTATUS(s.result.status), 3);
	assert_null(strstr(s.lines, "never"));
	assert_non_null(strstr(s.words, "bad "));
	assert_null(strchr(s.words, '\033'));
	assert_non_null(strstr(s.last, "worse"));
	assert_null(strstr(s.last, "bad"));
}

static void test_environment(void **state)
{
	struct seen s;
	(void)state;
	setenv("COMMAND_TEST", "ours", 1);
	begin(&s, (struct command_opts){STEP("sh\0-c\0echo $COMMAND_TEST $HOME_OF_TEST"),
				  .env = "COMMAND_TEST=theirs\0HOME_OF_TEST=here",
				  .env_n = sizeof "COMMAND_TEST=theirs\0HOME_OF_TEST=here"});
	finish(&s);
	assert_string_equal(s.out, "theirs here");
}

/* It reads nothing, holds nothing of ours open, and has no terminal. */
static void test_surroundings(void **state)
{
	struct seen s;
	(void)state;
	int fd = dup(1);
	begin(&s, (struct command_opts){STEP("sh\0-c\0cat; ls /proc/self/fd | wc -l; ps -o tty= -p $$")});
	finish(&s);
	close(fd);
	assert_int_equal(atoi(s.out), 4); /* and the folder itself */
	assert_non_null(strchr(s.out, '?'));
}

static void test_time_out(void **state)
{
	struct seen s;
	(void)state;
	begin(&s, (struct command_opts){
				  STEP("sh\0-c\0echo so far; trap '' TERM; while :; do sleep 0.05; done"),
				  .timeout_ms = 50});
	finish(&s);
	assert_true(s.result.is_timed_out);
	assert_true(WIFSIGNALED(s.result.status) && WTERMSIG(s.result.status) == SIGKILL);
	assert_string_equal(s.words, "so far");
}

static void test_silence(void **state)
{
	struct seen s;
	(void)state;
	begin(&s, (struct command_opts){STEP("sh\0-c\0echo one; sleep 1000"), .silence_ms = 50});
	finish(&s);
	assert_true(s.result.is_timed_out);
}

static void test_stop(void **state)
{
	struct seen s;
	(void)state;
	struct command *command = begin(&s, (struct command_opts){STEP("sleep\0001000")});
	command_stop(command);
	command_stop(command);
	finish(&s);
	assert_true(s.result.is_stopped);
}

static void test_flood(void **state)
{
	struct seen s;
	(void)state;
	begin(&s, (struct command_opts){STEP(
				  "sh\0-c\0yes | head -c 2000000; yes no | head -c 1999998 >&2; echo end >&2")});
	finish(&s);
	assert_int_equal(s.result.status, 0);
	assert_string_equal(s.last, "end");
}

static void test_missing(void **state)
{
	struct trm_loop *loop;
	struct command *command;
	struct trm_error why = {0};
	struct seen s = {0};
	(void)state;
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	assert_int_equal(command_start(loop, &(struct command_opts){STEP("no-such-program-here")}, &CB, &s,
					 &command, &why),
			TRM_EMISSING);
	assert_non_null(strstr(why.msg, "'no-such-program-here' is not installed"));
	assert_int_equal(command_start(loop, &(struct command_opts){.step = "", .n = 0}, &CB, &s, &command,
					 &why),
			TRM_EINVAL);
	trm_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_several),
			cmocka_unit_test(test_first_that_fails),
			cmocka_unit_test(test_environment),
			cmocka_unit_test(test_surroundings),
			cmocka_unit_test(test_time_out),
			cmocka_unit_test(test_silence),
			cmocka_unit_test(test_stop),
			cmocka_unit_test(test_flood),
			cmocka_unit_test(test_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
