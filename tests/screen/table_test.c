/* SPDX-License-Identifier: MIT */
/* Tables with real Python: opened from the variables and by name, sorted, searched, while code runs and after
 * the end of the sandbox. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64];

static void start(int rows, int cols, const char *text)
{
	static char path[96];
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", path, NULL};
	const char *const env[] = {
			"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};

	snprintf(path, sizeof path, "%s/table.py", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

/* By the palette: a name, as it is typed. */
static void open_table(const char *name)
{
	screen_send(&s, "\x10"); /* ^P */
	screen_wait(&s, "Commands ─");
	screen_send(&s, "show as a table\r");
	screen_wait(&s, "Show as a table");
	screen_send(&s, name);
	screen_send(&s, "\r");
}

static void a_variable_is_opened_sorted_and_searched(void **state)
{
	(void)state;
	start(36, 120, "big = [{'id': i, 'name': 'name %d' % (i % 7)} for i in range(200000)]\n");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	screen_send(&s, "\033v"); /* Alt-V */
	screen_wait(&s, "variables of python (1)");
	screen_wait(&s, "list   200000");
	screen_send(&s, "\r");
	screen_wait(&s, "big: list, 200 000 rows, 2 columns, row 1");
	screen_wait(&s, " 6    6 name 6");
	screen_send(&s, "ss");
	screen_wait(&s, "199999 199999 name");
	screen_send(&s, "/name 3\r");
	screen_wait(&s, "row 7 ");
	screen_send(&s, "G");
	screen_wait(&s, "row 200 000");
	screen_send(&s, "\x1b");
	screen_wait(&s, "variables of python");
	screen_send(&s, "\x1b");
	assert_int_equal(screen_leave(&s), 0);
}

static void values_are_expanded(void **state)
{
	(void)state;
	start(36, 120, "config = {'rate': 0.1, 'layers': [64, 32]}\nmany = {i: i for i in range(250)}\n");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	screen_send(&s, "\033v");
	screen_wait(&s, "▸ many");
	screen_send(&s, "\033[C"); /* Right */
	screen_wait(&s, "▸ 'layers'");
	screen_send(&s, "\033[B\033[B\033[C");
	screen_wait(&s, "[0]");
	screen_send(&s, "\033[D\033[D\033[D"); /* Left: closed, to its parent, closed */
	screen_wait_gone(&s, "'layers'  ");
	screen_send(&s, "\033[F\033[C"); /* End, Right */
	screen_wait(&s, "7    int");
	screen_send(&s, "\033[F");
	screen_wait(&s, "… 150 more");
	screen_send(&s, "\033");
	assert_int_equal(screen_leave(&s), 0);
}

static void artifacts_are_listed(void **state)
{
	(void)state;
	start(24, 80,
			"class C:\n    def _repr_mimebundle_(self, *a, **k): return {'text/csv': 'city,n\\nOslo,3\\n'}\n"
			"class H:\n    def _repr_html_(self): return '<i>hello</i><script></script>'\n"
			"display(C()); display(H())\n");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	screen_send(&s, "\033y"); /* Alt-Y */
	screen_wait(&s, "gallery: 2");
	screen_wait(&s, "out-1-2.html");
	screen_send(&s, "\r");
	screen_wait(&s, "out-1-2.html (Esc closes)"); /* as its text */
	screen_wait(&s, "  hello  ");
	assert_false(screen_shows(&s, "script"));
	screen_send(&s, "\033");
	screen_wait_gone(&s, "(Esc closes)");
	screen_send(&s, "\033[B\r");
	screen_wait(&s, "out-1-1.csv: CSV, 1 row, 2 columns");
	screen_send(&s, "q");
	screen_wait(&s, "gallery: 2");
	screen_send(&s, "S");
	screen_wait(&s, "Save all into a folder");
	screen_send(&s, "\x15"); /* ^U */
	screen_send(&s, dir);
	screen_send(&s, "/all\r");
	screen_wait(&s, "saved 2 files");
	screen_send(&s, "q");
	assert_int_equal(screen_leave(&s), 0);
	char path[100];
	snprintf(path, sizeof path, "%s/all/out-1-1.csv", dir);
	assert_int_equal(access(path, R_OK), 0);
}

static void a_file_is_opened(void **state)
{
	(void)state;
	start(24, 80, "open('data.csv', 'w').write('city,n\\nOslo,3\\nBergen,12\\n')\nodd = 5\n");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	open_table("data.csv");
	screen_wait(&s, "data.csv: CSV, 2 rows, 2 columns");
	screen_wait(&s, "2 Bergen     12");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "data.csv: CSV");
	open_table("none.csv");
	screen_wait(&s, "cannot read none.csv");
	open_table("odd");
	screen_wait(&s, "no table: odd is of the type int");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "no table");
	assert_int_equal(screen_leave(&s), 0);
}

/* The narrowest screen; and the table's process is killed while it is shown. */
static bool shows_end(void)
{
	return screen_shows(&s, "there is no variable") || screen_shows(&s, "interpreter ended");
}

static void it_outlives_the_sandbox(void **state)
{
	(void)state;
	start(10, 40,
			"r = [[i] for i in range(3000)]\nimport os, threading\n"
			"threading.Timer(3, lambda: os.kill(os.getpid(), 9)).start()\n");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	open_table("r");
	screen_wait(&s, "3 000 rows");
	/* A page that was asked for before the end, or one after it. */
	for (int i = 0; i < 600 && !shows_end(); i++) {
		screen_send(&s, i % 2 ? "G" : "g");
		screen_wait_quiet(&s, 100);
	}
	assert_true(shows_end());
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "3 000 rows");
	assert_int_equal(screen_leave(&s), 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(a_variable_is_opened_sorted_and_searched),
			TEST(a_file_is_opened),
			TEST(values_are_expanded),
			TEST(artifacts_are_listed),
			TEST(it_outlives_the_sandbox),
	};

	assert_int_equal(argc, 3);
	program = argv[1];
	backend = argv[2];
	if (!screen_has_sandboxes(program))
		return 77;
	strcpy(dir, "/tmp/terrarium-table-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[96];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) == 0 ? failed : 1;
}
