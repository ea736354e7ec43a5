/* SPDX-License-Identifier: MIT */
/* The editor on the fake backend: buffers, finding, files. */
#include <fcntl.h>
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
static const char *extra_env;
static char dir[64], state_home[96];

static void start_at(int rows, int cols, const char *arg)
{
	const char *argv[] = {program, "--backend", backend, arg, NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
			"XDG_CONFIG_HOME=/nonexistent", state_home, extra_env, NULL};

	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

static void start(const char *arg)
{
	start_at(36, 120, arg);
}

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static const char *given(const char *name, const char *text)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void holds(const char *name, const char *text)
{
	char bytes[4096];
	FILE *f = fopen(path_of(name), "r");

	assert_non_null(f);
	size_t n = fread(bytes, 1, sizeof bytes - 1, f);
	bytes[n] = '\0';
	fclose(f);
	assert_string_equal(bytes, text);
}

static uint32_t ink_at(int row, int col)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
	vterm_screen_convert_color_to_rgb(s.vts, &cell.fg);
	return (uint32_t)cell.fg.rgb.red << 16 | (uint32_t)cell.fg.rgb.green << 8 | cell.fg.rgb.blue;
}

/* What everybody types first. */
static void a_line_without_a_newline_has_colors(void **state)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	(void)state;
	start(NULL);
	screen_send(&s, "print(\"hello\") # x");
	screen_wait(&s, "1 print(\"hello\")");
	while (ink_at(2, 5) == ink_at(2, 12) && screen_now_ms() < deadline)
		screen_wait_quiet(&s, 50);
	assert_int_not_equal(ink_at(2, 5), ink_at(2, 12)); /* a function and a string */
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- buffers ---- */

static void buffers_are_tabs(void **state)
{
	(void)state;
	start(given("a.py", "alpha\n"));
	screen_wait(&s, "python: a.py  javascript  bash");
	screen_send(&s, "\x0f"); /* ^O */
	screen_wait(&s, "Open a file");
	screen_send(&s, given("b.py", "beta\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "python: a.py  javascript  bash  python: b.py");
	screen_wait(&s, "1 beta");
	screen_send(&s, "\x1b,\x1b,\x1b,"); /* Alt-, */
	screen_wait(&s, "1 alpha");
	screen_send(&s, "\x0e"); /* ^N */
	screen_wait(&s, "python: b.py  python ");
	screen_send(&s, "new");
	screen_wait(&s, "b.py  python*");
	screen_send(&s, "\x17"); /* ^W */
	screen_wait(&s, "has unsaved changes");
	screen_send(&s, "d");
	screen_wait_gone(&s, "b.py  python*");
	screen_wait(&s, "1 alpha");
	/* The same file is not opened twice. */
	screen_send(&s, "\x0f");
	screen_wait(&s, "Open a file");
	screen_send(&s, path_of("b.py"));
	screen_send(&s, "\r");
	screen_wait(&s, "is already open");
	screen_wait(&s, "1 beta");
	assert_int_equal(screen_leave(&s), 0);
}

static void undo_survives_going_to_another_buffer(void **state)
{
	(void)state;
	start(NULL);
	screen_send(&s, "first\rsecond");
	screen_wait(&s, "2 second");
	screen_send(&s, "\x1b.");
	screen_wait(&s, "javascript ▾");
	screen_send(&s, "\x1b,");
	screen_wait(&s, "2 second");
	screen_send(&s, "\x1a\x1a"); /* ^Z */
	screen_wait_gone(&s, "second");
	screen_wait(&s, "1 first");
	assert_int_equal(screen_leave(&s), 0);
}

static void a_wrong_path_stays_to_be_put_right(void **state)
{
	(void)state;
	start(NULL);
	screen_send(&s, "\x0f");
	screen_wait(&s, "Open a file");
	screen_send(&s, "/nowhere/at/all.py\r");
	screen_wait(&s, "There is no directory");
	screen_wait(&s, "/nowhere/at/all.py");
	screen_send(&s, "\x15"); /* ^U */
	screen_send(&s, given("right.py", "right\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "python: right.py");
	assert_int_equal(screen_leave(&s), 0);
}

static void tab_lists_the_paths(void **state)
{
	(void)state;
	given("zz_one.py", "1\n");
	given("zz_other10.py", "10\n");
	given("zz_other9.py", "9\n");
	start(NULL);
	screen_send(&s, "\x0f");
	screen_wait(&s, "Open a file");
	screen_send(&s, path_of("zz_"));
	screen_send(&s, "\t");
	screen_wait(&s, "zz_one.py, zz_other9.py, zz_other10.py");
	screen_send(&s, "t\t"); /* they have had the letter before in common */
	screen_wait_gone(&s, "zz_one.py");
	screen_wait(&s, "zz_other9.py, zz_other10.py");
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- finding ---- */

static void finds_and_replaces(void **state)
{
	(void)state;
	start(given("f.py", "x = 1\nfoo(x)\nfoo(y)\n"));
	screen_send(&s, "\x06"); /* ^F */
	screen_wait(&s, "Find");
	screen_send(&s, "foo");
	screen_wait(&s, "1 of 2");
	screen_send(&s, "\r");
	screen_wait(&s, "2 of 2");
	screen_wait(&s, " 3:4 ");
	screen_send(&s, "\r");
	screen_wait(&s, "wrapped");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "wrapped");
	screen_send(&s, "\x1br"); /* Alt-R */
	screen_wait(&s, "Replace");
	screen_send(&s, "\x15\x1bx"); /* Alt-X: a regular expression */
	screen_wait(&s, "regex");
	screen_send(&s, "foo\\((.)\\)\rbar[$1]\r");
	screen_wait(&s, "foo(x) → bar[x]");
	screen_send(&s, "y");
	screen_wait(&s, "foo(y) → bar[y]");
	screen_send(&s, "a");
	screen_wait(&s, "replaced 2 matches");
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "saved");
	holds("f.py", "x = 1\nbar[x]\nbar[y]\n");
	assert_int_equal(screen_leave(&s), 0);
}

static void goes_to_a_line(void **state)
{
	(void)state;
	start(given("g.py", "one\ntwo\nthree\n"));
	screen_send(&s, "\x07"); /* ^G */
	screen_wait(&s, "Go to line");
	screen_send(&s, "2:3\r");
	screen_wait(&s, " 2:3 ");
	assert_int_equal(screen_leave(&s), 0);
}

static void cells_are_run_one_after_the_other(void **state)
{
	(void)state;
	start(given("c.py", "print one\n# %% second\nprint two\n"));
	screen_wait(&s, "# %% second ───");
	screen_send(&s, "\x1bj"); /* Alt-J */
	screen_wait(&s, "the cell, 1 line");
	screen_send(&s, "a");
	screen_wait(&s, "│ one ");
	screen_wait(&s, " 3:1 ");
	screen_send(&s, "\x1bj");
	screen_wait(&s, "│ two ");
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- files ---- */

static void what_others_write_is_read_again(void **state)
{
	(void)state;
	start(given("r.py", "one\ntwo\nthree\n"));
	screen_send(&s, "\x1b[B\x1b[C");
	screen_wait(&s, " 2:2 ");
	given("r.py", "zero\none\nTWO\nthree\n");
	screen_wait(&s, "3 TWO");
	screen_wait(&s, "reloaded from the disk");
	screen_wait(&s, " 2:2 ");
	screen_wait(&s, "python: r.py "); /* not modified */
	screen_send(&s, "\x1a");          /* ^Z */
	screen_wait(&s, "2 two");
	screen_wait(&s, "python: r.py*");
	/* With changes of one's own, nothing is taken away. */
	given("r.py", "theirs\n");
	screen_wait(&s, "changed on disk. Save asks first");
	screen_wait(&s, "2 two");
	screen_send(&s, "\x13");       /* ^S */
	screen_wait(&s, "[ Cancel ]"); /* Enter must not replace what others have written */
	screen_send(&s, "\r");
	screen_wait_gone(&s, "[ Cancel ]");
	holds("r.py", "theirs\n");
	screen_send(&s, "\x13");
	screen_wait(&s, "Reload from disk");
	screen_send(&s, "l");
	screen_wait(&s, "1 theirs");
	screen_wait(&s, "python: r.py ");
	unlink(path_of("r.py"));
	screen_wait(&s, "was deleted from the disk");
	assert_int_equal(screen_leave(&s), 0);
}

static void the_buffer_goes_to_another_editor_and_back(void **state)
{
	char script[200], mode[220];

	(void)state;
	snprintf(script, sizeof script, "%s",
			given("ed.sh", "#!/bin/sh\ntest -t 1 || exit 3\necho in another editor: ${1##*.}\n"
				       "read line\nsed -i 's/foo/bar/' \"$1\"\n"));
	chmod(script, 0755);
	snprintf(mode, sizeof mode, "VISUAL=%s", script);
	extra_env = mode;
	start(given("x.py", "foo\nfoo\n"));
	screen_send(&s, "\x05"); /* ^E */
	screen_wait(&s, "in another editor: py");
	assert_false(s.is_alternate);
	screen_send(&s, "\r");
	screen_wait(&s, "2 bar");
	assert_true(s.is_alternate);
	screen_wait(&s, "python: x.py*");
	screen_send(&s, "\x1a");
	screen_wait(&s, "2 foo");
	screen_wait(&s, "python: x.py ");
	extra_env = NULL;
	assert_int_equal(screen_leave(&s), 0);
}

static void an_editor_that_fails_changes_nothing(void **state)
{
	(void)state;
	extra_env = "VISUAL=false";
	start(given("y.py", "kept\n"));
	screen_send(&s, "\x05");
	screen_wait(&s, "the editor ended with code 1");
	screen_wait(&s, "1 kept");
	extra_env = NULL;
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- what a crash leaves ---- */

/* Wait until some file of the folder holds the text. */
static void wait_kept(const char *text)
{
	char command[256];
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	snprintf(command, sizeof command, "grep -rqs -- '%s' %s/state/terrarium/unsaved --include='[0-9]*'",
			text, dir);
	while (system(command) != 0) {
		screen_wait_quiet(&s, 20);
		assert_true(screen_now_ms() < deadline);
	}
}

static void kill_it(void)
{
	kill(s.pid, SIGKILL);
	assert_int_equal(screen_end(&s), 128 + SIGKILL);
}

static void unsaved_work_is_found_after_a_kill(void **state)
{
	(void)state;
	start(given("k.py", "top\nold\n"));
	screen_send(&s, "\x1b[Bchanged ");
	screen_send(&s, "\x0e");
	screen_wait(&s, "python: k.py*");
	screen_send(&s, "precious");
	wait_kept("precious");
	wait_kept("changed old");
	kill_it();
	holds("k.py", "top\nold\n");
	start(NULL);
	screen_wait(&s, "Unsaved text found");
	screen_wait(&s, "just now: precious");
	screen_wait(&s, "k.py, 2 lines, just now: changed old");
	screen_send(&s, "\r");
	screen_wait(&s, "restored 2 unsaved buffers");
	screen_wait(&s, "1 precious");
	screen_wait(&s, "python: k.py*");
	/* It is safe again at once: another crash takes nothing. */
	kill_it();
	start(NULL);
	screen_wait(&s, "just now: precious");
	screen_send(&s, "d"); /* typed ahead, perhaps: no letter throws it away */
	screen_wait_quiet(&s, 20);
	assert_true(screen_shows(&s, "Unsaved text"));
	screen_send(&s, "\t\t\r");
	screen_wait_gone(&s, "Unsaved text");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	assert_false(screen_shows(&s, "Unsaved text"));
	assert_int_equal(screen_leave(&s), 0);
}

static void two_workbenches_do_not_steal(void **state)
{
	struct screen first;

	(void)state;
	start(NULL);
	screen_send(&s, "belongs to the first");
	wait_kept("belongs to the first");
	first = s;
	s = (struct screen){.fd = -1};
	start(NULL);
	assert_false(screen_shows(&s, "Unsaved text"));
	assert_int_equal(screen_leave(&s), 0);
	s = first;
	kill_it();
	start(NULL);
	screen_wait(&s, "belongs to the first");
	screen_send(&s, "\t\t\r");
	screen_wait_gone(&s, "Unsaved text");
	assert_int_equal(screen_leave(&s), 0);
}

/* It would stand in the place of the question whether the cells may be run. */
static void an_audience_does_not_see_what_was_left(void **state)
{
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, NULL};
	const char *argv[] = {program, "demo", "--backend", backend,
			given("show.py", "# %% One\nprint one\n"), NULL};

	(void)state;
	start(NULL);
	screen_send(&s, "a secret");
	wait_kept("a secret");
	kill_it();
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
	assert_true(screen_shows(&s, "Run the cells of this file?"));
	screen_send(&s, "\r");
	screen_wait(&s, "Space: run this cell");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "just now: a secret");
	screen_send(&s, "\t\t\r");
	screen_wait_gone(&s, "Unsaved text");
	assert_int_equal(screen_leave(&s), 0);
}

static void what_is_kept_on_purpose_is_there_again(void **state)
{
	(void)state;
	start(NULL);
	screen_send(&s, "to be kept");
	screen_wait(&s, "to be kept");
	screen_send(&s, KEY_F(10)); /* nothing is lost, so it does not ask */
	assert_int_equal(screen_end(&s), 0);
	start(NULL);
	screen_wait(&s, "1 to be kept");
	screen_wait(&s, "python*");
	/* A terminal that is closed keeps it as well. */
	kill(s.pid, SIGHUP);
	assert_int_equal(screen_end(&s), 128 + SIGHUP);
	start(NULL);
	screen_wait(&s, "1 to be kept");
	screen_send(&s, "\x01\x7f"); /* select all, delete */
	screen_wait_gone(&s, "to be kept");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	assert_false(screen_shows(&s, "to be kept"));
	assert_int_equal(screen_leave(&s), 0);
}

/* Text that has no name is there beside a file that is named, too, and not at all with --restore off. */
static void what_is_kept_comes_back_if_it_is_wanted(void **state)
{
	const char *path = given("named.py", "of the file\n");

	(void)state;
	start(NULL);
	screen_send(&s, "never saved");
	screen_wait(&s, "1 never saved");
	assert_int_equal(screen_leave(&s), 0);
	start("--restore=off");
	assert_false(screen_shows(&s, "never saved"));
	assert_int_equal(screen_leave(&s), 0);
	start(path);
	screen_wait(&s, "1 of the file");
	screen_wait(&s, "named.py  javascript  bash  python*");
	screen_wait(&s, "the python buffer: your unsaved text is back");
	screen_send(&s, "\x1b."); /* the languages' buffers are between */
	screen_send(&s, "\x1b.");
	screen_send(&s, "\x1b.");
	screen_wait(&s, "1 never saved");
	screen_send(&s, "\x01\x7f");
	screen_wait_gone(&s, "1 never saved");
	screen_send(&s, "\x1b.");
	screen_wait(&s, "1 of the file");
	screen_send(&s, "changed ");
	screen_wait(&s, "1 changed of the file");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Save files");
	screen_send(&s, KEY_F(10));
	assert_int_equal(screen_end(&s), 0);
	const char *argv[] = {program, "--backend", backend, "--restore", "off", path, NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, NULL};
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "--restore on brings them back");
	screen_wait(&s, "1 of the file");
	assert_int_equal(screen_leave(&s), 0);
	start(path);
	screen_wait(&s, "1 changed of the file");
	screen_send(&s, "\x1a");
	screen_wait(&s, "1 of the file");
	assert_int_equal(screen_leave(&s), 0);
}

/* The tutorial neither restores a session nor loses what was typed in it. */
static void what_is_typed_in_the_tutorial_comes_back(void **state)
{
	const char *argv[] = {program, "tutor", NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			"TERRARIUM_BACKEND=fake", state_home, NULL};

	(void)state;
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "▸ 1 Write");
	screen_send(&s, "first = 1");
	screen_wait(&s, "1 first = 1");
	assert_int_equal(screen_leave(&s), 0);
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "the python buffer: your unsaved text is back");
	screen_wait(&s, "▸ 1 Write"); /* by a buffer of its own */
	screen_wait(&s, " python* ");
	screen_send(&s, "second = 2");
	screen_wait(&s, "1 second = 2");
	wait_kept("second = 2");
	kill_it();
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "Unsaved text found");
	screen_wait(&s, "just now: first = 1");
	screen_wait(&s, "just now: second = 2");
	screen_send(&s, "\r");
	screen_wait(&s, "restored 2 unsaved buffers");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "1 second = 2");
	assert_int_equal(screen_leave(&s), 0);
}

static void leave_keeping(void)
{
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Save files");
	screen_send(&s, KEY_F(10));
	assert_int_equal(screen_end(&s), 0);
}

/* Typed code does not go to a file that has come back by itself. */
static void the_linear_workbench_names_what_is_restored(void **state)
{
	const char *argv[] = {program, "--linear", "--yes", NULL};
	const char *const env[] = {"TERM=dumb", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			"TERRARIUM_BACKEND=fake", state_home, NULL};

	(void)state;
	start(NULL);
	screen_send(&s, "\x0f");
	screen_send(&s, given("told_of.py", "of_the_file = 1"));
	screen_send(&s, "\r");
	screen_wait(&s, "1 of_the_file = 1");
	assert_int_equal(screen_leave(&s), 0);
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "told_of.py, python\n");
	screen_wait(&s, "the python buffer, python, current: typed code goes here");
	screen_send(&s, "typed = 2\r:list\r");
	screen_wait(&s, "1: typed = 2");
	screen_send(&s, ":buffers 1\rmore = 3\r");
	screen_wait(&s, "typed code goes to the end of");
	screen_send(&s, ":list\r");
	screen_wait(&s, "1: of_the_file = 1\n2: more = 3");
	wait_kept("more = 3");
	kill_it();
	holds("told_of.py", "of_the_file = 1");
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "question: Unsaved text found");
	screen_send(&s, "Open\r");
	screen_wait(&s, ", python, not saved\n");
	screen_wait(&s, ", python, current: typed code goes here");
	screen_send(&s, ":quit\rd\r");
	assert_int_equal(screen_end(&s), 0);
}

/* Latin-1: said when it is opened and saved, and what is not changed stays as it was. */
static void bytes_that_are_no_text_are_named_and_kept(void **state)
{
	(void)state;
	start(given("latin.py", "# caf\xe9\nx = 'r\xe9sum\xe9'\n"));
	screen_wait(&s, "latin.py, 2 lines; 3 bytes are not UTF-8 (the first one, 0xe9");
	screen_wait(&s, "running refuses them");
	screen_send(&s, "#");
	screen_wait(&s, "1 ## caf");
	screen_send(&s, "\x13");
	screen_wait(&s, "3 bytes are not UTF-8 (the first one, 0xe9, in line 1)");
	screen_wait(&s, "saved ");
	holds("latin.py", "## caf\xe9\nx = 'r\xe9sum\xe9'\n");
	assert_int_equal(screen_leave(&s), 0);
}

/* By any path, also of a file that was never written. */
static void kept_text_knows_its_file_by_other_paths(void **state)
{
	char here[200];

	(void)state;
	assert_non_null(getcwd(here, sizeof here));
	given("told.py", "old\n");
	assert_int_equal(chdir(dir), 0);
	start("told.py");
	screen_send(&s, "mine ");
	screen_wait(&s, "1 mine old");
	leave_keeping();
	start("./told.py");
	screen_wait(&s, "your unsaved text is back");
	screen_wait(&s, "1 mine old");
	screen_send(&s, "\x1a");
	screen_wait(&s, "1 old");
	assert_int_equal(screen_leave(&s), 0);
	start("unborn.py");
	screen_send(&s, "not yet");
	screen_wait(&s, "1 not yet");
	leave_keeping();
	start("unborn.py");
	screen_wait(&s, "your unsaved text is back");
	screen_wait(&s, "1 not yet");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(chdir(here), 0);
}

/* ---- no kept text is given up before it is kept again ---- */

static const char notebook[] =
		"{\"cells\": [{\"cell_type\": \"code\", \"execution_count\": null, \"id\": \"a\", "
		"\"metadata\": {}, \"outputs\": [], \"source\": [\"old\"]}], "
		"\"metadata\": {\"kernelspec\": {\"display_name\": \"Python 3\", \"language\": "
		"\"python\", \"name\": \"python3\"}}, \"nbformat\": 4, \"nbformat_minor\": 5}\n";

static void open_file(const char *path)
{
	screen_send(&s, "\x0f"); /* ^O */
	screen_wait(&s, "Open a file");
	screen_send(&s, path);
	screen_send(&s, "\r");
	screen_wait_gone(&s, "Open a file");
}

/* A merge has left its marks in the file. */
static void kept_text_comes_back_without_its_file(void **state)
{
	char path[160];

	(void)state;
	start(NULL);
	open_file(given("torn.ipynb", notebook));
	screen_wait(&s, "python: torn.ipynb ");
	screen_send(&s, "precious = 1 #");
	screen_wait(&s, "precious = 1 #");
	leave_keeping();
	given("torn.ipynb", "<<<<<<< HEAD\n");
	start(NULL);
	screen_wait(&s, "unsaved text of torn.ipynb (just now) is in the python buffer: ");
	screen_wait(&s, "precious = 1 #");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "precious = 1 #");
	screen_send(&s, "\x01\x7f"); /* select all, delete */
	screen_wait_gone(&s, "precious");
	assert_int_equal(screen_leave(&s), 0);
	/* The same after a crash, with a folder in the place of the file. */
	snprintf(path, sizeof path, "%s", given("torn.py", "old\n"));
	start(path);
	screen_send(&s, "precious ");
	wait_kept("precious old");
	kill_it();
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	start(NULL);
	screen_wait(&s, "Unsaved text found");
	screen_send(&s, "\r");
	screen_wait(&s, "unsaved text of torn.py (just now) is in the python buffer: ");
	screen_wait(&s, "1 precious old");
	kill_it();
	start(NULL);
	screen_wait(&s, "just now: precious old");
	screen_send(&s, "\t\t\r");
	screen_wait_gone(&s, "Unsaved text");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(rmdir(path), 0);
}

/* Every text of a file comes back, the newest one in the buffer of the file. */
static void all_kept_texts_of_a_file_come_back(void **state)
{
	const char *path = given("two.py", "base\n");
	const char *argv[] = {program, "--backend", backend, "--restore", "off", path, NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, NULL};
	static const char *const texts[] = {"older ", "newer ", "newest "};
	char wanted[32];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		screen_start(&s, 36, 120, argv, env);
		screen_wait(&s, "1 base");
		screen_send(&s, texts[i]);
		snprintf(wanted, sizeof wanted, "1 %sbase", texts[i]);
		screen_wait(&s, wanted);
		leave_keeping();
	}
	start(path);
	screen_wait(&s, "1 newest base");
	screen_wait(&s, "unsaved text of two.py (just now) is in the python 2 buffer: the file has another one");
	screen_wait(&s, "two.py*  javascript  bash  python*  python 2* ");
	leave_keeping();
	/* None was put over another one. */
	start(path);
	screen_wait(&s, "1 newest base");
	screen_send(&s, "\x1b,");
	screen_wait(&s, "1 older base");
	screen_send(&s, "\x1b,");
	screen_wait(&s, "1 newer base");
	assert_int_equal(screen_leave(&s), 0);
}

/* After a crash the question may come when the file's buffer has been changed. */
static void found_text_is_not_put_over_what_was_typed(void **state)
{
	const char *path = given("over.py", "base\n");

	(void)state;
	start(path);
	screen_send(&s, "found ");
	wait_kept("found base");
	kill_it();
	start(path);
	screen_wait(&s, "Unsaved text found");
	screen_send(&s, "typed ");
	screen_wait(&s, "1 typed base");
	screen_send(&s, "\t\t\t\r"); /* around to the first button */
	screen_wait(&s, "unsaved text of over.py (just now) is in the python buffer");
	screen_wait(&s, "1 found base");
	wait_kept("typed base");
	wait_kept("found base");
	assert_int_equal(screen_leave(&s), 0);
}

static void changed_files_can_be_saved_on_leaving(void **state)
{
	char content[64] = "";
	const char *path = given("leave.py", "old\n");

	(void)state;
	start(path);
	screen_wait(&s, "1 old");
	screen_send(&s, "new ");
	screen_wait(&s, "1 new old");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "changes of");
	screen_wait(&s, "Save files");
	screen_send(&s, "a");
	assert_int_equal(screen_end(&s), 0);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(content, sizeof content, f));
	fclose(f);
	assert_string_equal(content, "new old\n");
	/* Pressed twice, the key keeps the text and leaves the file alone. */
	start(path);
	screen_wait(&s, "1 new old");
	screen_send(&s, "newer ");
	screen_wait(&s, "1 newer new old");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Save files");
	screen_send(&s, KEY_F(10));
	assert_int_equal(screen_end(&s), 0);
	start(NULL);
	screen_wait(&s, "1 newer new old");
	assert_false(screen_shows(&s, "Unsaved text"));
	assert_int_equal(screen_leave(&s), 0);
}

/* Text that was kept on quitting is no matter of other files and folders. */
static void kept_text_stays_with_its_file(void **state)
{
	char here[200], path[200];

	(void)state;
	assert_non_null(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s", given("own.py", "old\n"));
	start(path);
	screen_send(&s, "mine ");
	screen_wait(&s, "1 mine old");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Quit, keep text");
	screen_send(&s, "\r");
	assert_int_equal(screen_end(&s), 0);
	start(given("other.py", "foreign\n"));
	screen_wait(&s, "1 foreign");
	assert_false(screen_shows(&s, "Unsaved text"));
	assert_false(screen_shows(&s, "own.py"));
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(chdir(dir), 0);
	start(NULL);
	assert_false(screen_shows(&s, "Unsaved text"));
	assert_false(screen_shows(&s, "own.py"));
	screen_send(&s, "\x0f"); /* the file is opened later */
	screen_send(&s, path);
	screen_send(&s, "\r");
	screen_wait(&s, "your unsaved text is back");
	screen_wait(&s, "1 mine old");
	screen_send(&s, "\x1a");
	screen_wait(&s, "1 old");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(chdir(here), 0);
	start(path);
	screen_wait(&s, "1 old");
	assert_int_equal(screen_leave(&s), 0);
}

/* A file that the session opens is opened, too. */
static void kept_text_comes_back_with_the_session_of_its_file(void **state)
{
	char here[200], path[200], folder[200];

	(void)state;
	assert_non_null(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s", given("twice.py", "old\n"));
	snprintf(folder, sizeof folder, "%s", path_of("elsewhere"));
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chdir(dir), 0);
	start(NULL);
	open_file(path);
	screen_wait(&s, "1 old");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(chdir(folder), 0);
	start(path);
	screen_send(&s, "kept ");
	screen_wait(&s, "1 kept old");
	leave_keeping();
	given("twice.py", "by another program\n");
	assert_int_equal(chdir(dir), 0);
	start(NULL);
	screen_wait(&s, "twice.py: your unsaved text is back; the file has changed since (undo shows the file)");
	screen_wait(&s, "1 kept old");
	screen_send(&s, "\x1a");
	screen_wait(&s, "1 by another program");
	screen_send(&s, "\x17");
	screen_wait_gone(&s, "twice.py");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(chdir(here), 0);
}

/* One word tells of both: that of the other one would cover it. */
static void a_changed_file_is_reported_beside_other_texts(void **state)
{
	const char *path = given("beside.py", "old\n");

	(void)state;
	start(path);
	screen_send(&s, "kept ");
	screen_wait(&s, "1 kept old");
	screen_send(&s, "\x0eunnamed"); /* ^N */
	screen_wait(&s, "1 unnamed");
	leave_keeping();
	given("beside.py", "by another program\n");
	start(path);
	screen_wait(&s, "beside.py has changed since (undo shows the file)");
	screen_send(&s, "\x17"); /* ^W */
	screen_wait(&s, "Save before closing?");
	screen_send(&s, "d");
	screen_wait_gone(&s, "beside.py*");
	assert_int_equal(screen_leave(&s), 0);
}

/* A question that opens by itself takes no keys that were typed before it could be read. */
static void what_is_typed_ahead_answers_nothing(void **state)
{
	const char *argv[] = {program, "--backend", backend, NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, NULL};

	(void)state;
	start(NULL);
	screen_send(&s, "precious");
	wait_kept("precious");
	kill_it();
	screen_start(&s, 36, 120, argv, env);
	screen_send(&s, "rdl rdl\r");
	screen_wait(&s, "Unsaved text found");
	screen_wait(&s, "1 rdl rdl");
	screen_send(&s, "\t\r"); /* Later: it comes back in its folder */
	screen_wait_gone(&s, "Unsaved text");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	assert_false(screen_shows(&s, "Unsaved text"));
	screen_wait(&s, "precious");
	assert_int_equal(screen_leave(&s), 0);
}

static void the_last_session_is_opened_again(void **state)
{
	(void)state;
	start(NULL);
	screen_send(&s, "\x0f");
	screen_send(&s, given("s1.py", "one\ntwo\nthree\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "1 one");
	screen_send(&s, "\x1b[B\x1b[B\x1b[C");
	screen_wait(&s, " 3:2 ");
	screen_send(&s, "\x0f");
	screen_send(&s, given("s2.sh", "echo\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "1 echo");
	screen_send(&s, "\x1b[1;5H\x1b,\x1b,");
	screen_wait(&s, "1 one");
	screen_send(&s, KEY_F(6));
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "restored your last session here (2 buffers)");
	screen_wait(&s, "bash: s2.sh");
	screen_wait(&s, " 3:2 ");
	screen_wait(&s, "1 one");
	/* The output has the focus, as it had: two panes further is the editor. */
	screen_send(&s, KEY_F(6));
	screen_send(&s, KEY_F(6));
	screen_send(&s, "z");
	screen_wait(&s, "tzhree");
	screen_send(&s, "\x1a");
	screen_wait_gone(&s, "tzhree");
	assert_int_equal(screen_leave(&s), 0);
	/* With a file it is about that file alone. */
	start(given("s3.py", "other\n"));
	assert_false(screen_shows(&s, "s1.py"));
	assert_int_equal(screen_leave(&s), 0);
	start("--restore=off");
	assert_false(screen_shows(&s, "s1.py"));
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "s1.py");
	screen_send(&s, "\x17");
	screen_wait_gone(&s, "s1.py");
	screen_send(&s, "\x1b.");
	screen_wait(&s, "1 echo");
	screen_send(&s, "\x17");
	screen_wait_gone(&s, "s2.sh");
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	assert_false(screen_shows(&s, "your last session"));
	assert_int_equal(screen_leave(&s), 0);
}

/* Found by letters of its name from another folder, as it was opened lately. */
static void a_file_of_late_is_found_by_its_name(void **state)
{
	(void)state;
	start(given("quite_special.py", "here\n"));
	screen_wait(&s, "1 here");
	assert_int_equal(screen_leave(&s), 0);
	start("--restore=off");
	screen_send(&s, "\x1bh"); /* Alt-H */
	screen_wait(&s, "Go to a file");
	screen_send(&s, "qspec");
	screen_wait(&s, "quite_special.py");
	screen_wait(&s, "recent");
	screen_send(&s, "\r");
	screen_wait(&s, "1 here");
	assert_int_equal(screen_leave(&s), 0);
}

/* The list is grouped by buffer; Enter goes to the match, and Alt-N on from it. */
static void all_buffers_are_searched(void **state)
{
	(void)state;
	start(given("w.py", "apple\nbeta\n"));
	screen_send(&s, "\x0f");
	screen_send(&s, given("n.sh", "echo\nbeta\n\nbeta gamma\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "4 beta gamma");
	screen_send(&s, "\x1b\x46"); /* Alt-Shift-F */
	screen_wait(&s, "Find in all buffers");
	screen_send(&s, "beta");
	screen_wait(&s, "3 matches in 2 buffers");
	screen_wait(&s, "n.sh:4  beta gamma");
	screen_wait(&s, "w.py:2  beta");
	screen_send(&s, "\x1b[B\x1b[B\r");
	screen_wait(&s, "1 apple");
	screen_wait_gone(&s, "Find in all buffers");
	screen_wait(&s, " 2:5 ");
	screen_send(&s, "\x1bn");
	screen_wait(&s, "beta: 1 of 1");
	screen_send(&s, "\x1b\x46");
	screen_wait(&s, "w.py:2  beta");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Find in all buffers");
	assert_int_equal(screen_leave(&s), 0);
}

static void the_first_of_two_has_the_session(void **state)
{
	struct screen first;

	(void)state;
	start(NULL);
	screen_send(&s, "\x0f");
	screen_send(&s, given("w.py", "shared\n"));
	screen_send(&s, "\r");
	screen_wait(&s, "1 shared");
	first = s;
	s = (struct screen){.fd = -1};
	start(NULL);
	assert_false(screen_shows(&s, "w.py"));
	assert_int_equal(screen_leave(&s), 0);
	s = first;
	assert_int_equal(screen_leave(&s), 0);
	start(NULL);
	screen_wait(&s, "python: w.py");
	assert_int_equal(screen_leave(&s), 0);
}

static int clean_up(void **state)
{
	char command[160];

	(void)state;
	extra_env = NULL;
	screen_abandon(&s);
	snprintf(command, sizeof command, "rm -rf %s/state", dir);
	return system(command) == 0 ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) == 0 ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(buffers_are_tabs),
			TEST(undo_survives_going_to_another_buffer),
			TEST(a_wrong_path_stays_to_be_put_right),
			TEST(tab_lists_the_paths),
			TEST(a_line_without_a_newline_has_colors),
			TEST(finds_and_replaces),
			TEST(goes_to_a_line),
			TEST(cells_are_run_one_after_the_other),
			TEST(what_others_write_is_read_again),
			TEST(the_buffer_goes_to_another_editor_and_back),
			TEST(an_editor_that_fails_changes_nothing),
			TEST(unsaved_work_is_found_after_a_kill),
			TEST(two_workbenches_do_not_steal),
			TEST(an_audience_does_not_see_what_was_left),
			TEST(what_is_kept_on_purpose_is_there_again),
			TEST(what_is_kept_comes_back_if_it_is_wanted),
			TEST(what_is_typed_in_the_tutorial_comes_back),
			TEST(the_linear_workbench_names_what_is_restored),
			TEST(bytes_that_are_no_text_are_named_and_kept),
			TEST(kept_text_knows_its_file_by_other_paths),
			TEST(kept_text_comes_back_without_its_file),
			TEST(all_kept_texts_of_a_file_come_back),
			TEST(found_text_is_not_put_over_what_was_typed),
			TEST(changed_files_can_be_saved_on_leaving),
			TEST(kept_text_stays_with_its_file),
			TEST(kept_text_comes_back_with_the_session_of_its_file),
			TEST(a_changed_file_is_reported_beside_other_texts),
			TEST(what_is_typed_ahead_answers_nothing),
			TEST(the_last_session_is_opened_again),
			TEST(a_file_of_late_is_found_by_its_name),
			TEST(all_buffers_are_searched),
			TEST(the_first_of_two_has_the_session),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	snprintf(dir, sizeof dir, "/tmp/terrarium-editor-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/state", dir);
	return cmocka_run_group_tests(tests, NULL, remove_dir);
}
