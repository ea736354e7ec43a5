/* SPDX-License-Identifier: MIT */
/* Recording, replay, export and import, as a person does them. */
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
static char dir[64], home[100], recording[100];

static void start(const char *const *args)
{
	const char *argv[16] = {program, "--backend", backend, "--confirm", "off"};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", home, "XDG_CONFIG_HOME=/dev/null", NULL};
	int n = 5;

	while (*args)
		argv[n++] = *args++;
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

static void replay(void)
{
	const char *argv[] = {program, "replay", recording, NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/dev/null", NULL};

	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "Next run");
}

static void record_two_runs(void)
{
	start((const char *const[]){"--record", recording, NULL});
	screen_wait(&s, "REC");
	screen_send(&s, "print one\rsleep 500");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓  print one");
	screen_send(&s, "\x01");
	screen_send(&s, "ask who?");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "got Ada");
}

static void a_recording_is_shown_again(void **state)
{
	struct stat st;

	(void)state;
	record_two_runs();
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(stat(recording, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	replay();
	screen_wait(&s, "▶"); /* plays to its end by itself */
	screen_wait(&s, "got Ada");
	screen_wait(&s, "‖");
	screen_wait(&s, "run 2 of 2");
	screen_send(&s, "\x1b[H"); /* Home */
	screen_wait(&s, "run 0 of 2");
	screen_wait_gone(&s, "got Ada");
	screen_send(&s, "]");
	screen_wait(&s, "run 1 of 2");
	screen_wait(&s, "print one");
	screen_send(&s, "x");
	screen_wait(&s, "this is a recording");
	screen_send(&s, "\x1b[<0;96;36M\x1b[<0;96;36m"); /* a click on the time bar, near its end */
	screen_wait(&s, "got Ada");
	screen_send(&s, "\x1b[H+");
	screen_wait(&s, "x2");
	screen_wait(&s, "run 0 of 2");
	screen_send(&s, " ");
	screen_wait(&s, "got Ada");
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
}

static void a_killed_recording_is_shown(void **state)
{
	(void)state;
	record_two_runs();
	kill(s.pid, SIGKILL);
	screen_end(&s);
	replay();
	screen_send(&s, "\x1b[F");
	screen_wait(&s, "got Ada");
	screen_wait(&s, "(cut)");
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
}

/* In the path's field: what stands there is replaced. */
static void type_path(const char *name)
{
	char keys[200] = "";

	for (int i = 0; i < 20; i++)
		strcat(keys, "\x7f");
	screen_send(&s, keys);
	snprintf(keys, sizeof keys, "%s/%s\r", dir, name);
	screen_send(&s, keys);
}

static void a_session_is_exported_and_opened(void **state)
{
	char path[200];

	(void)state;
	start((const char *const[]){NULL});
	screen_send(&s, "print one");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "[1] python");
	screen_send(&s, "\x1b"
			"e"); /* Alt-e */
	screen_wait(&s, "Export as a notebook");
	type_path("out.ipynb");
	screen_wait(&s, "exported 1 run to");
	screen_send(&s, "\x1b"
			"e");
	screen_wait(&s, "Export as a notebook");
	type_path("out.xyz");
	screen_wait(&s, "let it end with");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Export as");
	screen_send(&s, "\x0f"); /* ^O */
	screen_wait(&s, "Open a file");
	type_path("out.ipynb");
	screen_wait(&s, "out.ipynb: 1 cell");
	screen_wait(&s, "# %%");
	screen_leave(&s);
	snprintf(path, sizeof path, "%s/out.ipynb", dir);
	assert_int_equal(access(path, R_OK), 0);
}

static void a_file_is_shown_cell_by_cell(void **state)
{
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", home, "XDG_CONFIG_HOME=/dev/null", NULL};
	char path[200];
	const char *argv[] = {program, "demo", "--backend", backend, path, NULL};

	(void)state;
	snprintf(path, sizeof path, "%s/show.py", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("# %% The first\nprint one\n# %% The second\nprint two\n", f);
	fclose(f);
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "Run the cells of this file?");
	screen_send(&s, "\r");
	screen_wait(&s, "The first");
	screen_wait(&s, "Space: run this cell");
	screen_send(&s, " ");
	screen_wait(&s, "│ one ");
	screen_wait(&s, "Space: next cell");
	screen_send(&s, "\x1b[6~"); /* PgDn */
	screen_wait(&s, "The second");
	screen_send(&s, "\x1b[6~");
	screen_wait(&s, "│ two ");
	screen_send(&s, "\x1b[5~"); /* PgUp */
	screen_wait(&s, "The first");
	screen_send(&s, "\x1b");
	screen_wait(&s, "python: show.py");
	assert_int_equal(screen_leave(&s), 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/terrarium-record-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(home, sizeof home, "XDG_STATE_HOME=%s", dir);
	snprintf(recording, sizeof recording, "%s/a.trec", dir);
	return 0;
}

static int clean_up(void **state)
{
	char command[120];

	(void)state;
	screen_abandon(&s);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(a_recording_is_shown_again),
			TEST(a_killed_recording_is_shown),
			TEST(a_session_is_exported_and_opened),
			TEST(a_file_is_shown_cell_by_cell),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
