/* SPDX-License-Identifier: MIT */
/* What the living kernels tell: completion, inspection, variables; in all three languages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};

static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=/nonexistent", NULL};

static void start(const char *lang, const char *code)
{
	const char *argv[] = {program, "--backend", "local", "--confirm", "off", "--lang", lang, NULL};

	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	screen_wait(&s, "● idle");
	screen_send(&s, "\x01\x7f"); /* an empty buffer */
	screen_wait_quiet(&s, 30);
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

/* Type, ask with a key, and see; then take the buffer back. */
static void offers(const char *typed, const char *key, const char *offered)
{
	screen_send(&s, typed);
	screen_wait_quiet(&s, 30);
	double before = screen_now_ms();
	screen_send_bytes(&s, key, key[0] ? strlen(key) : 1);
	screen_wait(&s, offered);
	double took = screen_now_ms() - before;
	print_message("%s: offered after %.1f ms\n", typed, took); /* 50 on a machine that is not busy */
	screen_send(&s, "\033");
	screen_wait_quiet(&s, 80);
	screen_send(&s, "\x01\x7f");
	screen_wait_quiet(&s, 30);
}

#define SPACE "\0" /* Ctrl-Space */

static void python_completes(void **state)
{
	(void)state;
	start("python", "import math\nxalpha = [1]; xanadu = 2; open('data.csv', 'w').write('a')");
	offers("print(xa", SPACE, "xanadu");
	offers("math.sq", SPACE, "sqrt");
	offers("xalpha", ".", "append");
	offers("import jso", SPACE, "json");
	offers("open('da", SPACE, "data.csv");
	screen_send(&s, "xalp\t");
	screen_wait(&s, "│  1 xalpha ");
	leave();
}

static void the_signature_of_a_call_comes_and_goes(void **state)
{
	static const char *const leaves[] = {"\r", "1)", "\033[D", "\033"};

	(void)state;
	start("python", "1");
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
		screen_send(&s, "print(");
		screen_wait(&s, "*args");
		screen_send(&s, leaves[i]);
		screen_wait_gone(&s, "*args");
		screen_send(&s, "\x01\x7f");
		screen_wait_quiet(&s, 30);
	}
	leave();
}

static void javascript_completes(void **state)
{
	(void)state;
	start("javascript",
			"0\nconst xalpha = {one: 1}, xanadu = 2; require('fs').writeFileSync('data.csv', 'a')");
	offers("xa", SPACE, "xanadu");
	offers("xalpha", ".", "hasOwnProperty");
	offers("require('pa", SPACE, "path/posix");
	offers("open('da", SPACE, "data.csv");
	leave();
}

static void bash_completes(void **state)
{
	(void)state;
	start("bash", ":\nxalpha=1 xanadu=2; greeting() { echo; }; echo a >data.csv");
	offers("echo $xa", SPACE, "$xanadu");
	offers("greeti", SPACE, "func");
	offers("cat dat", SPACE, "data.csv");
	screen_send(&s, "echo $xal\t");
	screen_wait(&s, "│  1 echo $xalpha ");
	leave();
}

static void a_busy_kernel_does_not_hold_up(void **state)
{
	(void)state;
	start("python", "1");
	screen_send(&s, "alphabet = 1\nwhile True: pass");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "running");
	screen_send_bytes(&s,
			"\n\x08"
			"alp\0",
			6);
	screen_wait(&s, "interpreter busy");
	screen_send(&s, "\x03");
	screen_wait(&s, "interrupted");
	leave();
}

static void names_are_inspected(void **state)
{
	(void)state;
	start("python", "def greet(name, loud=False):\n\"\"\"Say hello.\"\"\"");
	screen_send(&s, "greet");
	screen_send(&s, "\033[20~"); /* F9 */
	screen_wait(&s, "Say hello.");
	assert_true(screen_shows(&s, "greet(name, loud=False)"));
	screen_send(&s, "\033");
	screen_wait_gone(&s, "Say hello.");
	screen_send(&s, "(");
	screen_wait(&s, "greet(name, loud=False)"); /* in the status line */
	leave();
}

static void variables_are_listed(void **state)
{
	(void)state;
	start("python", "import math; numbers = list(range(1000)); word = 'hello'");
	screen_send(&s, "\033v");
	screen_wait(&s, "variables of python (2)");
	screen_wait(&s, "numbers");
	screen_wait(&s, "1000");
	screen_wait(&s, "'hello'");
	screen_send(&s, KEY_F(6)); /* the page has the keys */
	screen_send(&s, "another = 3.5");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "variables of python (3)");
	screen_wait(&s, "another");
	leave();
}

static void what_is_lost_is_listed(void **state)
{
	(void)state;
	start("python", "import math\nopen('data.csv', 'w').write('abc')\nxalpha = 1; xanadu = 2");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "You will lose");
	screen_wait(&s, "2 of python: xalpha, xanadu");
	screen_wait(&s, "1 in /workspace, 3 B: data.csv");
	assert_true(screen_shows(&s, "up 00:00:"));
	screen_send(&s, "\033");
	screen_wait_gone(&s, "You will lose");
	screen_send(&s, "\x10restart the interpreter");
	screen_wait(&s, "restart this language's interpreter");
	screen_send(&s, "\r");
	screen_wait(&s, "2 of python: xalpha, xanadu");
	screen_send(&s, "r");
	screen_wait(&s, "python was restarted");
	screen_send(&s, "print(xalpha)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "NameError");
	screen_send(&s, "\x01"
			"print(open('data.csv').read())");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ abc ");
	leave();
}

/* Two workbenches, one after the other, with the same state folder. */
static void runs_are_recalled(void **state)
{
	static char home[] = "/tmp/terrarium-test-XXXXXX";
	char variable[64], command[128];
	const char *argv[] = {program, "--backend", "local", "--confirm", "off", NULL};
	const char *with_state[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			variable, NULL};

	(void)state;
	assert_non_null(mkdtemp(home));
	snprintf(variable, sizeof variable, "XDG_STATE_HOME=%s", home);
	screen_start(&s, 36, 120, argv, with_state);
	screen_wait(&s, "idle");
	screen_send(&s, "for i in range(3):\nprint('remembered', i)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "│ remembered 2");
	screen_wait(&s, "● idle"); /* a run that has not ended is remembered as lost */
	leave();
	screen_start(&s, 36, 120, argv, with_state);
	screen_wait(&s, "idle");
	screen_send(&s, "\x14"
			"remem");
	screen_wait(&s, "Run history");
	screen_wait(&s, "python ✓");
	assert_true(screen_shows(&s, "print('remembered', i)"));
	screen_send(&s, "\r");
	screen_wait(&s, "  2     print('remembered', i)");
	leave();
	snprintf(command, sizeof command, "test $(stat -c %%a %s/terrarium/history.jsonl) = 600 && rm -r %s",
			home, home);
	assert_int_equal(system(command), 0);
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
			TEST(python_completes),
			TEST(the_signature_of_a_call_comes_and_goes),
			TEST(javascript_completes),
			TEST(bash_completes),
			TEST(a_busy_kernel_does_not_hold_up),
			TEST(names_are_inspected),
			TEST(variables_are_listed),
			TEST(what_is_lost_is_listed),
			TEST(runs_are_recalled),
	};

	if (argc < 2)
		return 2;
	program = argv[1];
	if (!screen_has_sandboxes(program))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
