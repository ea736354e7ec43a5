/* SPDX-License-Identifier: MIT */
/* `terrarium repl` on a terminal, with the living kernels. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};
static char folder[] = "/tmp/terrarium-repl-XXXXXX", state_home[100], inputrc[100], editor[300], runtime[140];

#define CTRL_C "\x03"
#define CTRL_D "\x04"
#define CTRL_R "\x12"
#define UP "\033[A"

static void start_with(const char *term, const char *const *more, int rows, int cols)
{
	char term_env[60];
	const char *argv[16] = {program, "repl", "--backend", "local", "--name", "calm-fern"},
		   **at = argv + 6;
	const char *env[] = {term_env, "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", state_home, inputrc,
			editor, runtime, NULL};

	snprintf(term_env, sizeof term_env, "TERM=%s", term);
	while (*more)
		*at++ = *more++;
	screen_start(&s, rows, cols, argv, env);
}

static void start(void)
{
	static const char *const more[] = {"--yes", NULL};

	start_with("xterm-256color", more, 30, 100);
	screen_wait(&s, "python calm-fern [1]>");
}

static void leave(void)
{
	screen_wait_quiet(&s, 150); /* what is typed while something runs may be its end */
	screen_send(&s, CTRL_D);
	assert_int_equal(screen_end(&s), 0);
}

static void enter(const char *line, const char *wanted)
{
	screen_send(&s, line);
	screen_send(&s, "\r");
	screen_wait(&s, wanted);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void values_and_errors_are_shown(void **state)
{
	(void)state;
	start();
	enter("6 * 7", "[2]>");
	assert_true(screen_shows(&s, "\n42\n"));
	enter("1 / 0", "ZeroDivisionError: division by zero\npython calm-fern [3]>");
	enter("import sys; print('to', 'stderr', file=sys.stderr)", "\nto stderr\npython calm-fern [4]>");
	enter("print('no newline', end='')", "\nno newline\npython calm-fern [5]>");
	enter("import time; time.sleep(1)", " ms\npython calm-fern [6]>"); /* not 0.000202 s of CPU time */
	assert_true(screen_shows(&s, "\ntook 1.0 s, CPU time "));
	leave();
}

static void a_near_time_limit_is_named_once(void **state)
{
	(void)state;
	start();
	enter(":timeout 4", "4 s");
	enter("while True: pass",
			"time limit: stops in 2 s; Ctrl-C interrupts now (:timeout is for later runs)");
	screen_wait(&s, "timed out after 4 s");
	screen_wait(&s, "[2]>");
	leave();
}

static void blocks_go_on_until_they_are_complete(void **state)
{
	(void)state;
	start();
	/* Indentation is offered, and taken away in steps. */
	enter("def f(x):", "def f(x):\n                 ...>");
	screen_send(&s, "if x:");
	screen_wait(&s, "...>     if x:");
	enter("", "if x:\n                 ...>");
	screen_send(&s, "return 'yes'");
	screen_wait(&s, "...>         return 'yes'");
	enter("", "'yes'\n                 ...>");
	screen_send(&s, "\x7f\x7fx = 1");
	screen_wait(&s, "...> x = 1");
	enter("", "[2]>");
	enter("def h(x):", "def h(x):\n                 ...>");
	enter("return 'yes' if x else 'no'", "'no'\n                 ...>");
	enter("", "[3]>");
	enter("h(1), h(0)", "('yes', 'no')");
	enter("[1,", "...>");
	enter("2]", "[1, 2]");
	enter("x = '''a", "...>");
	enter("b'''; len(x)", "[6]>");
	assert_true(screen_shows(&s, "\n3\n"));
	leave();
}

static void pasted_text_is_one_input(void **state)
{
	(void)state;
	start();
	screen_send(&s, "\033[200~def g(n):\r    for i in range(n):\r        print('row', i)\r\r    return n\r\033[201~");
	screen_wait(&s, "    return n");
	assert_false(screen_shows(&s, "...>"));
	enter("", "[2]>");
	enter("g(2)", "row 0\nrow 1\n2\n");
	/* Control characters in it do nothing. */
	screen_send(&s, "\033[200~'a\001b\004c\033[201~'");
	screen_wait_quiet(&s, 100);
	enter("", "'abc'\n");
	/* It comes back as one. */
	screen_send(&s, CTRL_R "def");
	screen_wait(&s, "def g(n):");
	screen_send(&s, "\r");
	screen_wait(&s, "[5]>");
	leave();
}

static void a_long_line_is_taken(void **state)
{
	(void)state;
	static char line[1000100];
	size_t n = (size_t)snprintf(line, sizeof line, "x = '");

	memset(line + n, 'a', 1000000);
	snprintf(line + n + 1000000, 16, "'");
	start();
	for (size_t at = 0; line[at]; at += strlen(line + at) < 4000 ? strlen(line + at) : 4000) {
		screen_send_bytes(&s, line + at, strlen(line + at) < 4000 ? strlen(line + at) : 4000);
		screen_wait_quiet(&s, 0);
	}
	enter("", "[2]>");
	enter("len(x)", "1000000");
	leave();
}

/* ---- keys ------------------------------------------------------------------------------------- */

static void ctrl_c_clears_and_interrupts(void **state)
{
	(void)state;
	start();
	screen_send(&s, "not to be run");
	screen_wait_quiet(&s, 50);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "not to be run^C\npython calm-fern [1]>");
	enter("def f():", "...>");
	screen_send(&s, CTRL_C);
	screen_wait(&s, "^C\npython calm-fern [1]>");
	enter("kept = 5; print('begun', flush=True)\rimport time; time.sleep(60)", "begun");
	screen_wait(&s, "[2]> import time; time.sleep(60)\n");
	screen_wait_quiet(&s, 100);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "KeyboardInterrupt");
	enter("kept", "\n5\n");
	/* Where keys are echoed while the code reads, the terminal has said it. */
	enter("input('who? ')", "\nwho?");
	screen_wait_quiet(&s, 100);
	screen_send(&s, "half");
	screen_wait(&s, "who? half");
	screen_send(&s, CTRL_C);
	screen_wait(&s, "who? half^C\nTraceback");
	enter("import getpass; getpass.getpass('word: ')", "\nword:");
	screen_wait_quiet(&s, 100);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "word: ^C\nTraceback");
	screen_wait(&s, "[6]>");
	screen_wait_quiet(&s, 100);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "Ctrl-D or :quit leaves");
	screen_send(&s, "exit(7)\r");
	assert_int_equal(screen_end(&s), 7);
}

static void what_does_not_listen_is_ended_step_by_step(void **state)
{
	(void)state;
	static const char *const more[] = {"--yes", "--grace", "30", "--terminate-grace", "30", NULL};

	start_with("xterm-256color", more, 30, 100);
	screen_wait(&s, "[1]>");
	enter("import signal, time; x = signal.signal(signal.SIGTERM, signal.SIG_IGN)", "[2]>");
	screen_send(&s, "\033[200~while True:\r  try:\r    time.sleep(9)\r  except BaseException: print('no')\033[201~");
	enter("", "print('no')\n");
	screen_wait_quiet(&s, 200);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "it ignores Ctrl-C: SIGTERM in 2");
	screen_wait(&s, " s loses the variables");
	screen_send(&s, CTRL_C);
	screen_wait(&s, "SIGTERM was sent: the kill in 2");
	screen_send(&s, CTRL_C);
	screen_wait(&s, "python was restarted: its variables are lost");
	screen_wait(&s, "[3]>");
	leave();
}

static void tab_completes(void **state)
{
	(void)state;
	start();
	enter("import math; xanadu = 1; xalpha = [2]", "[2]>");
	screen_send(&s, "math.flo\t");
	screen_wait(&s, "[2]> math.floor");
	screen_send(&s, "\x15xa\t");
	screen_wait(&s, "xanadu");
	screen_wait(&s, "xalpha");
	screen_wait(&s, "[2]> xa");
	screen_send(&s, "\x15:th\t");
	screen_wait(&s, "[2]> :theme");
	screen_send(&s, "li\t\x01\x05");
	screen_wait(&s, "[2]> :theme light");
	screen_send(&s, "\x15:re\t\t");
	screen_wait(&s, "reset");
	screen_wait(&s, "restart");
	screen_send(&s, "\x15");
	leave();
}

static void history_outlives_the_program(void **state)
{
	(void)state;
	start();
	enter("def remembered(n):", "...>");
	enter("return n", "...>");
	enter("", "[2]>");
	enter(" 'a blank before it'", "[3]>");
	enter(":lang js", "javascript calm-fern");
	enter("'other'", "[4]>");
	leave();
	start();
	screen_send(&s, UP);
	screen_wait(&s, "[1]> :lang js");
	screen_send(&s, UP);
	screen_wait(&s, "[1]> def remembered(n):\n    return n");
	enter("", "[2]>");
	enter("remembered(8)", "\n8\n");
	enter(":history remem", "def remembered(n):");
	leave();
	static const char *const private[] = {"--yes", "--history", "off", NULL};
	start_with("xterm-256color", private, 30, 100);
	screen_wait(&s, "[1]>");
	screen_send(&s, UP);
	enter("'private'", "[2]>");
	assert_false(screen_shows(&s, "remembered"));
	leave();
	char command[300];
	snprintf(command, sizeof command, "! grep -rq private '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void the_inputrc_counts(void **state)
{
	(void)state;
	start();
	screen_send(&s, "\x0f"); /* Ctrl-O, bound to a macro for terrarium only */
	enter("", "'from the inputrc'\n");
	leave();
}

/* ---- running --------------------------------------------------------------------------------------- */

static void ask_at_start(void)
{
	static const char *const none[] = {NULL};

	start_with("xterm-256color", none, 30, 100);
	screen_wait(&s, "Run what you enter? [y]es, [e]ach time ask, [n]o:");
}

static void it_asks_before_code_is_run(void **state)
{
	(void)state;
	ask_at_start();
	assert_true(screen_shows(
			&s, "your code runs in the local sandbox calm-fern, as python, 30 s per run:"));
	assert_true(screen_shows(&s, "512 MiB memory, 1 core, 128 processes"));
	enter("e", "[1]>");
	enter("print('never')", "print('never')\nin the local sandbox calm-fern, as python, 30 s per run:");
	enter("n", "nothing was run");
	enter("print('once')", "print('once')\nin the local");
	enter("y", "\nonce\npython calm-fern [2]>");
	enter("print('twice')", "python calm-fern [2]> print('twice')\nin the local");
	enter("6 * 7", "please answer y, n or a");
	enter("y = 6", "y = 6\nplease answer y, n or a");
	enter("a", "\ntwice\npython calm-fern [3]>");
	/* What was no answer is not lost. */
	screen_wait(&s, "[3]> 6 * 7\n42\npython calm-fern [4]> y = 6\npython calm-fern [5]>");
	enter("print('thrice')", "\nthrice\npython calm-fern [6]>");
	leave();
}

static void it_asks_once_and_then_about_what_is_dangerous(void **state)
{
	(void)state;
	ask_at_start();
	enter("y", "[1]>");
	enter("print('once')", "\nonce\npython calm-fern [2]>");
	enter(":lang bash", "bash calm-fern [2]>");
	enter("rm -rf / --no-such-option", "(high)");
	/* It is asked about in any case: "always" would not be true. */
	screen_wait(&s, "[y]es, [n]o:");
	enter("a", "please answer y or n (Enter means yes)\nRun this?"); /* it is no code, either */
	enter("y", "bash calm-fern [3]>");
	enter("rm -rf / --no-other-option", "no-other-option\n  line 1:");
	enter("n", "nothing was run");
	enter(":confirm on", "the REPL asks before each input");
	enter("echo each", "echo each\nin the local");
	enter("n", "[a]lways: n\nnothing was run\nbash calm-fern [3]>");
	leave();
	ask_at_start();
	screen_send(&s, "n\r");
	assert_int_equal(screen_end(&s), 0);
}

static void lines_that_are_typed_ahead_are_no_answers(void **state)
{
	static const char *const none[] = {NULL};

	(void)state;
	start_with("xterm-256color", none, 30, 100);
	screen_send(&s, "n = 6\rprint(n * 7)\r"); /* before there is a prompt */
	screen_wait(&s, "[e]ach time ask, [n]o:");
	screen_wait_quiet(&s, 100);
	if (screen_shows(&s, "[n]o: n = 6")) /* the question was there first */
		assert_true(screen_shows(&s, "what you typed is kept"));
	enter("e", "[1]> n = 6\nin the local");
	enter("y", "[2]> print(n * 7)\nin the local");
	enter("y", "\n42\npython calm-fern [3]>");
	leave();
}

static void code_reads_what_is_typed(void **state)
{
	(void)state;
	start();
	enter("name = input('who? ')", "who? ");
	enter("Ada", "[2]>");
	enter("name", "'Ada'");
	enter("import getpass; p = getpass.getpass('word: ')", "word:");
	screen_wait_quiet(&s, 100);
	enter("hidden", "[4]>");
	assert_false(screen_shows(&s, "hidden"));
	enter("len(p)", "\n6\n");
	enter(":lang bash", "bash calm-fern");
	enter("read -rp 'name? ' name; echo \"<$name>\"", "\nname?");
	enter("Eve", "\nname? Eve\n<Eve>\nbash calm-fern [6]>");
	enter("cat", "cat\n");
	screen_wait_quiet(&s, 100);
	enter("typed", "typed\ntyped\n");
	screen_send(&s, CTRL_D);
	screen_wait(&s, "[7]>");
	leave();
}

static void shell_commands_have_a_terminal(void **state)
{
	(void)state;
	start();
	enter("!tty; stty size", "\n30 100\npython calm-fern");
	assert_true(screen_shows(&s, "/dev/pts/"));
	enter("!read -p 'q? ' x; echo got $x", "q? ");
	screen_wait_quiet(&s, 100);
	enter("it", "got it\npython calm-fern");
	enter("!exit 3", "exit code 3\npython calm-fern");
	/* What leaves the cursor where it is begins no line. */
	enter("!printf 'a line\\n\\033[0m\\033[?25h'", "\na line\npython calm-fern");
	enter("!sleep 60", "sleep 60\n");
	screen_wait_quiet(&s, 200);
	screen_send(&s, CTRL_C);
	screen_wait(&s, "ended by signal 2");
	enter("1 + 1", "\n2\n");
	leave();
}

static void names_are_explained(void **state)
{
	(void)state;
	start();
	enter("def greet(name, loud=False): 'Say hello.'", "[2]>");
	enter("?greet", "Say hello.");
	assert_true(screen_shows(&s, "greet(name, loud=False)"));
	enter("nothing_here?", "python does not know 'nothing_here'");
	leave();
}

static void hostile_output_is_harmless(void **state)
{
	(void)state;
	start();
	enter("print('\\x1b]0;title\\x07\\x1b[2J\\x1b[c\\x1b[31mred\\x1b[0m', end='')",
			"\nred\npython calm-fern [2]>");
	enter("print('\\x1b[31mleft on', end='')", "left on\npython calm-fern [3]>");
	enter("class E(Exception): pass", "[4]>");
	enter("raise E('\\x1b[2J\\x1b]0;x\\x07gone?')", "gone?");
	assert_true(screen_shows(&s, "left on"));
	leave();
}

static void the_window_may_change(void **state)
{
	(void)state;
	start();
	screen_send(&s, "'this is a line that is longer than a narrow window has columns'");
	screen_wait_quiet(&s, 50);
	screen_resize(&s, 20, 50);
	screen_wait_quiet(&s, 100);
	enter("", "narrow window has columns'\n");
	screen_wait(&s, "[2]>");
	enter("!stty size", "20 50");
	leave();
}

static void a_dumb_terminal_will_do(void **state)
{
	static const char *const more[] = {"--yes", NULL};

	(void)state;
	start_with("dumb", more, 30, 100);
	screen_wait(&s, "python calm-fern [1]>");
	s.is_logged = true;
	enter("6 * 7", "\n42\n");
	enter("1 / 0", "ZeroDivisionError");
	screen_wait(&s, "[3]>");
	assert_null(memchr(s.log, '\033', s.log_len));
	leave();
}

static void files_are_taken_and_given(void **state)
{
	char path[120], line[300];
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/code.py", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("def loaded():\n    return 'from a file'\n", f);
	fclose(f);
	start();
	snprintf(line, sizeof line, ":load %s", path);
	enter(line, "[1]> def loaded():\n    return 'from a file'");
	enter("", "[2]>");
	enter("loaded()", "'from a file'\n");
	enter(":edit", "[3]> edited"); /* EDITOR is a script of ours */
	screen_send(&s, CTRL_C);
	snprintf(line, sizeof line, ":save %s/saved.py", folder);
	enter(line, "bytes written");
	snprintf(line, sizeof line, "grep -q loaded '%s/saved.py'", folder);
	assert_int_equal(system(line), 0);
	leave();
}

static void an_interrupt_belongs_to_the_editor(void **state)
{
	char path[120];

	(void)state;
	snprintf(path, sizeof path, "%s/busy", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	start();
	enter(":edit", "editing");
	screen_send(&s, CTRL_C);
	screen_wait(&s, "heard");
	unlink(path);
	screen_wait(&s, "[1]> edited");
	assert_false(screen_shows(&s, ":quit leaves"));
	screen_send(&s, CTRL_C);
	leave();
}

static void run_elsewhere(const char *arguments)
{
	char command[900];

	snprintf(command, sizeof command, "%s %s '%s' run --yes --name calm-fern %s >/dev/null 2>&1", runtime,
			state_home, program, arguments);
	assert_int_equal(system(command), 0);
}

static void runs_of_others_are_seen_above_the_prompt(void **state)
{
	(void)state;
	start();
	enter("mine = 5", "[2]>");
	screen_send(&s, "half a li");
	screen_wait_quiet(&s, 50);
	run_elsewhere("-c 'print(\"from elsewhere\"); other = mine + 1; other * 7'");
	screen_wait(&s, "from elsewhere\n42\n");
	screen_wait(&s, "[3]> half a li");
	screen_send(&s, "\x15");
	enter("other", "\n6\n");
	leave();
}

static void an_end_is_reported_once(void **state)
{
	char command[500];
	const char *first;

	(void)state;
	start();
	enter("import time; print('begun', flush=True); time.sleep(60)", "\nbegun\n");
	snprintf(command, sizeof command, "%s '%s' stop --yes calm-fern >/dev/null 2>&1", runtime, program);
	assert_int_equal(system(command), 0);
	screen_wait(&s, "stopped by");
	screen_wait_quiet(&s, 200);
	first = strstr(screen_text(&s), "stopped by");
	assert_null(strstr(first + 1, "stopped by"));
	assert_int_equal(screen_end(&s), 125);
}

static void a_kept_sandbox_goes_on(void **state)
{
	const char *again[] = {"/bin/sh", "-c",
			"\"$0\" attach calm-fern --repl --yes; echo left with $?; read x", program, NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", state_home, runtime, NULL};

	(void)state;
	start();
	enter("x = 'still here'", "[2]>");
	enter(":keep", "calm-fern keeps running when this REPL ends");
	leave();
	screen_start(&s, 30, 100, again, env);
	screen_wait(&s, "python calm-fern [2]>");
	assert_false(screen_shows(&s, "[1]>"));
	enter("x", "\n'still here'\n");
	enter(":keep off", "calm-fern ends with this REPL");
	screen_send(&s, CTRL_D);
	screen_wait(&s, "left with 0");
	assert_false(screen_shows(&s, "calm-fern goes on:"));
	screen_send(&s, "\r");
	assert_int_equal(screen_end(&s), 0);
}

/* A sandbox that is not kept ends with the program that it belongs to, and others lose it. */
static void who_leaves_hears_what_becomes_of_it(void **state)
{
	static struct screen second;
	char path[100], line[140];
	const char *again[] = {program, "attach", "calm-fern", "--repl", "--yes", NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", state_home, runtime, NULL};

	(void)state;
	start();
	enter("x = 1", "[2]>");
	screen_start(&second, 30, 100, again, env);
	screen_wait(&second, "python calm-fern [2]>");
	screen_send(&s, CTRL_D);
	screen_wait(&s, "1 other program uses calm-fern, and loses it when this REPL ends");
	enter("x + 1", "\n2\n");
	screen_send(&second, CTRL_D);
	screen_wait(&second, "calm-fern is not kept: it runs until the program that it belongs to ends");
	assert_int_equal(screen_end(&second), 0);
	enter("open('a.csv', 'w').close()", "[4]>");
	screen_wait_quiet(&s, 150);
	screen_send(&s, CTRL_D);
	screen_wait(&s, "1 file that was written in the sandbox (a.csv) is gone with it");
	snprintf(path, sizeof path, "%s/a.csv", folder);
	snprintf(line, sizeof line, ":cp :a.csv %s", path);
	enter(line, "1 file, ");
	assert_int_equal(access(path, F_OK), 0);
	leave();
}

/* Files that were written after the warning are named, too; what was named already does not hold anybody up.
 */
static void each_file_is_named_before_it_is_lost(void **state)
{
	(void)state;
	start();
	enter("import os; os.mkdir('d'); open('a.csv', 'w').close()", "[2]>");
	screen_wait_quiet(&s, 150);
	screen_send(&s, CTRL_D);
	screen_wait(&s, "in the sandbox (a.csv, d/)");
	enter("open('d/deep', 'w').write('1')", "[3]>");
	screen_wait_quiet(&s, 150);
	screen_send(&s, CTRL_D);
	screen_wait(&s, "in the sandbox (a.csv, d/)");
	enter("open('b.csv', 'w').close(); os.remove('a.csv')", "[4]>");
	screen_wait_quiet(&s, 150);
	screen_send(&s, CTRL_D);
	screen_wait(&s, "in the sandbox (b.csv, d/)");
	enter("os.remove('b.csv')", "[5]>");
	leave();
}

/* Everything in the sandbox stands still: its list of files never comes. */
static void a_sandbox_that_does_not_answer_is_left(void **state)
{
	static const char freeze[] =
			"kill -STOP $(ps -eo pid=,ppid=,args= | awk -v root=%d '"
			"{ parent[$1] = $2; is_inside[$1] = !/terrarium-(supervisor|cleanup)/ } "
			"END { for (pid in parent) { p = pid; while (p in parent && p != root) p = parent[p]; "
			"if (p == root && pid != root && is_inside[pid]) print pid } }')";
	char command[sizeof freeze + 20];

	(void)state;
	start();
	enter("open('a.csv', 'w').close()", "[2]>");
	screen_wait_quiet(&s, 150);
	snprintf(command, sizeof command, freeze, (int)s.pid);
	assert_int_equal(system(command), 0);
	screen_send(&s, CTRL_D);
	assert_int_equal(screen_end(&s), 0);
}

static void of_many_runs_before_the_newest_are_shown(void **state)
{
	const char *again[] = {program, "attach", "calm-fern", "--repl", "--yes", NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", state_home, runtime, NULL};
	char command[600];

	(void)state;
	start();
	enter(":keep", "calm-fern keeps running when this REPL ends");
	leave();
	snprintf(command, sizeof command,
			"for i in $(seq 25); do %s '%s' run --yes --name calm-fern -c \"'no.' + ' $i.'\" "
			">/dev/null || exit; done",
			runtime, program);
	assert_int_equal(system(command), 0);
	screen_start(&s, 100, 100, again, env);
	screen_wait(&s, "python calm-fern [26]>");
	assert_true(screen_shows(&s, "(5 earlier runs: terrarium logs calm-fern)\n┌─ [6] python"));
	assert_true(screen_shows(&s, "'no. 6.'\n"));
	assert_true(screen_shows(&s, "'no. 25.'\n"));
	assert_false(screen_shows(&s, "'no. 5.'\n"));
	enter(":keep off", "calm-fern ends with this REPL");
	leave();
}

/* One below the other. */
static void wait_in_order(const char *const *texts)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	const char *const *text = texts;

	while (*text && screen_now_ms() < deadline) {
		const char *at = screen_text(&s);
		for (text = texts; *text && (at = strstr(at, *text)); text++)
			;
		if (*text)
			screen_wait_quiet(&s, 50);
	}
	if (*text)
		fail_msg("not in its place: %s\n%s", *text, screen_text(&s));
}

/* Each kernel tells its own past: here bash tells it before or after python, and both are mixed. */
static void runs_before_are_shown_in_the_order_of_time(void **state)
{
	const char *repl[] = {program, "attach", "calm-fern", "--repl", "--yes", NULL};
	const char *workbench[] = {program, "attach", "calm-fern", "--confirm", "off", NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", state_home, runtime, NULL};
	static const char *const order[] = {"python one", "bash two", "python three", "bash four", NULL};
	char command[700];

	(void)state;
	start();
	enter(":keep", "calm-fern keeps running when this REPL ends");
	leave();
	snprintf(command, sizeof command,
			"export %s; run() { '%s' run --yes --name calm-fern \"$@\" >/dev/null; }; "
			"run -c 'print(\"python\", \"one\")' && run -l bash -c 'echo bash \"two\"' && "
			"run -c 'print(\"python\", \"three\")' && run -l bash -c 'echo bash \"four\"'",
			runtime, program);
	assert_int_equal(system(command), 0);
	screen_start(&s, 40, 100, workbench, env);
	wait_in_order(order);
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Detach?");
	screen_send(&s, "\r");
	assert_int_equal(screen_end(&s), 0);
	screen_start(&s, 40, 100, repl, env);
	screen_wait(&s, "python calm-fern [");
	wait_in_order(order);
	enter(":keep off", "calm-fern ends with this REPL");
	leave();
}

/* Of the character or behind it: libchafa fills a cell with a block, or from 1.14 on with a colored blank. */
static int count_red_cells(int rows, int cols)
{
	int n = 0;

	for (int row = 0; row < rows; row++)
		for (int col = 0; col < cols; col++) {
			VTermScreenCell cell;
			vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
			vterm_screen_convert_color_to_rgb(s.vts, &cell.fg);
			vterm_screen_convert_color_to_rgb(s.vts, &cell.bg);
			n += (cell.fg.rgb.red > 230 && cell.fg.rgb.green < 24 && cell.fg.rgb.blue < 24)
			     || (cell.bg.rgb.red > 230 && cell.bg.rgb.green < 24 && cell.bg.rgb.blue < 24);
		}
	return n;
}

static void images_are_drawn_and_kept(void **state)
{
	char line[300];

	(void)state;
	start();
	enter("import zlib, struct", "[2]>");
	enter("def part(k, d): return struct.pack('>I', len(d)) + k + d + struct.pack('>I', zlib.crc32(k + d))",
			"[3]>");
	enter("rows = b''.join(b'\\0' + b'\\xff\\0\\0' * 64 for _ in range(64))", "[4]>");
	enter("p = b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', struct.pack('>IIBBBBB', 64, 64, 8, 2, 0, 0, 0))",
			"[5]>");
	enter("p += part(b'IDAT', zlib.compress(rows)) + part(b'IEND', b'')", "[6]>");
	enter("class Plot: _repr_png_ = lambda self: p", "[7]>");
	screen_send(&s, "print('before'); display(Plot()); print('after')\r");
	screen_wait(&s, "\nafter\n");
	screen_wait(&s, "[8]>");
	assert_non_null(strstr(screen_text(&s), "\nbefore\n"));
	assert_true(count_red_cells(30, 100) >= 8);
	snprintf(line, sizeof line, ":save %s/plot.png", folder);
	enter(line, "bytes written");
	snprintf(line, sizeof line, "grep -q PNG '%s/plot.png'", folder);
	assert_int_equal(system(line), 0);
	leave();
}

/* ---- the rest -------------------------------------------------------------------------------------- */

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

/* State, inputrc and editor of the tests. */
static bool set_up(void)
{
	char path[120];
	FILE *f;

	if (!mkdtemp(folder))
		return false;
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/state", folder);
	snprintf(inputrc, sizeof inputrc, "INPUTRC=%s/inputrc", folder);
	snprintf(path, sizeof path, "%s/run", folder);
	if (mkdir(path, 0700) < 0)
		return false;
	snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", path);
	snprintf(editor, sizeof editor,
			"EDITOR=sh -c 'trap \"echo heard\" INT; echo editing; while [ -e %s/busy ]; do sleep 0.02; "
			"done; echo edited >\"$0\"'",
			folder);
	snprintf(path, sizeof path, "%s/inputrc", folder);
	f = fopen(path, "w");
	if (!f)
		return false;
	fputs("$if terrarium\n\"\\C-o\": \"'from the inputrc'\"\n$endif\n", f);
	fclose(f);
	return true;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(values_and_errors_are_shown),
			TEST(a_near_time_limit_is_named_once),
			TEST(blocks_go_on_until_they_are_complete),
			TEST(pasted_text_is_one_input),
			TEST(a_long_line_is_taken),
			TEST(ctrl_c_clears_and_interrupts),
			TEST(what_does_not_listen_is_ended_step_by_step),
			TEST(tab_completes),
			TEST(history_outlives_the_program),
			TEST(the_inputrc_counts),
			TEST(it_asks_before_code_is_run),
			TEST(it_asks_once_and_then_about_what_is_dangerous),
			TEST(lines_that_are_typed_ahead_are_no_answers),
			TEST(code_reads_what_is_typed),
			TEST(shell_commands_have_a_terminal),
			TEST(names_are_explained),
			TEST(hostile_output_is_harmless),
			TEST(the_window_may_change),
			TEST(a_dumb_terminal_will_do),
			TEST(files_are_taken_and_given),
			TEST(an_interrupt_belongs_to_the_editor),
			TEST(runs_of_others_are_seen_above_the_prompt),
			TEST(an_end_is_reported_once),
			TEST(a_kept_sandbox_goes_on),
			TEST(who_leaves_hears_what_becomes_of_it),
			TEST(each_file_is_named_before_it_is_lost),
			TEST(a_sandbox_that_does_not_answer_is_left),
			TEST(runs_before_are_shown_in_the_order_of_time),
			TEST(of_many_runs_before_the_newest_are_shown),
			TEST(images_are_drawn_and_kept),
	};
	char command[200];

	if (argc < 2)
		return 2;
	program = argv[1];
	if (!screen_has_sandboxes(program))
		return 77;
	if (!set_up())
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command) != 0 || failed;
}
