/* SPDX-License-Identifier: MIT */

/* The subcommands on a terminal: the question before a run, what may reach the terminal, and
 * how it is left. On the fake backend, but for `exec`'s own terminal, which needs a real sandbox. */

#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

enum { DEADLINE_MS = 60000 };

static const char *program;

/* A program on a terminal of its own. */
struct desk {
	pid_t pid;
	int fd;       /* our end */
	int terminal; /* the other end too, so that its settings can be looked at afterwards */
	char seen[65536];
	size_t n;
};

static void desk_open_program(struct desk *d, const char *path, char *const *argv)
{
	struct winsize size = {.ws_row = 30, .ws_col = 90};
	memset(d, 0, sizeof *d);
	assert_int_equal(openpty(&d->fd, &d->terminal, NULL, NULL, &size), 0);
	d->pid = fork();
	assert_true(d->pid >= 0);
	if (d->pid == 0) {
		signal(SIGINT, SIG_DFL); /* ignored, if we were started in the background */
		signal(SIGQUIT, SIG_DFL);
		close(d->fd);
		login_tty(d->terminal);
		execv(path, argv);
		_exit(99);
	}
}
static void desk_open(struct desk *d, char *const *argv)
{
	desk_open_program(d, program, argv);
}
#define ARGV(...) ((char *const[]){(char *)"terrarium", __VA_ARGS__, NULL})
#define W(text) ((char *)(text))

static long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Read what there is, waiting at most until `deadline` for the first byte. */
static bool desk_read(struct desk *d, long deadline)
{
	struct pollfd p = {.fd = d->fd, .events = POLLIN};
	long left = deadline - now_ms();
	if (left < 0 || poll(&p, 1, (int)left) <= 0)
		return false;
	ssize_t n = read(d->fd, d->seen + d->n, sizeof d->seen - 1 - d->n);
	if (n <= 0)
		return false;
	d->n += (size_t)n;
	d->seen[d->n] = 0;
	return true;
}

static void desk_expect(struct desk *d, const char *text)
{
	long deadline = now_ms() + DEADLINE_MS;
	while (!strstr(d->seen, text))
		if (!desk_read(d, deadline))
			fail_msg("never saw \"%s\", but: %s", text, d->seen);
}

static void desk_type(struct desk *d, const char *text)
{
	assert_int_equal(write(d->fd, text, strlen(text)), strlen(text));
}

static bool desk_has_ended(const struct desk *d)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)d->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == d->pid;
}

/* Wait for its end; the exit code. Everything it printed is then in d->seen. */
static int desk_close(struct desk *d)
{
	int status;
	long deadline = now_ms() + DEADLINE_MS;
	while (waitpid(d->pid, &status, WNOHANG) == 0) {
		if (now_ms() > deadline) {
			kill(d->pid, SIGKILL);
			waitpid(d->pid, &status, 0);
			fail_msg("it does not end; it printed: %s", d->seen);
		}
		desk_read(d, now_ms() + 10);
	}
	while (desk_read(d, now_ms()))
		;
	close(d->fd);
	close(d->terminal);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void it_asks_and_a_yes_runs(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--backend"), W("fake"), W("-c"), W("print hello\nprint world")));
	desk_expect(&d, "python, 2 lines: print hello …");
	desk_expect(&d, "in a new fake sandbox: 512 MiB memory, 1 core, 128 processes");
	desk_expect(&d, "Run this? [Y/n] ");
	desk_type(&d, "\r");
	assert_int_equal(desk_close(&d), 0);
	assert_non_null(strstr(d.seen, "hello\r\nworld\r\n"));
}

static void a_no_runs_nothing(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--backend"), W("fake"), W("-c"), W("print hello")));
	desk_expect(&d, "[Y/n] ");
	desk_type(&d, "n\r");
	assert_int_equal(desk_close(&d), 125);
	assert_non_null(strstr(d.seen, "terrarium: nothing was run"));
}

static void an_unclear_answer_is_asked_about_again(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--backend"), W("fake"), W("-c"), W("print hello")));
	desk_expect(&d, "Run this? [Y/n] ");
	desk_type(&d, "y = 6\r");
	desk_expect(&d, "please answer y or n (Enter means yes): [Y/n] ");
	desk_type(&d, " Yes\r");
	assert_int_equal(desk_close(&d), 0);
	assert_non_null(strstr(d.seen, "Yes\r\nhello\r\n"));
}

static void an_end_of_input_is_a_no(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--backend"), W("fake"), W("-c"), W("print hello")));
	desk_expect(&d, "[Y/n] ");
	desk_type(&d, "\004");
	assert_int_equal(desk_close(&d), 125);
}

static void ctrl_c_at_the_question_ends_it(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--backend"), W("fake"), W("-c"), W("print hello")));
	desk_expect(&d, "[Y/n] ");
	desk_type(&d, "\003");
	assert_int_equal(desk_close(&d), 130);
}

static void ctrl_c_interrupts_a_run(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("-y"), W("--backend"), W("fake"), W("-c"), W("print started\nloop")));
	desk_expect(&d, "started");
	desk_type(&d, "\003");
	assert_int_equal(desk_close(&d), 130);
}

static void a_second_ctrl_c_kills_what_is_stubborn(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("-y"), W("--grace"), W("60"), W("--backend"), W("fake"), W("-c"),
				      W("print started\nstubborn")));
	desk_expect(&d, "started");
	/* Two that arrive together are one signal: so type one at a time, until it ends. */
	for (long start = now_ms(); now_ms() < start + DEADLINE_MS && !desk_has_ended(&d);) {
		desk_type(&d, "\003");
		long next = now_ms() + 50;
		while (now_ms() < next && !desk_has_ended(&d))
			desk_read(&d, next);
	}
	assert_int_equal(desk_close(&d), 130);
}

static void the_terminal_is_stdin(void **state)
{
	(void)state;
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("-y"), W("--backend"), W("fake"), W("-c"), W("ask name?")));
	desk_expect(&d, "name?");
	desk_type(&d, "Ann\r");
	assert_int_equal(desk_close(&d), 0);
	assert_non_null(strstr(d.seen, "got Ann"));
}

static void hostile_output_does_not_reach_the_terminal(void **state)
{
	(void)state;
	static const char code[] = "print a\033]52;c;aGk=\007b\033[2J\033[6n\033[31mred\n"
				   "fail E\033[2J m\033]0;t\007\n";
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("-y"), W("--backend"), W("fake"), W("-c"), W(code)));
	assert_int_equal(desk_close(&d), 1);
	assert_non_null(strstr(d.seen, "ab\033[31mred"));
	assert_null(strstr(d.seen, "\033[2J"));
	assert_null(strstr(d.seen, "\033]"));
	assert_non_null(strstr(d.seen, "\033[m"));
}

/* ---- exec: needs a sandbox of this machine ----------------------------------------- */

static bool has_local;

static void find_local(void)
{
	char line[4096];
	snprintf(line, sizeof line, "'%s' exec true </dev/null >/dev/null 2>&1", program);
	has_local = system(line) == 0;
}

/* Through a shell, which lives on to tell how the terminal was left. */
static void desk_open_shell(struct desk *d, const char *arguments)
{
	char script[1024];
	snprintf(script, sizeof script,
			"sh -c 'echo pid=$$; exec \"$@\"' sh '%s' %s; echo \"code=$?\"; stty -a", program,
			arguments);
	desk_open_program(d, "/bin/sh", ((char *const[]){W("sh"), W("-c"), script, NULL}));
}

static void expect_sane_terminal(struct desk *d)
{
	assert_int_equal(desk_close(d), 0);
	assert_non_null(strstr(d->seen, " icanon"));
	assert_non_null(strstr(d->seen, " echo "));
	assert_null(strstr(d->seen, "-opost"));
}

static void exec_gives_a_terminal(void **state)
{
	(void)state;
	if (!has_local)
		skip();
	struct desk d;
	desk_open_shell(&d,
			"exec -- bash -c 'stty size; echo ready; read -r line; echo \"got $line\"; stty size; exit 7'");
	desk_expect(&d, "30 90");
	desk_expect(&d, "ready");
	struct winsize size = {.ws_row = 20, .ws_col = 60};
	ioctl(d.fd, TIOCSWINSZ, &size);
	desk_type(&d, "hello\r");
	desk_expect(&d, "got hello");
	desk_expect(&d, "20 60");
	desk_expect(&d, "code=7");
	expect_sane_terminal(&d);
}

static void exec_leaves_the_terminal_sane(void **state)
{
	(void)state;
	if (!has_local)
		skip();
	struct desk d;
	desk_open_shell(&d, "exec -- bash -c 'printf \"\\e[?1049h\\e[?25l\\e]0;title\\a\\e[6nready\"; "
			    "kill -9 $$'");
	desk_expect(&d, "code=137");
	expect_sane_terminal(&d);
	assert_non_null(strstr(d.seen, "\033[?1049h\033[?25l"));
	assert_null(strstr(d.seen, "title"));
	assert_null(strstr(d.seen, "\033[6n"));
	assert_non_null(strstr(d.seen, "\033[?25h\033[?1049l"));
}

static void a_signal_leaves_the_terminal_sane(void **state)
{
	(void)state;
	if (!has_local)
		skip();
	struct desk d;
	desk_open_shell(&d, "exec -- bash -c 'printf \"\\e[?25lready\"; exec sleep 1000'");
	desk_expect(&d, "ready");
	kill(atoi(strstr(d.seen, "pid=") + 4), SIGTERM);
	desk_expect(&d, "code=143");
	expect_sane_terminal(&d);
}

static void desk_expect_no_echo(struct desk *d)
{
	struct termios now;
	long deadline = now_ms() + DEADLINE_MS;
	while (tcgetattr(d->terminal, &now) == 0 && (now.c_lflag & ECHO)) {
		desk_read(d, now_ms() + 5);
		assert_true(now_ms() < deadline);
	}
}

static void the_question_breaks_no_word(void **state)
{
	(void)state;
	if (!has_local)
		skip();
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("--keep"), W("-c"), W("1")));
	desk_expect(&d, "30 s per run. Run this? [Y/n] ");
	/* Where a line ends depends on how the sandbox is isolated. */
	static const char *const ends[] = {"disk,\r\nno network, 30 s per run. Run",
			"512\r\nMiB memory, 1 core, 128 processes, 256 MiB disk, no network, of which some are "
			"weak\r\n('terrarium doctor' says which), 30 s per run. Run"};
	bool is_broken_right = strstr(d.seen, ends[0]) || strstr(d.seen, ends[1]);
	assert_true(is_broken_right);
	desk_type(&d, "n\r");
	desk_close(&d);
}

static void a_password_is_not_shown(void **state)
{
	(void)state;
	if (!has_local)
		skip();
	struct desk d;
	desk_open(&d, ARGV(W("run"), W("-y"), W("-c"),
				      W("import getpass\np = getpass.getpass('word? ')\nprint(len(p), input('more? '))")));
	desk_expect(&d, "word? ");
	desk_expect_no_echo(&d);
	desk_type(&d, "secret\r");
	desk_expect(&d, "more? ");
	desk_type(&d, "shown\r");
	assert_int_equal(desk_close(&d), 0);
	assert_null(strstr(d.seen, "secret"));
	assert_non_null(strstr(d.seen, "shown\r\n6 shown"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(it_asks_and_a_yes_runs),
			cmocka_unit_test(a_no_runs_nothing),
			cmocka_unit_test(an_unclear_answer_is_asked_about_again),
			cmocka_unit_test(an_end_of_input_is_a_no),
			cmocka_unit_test(ctrl_c_at_the_question_ends_it),
			cmocka_unit_test(ctrl_c_interrupts_a_run),
			cmocka_unit_test(a_second_ctrl_c_kills_what_is_stubborn),
			cmocka_unit_test(the_terminal_is_stdin),
			cmocka_unit_test(hostile_output_does_not_reach_the_terminal),
			cmocka_unit_test(exec_gives_a_terminal),
			cmocka_unit_test(exec_leaves_the_terminal_sane),
			cmocka_unit_test(a_signal_leaves_the_terminal_sane),
			cmocka_unit_test(the_question_breaks_no_word),
			cmocka_unit_test(a_password_is_not_shown),
	};
	if (argc < 2)
		return 2;
	program = argv[1];
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	find_local();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
