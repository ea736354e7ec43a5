/* SPDX-License-Identifier: MIT */
/* Cells with real Python: what the editor shows of their runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64];

static void start(const char *text)
{
	static char path[96];
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", path, NULL};
	const char *const env[] = {
			"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};

	snprintf(path, sizeof path, "%s/cells.py", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

static void all_cells_run_until_one_fails(void **state)
{
	(void)state;
	start("# %% one\nx = 6\nx * 7\n# %% two\ny = x / 0\n# %% three\nx + 1\n");
	screen_send(&s, "\x1b[15;5~"); /* Ctrl-F5 */
	screen_wait(&s, "y = x / 0  ZeroDivisionError: division by zero");
	screen_wait(&s, "= 42");
	screen_wait(&s, "✓  1 # %% one");
	screen_wait(&s, "✗  4 # %% two");
	screen_wait(&s, "stopped: 1 cell was not run");
	screen_send(&s, "\x1b[1;5H\x1b[B\x1b[F0"); /* Ctrl-Home, Down, End: edit the first cell */
	screen_wait(&s, "~  1 # %% one");
	screen_send(&s, "\x1a"); /* ^Z */
	screen_wait(&s, "✓  1 # %% one");
	assert_int_equal(screen_leave(&s), 0);
}

static void shift_enter_runs_and_goes_on(void **state)
{
	(void)state;
	start("# %% one\n\"a\" * 3\n# %% two\n\"b\" * 3\n");
	screen_wait(&s, "Run cell");
	screen_send(&s, "\x1b[27;2;13~"); /* as xterm sends it */
	screen_wait(&s, "= 'aaa'");
	screen_send(&s, "\x1b[13;2u"); /* as kitty does */
	screen_wait(&s, "= 'bbb'");
	assert_int_equal(screen_leave(&s), 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(all_cells_run_until_one_fails),
			TEST(shift_enter_runs_and_goes_on),
	};

	assert_int_equal(argc, 3);
	program = argv[1];
	backend = argv[2];
	if (!screen_has_sandboxes(program))
		return 77;
	strcpy(dir, "/tmp/terrarium-cells-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[96];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) == 0 ? failed : 1;
}
