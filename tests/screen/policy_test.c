/* SPDX-License-Identifier: MIT */
/* What a policy finds is told where one is asked, with its line and its reason: in the workbench, by `repl`
 * and by `run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

#define FINDING "line 3: os: reaches the system (high)"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char path[] = "/tmp/terrarium-test-XXXXXX.py";

/* A comment and a text are no imports. */
static int write_file(void **state)
{
	static const char code[] = "# import subprocess\ntext = 'import subprocess'\nimport os, json\n";
	(void)state;
	int fd = mkstemps(path, 3);
	bool is_written = fd >= 0 && write(fd, code, sizeof code - 1) == sizeof code - 1;
	close(fd);
	return is_written ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int after(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

/* `command` and `file` may be NULL. */
static void start(const char *command, const char *mode, const char *confirm, const char *file)
{
	const char *argv[] = {program, command ? command : file, "--backend", backend, "--policy", "strict",
			"--policy-mode", mode, "--confirm", confirm, command ? file : NULL, NULL};
	const char *const env[] = {
			"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};
	screen_start(&s, 36, 120, argv, env);
}

static void the_workbench_tells_it(void **state)
{
	(void)state;
	start(NULL, "advise", "on", path);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run this code?");
	screen_wait(&s, FINDING);
	screen_wait(&s, "policy: strict");
	assert_false(screen_shows(&s, "line 1:"));
	assert_false(screen_shows(&s, "line 2:"));
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, FINDING);
	assert_int_equal(screen_leave(&s), 0);
}

static void the_workbench_asks_nevertheless(void **state)
{
	(void)state;
	start(NULL, "ask", "off", path);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run this code?");
	screen_wait(&s, FINDING);
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, FINDING);
	assert_int_equal(screen_leave(&s), 0);
}

static void the_workbench_does_not_run_it(void **state)
{
	(void)state;
	start(NULL, "enforce", "off", path);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "the policy 'strict' refuses this: " FINDING);
	assert_int_equal(screen_leave(&s), 0);
}

static void run_tells_it(void **state)
{
	(void)state;
	start("run", "advise", "on", path);
	screen_wait(&s, FINDING);
	screen_wait(&s, "Run this? [Y/n]");
	screen_send(&s, "n\r");
	screen_wait(&s, "nothing was run");
	assert_int_not_equal(screen_end(&s), 0);
}

static void the_repl_tells_it(void **state)
{
	(void)state;
	start("repl", "advise", "on", NULL);
	screen_wait(&s, "[e]ach time ask, [n]o:");
	screen_send(&s, "\r");
	screen_wait(&s, "]>");
	screen_send(&s, "import os, json\r");
	screen_wait(&s, "line 1: os: reaches the system (high)");
	screen_wait(&s, "policy: 'strict'");
	screen_send(&s, "n\r");
	screen_send(&s, "\x04");
	screen_end(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(the_workbench_tells_it, after),
			cmocka_unit_test_teardown(the_workbench_asks_nevertheless, after),
			cmocka_unit_test_teardown(the_workbench_does_not_run_it, after),
			cmocka_unit_test_teardown(run_tells_it, after),
			cmocka_unit_test_teardown(the_repl_tells_it, after),
	};

	if (argc != 3) {
		fprintf(stderr, "usage: %s PROGRAM BACKEND\n", argv[0]);
		return 2;
	}
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, write_file, remove_file);
}
