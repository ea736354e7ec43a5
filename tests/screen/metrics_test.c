/* SPDX-License-Identifier: MIT */
/* The metrics on the real binary, with real code in real sandboxes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"
#include "support/namespaces.h"

static const char *program;
static struct screen s = {.fd = -1};
static char runtime_dir[64], runtime[96], state_home[96];
static pid_t other;

static void start(int rows, int cols, const char *const *more)
{
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, runtime, NULL};
	const char *argv[16] = {program, "--backend", "local", "--confirm", "off"};

	for (size_t i = 5; more && *more && i < 15; i++)
		argv[i] = *more++;
	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

static void run(const char *code)
{
	screen_send(&s, "\x01");
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

static bool has_groups(void)
{
	return screen_shows(&s, "cgroup");
}

static void to_metrics(void)
{
	screen_send(&s, KEY_F(6));
	screen_wait_quiet(&s, 50);
	screen_send(&s, KEY_F(6));
	screen_wait_quiet(&s, 50);
}

static void runs_are_marked(void **state)
{
	(void)state;
	start(36, 120, NULL);
	run("import time; b = bytearray(80 << 20); time.sleep(3)");
	screen_wait(&s, "✓");
	screen_wait(&s, "1━"); /* on the time axis */
	run("print('second')");
	screen_wait(&s, "│ second");
	to_metrics();
	screen_send(&s, "\033[D"); /* left: the newest run */
	screen_wait(&s, "│ [2] "); /* the pane; the output has its own headings */
	screen_send(&s, "\033[D");
	screen_wait(&s, "│ [1] ");
	screen_wait(&s, "cpu ");
	screen_send(&s, "\033"); /* back to now */
	screen_wait(&s, "NET  off");
	leave();
}

/* Where slirp4netns is, and can make its device. */
static bool can_have_network(void)
{
	return namespaces_work() && access("/usr/bin/slirp4netns", X_OK) == 0
	       && (geteuid() == 0 || access("/dev/net/tun", R_OK | W_OK) == 0);
}

static void a_network_is_shown(void **state)
{
	const char *more[] = {"--net", "on", "--net-allow", "10.1.0.0/16", "--confirm", "on", NULL};
	(void)state;
	if (!can_have_network())
		skip();
	start(40, 130, more);
	screen_wait(&s, " NET ");
	run("import socket; socket.socket(2, 2).sendto(b'x' * 3000, ('192.0.2.1', 9)); print('sent')");
	screen_wait(&s, "ON, but not to this machine; local: only 10.1.0.0/16");
	screen_send(&s, "\r");
	screen_wait(&s, "│ sent");
	screen_wait(&s, "NET  0.0"); /* counted, not off */
	leave();
}

static void a_process_is_signaled(void **state)
{
	(void)state;
	start(36, 120, NULL);
	run("import subprocess; print('code', subprocess.call(['sleep', '1000']))");
	screen_wait(&s, "sleep 1000");
	to_metrics();
	screen_send(&s, "n"); /* by name: python before sleep */
	screen_send(&s, "\033[F");
	screen_send(&s, "k");
	screen_wait(&s, "sleep 1000 ─");
	screen_send(&s, "\r");
	screen_wait(&s, "SIGTERM (15)");
	screen_send(&s, "s");
	screen_wait(&s, "│ code -15");
	leave();
}

static void the_tree_is_drawn(void **state)
{
	(void)state;
	start(36, 120, NULL);
	run("import subprocess, time; p = subprocess.Popen(['sleep', '1000']); time.sleep(60)");
	screen_wait(&s, "sleep 1000");
	to_metrics();
	screen_send(&s, "t");
	screen_wait(&s, "└─ sleep 1000");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	leave();
}

static void the_memory_limit_is_asked_about(void **state)
{
	static const char *const more[] = {"--memory", "128", NULL};
	(void)state;
	start(36, 120, more);
	screen_wait(&s, "MiB");
	if (!has_groups()) {
		leave();
		return;
	}
	screen_send(&s, "\x01");
	screen_send(&s, "import time; b = []\r");
	screen_send(&s, "while True: b.append(b'x' * (4 << 20)); time.sleep(0.02)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "of 128 MiB in use. Alt-I: interrupt");
	screen_send(&s, "\033i");
	screen_wait(&s, "interrupted; variables are kept");
	run("print('have', len(b) > 10)");
	screen_wait(&s, "│ have True");
	leave();
}

static void an_unanswered_question_ends_as_it_must(void **state)
{
	static const char *const more[] = {"--memory", "128", NULL};
	(void)state;
	start(36, 120, more);
	screen_wait(&s, "MiB");
	if (has_groups()) {
		run("b = bytearray(400 << 20)");
		screen_wait(&s, "out of memory at 128 of 128 MiB");
	}
	leave();
}

static void alerts_are_heard_as_chosen(void **state)
{
	static const char *const more[] = {"--alerts", "all", "--alert-run", "0.2", NULL};
	(void)state;
	start(36, 120, more);
	run("import time; time.sleep(0.4)");
	screen_wait(&s, "run 1 has ended after");
	assert_non_null(memmem(s.raw, s.raw_len, "\033]9;run 1 has ended after", 25));
	assert_non_null(memmem(s.raw, s.raw_len, "\a", 1));
	leave();
}

/* ---- the sandboxes of others ---- */

static void start_other(void)
{
	const char *env[] = {runtime, "PATH=/usr/bin:/bin", NULL};

	other = fork();
	if (!other) {
		execle(program, program, "run", "--yes", "--name", "other-one", "-c",
				"import time; time.sleep(600)", NULL, env);
		_exit(127);
	}
}

static void peer_runs_are_seen_and_stopped(void **state)
{
	int status;
	(void)state;
	start_other();
	start(36, 120, NULL);
	screen_send(&s, KEY_F(8));
	screen_wait(&s, "this workbench");
	screen_wait(&s, "other-one");
	screen_wait(&s, "terrarium run --yes");
	screen_send(&s, "n\033[H");
	screen_wait_quiet(&s, 50);
	screen_send(&s, "n\033[H\r");
	screen_wait(&s, "inside other-one");
	screen_wait(&s, "python kernel");
	screen_send(&s, "\033");
	screen_wait(&s, "Enter looks inside");
	screen_send(&s, "s");
	screen_wait(&s, "other-one, up ");
	screen_wait(&s, "Started by process");
	screen_send(&s, "s");
	screen_wait(&s, "sandboxes: 1");
	assert_int_equal(waitpid(other, &status, 0), other);
	other = 0;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
	screen_send(&s, "\033");
	screen_wait_gone(&s, "sandboxes: 1");
	run("print('still', 'here')");
	screen_wait(&s, "│ still here");
	leave();
}

/* ---- the monitor: metrics --watch ---- */

static void start_monitor(int rows, int cols, const char *term)
{
	const char *env[] = {term, "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", state_home, runtime, NULL};
	const char *argv[] = {program, "metrics", "--watch", "--interval", "0.2", NULL};

	screen_start(&s, rows, cols, argv, env);
}

static void wait_for_other(void)
{
	char command[400];

	snprintf(command, sizeof command, "XDG_RUNTIME_DIR='%s' %s metrics other-one >/dev/null 2>&1",
			runtime_dir, program);
	for (double from = screen_now_ms(); system(command) != 0;)
		assert_true(screen_now_ms() - from < SCREEN_DEADLINE_MS);
}

static void the_monitor_shows_one_sandbox(void **state)
{
	(void)state;
	start_other();
	wait_for_other();
	start_monitor(24, 80, "TERM=xterm-256color");
	screen_wait(&s, " other-one ");
	screen_wait(&s, "NET  off ");
	screen_wait(&s, "MEM ");
	screen_wait(&s, "CPU%▾");
	screen_wait(&s, "python");
	screen_send(&s, "m");
	screen_wait(&s, "MEM▾");
	screen_send(&s, "t");
	screen_wait(&s, "processes, tree");
	screen_resize(&s, 30, 110);
	screen_wait(&s, "│   PID");
	screen_resize(&s, 5, 20);
	screen_wait_quiet(&s, 50);
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0); /* it goes on */
}

static void the_monitor_tells_the_end(void **state)
{
	(void)state;
	start_other();
	wait_for_other();
	start_monitor(24, 80, "TERM=vt100");
	screen_wait(&s, "MEM ");
	kill(other, SIGTERM);
	screen_wait(&s, "terrarium: other-one: ");
	assert_int_equal(screen_end(&s), 0);
	assert_false(s.is_alternate);
}

static void signals_end_the_monitor(void **state)
{
	(void)state;
	start_other();
	wait_for_other();
	start_monitor(24, 80, "TERM=xterm-256color");
	screen_wait(&s, "python");
	kill(s.pid, SIGTERM);
	assert_int_equal(screen_end(&s), 128 + SIGTERM);
	start_monitor(24, 80, "TERM=xterm-256color");
	screen_wait(&s, "python");
	screen_send(&s, "\003");
	assert_int_equal(screen_end(&s), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(runtime_dir, sizeof runtime_dir, "/tmp/terrarium-test-XXXXXX");
	assert_non_null(mkdtemp(runtime_dir));
	snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", runtime_dir);
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/state", runtime_dir);
	return 0;
}

static int clean_up(void **state)
{
	char command[128];
	(void)state;
	screen_abandon(&s);
	if (other > 0) {
		kill(other, SIGTERM);
		waitpid(other, NULL, 0);
		other = 0;
	}
	snprintf(command, sizeof command, "rm -rf '%s'", runtime_dir);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(runs_are_marked),
			TEST(a_network_is_shown),
			TEST(a_process_is_signaled),
			TEST(the_tree_is_drawn),
			TEST(the_memory_limit_is_asked_about),
			TEST(an_unanswered_question_ends_as_it_must),
			TEST(alerts_are_heard_as_chosen),
			TEST(peer_runs_are_seen_and_stopped),
			TEST(the_monitor_shows_one_sandbox),
			TEST(the_monitor_tells_the_end),
			TEST(signals_end_the_monitor),
	};

	if (argc < 2)
		return 2;
	program = argv[1];
	if (!screen_has_sandboxes(program))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
