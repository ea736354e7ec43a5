/* SPDX-License-Identifier: MIT */
/* The workbench on the fake backend: what a person does and sees. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};

static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=/nonexistent", NULL};

static void start(int rows, int cols, const char *arg)
{
	const char *argv[] = {program, "--backend", backend, arg, NULL};

	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

static void types_runs_and_sees(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "print hello");
	screen_wait(&s, "print hello");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run this code?");
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "[1] python");
	screen_wait(&s, "✓");
	screen_wait(&s, "│ hello ");
	assert_int_equal(screen_leave(&s), 0);
}

static void state_persists_in_each_language(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "set x 42");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "a");
	screen_wait(&s, "[1] python");
	screen_send(&s, "\x01get x");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ 42 ");
	screen_send(&s, KEY_F(2));
	screen_wait(&s, "Language");
	screen_send(&s, "j\r");
	screen_wait(&s, " javascript ▾");
	screen_send(&s, "get x");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "NameError");
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- when it asks ---- */

static void run_code(const char *code, const char *wanted)
{
	screen_send(&s, "\x01");
	screen_send(&s, code);
	screen_wait(&s, code);
	screen_send(&s, KEY_F(5));
	screen_wait(&s, wanted);
}

/* The palette finds it; the choice is in the config file, whose comments stay, and counts at the next start.
 */
static void confirmation_is_set_from_inside(void **state)
{
	char home[] = "/tmp/terrarium-confirm-XXXXXX", path[100], variable[100], text[300];
	const char *argv[] = {program, "--backend", backend, NULL};
	const char *own[] = {"TERM=xterm-256color", "LANG=C.UTF-8", variable, NULL};

	(void)state;
	assert_non_null(mkdtemp(home));
	snprintf(variable, sizeof variable, "XDG_CONFIG_HOME=%s", home);
	snprintf(path, sizeof path, "%s/terrarium", home);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/terrarium/config.json", home);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("{ // mine\n\t\"history\": \"off\" /* and this */\n}\n", f);
	fclose(f);
	screen_start(&s, 36, 120, argv, own);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(7));
	screen_wait(&s, "Commands");
	screen_send(&s, "confirm");
	screen_wait(&s, "Confirm before code runs: always, or less often");
	screen_send(&s, "\r");
	screen_wait(&s, "Do not ask in any sandbox");
	screen_send(&s, "\033[B\033[B\r"); /* this kind */
	screen_wait(&s, "saved: trust =");
	run_code("print free", "│ free ");
	assert_int_equal(screen_leave(&s), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	assert_non_null(strstr(text, "{ // mine\n\t\"history\": \"off\", /* and this */\n\t\"trust\": "));
	snprintf(variable, sizeof variable, "\"trust\": \"%s\"", backend);
	assert_non_null(strstr(text, variable));
	snprintf(variable, sizeof variable, "XDG_CONFIG_HOME=%s", home);
	screen_start(&s, 36, 120, argv, own);
	screen_wait(&s, "idle");
	run_code("print again", "│ again ");
	assert_int_equal(screen_leave(&s), 0);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(home);
}

static void clearing_the_output_is_asked_about(void **state)
{
	(void)state;
	start(24, 80, NULL);
	screen_send(&s, "print precious");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "│ precious");
	for (int i = 0; i < 2; i++) {
		screen_send(&s, KEY_F(7));
		screen_wait(&s, "Commands");
		screen_send(&s, "clear the output");
		screen_wait(&s, "after a question");
		screen_send(&s, "\r");
		screen_wait(&s, "Clear the output?");
		screen_send(&s, i ? "c" : "k");
		screen_wait_gone(&s, "Clear the output?");
		if (i == 0)
			screen_wait(&s, "│ precious");
	}
	screen_wait_gone(&s, "│ precious");
	assert_int_equal(screen_leave(&s), 0);
}

static void the_key_bar_shows_the_keys_of_the_pane(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_wait(&s, "^O Open");
	screen_send(&s, KEY_F(6));
	screen_wait(&s, "^F Find  - Fold");
	screen_wait(&s, "w Wrap");
	assert_false(screen_shows(&s, "^O Open"));
	screen_send(&s, KEY_F(6));
	screen_wait(&s, "k Signal");
	screen_wait(&s, "t Tree");
	screen_send(&s, KEY_F(6));
	screen_wait(&s, "^O Open");
	assert_int_equal(screen_leave(&s), 0);
}

static void what_is_dangerous_is_asked_about_again(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, KEY_F(2));
	screen_wait(&s, "Language");
	screen_send(&s, "b\r");
	screen_wait(&s, " bash ▾");
	run_code("print one", "Run this code?");
	screen_send(&s, "l");
	screen_wait(&s, "Do not ask in this session");
	screen_send(&s, "\r");
	screen_wait(&s, "│ one ");
	run_code("rm -rf / # two", "Run this code?");
	screen_wait(&s, "(high)");
	screen_send(&s, " "); /* the focus is on Cancel, and Space presses it */
	screen_wait_gone(&s, "Run this code?");
	assert_false(screen_shows(&s, "[2]"));
	assert_int_equal(screen_leave(&s), 0);
}

static void interrupts_what_never_ends(void **state)
{
	(void)state;
	start(24, 80, NULL);
	screen_send(&s, "loop");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "running");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	screen_wait(&s, "● idle");
	assert_int_equal(screen_leave(&s), 0);
}

static void asks_for_input(void **state)
{
	(void)state;
	start(24, 80, NULL);
	screen_send(&s, "ask name?");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "got Ada");
	assert_int_equal(screen_leave(&s), 0);
}

static void shows_failures(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "fail ValueError too bad");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "a");
	screen_wait(&s, "ValueError: too bad");
	screen_send(&s, "\x01"
			"exit 3");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "exit 3 ✗");
	screen_send(&s, "\x01"
			"die 9");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "killed");
	screen_wait(&s, "was restarted");
	screen_send(&s, "\x01print well");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ well ");
	assert_int_equal(screen_leave(&s), 0);
}

static void resizing_loses_nothing(void **state)
{
	static const int sizes[][2] = {{10, 40}, {8, 30}, {60, 200}, {100, 300}, {24, 80}};

	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "print kept");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "✓");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		screen_resize(&s, sizes[i][0], sizes[i][1]);
		if (sizes[i][0] < 10)
			screen_wait(&s, "terminal too small");
		else
			screen_wait(&s, " Quit");
	}
	screen_wait(&s, "1 print kept");
	screen_wait(&s, "│ kept ");
	assert_int_equal(screen_leave(&s), 0);
}

static void a_flood_is_shown_and_ends(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "flood 200000\nprint the end");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "│ the end ");
	screen_wait(&s, "lines dropped");
	assert_int_equal(screen_leave(&s), 0);
}

static void pastes_as_it_is(void **state)
{
	(void)state;
	start(24, 80, NULL);
	screen_send(&s, "\x1b[200~if x:\n    print one\n\nprint two\x1b[201~");
	screen_wait(&s, "1 if x:");
	screen_wait(&s, "2     print one");
	screen_wait(&s, "4 print two");
	assert_int_equal(screen_leave(&s), 0);
}

static void files_are_opened_and_saved(void **state)
{
	char path[] = "/tmp/terrarium-test-XXXXXX.py", text[64] = "", keys[128];
	int fd = mkstemps(path, 3);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "print first\n", 12), 12);
	close(fd);
	start(24, 80, path);
	screen_wait(&s, "1 print first");
	screen_send(&s, "x\x13");
	screen_wait(&s, "saved");
	FILE *f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof text, f));
	fclose(f);
	assert_string_equal(text, "xprint first\n");
	snprintf(keys, sizeof keys, "\x0f%s-missing\r", path);
	screen_send(&s, keys);
	screen_wait(&s, "does not exist yet");
	screen_wait_gone(&s, "print first"); /* the new file is empty */
	screen_send(&s, "\x0f/no-such-place/x.py\r");
	screen_wait(&s, "no directory /no-such-place/");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Path");
	screen_send(&s, "\x15/tmp\r");
	screen_wait(&s, "is a directory");
	assert_int_equal(screen_leave(&s), 0);
	unlink(path);
}

static void what_others_wrote_is_not_lost(void **state)
{
	char path[] = "/tmp/terrarium-test-XXXXXX.py";
	int fd = mkstemps(path, 3);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "mine\n", 5), 5);
	start(24, 80, path);
	screen_wait(&s, "1 mine");
	assert_int_equal(write(fd, "theirs\n", 7), 7);
	screen_send(&s, "\x13");
	screen_wait(&s, "has changed on disk");
	screen_send(&s, "r");
	screen_wait(&s, "saved");
	close(fd);
	assert_int_equal(screen_leave(&s), 0);
	unlink(path);
}

static void menus_and_help(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, KEY_F(1));
	screen_wait(&s, "In the editor");
	screen_send(&s, "choose lang");
	screen_wait(&s, "choose the language");
	screen_send(&s, KEY_F(1));
	screen_wait_gone(&s, "choose the language");
	screen_send(&s, KEY_F(3));
	screen_wait(&s, "projector");
	screen_send(&s, "l\r");
	screen_wait_gone(&s, "projector");
	screen_send(&s, KEY_F(4));
	screen_wait(&s, "Messages");
	screen_send(&s, "q");
	screen_wait_gone(&s, "newest first");
	screen_send(&s, "\x1b"
			"2");
	screen_wait(&s, "Language ─");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Language ─");
	assert_int_equal(screen_leave(&s), 0);
}

static void the_mouse_works(void **state)
{
	(void)state;
	start(36, 120, NULL);
	screen_send(&s, "\x1b[<0;5;36M\x1b[<0;5;36m"); /* F1 in the key bar */
	screen_wait(&s, "In the editor");
	screen_send(&s, "\x1b[<0;1;1M\x1b[<0;1;1m");
	screen_wait_gone(&s, "In the editor");
	screen_send(&s, "\x1b[<0;14;2M\x1b[<0;14;2m"); /* the tab of the next language */
	screen_wait(&s, " javascript ▾");
	assert_int_equal(screen_leave(&s), 0);
}

/* There is no place to keep it here. */
static void unsaved_work_is_not_lost_by_one_key(void **state)
{
	static const char *const no_place[] = {
			"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_STATE_HOME=/dev/null", NULL};
	const char *argv[] = {program, "--backend", backend, NULL};

	(void)state;
	screen_start(&s, 24, 80, argv, no_place);
	screen_wait(&s, "idle");
	screen_send(&s, "precious");
	screen_wait(&s, "precious");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "unsaved text cannot be kept");
	screen_wait(&s, "never saved");
	screen_send(&s, "s");
	screen_wait_gone(&s, "never saved");
	assert_int_equal(screen_leave(&s), 0);
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(types_runs_and_sees),
			TEST(state_persists_in_each_language),
			TEST(confirmation_is_set_from_inside),
			TEST(clearing_the_output_is_asked_about),
			TEST(the_key_bar_shows_the_keys_of_the_pane),
			TEST(what_is_dangerous_is_asked_about_again),
			TEST(interrupts_what_never_ends),
			TEST(asks_for_input),
			TEST(shows_failures),
			TEST(resizing_loses_nothing),
			TEST(a_flood_is_shown_and_ends),
			TEST(pastes_as_it_is),
			TEST(files_are_opened_and_saved),
			TEST(what_others_wrote_is_not_lost),
			TEST(menus_and_help),
			TEST(the_mouse_works),
			TEST(unsaved_work_is_not_lost_by_one_key),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
