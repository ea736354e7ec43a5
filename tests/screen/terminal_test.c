/* SPDX-License-Identifier: MIT */
/* Terminals of all kinds, and that each is given back as it was. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};

static void start(const char *const *env)
{
	const char *argv[] = {program, "--backend", backend, NULL};

	screen_start(&s, 24, 80, argv, env);
	screen_wait(&s, " Quit");
}

/* The terminal as a shell wants to find it. */
static void assert_restored(void)
{
	struct termios t;

	screen_wait_quiet(&s, 0);
	assert_false(s.is_alternate);
	assert_false(s.has_mouse);
	assert_true(s.has_cursor);
	if (s.fd >= 0 && tcgetattr(s.fd, &t) == 0) {
		assert_true(t.c_lflag & ICANON);
		assert_true(t.c_lflag & ECHO);
	}
}

static void is_left_sane(void **state)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};
	static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		start(env);
		screen_wait(&s, "idle");
		assert_true(s.is_alternate);
		kill(s.pid, signals[i]);
		double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
		while (s.is_alternate && screen_now_ms() < deadline)
			screen_wait_quiet(&s, 20);
		assert_restored();
		assert_int_equal(screen_end(&s), 128 + signals[i]);
	}
	start(env);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(10));
	assert_int_equal(screen_end(&s), 0);
}

/* A shell with job control, which starts the workbench, says when it is back, and continues it after
 * Enter, twice. */
static void start_as_job(void)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};
	const char *argv[] = {"/bin/sh", "-c",
			"set -m; \"$0\" --backend \"$1\"; "
			"for i in 1 2; do echo back the $i. time; read -r x; fg >/dev/null; done",
			program, backend, NULL};

	screen_start(&s, 24, 80, argv, env);
	screen_wait(&s, " Quit");
	screen_wait(&s, "idle");
}

static void continue_job(const char *shell_says)
{
	screen_wait(&s, shell_says);
	assert_restored();
	screen_send(&s, "\r");
	screen_wait(&s, "F1 Help");
	assert_true(s.is_alternate);
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	while (!s.has_mouse && screen_now_ms() < deadline)
		screen_wait_quiet(&s, 20);
	assert_true(s.has_mouse);
	assert_false(screen_shows(&s, shell_says));
}

static void is_left_and_taken_again(void **state)
{
	(void)state;
	start_as_job();
	screen_send(&s, "\x10");
	screen_wait(&s, "Commands");
	screen_send(&s, "suspend");
	screen_wait(&s, "go back to the shell");
	screen_send(&s, "\r");
	continue_job("back the 1. time");
	screen_send(&s, "typed");
	screen_wait(&s, "1 typed");
	kill(-tcgetpgrp(s.fd), SIGTSTP);
	continue_job("back the 2. time");
	screen_wait(&s, "1 typed");
	assert_int_equal(screen_leave(&s), 0);
}

/* Where this program is all that the terminal runs, nobody could continue it. */
static void goes_on_where_there_is_no_shell(void **state)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};

	(void)state;
	start(env);
	screen_wait(&s, "idle");
	screen_send(&s, "\x10");
	screen_wait(&s, "Commands");
	screen_send(&s, "suspend\r");
	screen_wait(&s, "no shell could continue");
	kill(s.pid, SIGTSTP);
	screen_send(&s, "typed");
	screen_wait(&s, "1 typed");
	assert_int_equal(screen_leave(&s), 0);
}

static void works_without_utf8(void **state)
{
	static const char *const env[] = {"TERM=xterm", "LC_ALL=C", NULL};

	(void)state;
	start(env);
	screen_wait(&s, "+- terrarium -- python v");
	screen_send(&s, "print plain");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Run once");
	screen_send(&s, "\r");
	screen_wait(&s, "| plain ");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "You will lose");
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
}

static void works_on_old_terminals(void **state)
{
	static const char *const vt100[] = {"TERM=vt100", "LANG=C.UTF-8", NULL};
	static const char *const linux_console[] = {"TERM=linux", "LANG=C.UTF-8", NULL};
	static const char *const no_color[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "NO_COLOR=1", NULL};
	static const char *const tmux[] = {"TERM=tmux-256color", "LANG=C.UTF-8", NULL};
	static const char *const *const envs[] = {vt100, linux_console, no_color, tmux};

	(void)state;
	for (size_t i = 0; i < sizeof envs / sizeof *envs; i++) {
		start(envs[i]);
		screen_wait(&s, "idle");
		screen_send(&s, "\x11");
		assert_int_equal(screen_end(&s), 0);
	}
}

/* Where there is no alternate screen, the prompt comes below what was painted, however we leave. */
static void leaves_the_prompt_below(void **state)
{
	static const char *const env[] = {"TERM=vt100", "LANG=C.UTF-8", NULL};
	static const int signals[] = {0, SIGTERM, SIGSEGV};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		VTermPos at;
		start(env);
		screen_wait(&s, "idle");
		screen_resize(&s, 20, 70);
		screen_wait_quiet(&s, 100);
		screen_send(&s, signals[i] ? "" : "\x11");
		if (signals[i])
			kill(s.pid, signals[i]);
		double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
		while (s.has_mouse && screen_now_ms() < deadline)
			screen_wait_quiet(&s, 20);
		screen_wait_quiet(&s, 50);
		vterm_state_get_cursorpos(vterm_obtain_state(s.vt), &at);
		assert_int_equal(at.row, 19);
		assert_int_equal(at.col, 0);
		assert_non_null(strstr(screen_text(&s), "Quit\n\n"));
		assert_int_equal(screen_end(&s), signals[i] ? 128 + signals[i] : 0);
	}
}

static void no_color_means_none(void **state)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "NO_COLOR=1", NULL};

	(void)state;
	start(env);
	screen_wait_quiet(&s, 100);
	assert_null(memmem(s.raw, s.raw_len, "[38;", 4));
	assert_null(memmem(s.raw, s.raw_len, "[48;", 4));
	screen_send(&s, "\x11");
	assert_int_equal(screen_end(&s), 0);
}

static void refuses_what_is_no_terminal(void **state)
{
	/* libtinfo itself leaks a little when it does not know the terminal. */
	static const char *const unknown[] = {
			"TERM=no-such-terminal", "LANG=C.UTF-8", "ASAN_OPTIONS=detect_leaks=0", NULL};
	const char *argv[] = {program, "--backend", backend, NULL};

	(void)state;
	screen_start(&s, 24, 80, argv, unknown);
	screen_wait(&s, "terrarium: ");
	assert_int_equal(screen_end(&s), 125);
}

static void a_dumb_terminal_gets_lines(void **state)
{
	static const char *const dumb[] = {"TERM=dumb", "LANG=C.UTF-8", "XDG_STATE_HOME=/dev/null", NULL};
	const char *argv[] = {program, "--backend", backend, NULL};

	(void)state;
	screen_start(&s, 24, 100, argv, dumb);
	screen_wait(&s, "linear mode");
	screen_wait(&s, "is ready");
	screen_send(&s, "print hello\r:run\r");
	screen_wait(&s, "question: Run this code?");
	screen_wait(&s, "answer>");
	screen_send(&s, "r\r");
	screen_wait(&s, "run 1, python: ok");
	screen_send(&s, "loop\r:run\rr\r");
	screen_wait(&s, "run 2, python: running");
	screen_send(&s, "\x03");
	screen_wait(&s, "run 2, python: interrupted");
	assert_null(memchr(s.raw, '\033', s.raw_len));
	screen_send(&s, "\x04"); /* ^D */
	screen_wait(&s, "You will lose");
	screen_send(&s, "q\r");
	screen_wait(&s, "unsaved text cannot be kept: Not a directory");
	screen_send(&s, "d\r"); /* discards it */
	assert_int_equal(screen_end(&s), 0);
}

static void a_hangup_ends_it(void **state)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};

	(void)state;
	start(env);
	screen_wait(&s, "idle");
	close(s.fd);
	s.fd = -1;
	assert_int_equal(screen_end(&s), 128 + SIGHUP);
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
			TEST(is_left_sane),
			TEST(is_left_and_taken_again),
			TEST(goes_on_where_there_is_no_shell),
			TEST(works_without_utf8),
			TEST(works_on_old_terminals),
			TEST(leaves_the_prompt_below),
			TEST(no_color_means_none),
			TEST(refuses_what_is_no_terminal),
			TEST(a_dumb_terminal_gets_lines),
			TEST(a_hangup_ends_it),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
