/* SPDX-License-Identifier: MIT */
/* Another program in the workbench's sandbox: what it runs is seen, stopped and answered here. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
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

static char runtime_dir[] = "/tmp/terrarium-screen-XXXXXX", runtime_env[80];
static const char *const env[] = {
		"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", runtime_env, NULL};

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
	char *const argv[] = {(char *)other, (char *)"client", name, (char *)"python", (char *)code,
			(char *)"60000", NULL};

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
	assert_int_equal(screen_leave(&s), 0);
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

static void who_is_attached_is_in_sight(void **state)
{
	char words[80];

	(void)state;
	start();
	assert_false(screen_shows(&s, "clients"));
	run_elsewhere("1");
	screen_wait(&s, " 2 clients ");
	snprintf(words, sizeof words, "this one; peer, pid %ld", (long)client);
	screen_wait(&s, words);
	end_client();
	screen_wait_gone(&s, "2 clients");
	screen_wait_gone(&s, words);
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
	screen_wait(&s, "running (other client)");
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
	screen_wait(&s, "running (other client)");
	end_client();
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "got Ada");
	screen_wait(&s, "idle");
	leave();
}

/* What is run in another sandbox is seen by looking into it. */
static void a_look_inside_shows_runs(void **state)
{
	char *const argv[] = {(char *)program, (char *)"run", (char *)"--yes", (char *)"--name",
			(char *)"a-elsewhere", (char *)"-c",
			(char *)"import time\nprint('before', 'you', flush=True)\nfor i in range(200):\n"
				"    time.sleep(0.2)\n    print('tick', i, flush=True)",
			NULL};
	posix_spawn_file_actions_t quiet;
	(void)state;
	start();
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&client, program, &quiet, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&quiet);
	screen_send(&s, KEY_F(8));
	screen_wait(&s, "a-elsewhere");
	screen_send(&s, "\033[H"); /* the first by name is it */
	screen_send(&s, "\r");
	screen_wait(&s, "inside a-elsewhere");
	screen_wait(&s, "terrarium run, pid");
	screen_wait(&s, "before you");
	screen_wait(&s, "tick 3");
	screen_send(&s, "\033");
	screen_wait_gone(&s, "inside a-");
	screen_send(&s, "\033");
	kill(client, SIGTERM);
	waitpid(client, NULL, 0);
	client = 0;
	leave();
}

/* Looking into a sandbox adds no client, not even for the own one. */
static void a_look_inside_does_not_count(void **state)
{
	(void)state;
	start();
	screen_send(&s, "print('be' 'fore')");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "before");
	screen_send(&s, KEY_F(8));
	screen_wait(&s, " sandboxes: 1 ");
	screen_wait(&s, name);
	screen_send(&s, "\033[H\r");
	screen_wait(&s, " inside ");
	screen_wait(&s, "terrarium workbench"); /* the run has come by the second connection */
	screen_wait(&s, "python kernel");
	assert_false(screen_shows(&s, "2 clients"));
	screen_send(&s, "\033");
	screen_wait(&s, " sandboxes: 1 ");
	screen_send(&s, "\033");
	screen_wait(&s, "[1] python");
	assert_false(screen_shows(&s, "2 clients"));
	leave();
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
			TEST(who_is_attached_is_in_sight),
			TEST(it_can_be_stopped_here),
			TEST(a_run_of_ours_waits),
			TEST(its_question_is_answered_here_when_it_is_gone),
			TEST(a_look_inside_shows_runs),
			TEST(a_look_inside_does_not_count),
	};

	if (argc < 4)
		return 2;
	program = argv[1];
	backend = argv[2];
	other = argv[3];
	if (!screen_has_sandboxes(program))
		return 77;
	/* No sandboxes but the test's are to be seen. */
	if (!mkdtemp(runtime_dir) || setenv("XDG_RUNTIME_DIR", runtime_dir, 1) < 0)
		return 1;
	snprintf(runtime_env, sizeof runtime_env, "XDG_RUNTIME_DIR=%s", runtime_dir);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[120];
	snprintf(command, sizeof command, "rm -r '%s'", runtime_dir);
	return system(command) == 0 ? failed : 1;
}
