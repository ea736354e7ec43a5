/* SPDX-License-Identifier: MIT */
/* The workbench with real interpreters in a real sandbox, from the first key to an empty machine. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};

static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=/nonexistent", NULL};

static void start(int rows, int cols)
{
	const char *argv[] = {program, "--backend", "local", NULL};

	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

/* The first run, with the question answered once and for all. */
static void run_first(const char *code)
{
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "a");
}

static void run_next(const char *code)
{
	screen_send(&s, "\x01");
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
}

/* We are the subreaper: whatever the workbench leaves running becomes our child. */
static void leave(void)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	pid_t pid;

	assert_int_equal(screen_leave(&s), 0);
	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && screen_now_ms() < deadline)
		if (pid == 0)
			usleep(10000);
	assert_true(pid < 0);
}

static void variables_persist(void **state)
{
	(void)state;
	start(36, 120);
	run_first("x = 41 + 1");
	screen_wait(&s, "[1] python");
	screen_wait(&s, "✓");
	run_next("print('x is', x)");
	screen_wait(&s, "│ x is 42 ");
	leave();
}

static void languages_share_files(void **state)
{
	(void)state;
	start(36, 120);
	run_first("open('note.txt', 'w').write('from python')");
	screen_wait(&s, "│ 11 ");
	screen_send(&s, KEY_F(2));
	screen_wait(&s, "Language ─");
	screen_send(&s, "b\r");
	screen_wait(&s, " bash ▾");
	screen_send(&s, "cat note.txt; echo");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ from python ");
	screen_send(&s, KEY_F(2));
	screen_wait(&s, "Language ─");
	screen_send(&s, "jj\r");
	screen_wait(&s, " javascript ▾");
	screen_send(&s, "require('fs').readFileSync('note.txt', 'utf8').length * 100");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ 1100 ");
	leave();
}

static void an_endless_loop_is_interrupted(void **state)
{
	(void)state;
	start(36, 120);
	run_first("y = 'kept'");
	screen_wait(&s, "✓");
	run_next("while True: pass");
	screen_wait(&s, "running");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	run_next("print(y)");
	screen_wait(&s, "│ kept ");
	leave();
}

static void a_flood_is_interrupted(void **state)
{
	(void)state;
	start(36, 120);
	run_first("while True: print('x' * 99)");
	screen_wait(&s, "xxxxxxxxxx");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	screen_wait(&s, "● idle");
	leave();
}

static void input_is_read(void **state)
{
	(void)state;
	start(36, 120);
	run_first("print('hi', input('who? '))");
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "│ hi Ada ");
	leave();
}

static void metrics_are_live(void **state)
{
	(void)state;
	start(36, 120);
	screen_wait(&s, "MiB");
	screen_wait(&s, "python kernel");
	run_first("b = bytearray(100 << 20)\nwhile True: pass");
	screen_wait(&s, "⣿⣿"); /* the graph has risen */
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	leave();
}

static void a_folder_lists_its_files(void **state)
{
	char folder[] = "/tmp/terrarium-folder-XXXXXX", path[64];
	const char *argv[] = {program, "--backend", "local", folder, NULL};

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/notes.py", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("seven = 3 + 4\n", f);
	fclose(f);
	screen_start(&s, 24, 80, argv, env);
	screen_wait(&s, "Go to a file");
	screen_wait(&s, "notes.py");
	screen_send(&s, "not\r");
	screen_wait(&s, "seven = 3 + 4");
	leave();
	unlink(path);
	rmdir(folder);
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
			TEST(variables_persist),
			TEST(languages_share_files),
			TEST(an_endless_loop_is_interrupted),
			TEST(a_flood_is_interrupted),
			TEST(input_is_read),
			TEST(metrics_are_live),
			TEST(a_folder_lists_its_files),
	};

	if (argc < 2)
		return 2;
	program = argv[1];
	if (!screen_has_sandboxes(program))
		return 77;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
