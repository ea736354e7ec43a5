/* SPDX-License-Identifier: MIT */
/* The output pane with real programs: progress displays, hostile bytes, tracebacks, floods. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};
static char dir[] = "/tmp/out-test-XXXXXX";

static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=/nonexistent", "TERRARIUM_CONFIRM=off", "TERRARIUM_RESTORE=off", NULL};

static void start(const char *language, const char *file)
{
	const char *argv[] = {program, "--backend", "local", "--lang", language, file, NULL};

	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

static void run_code(const char *code)
{
	screen_send(&s, "\033[200~");
	screen_send(&s, code);
	screen_send(&s, "\033[201~");
	screen_send(&s, KEY_F(5));
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

static bool has_python_module(const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof path, "/usr/lib/python3/dist-packages/%s", name);
	return stat(path, &st) == 0;
}

/* How many lines of the screen hold this. */
static int count_lines(const char *text)
{
	int n = 0;

	for (const char *p = screen_text(&s); (p = strstr(p, text)) != NULL; p += strcspn(p, "\n"))
		n++;
	return n;
}

static void a_near_time_limit_is_counted_down(void **state)
{
	const char *argv[] = {program, "--backend", "local", "--yes", "--timeout", "6", NULL};

	(void)state;
	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
	run_code("import time; time.sleep(8); print('in', 'time')");
	screen_wait(&s, "time limit: stops in");
	screen_send(&s, "\033u");
	screen_wait(&s, "the run has 6.0 s more");
	screen_wait(&s, "│ in time");
	screen_send(&s, "\x01");
	run_code("while True: time.sleep(0.1)");
	screen_wait(&s, "timed out after 6 s (time limit 6 s: the setting timeout)");
	leave();
}

static void tqdm_draws_in_place(void **state)
{
	(void)state;
	if (!has_python_module("tqdm"))
		skip();
	start("python", NULL);
	run_code("from tqdm import tqdm\n"
		 "for i in tqdm(range(3), desc='outer'):\n"
		 "    for j in tqdm(range(5), desc='inner', leave=False): pass\n"
		 "a = tqdm(total=10, position=0, desc='AAA'); b = tqdm(total=10, position=1, desc='BBB')\n"
		 "for i in range(10):\n"
		 "    a.update(1); a.refresh(); b.update(i % 2); b.refresh()\n"
		 "a.close(); b.close()\n"
		 "print('all', 'over')");
	screen_wait(&s, "│ all over");
	assert_int_equal(count_lines("│ outer: 100%"), 1);
	assert_int_equal(count_lines("│ inner"), 0);
	assert_int_equal(count_lines("│ AAA: 100%"), 1);
	assert_int_equal(count_lines("│ BBB:  50%"), 1);
	leave();
}

static void rich_draws_in_place(void **state)
{
	(void)state;
	if (!has_python_module("rich"))
		skip();
	start("python", NULL);
	run_code("from rich.progress import Progress\n"
		 "with Progress() as p:\n"
		 "    a = p.add_task('Load', total=50); b = p.add_task('Make', total=50)\n"
		 "    for i in range(50):\n"
		 "        p.update(a, advance=1); p.update(b, advance=0.5); p.refresh()\n"
		 "        if i == 25: p.console.print('half', 'way')\n"
		 "print('all', 'over', p.console.color_system)");
	screen_wait(&s, "│ all over truecolor");
	assert_int_equal(count_lines("│ half way"), 1);
	assert_int_equal(count_lines("│ Load ━"), 1);
	assert_int_equal(count_lines("│ Make ━"), 1);
	assert_true(screen_shows(&s, "100%"));
	assert_true(screen_shows(&s, " 50%"));
	leave();
}

/* Where the editor hides the output. */
static void a_small_screen_has_its_width(void **state)
{
	const char *argv[] = {program, "--backend", "local", "--lang", "bash", NULL};
	(void)state;
	screen_start(&s, 10, 40, argv, env);
	screen_wait(&s, "idle");
	run_code("echo \"<$COLUMNS>\"");
	screen_wait(&s, " <39>");
	leave();
}

/* As `docker pull` draws its layers and `npm` its one line. */
static void layers_draw_in_place(void **state)
{
	(void)state;
	start("bash", NULL);
	run_code("for l in a b c; do printf \"layer-$l: Waiting\\n\"; done\n"
		 "for p in 20 60 99; do for u in 3 2 1; do\n"
		 "printf \"\\e[${u}A\\e[2K\\rlayer: at $p %% of $u\\r\\e[${u}B\"; done; done\n"
		 "for p in 1 2 3; do printf '\\e[1000D\\e[0K\\e[90mreify:%s\\e[0m' $p; done\n"
		 "printf '\\r\\e[0Kadded 3\\n'; echo all over");
	screen_wait(&s, "│ all over");
	assert_int_equal(count_lines("│ layer: at 99 % of"), 3);
	assert_int_equal(count_lines("│ layer: at 60"), 0);
	assert_int_equal(count_lines("│ layer-"), 0);
	assert_int_equal(count_lines("│ added 3"), 1);
	assert_int_equal(count_lines("│ reify"), 0);
	leave();
}

static void hostile_bytes_do_nothing(void **state)
{
	(void)state;
	start("bash", NULL);
	run_code("printf '\\e]52;c;cHduZWQ=\\a\\e]0;pwned\\a\\eP+q544e\\e\\\\\\e_Gi=1;AAAA\\e\\\\'\n"
		 "printf '\\e[?1049h\\e[?1000h\\e[c\\e[6n\\e[5n\\005\\e[>c\\e[?2026h\\e[2;3r\\e[999b\\e[A\\ec'\n"
		 "printf '\\e[21t\\e[8;1;1t\\e#8\\e(0\\017\\016still here\\n'");
	screen_wait(&s, "│ still here");
	screen_wait(&s, "✓");
	assert_null(memmem(s.raw, s.raw_len, "\x1b]52;c", 6));
	assert_null(memmem(s.raw, s.raw_len, "\x1b]0;pw", 6));
	assert_null(memmem(s.raw, s.raw_len, "\x1bP", 2));
	assert_true(s.is_alternate); /* the workbench's own */
	screen_send(&s, "# typed");
	screen_wait(&s, "# typed");
	leave();
}

/* ---- from a traceback to the line ---- */

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const struct {
	const char *language, *file, *code, *error, *place;
} failures[] = {
		{"python", "bad.py", "a = 1\ndef f():\n    return 1 / 0\nb = 2\nf()\n", "ZeroDivisionError",
				" 3:1 "},
		{"javascript", "bad.js",
				"let a = 1;\n\nfunction f() {\n  throw new TypeError('bad');\n}\nf();\n",
				"TypeError: bad", " 4:9 "},
		{"bash", "bad.sh", "a=1\n\nnosuchcommand\ntrue\n", "command not found", " 3:1 "},
};

static void errors_lead_to_their_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		write_file(failures[i].file, failures[i].code);
		start(failures[i].language, failures[i].file);
		screen_send(&s, KEY_F(5));
		screen_wait(&s, failures[i].error);
		screen_wait(&s, "● idle");
		screen_send(&s, KEY_F(6)); /* to the output; Enter: the newest error's line */
		screen_send(&s, "\r");
		screen_wait(&s, failures[i].place);
		leave();
	}
}

/* ---- blocks, search, floods ---- */

static void blocks_and_search(void **state)
{
	(void)state;
	start("python", NULL);
	run_code("for i in range(20000): print('line', i)");
	screen_wait(&s, "│ line 19999");
	screen_wait(&s, "● idle");
	assert_true(screen_shows(&s, "▾ [1] python")); /* although its start has scrolled away */
	screen_send(&s, KEY_F(6));
	screen_send(&s, "/ine 1234");
	screen_wait(&s, "11 of 11 lines");
	screen_wait(&s, "line 12349 ");
	screen_send(&s, "\rNN");
	screen_wait(&s, " 9 of 11 lines");
	screen_send(&s, "-");
	screen_wait(&s, "▸ [1] python");
	screen_wait(&s, "20,000 lines folded");
	leave();
}

static bool dir_holds(const char *name, off_t bytes)
{
	struct stat st;

	return stat(name, &st) == 0 && st.st_size == bytes;
}

static void a_flood_spills_into_a_file(void **state)
{
	(void)state;
	start("python", NULL);
	run_code("import sys\nprint('the beginning')\nx = input()\n"
		 "for i in range(400000): sys.stdout.write('x' * 99 + '\\n')");
	screen_wait(&s, "waiting for input");
	screen_send(&s, "\033d"); /* Alt-d */
	screen_wait(&s, "terrarium-run-1.txt");
	screen_send(&s, "go\r");
	screen_wait(&s, "printed 38.1 MiB");
	screen_wait(&s, "lines dropped");
	screen_wait(&s, "✓");
	assert_true(dir_holds("terrarium-run-1.txt", 14 + 40000000));
	leave();
	unlink("terrarium-run-1.txt");
}

/* "ESC ] 8" … "ESC \\": a link is open while its text is written, and nothing else. */
static bool has_logged(const char *bytes)
{
	return s.log && memmem(s.log, s.log_len, bytes, strlen(bytes));
}

static void start_with_links(const char *how)
{
	const char *argv[] = {program, "--backend", "local", "--links", how, NULL};

	screen_start(&s, 24, 80, argv, env);
	s.is_logged = true;
	screen_wait(&s, "idle");
}

static void a_url_is_a_link(void **state)
{
	(void)state;
	start_with_links("on");
	run_code("h = 'http'; print(h + '://localhost:8888/lab', 'behind')");
	screen_wait(&s, "http://localhost:8888/lab behind");
	assert_true(has_logged(";http://localhost:8888/lab\033\\"));
	assert_true(has_logged("\033]8;;\033\\"));
	/* It scrolls away; nothing else is linked afterwards. */
	screen_send(&s, "\x01");
	run_code("print('plain\\n' * 40)");
	screen_wait_gone(&s, "lab behind");
	screen_wait(&s, "idle");
	s.log_len = 0;
	screen_send(&s, "\x01");
	run_code("print('the', 'end')");
	screen_wait(&s, "the end");
	assert_false(has_logged("\033]8;"));
	leave();
	start_with_links("auto"); /* no terminal that is known for it */
	run_code("h = 'http'; print(h + '://localhost:8888/lab', 'behind')");
	screen_wait(&s, "http://localhost:8888/lab behind");
	assert_false(has_logged("\033]8;"));
	leave();
}

static int give_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

#define TEST(f) cmocka_unit_test_teardown(f, give_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(a_near_time_limit_is_counted_down),
			TEST(tqdm_draws_in_place),
			TEST(rich_draws_in_place),
			TEST(a_small_screen_has_its_width),
			TEST(layers_draw_in_place),
			TEST(hostile_bytes_do_nothing),
			TEST(errors_lead_to_their_lines),
			TEST(blocks_and_search),
			TEST(a_url_is_a_link),
			TEST(a_flood_spills_into_a_file),
	};
	if (argc < 2 || !mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	program = argv[1];
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		unlink(failures[i].file);
	unlink("terrarium-run-1.txt");
	rmdir(dir);
	return failed;
}
