/* SPDX-License-Identifier: MIT */
/* Another program in the workbench's sandbox: what it runs is seen, stopped and answered here. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

extern char **environ;

static const char *program, *backend, *other;
static struct screen s = {.fd = -1};
static char name[40];
static pid_t client;

static const char *const env[] = {
		"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};

static void start(void)
{
	static unsigned count;
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", "--name", name, NULL};

	snprintf(name, sizeof name, "screen-%ld-%u", (long)getpid(), ++count);
	screen_start(&s, 24, 100, argv, env);
	screen_wait(&s, "idle");
}

/* A program that attaches, runs this, and stays. */
static void run_elsewhere(const char *code)
{
	char *const argv[] = {(char *)other, (char *)"client", name, (char *)"python", (char *)code, NULL};

	assert_int_equal(posix_spawn(&client, other, NULL, NULL, argv, environ), 0);
}

static void end_client(void)
{
	if (client)
		kill(client, SIGKILL);
	if (client)
		waitpid(client, NULL, 0);
	client = 0;
}

static void leave(void)
{
	end_client();
	screen_send(&s, KEY_F(10));
	screen_settle(&s, 50);
	if (screen_shows(&s, "will be lost"))
		screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
}

static void its_run_is_a_block(void **state)
{
	(void)state;
	start();
	run_elsewhere("print('from', 'afar'); 40 + 2");
	screen_wait(&s, "from afar");
	screen_wait(&s, "✓");
	assert_true(screen_shows(&s, "[1] python"));
	assert_true(screen_shows(&s, "peer, pid"));
	assert_true(screen_shows(&s, "42"));
	/* The next is ours, and one number higher. */
	screen_send(&s, "print('and ' 'here')");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "and here");
	screen_wait(&s, "[2] python");
	leave();
}

static void it_can_be_stopped_here(void **state)
{
	(void)state;
	start();
	screen_send(&s, "x = 7");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	run_elsewhere("print('be', 'gun', flush=True)\nwhile True: pass");
	screen_wait(&s, "be gun");
	screen_wait(&s, "in use");
	screen_wait(&s, "runs: print('be', 'gun', flush=True)");
	screen_send(&s, "\x03");
	screen_wait(&s, "Interrupt another program's run?");
	screen_send(&s, "i");
	screen_wait(&s, "interrupted; variables are kept");
	screen_wait(&s, "idle");
	leave();
}

static void a_run_of_ours_waits(void **state)
{
	(void)state;
	start();
	run_elsewhere("import time\nprint('slow', 'one', flush=True)\ntime.sleep(1)\nprint('over', 'now')");
	screen_wait(&s, "slow one");
	screen_send(&s, "print('after ' 'it')");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "waiting: peer, pid");
	screen_wait(&s, "over now");
	screen_wait(&s, "after it");
	screen_wait(&s, "idle");
	leave();
}

static void its_question_is_answered_here_when_it_is_gone(void **state)
{
	(void)state;
	start();
	run_elsewhere("print('got', input('your name? '))");
	screen_wait(&s, "your name?");
	screen_wait(&s, "in use");
	end_client();
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "got Ada");
	screen_wait(&s, "idle");
	leave();
}

/* A sandbox can be had here at all. */
static bool is_available(void)
{
	pid_t pid;
	int status = 0;
	char *const argv[] = {(char *)program, (char *)"exec", (char *)"--", (char *)"true", NULL};

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0)
		return false;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int clean_up(void **state)
{
	(void)state;
	end_client();
	screen_abandon(&s);
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(its_run_is_a_block),
			TEST(it_can_be_stopped_here),
			TEST(a_run_of_ours_waits),
			TEST(its_question_is_answered_here_when_it_is_gone),
	};

	if (argc < 4)
		return 2;
	program = argv[1];
	backend = argv[2];
	other = argv[3];
	if (!is_available())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
