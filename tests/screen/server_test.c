/* SPDX-License-Identifier: MIT */
/* The workbench, the REPL and exec in sandboxes of a server: as in those of this machine; and the workbench
 * as the place from which a server's sandboxes are watched. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

extern char **environ;

static const char *program;
static struct screen s = {.fd = -1};
static pid_t server;
static unsigned short port;

static char dir[] = "/tmp/terrarium-screen-XXXXXX", runtime_env[80], url_env[80];
static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
		runtime_env, url_env, NULL};

/* ---- the server ---- */

static void start_server(void **state)
{
	char *const argv[] = {(char *)program, (char *)"serve", (char *)"--dev", (char *)"--port",
			(char *)"0", (char *)"--namespace-dir", dir, NULL};
	posix_spawn_file_actions_t to_pipe;
	int ends[2];
	char words[512];
	size_t n = 0;
	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&to_pipe);
	posix_spawn_file_actions_adddup2(&to_pipe, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&to_pipe, ends[1], STDERR_FILENO);
	assert_int_equal(posix_spawn(&server, program, &to_pipe, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&to_pipe);
	close(ends[1]);
	/* It says where it is, or ends. */
	for (const char *at = NULL; !at || sscanf(at, "http://127.0.0.1:%hu", &port) != 1;) {
		ssize_t got = read(ends[0], words + n, sizeof words - 1 - n);
		if (got <= 0)
			fail_msg("the server does not start: %.*s", (int)n, words);
		n += (size_t)got;
		words[n] = '\0';
		at = strstr(words, "http://");
	}
	close(ends[0]);
	snprintf(url_env, sizeof url_env, "MSB_SERVER_URL=http://127.0.0.1:%hu", port);
}

static int stop_server(void)
{
	int status = 0;
	if (!server)
		return 0;
	kill(server, SIGINT);
	waitpid(server, &status, 0);
	server = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What the server answers to a call of a method, whole. */
static const char *call(const char *method, const char *params)
{
	static char answer[65536];
	char body[2048], head[256];
	size_t n = 0;
	ssize_t got;
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
	int len = snprintf(body, sizeof body,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
	int head_len = snprintf(head, sizeof head,
			"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			len);
	assert_int_equal(write(fd, head, (size_t)head_len), head_len);
	assert_int_equal(write(fd, body, (size_t)len), len);
	while (n < sizeof answer - 1 && (got = read(fd, answer + n, sizeof answer - 1 - n)) > 0)
		n += (size_t)got;
	answer[n] = '\0';
	close(fd);
	return answer;
}

/* ---- at a server ---- */

static void start(const char *command)
{
	const char *argv[] = {program, command, "--backend", "microsandbox", "--confirm", "off", "--images",
			"symbols", NULL};
	if (!command)
		memmove(&argv[1], &argv[2], sizeof argv - 2 * sizeof *argv);
	screen_start(&s, 30, 100, argv, env);
}

static void run(const char *code)
{
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

static void runs_are_reported_as_they_go(void **state)
{
	start_server(state);
	start(NULL);
	screen_wait(&s, "idle");
	run("import time; print('fir' 'st', flush=True); time.sleep(3); print('sec' 'ond')");
	screen_wait(&s, "first");
	assert_false(screen_shows(&s, "second"));
	screen_wait(&s, "second");
	screen_wait(&s, "✓");
	leave();
	assert_int_equal(stop_server(), 0);
}

static void code_may_ask(void **state)
{
	start_server(state);
	start(NULL);
	screen_wait(&s, "idle");
	run("print('got', input('your name? '))");
	screen_wait(&s, "waiting for input");
	screen_send(&s, "Ada\r");
	screen_wait(&s, "got Ada");
	screen_wait(&s, "idle");
	leave();
	assert_int_equal(stop_server(), 0);
}

static void a_loop_is_interrupted_at_once(void **state)
{
	start_server(state);
	start(NULL);
	screen_wait(&s, "idle");
	run("kept = 'st' 'ate'; print('go' 'es', flush=True)\nwhile True: pass");
	screen_wait(&s, "goes");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted; variables are kept");
	screen_wait(&s, "idle");
	leave();
	assert_int_equal(stop_server(), 0);
}

static void a_flood_does_not_hold_the_keys_up(void **state)
{
	start_server(state);
	start(NULL);
	screen_wait(&s, "idle");
	run("for i in range(200000): print('%0200d' % i)");
	screen_wait(&s, "running");
	screen_send(&s, KEY_F(1)); /* help opens while it comes in */
	screen_wait(&s, "Help");
	screen_send(&s, "\033");
	screen_wait(&s, "✓");
	screen_wait(&s, "199999");
	leave();
	assert_int_equal(stop_server(), 0);
}

static void things_are_shown(void **state)
{
	start_server(state);
	start(NULL);
	screen_wait(&s, "idle");
	run("class T:\n_repr_html_ = lambda self: '<b>bo' + 'ld</b>'\n\bT()");
	screen_wait(&s, "bold");
	assert_false(screen_shows(&s, "<b>bold"));
	leave();
	assert_int_equal(stop_server(), 0);
}

static void the_repl_completes_and_switches(void **state)
{
	start_server(state);
	start("repl");
	screen_wait(&s, "[1]>");
	screen_send(&s, "import math\r");
	screen_wait(&s, "[2]>");
	screen_send(&s, "math.facto\t");
	screen_wait(&s, "math.factorial");
	screen_send(&s, "(5)\r");
	screen_wait(&s, "120");
	screen_send(&s, ":lang javascript\r");
	screen_wait(&s, "javascript ");
	screen_send(&s, "let a = 20; a + 22\r");
	screen_wait(&s, "42");
	screen_send(&s, ":lang python\r");
	screen_wait(&s, "python ");
	screen_send(&s, "while True: pass\r\r");
	screen_wait(&s, "pass");
	screen_wait_quiet(&s, 300);
	screen_send(&s, "\x03");
	screen_wait(&s, "KeyboardInterrupt");
	screen_send(&s, "!tty\r");
	screen_wait(&s, "/dev/pts/");
	screen_wait_quiet(&s, 500); /* what is typed while it still runs is the command's */
	screen_send(&s, "\x04");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(stop_server(), 0);
}

static void a_command_has_a_terminal(void **state)
{
	const char *argv[] = {program, "exec", "--backend", "microsandbox", "--", "sh", "-c",
			"stty size; read x; echo got $x; exit 7", NULL};
	start_server(state);
	screen_start(&s, 30, 100, argv, env);
	screen_wait(&s, "30 100");
	screen_send(&s, "line\r");
	screen_wait(&s, "got line");
	assert_int_equal(screen_end(&s), 7);
	assert_int_equal(stop_server(), 0);
}

/* ---- a server's sandboxes from outside ---- */

static void all_namespaces_are_seen(void **state)
{
	const char *argv[] = {program, "--confirm", "off", NULL};
	start_server(state);
	assert_non_null(strstr(
			call("sandbox.start",
					"{\"sandbox\":\"one\",\"config\":{\"image\":\"microsandbox/python\"}}"),
			"started successfully"));
	assert_non_null(strstr(call("sandbox.start", "{\"sandbox\":\"two\",\"namespace\":\"team\",\"config\":"
						     "{\"image\":\"microsandbox/node\"}}"),
			"started successfully"));
	screen_start(&s, 30, 100, argv, env);
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(8));
	screen_wait(&s, "default.one");
	screen_wait(&s, "team.two");
	assert_non_null(strstr(
			call("sandbox.stop", "{\"sandbox\":\"two\",\"namespace\":\"team\"}"), "stopped"));
	screen_wait_gone(&s, "team.two");
	screen_send(&s, "\033");
	leave();
	assert_int_equal(stop_server(), 0);
}

static void its_runs_are_watched(void **state)
{
	const char *argv[] = {program, "attach", "default.one", "--confirm", "off", NULL};
	start_server(state);
	assert_non_null(strstr(
			call("sandbox.start",
					"{\"sandbox\":\"one\",\"config\":{\"image\":\"terrarium/all\"}}"),
			"started successfully"));
	screen_start(&s, 30, 100, argv, env);
	screen_wait(&s, "idle");
	call("sandbox.repl.run",
			"{\"sandbox\":\"one\",\"language\":\"python\",\"code\":\"y = 41; print('from', 'afar')\"}");
	screen_wait(&s, "from afar");
	screen_wait(&s, "terrarium serve, pid");
	screen_wait(&s, "python kernel"); /* its processes, live */
	/* The state is one. */
	run("print('and', y + 1)");
	screen_wait(&s, "and 42");
	assert_non_null(strstr(call("sandbox.stop", "{\"sandbox\":\"one\"}"), "stopped"));
	screen_wait(&s, "stopped");
	screen_send(&s, KEY_F(10));
	screen_wait_quiet(&s, 50);
	screen_send(&s, "q");
	screen_end(&s);
	assert_int_equal(stop_server(), 0);
}

/* One that the server's clients run beside, and one that had begun before anybody looked. */
static void its_commands_are_watched(void **state)
{
	const char *argv[] = {program, "attach", "default.one", "--confirm", "off", NULL};
	char stopped[64];
	start_server(state);
	assert_non_null(strstr(
			call("sandbox.start",
					"{\"sandbox\":\"one\",\"config\":{\"image\":\"terrarium/all\"}}"),
			"started successfully"));
	pid_t early = fork();
	if (!early) {
		call("sandbox.command.run", "{\"sandbox\":\"one\",\"command\":\"sh\",\"args\":[\"-c\","
					    "\"while :; do echo st'i'll there; sleep 0.1; done\"]}");
		_exit(0);
	}
	screen_start(&s, 30, 100, argv, env);
	screen_wait(&s, "still there");
	screen_wait(&s, "command  running");
	screen_wait(&s, "terrarium serve runs: sh -c");
	call("sandbox.command.run", "{\"sandbox\":\"one\",\"command\":\"sh\",\"args\":[\"-c\","
				    "\"echo it is $((6*7)); exit 3\"]}");
	screen_wait(&s, "it is 42");
	screen_wait(&s, "exit 3");
	/* It may be stopped from here. */
	screen_send(&s, "\x03");
	screen_wait(&s, "Interrupt another program's run?");
	screen_send(&s, "i");
	assert_int_equal(waitpid(early, NULL, 0), early);
	screen_wait(&s, "idle");
	snprintf(stopped, sizeof stopped, "%s", call("sandbox.stop", "{\"sandbox\":\"one\"}"));
	screen_wait(&s, "stopped");
	screen_send(&s, KEY_F(10));
	screen_wait_quiet(&s, 50);
	screen_send(&s, "q");
	screen_end(&s);
	assert_int_equal(stop_server(), 0);
}

static void its_figures_are_a_screen(void **state)
{
	const char *argv[] = {program, "metrics", "one", "--watch", "--backend", "microsandbox", NULL};
	start_server(state);
	assert_non_null(strstr(
			call("sandbox.start",
					"{\"sandbox\":\"one\",\"config\":{\"image\":\"microsandbox/python\"}}"),
			"started successfully"));
	call("sandbox.repl.run", "{\"sandbox\":\"one\",\"language\":\"python\",\"code\":\"1\"}");
	screen_start(&s, 30, 100, argv, env);
	screen_wait(&s, "python kernel");
	screen_wait(&s, "t tree");
	screen_wait_gone(&s, "up n/a");
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(stop_server(), 0);
}

/* ---- */

static bool has_microhttpd(void)
{
	if (access("/usr/lib/x86_64-linux-gnu/libmicrohttpd.so.12", F_OK) == 0
			|| access("/usr/lib/aarch64-linux-gnu/libmicrohttpd.so.12", F_OK) == 0)
		return true;
	printf("SKIP: no libmicrohttpd on this machine\n");
	return false;
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	stop_server();
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *walk)
{
	(void)st;
	(void)flag;
	(void)walk;
	return remove(path);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(runs_are_reported_as_they_go),
			TEST(code_may_ask),
			TEST(a_loop_is_interrupted_at_once),
			TEST(a_flood_does_not_hold_the_keys_up),
			TEST(things_are_shown),
			TEST(the_repl_completes_and_switches),
			TEST(a_command_has_a_terminal),
			TEST(all_namespaces_are_seen),
			TEST(its_runs_are_watched),
			TEST(its_commands_are_watched),
			TEST(its_figures_are_a_screen),
	};
	program = argc > 1 ? argv[1] : "";
	if (!has_microhttpd() || !screen_has_sandboxes(program))
		return 77;
	if (!mkdtemp(dir))
		return 1;
	snprintf(runtime_env, sizeof runtime_env, "XDG_RUNTIME_DIR=%s", dir);
	putenv(runtime_env);
	putenv((char *)"XDG_CONFIG_HOME=/nonexistent");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return failed;
}
