/* SPDX-License-Identifier: MIT */
/* A setting is changed in the workbench: the file keeps its comments, and the next sandbox obeys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64], config_home[96], path[128];

static void start(const char *config)
{
	const char *argv[] = {program, "--backend", backend, NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", config_home, NULL};
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(config, f);
	fclose(f);
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

static void holds(const char *want)
{
	char bytes[1024];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	bytes[fread(bytes, 1, sizeof bytes - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(bytes, want);
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

static void open_setting(const char *name)
{
	screen_send(&s, "\x1b[18;2~"); /* Shift-F7 */
	screen_wait(&s, "Settings");
	screen_send(&s, name);
	screen_wait(&s, name);
	screen_send(&s, "\r");
	screen_wait(&s, "Setting: ");
}

static void memory_for_the_next_sandbox(void **state)
{
	(void)state;
	start("{\n  // mine\n  \"memory\": 300 // enough\n}\n");
	screen_wait(&s, "/ 300 MiB");
	open_setting("memory");
	screen_send(&s, "\x7f\x7f\x7f"
			"5\r");
	screen_wait(&s, "must be at least");
	screen_send(&s, "\x7f"
			"400\r");
	screen_wait(&s, "400 MiB *");
	holds("{\n  // mine\n  \"memory\": 400 // enough\n}\n");
	screen_send(&s, "\x1b");
	screen_wait(&s, "Start a new sandbox?");
	screen_send(&s, "\r");
	screen_wait(&s, "/ 400 MiB");
	assert_int_equal(screen_leave(&s), 0);
}

static void keys_and_time_limit_at_once(void **state)
{
	(void)state;
	start("{}\n");
	open_setting("timeout");
	screen_send(&s, "\x7f\x7f"
			"1\r");
	screen_wait(&s, "config.json");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Settings");
	screen_send(&s, "import time; time.sleep(50)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "time limit 1.0 s");
	screen_send(&s, "\r");
	screen_wait(&s, "timed out");
	assert_int_equal(screen_leave(&s), 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(memory_for_the_next_sandbox),
			TEST(keys_and_time_limit_at_once),
	};
	char command[160];

	assert_int_equal(argc, 3);
	program = argv[1];
	backend = argv[2];
	if (!screen_has_sandboxes(program))
		return 77;
	strcpy(dir, "/tmp/terrarium-settings-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(config_home, sizeof config_home, "XDG_CONFIG_HOME=%s", dir);
	snprintf(path, sizeof path, "%s/terrarium", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/terrarium/config.json", dir);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) == 0 ? failed : 1;
}
