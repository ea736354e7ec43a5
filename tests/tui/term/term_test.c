/* SPDX-License-Identifier: MIT */
/* The painter on a pty: what bytes a terminal gets. A child opens the terminal, paints and leaves; the
 * parent reads until the child has ended. */
#include "term/term.h"

#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "term/keys.h"
#include "term/term_internal.h"

struct capture {
	char bytes[65536];
	size_t len;
	int status;
	struct termios left; /* settings of the pty when the child has ended */
};

static struct capture cap;

/* Run `play` on a fresh pty of 10 rows and 40 columns, with NULL-ended pairs of environment. */
static void run(int (*play)(void), const char *const *env)
{
	struct winsize size = {.ws_row = 10, .ws_col = 40};
	int master, slave;
	cap.len = 0;
	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (; *env; env += 2)
			if (env[1])
				setenv(env[0], env[1], 1);
			else
				unsetenv(env[0]);
		close(master);
		login_tty(slave);
		_exit(play());
	}
	for (;;) {
		struct pollfd p = {.fd = master, .events = POLLIN};
		bool has_ended = waitpid(pid, &cap.status, WNOHANG) == pid;
		while (poll(&p, 1, has_ended ? 0 : 20) > 0 && (p.revents & POLLIN)) {
			ssize_t n = read(master, cap.bytes + cap.len, sizeof(cap.bytes) - 1 - cap.len);
			if (n <= 0)
				break;
			cap.len += (size_t)n;
		}
		if (has_ended)
			break;
	}
	cap.bytes[cap.len] = '\0';
	tcgetattr(slave, &cap.left);
	close(master);
	close(slave);
}

static bool has(const char *bytes)
{
	return memmem(cap.bytes, cap.len, bytes, strlen(bytes)) != NULL;
}

static void expect_left_sane(void)
{
	assert_true(has("\033[?1049l"));
	assert_true(has("\033[?1000l"));
	assert_true(has("\033[?2004l"));
	assert_true(cap.left.c_lflag & ECHO);
	assert_true(cap.left.c_lflag & ICANON);
	assert_true(cap.left.c_lflag & ISIG);
}

static struct canvas canvas;
static struct theme theme;

static struct term *open_or_exit(void)
{
	struct term *t;
	struct trm_error err;
	if (term_open(NULL, &t, &err) < 0) {
		printf("%s", err.msg);
		fflush(stdout);
		_exit(7);
	}
	canvas_init(&canvas, 10, 40);
	theme_builtin("dark", &theme, NULL);
	return t;
}

static void put(int row, int col, const char *text, struct style style)
{
	canvas_put(&canvas, (struct rect){0, 0, 10, 40}, row, col, text, strlen(text), style);
}

static int play_painting(void)
{
	struct term *t = open_or_exit();
	put(2, 3,
			"hello \xE4\xB8\xAD"
			"e\xCC\x81 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB!",
			(struct style){0});
	canvas.cursor_row = 2;
	canvas.cursor_col = 3;
	term_paint(t, &canvas, &theme);
	term_close(t);
	return 0;
}

static const char *const truecolor[] = {
		"TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", NULL, "LC_ALL", "C", NULL};
static const char *const indexed[] = {
		"TERM", "xterm-256color", "COLORTERM", NULL, "NO_COLOR", NULL, "LC_ALL", "C.UTF-8", NULL};
static const char *const eight[] = {"TERM", "xterm", "COLORTERM", NULL, "NO_COLOR", NULL, NULL};
static const char *const colorless[] = {
		"TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", "1", NULL};
static const char *const vt100[] = {"TERM", "vt100", "COLORTERM", NULL, "NO_COLOR", NULL, NULL};

static void test_colors(void **state)
{
	(void)state;
	run(play_painting, truecolor);
	assert_int_equal(cap.status, 0);
	assert_true(has("\033[38;2;214;218;225m"));
	assert_true(has("48;2;24;27;33"));
	expect_left_sane();
	run(play_painting, indexed);
	assert_true(has("\033[38;5;"));
	assert_false(has("38;2;"));
	run(play_painting, eight);
	assert_true(has("\033[37m\033[40m"));
	assert_false(has("38;5;"));
	run(play_painting, colorless);
	assert_false(has("\033[3") && (has("38;") || has("\033[37m")));
	expect_left_sane();
	run(play_painting, vt100);
	assert_true(has("hello"));
	assert_int_equal(cap.status, 0);
}

/* kitty logs a complaint about modifyOtherKeys, and knows its own protocol. */
static void test_kitty_gets_its_own_modes(void **state)
{
	static const char *const kitty[] = {"TERM", "xterm-kitty", "COLORTERM", NULL, NULL};
	(void)state;
	run(play_painting, indexed);
	assert_true(has("\033[>4;1m"));
	run(play_painting, kitty);
	if (WEXITSTATUS(cap.status) == 7)
		skip(); /* this machine has no description of it */
	assert_true(has("\033[>1u"));
	assert_false(has("\033[>4;1m"));
}

static int play_light(void)
{
	struct term *t = open_or_exit();
	struct theme light;
	if (theme_load(TESTS_SOURCE_DIR "/themes/light.json", &light, NULL) < 0)
		return 1;
	put(2, 3, "cyan", (struct style){.fg = COLOR_INDEX(6)});
	put(3, 3, "both", (struct style){.fg = COLOR_RGB(0x00CDCD), .bg = COLOR_RGB(0x111111)});
	term_paint(t, &canvas, &light);
	term_close(t);
	return 0;
}

/* What a program chose is readable on a light ground; where it chose the ground, too, it is left alone. */
static void test_programs_colors(void **state)
{
	(void)state;
	run(play_light, truecolor);
	assert_int_equal(cap.status, 0);
	assert_true(has("38;2;0;205;205"));
	assert_false(has("\033[36m"));
}

/* Text is UTF-8 even in the C locale; of a joined cluster only what every terminal shows as wide as we
 * think it is. */
static void test_text(void **state)
{
	(void)state;
	run(play_painting, truecolor);
	assert_true(has("hello \xE4\xB8\xAD"
			"e\xCC\x81 \xF0\x9F\x91\xA9!"));
	assert_false(has("\xE2\x80\x8D"));
}

static void put_link(int row, int col, const char *url)
{
	put(row, col, url, (struct style){0});
	for (size_t i = 0; i < strlen(url); i++)
		canvas.cells[row * 40 + col + (int)i].link = canvas_link(&canvas, url);
}

/* A row of the same letters, so that curses would have nothing to write. */
static int play_links(void)
{
	struct term *t = open_or_exit();
	put_link(2, 3, "http://a/");
	put(2, 12, " and", (struct style){0});
	term_paint(t, &canvas, &theme);
	term_write("<second>", strlen("<second>"));
	put(2, 3, "http://a/", (struct style){0}); /* a link no more */
	put_link(2, 20, "http://b/");
	term_paint(t, &canvas, &theme);
	term_write("<third>", strlen("<third>"));
	put(5, 0, "other", (struct style){0});
	term_paint(t, &canvas, &theme);
	term_write("<end>", strlen("<end>"));
	term_close(t);
	return 0;
}

/* Is this written while a link is open? */
static bool is_linked(const char *bytes, const char *text)
{
	const char *open = strstr(bytes, "\033]8;id="), *text_at = NULL;
	const char *begin = open ? strstr(open, "\033\\") : NULL,
		   *end = open ? strstr(open, "\033]8;;\033\\") : NULL;
	if (begin)
		text_at = strstr(begin, text);
	return text_at && end && text_at < end;
}

static void test_links(void **state)
{
	(void)state;
	run(play_links, indexed);
	assert_int_equal(cap.status, 0);
	char *second = strstr(cap.bytes, "<second>"), *third = strstr(cap.bytes, "<third>"),
	     *end = strstr(cap.bytes, "<end>");
	assert_true(second && third && end);
	*second = *third = *end = '\0';
	assert_non_null(strstr(cap.bytes, ";http://a/\033\\"));
	assert_true(is_linked(cap.bytes, "http://a/"));
	assert_false(is_linked(cap.bytes, " and"));
	/* The cells of the old link are written again without one, and those of the new one with it. */
	assert_null(strstr(second + 1, ";http://a/\033\\"));
	assert_non_null(strstr(second + 1, "http://a/"));
	assert_true(is_linked(second + 1, "http://b/"));
	assert_false(is_linked(second + 1, "http://a/"));
	assert_null(strstr(third + 1, "\033]8;"));
}

/* Another link with the same number in cells that do not change, as of a URL that is wrapped. */
static int play_links_of_one_number(void)
{
	struct term *t = open_or_exit();
	char other[32];
	put(2, 3, "part", (struct style){0});
	uint16_t number = canvas_link(&canvas, "http://a/");
	for (int i = 0; i < 4; i++)
		canvas.cells[2 * 40 + 3 + i].link = number;
	term_paint(t, &canvas, &theme);
	put(5, 0, "other", (struct style){0}); /* by now the answers of the terminal are wanted no more */
	term_paint(t, &canvas, &theme);
	term_write("<second>", strlen("<second>"));
	for (int i = 0; i == 0 || canvas_link(&canvas, other) != number; i++) {
		canvas_forget_links(&canvas);
		snprintf(other, sizeof other, "http://b/%d", i);
	}
	put(2, 3, "part", (struct style){0});
	for (int i = 0; i < 4; i++)
		canvas.cells[2 * 40 + 3 + i].link = number;
	term_paint(t, &canvas, &theme);
	term_close(t);
	return 0;
}

static void test_links_of_one_number(void **state)
{
	(void)state;
	run(play_links_of_one_number, indexed);
	assert_int_equal(cap.status, 0);
	char *second = strstr(cap.bytes, "<second>");
	assert_non_null(second);
	assert_non_null(strstr(second, ";http://b/"));
	assert_true(is_linked(second, "part"));
}

#define THUMB "\xF0\x9F\x91\x8D"
#define TONE "\xF0\x9F\x8F\xBD"
#define PILOT "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80"

/* Paint emoji when the terminal has told where its cursor is behind them. */
static int paint_emoji(const char *positions)
{
	struct term *t = open_or_exit();
	struct event ev;
	bool is_event = false;
	term_paint(t, &canvas, &theme);
	put(0, 0, "asks", (struct style){0});
	term_paint(t, &canvas, &theme);
	keys_feed(t->keys, positions, strlen(positions), 1);
	while (keys_next(t->keys, &ev))
		is_event = true;
	put(2, 3, "a" THUMB TONE "b" PILOT "c" TONE "d", (struct style){0});
	term_paint(t, &canvas, &theme);
	term_close(t);
	return is_event;
}

static int play_emoji_joined(void)
{
	return paint_emoji("\033[10;3R\033[10;3R");
}

static int play_emoji_apart(void)
{
	return paint_emoji("\033[10;5R\033[10;5R");
}

static int play_emoji_unknown(void)
{
	return paint_emoji("");
}

static int play_function_key(void)
{
	return !paint_emoji("\033[1;2R"); /* Shift-F3 */
}

/* The answers to a second question would be keys: F3 with a modifier. */
static int play_emoji_again(void)
{
	struct term *t = open_or_exit();

	for (int i = 0; i < 4; i++) {
		put(0, i, "x", (struct style){0});
		term_paint(t, &canvas, &theme);
		if (i == 1) {
			term_suspend(t);
			term_resume(t);
		}
	}
	term_close(t);
	return 0;
}

static void test_emoji(void **state)
{
	(void)state;
	run(play_emoji_joined, indexed);
	assert_int_equal(cap.status, 0);
	assert_true(has("\033[6n"));
	assert_true(has("a" THUMB TONE "b" PILOT "c\xEF\xBF\xBD d"));
	run(play_emoji_apart, indexed);
	assert_int_equal(cap.status, 0);
	assert_true(has("a" THUMB "b\xF0\x9F\x91\xA9"
			"c" TONE "d"));
	run(play_emoji_unknown, indexed);
	assert_true(has("a" THUMB "b\xF0\x9F\x91\xA9"
			"c\xEF\xBF\xBD d"));
	run(play_function_key, indexed);
	assert_int_equal(cap.status, 0);
	run(play_emoji_again, indexed);
	const char *second = memmem(cap.bytes, cap.len, "\033[?1049l", 8);
	assert_non_null(second);
	assert_non_null(strstr(second, "\033[?2026$p"));
	assert_null(strstr(second, "\033[6n"));
	run(play_emoji_unknown, vt100);
	assert_false(has("\033[6n"));
}

static int play_little_changes(void)
{
	struct term *t = open_or_exit();
	char number[8];
	term_paint(t, &canvas, &theme);
	put(0, 0, "asks", (struct style){0}); /* the second frame asks the terminal what it can do */
	term_paint(t, &canvas, &theme);
	printf("BEGIN");
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		snprintf(number, sizeof(number), "%d", i);
		put(4, 20, number, (struct style){.role = ROLE_TITLE});
		term_paint(t, &canvas, &theme);
		term_paint(t, &canvas, &theme);
	}
	printf("END");
	fflush(stdout);
	term_close(t);
	return 0;
}

static void test_only_changes_are_sent(void **state)
{
	(void)state;
	run(play_little_changes, indexed);
	const char *begin = strstr(cap.bytes, "BEGIN"), *end = strstr(cap.bytes, "END");
	assert_true(begin && end && end > begin);
	if (end - begin > 160)
		fail_msg("%zd bytes: %.*s", end - begin, (int)(end - begin), begin);
}

static int play_resize(void)
{
	struct term *t = open_or_exit();
	int rows, cols;
	put(0, 0, "before", (struct style){0});
	term_paint(t, &canvas, &theme);
	struct winsize size = {.ws_row = 24, .ws_col = 70};
	ioctl(0, TIOCSWINSZ, &size);
	term_size(t, &rows, &cols);
	canvas_resize(&canvas, rows, cols);
	canvas_put(&canvas, (struct rect){0, 0, rows, cols}, rows - 1, cols - 6, "corner", 6,
			(struct style){0});
	term_paint(t, &canvas, &theme);
	term_suspend(t);
	term_resume(t);
	term_paint(t, &canvas, &theme);
	term_close(t);
	return rows == 24 && cols == 70 ? 0 : 1;
}

static void test_resize_and_suspend(void **state)
{
	(void)state;
	run(play_resize, indexed);
	assert_int_equal(cap.status, 0);
	assert_true(has("corne")); /* the last cell takes a trick */
	expect_left_sane();
	const char *again = memmem(cap.bytes, cap.len, "\033[?1049l", 8);
	assert_non_null(again);
	assert_non_null(strstr(again, "\033[?1049h"));
	assert_non_null(strstr(again, "corne"));
}

static int play_crash(void)
{
	struct term *t = open_or_exit();
	term_paint(t, &canvas, &theme);
	term_emergency_restore();
	term_emergency_restore();
	_exit(3);
}

static void test_emergency(void **state)
{
	(void)state;
	run(play_crash, truecolor);
	assert_int_equal(WEXITSTATUS(cap.status), 3);
	expect_left_sane();
	assert_true(has("\033[?25h"));
}

static int play_keys(void)
{
	struct term *t = open_or_exit();
	struct event e;
	term_paint(t, &canvas, &theme);
	/* What the terminal sends comes through the line discipline: put it there as if typed. */
	const char *typed = "a\033[1;5C";
	for (const char *c = typed; *c; c++)
		ioctl(0, TIOCSTI, c);
	bool is_open = term_read(t, 0);
	bool has_a = term_next(t, &e) && e.key == 'a';
	term_close(t);
	return is_open && !has_a ? 9 : 0;
}

static void test_reading_never_waits(void **state)
{
	(void)state;
	run(play_keys, indexed);
	assert_true(WIFEXITED(cap.status)); /* whether TIOCSTI is permitted differs by kernel */
	expect_left_sane();
}

static void expect_refusal(const char *term, const char *word)
{
	const char *const env[] = {"TERM", term, "COLORTERM", NULL, "TERMINFO", NULL, NULL};
	run(play_painting, env);
	assert_int_equal(WEXITSTATUS(cap.status), 7);
	if (!has(word))
		fail_msg("%s", cap.bytes);
	assert_false(has("\033[?1049h"));
	assert_true(cap.left.c_lflag & ECHO);
}

static void test_refusals(void **state)
{
	struct term *t;
	struct trm_error err = {0};
	(void)state;
	expect_refusal(NULL, "TERM is not set");
	expect_refusal("", "TERM is not set");
	expect_refusal("nonsense", "\"nonsense\" (TERM) is unknown");
	expect_refusal("dumb", "too simple");
	int saved = dup(0), pipes[2];
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[0], 0);
	assert_int_equal(term_open(NULL, &t, &err), TRM_ENOTSUP);
	assert_non_null(strstr(err.msg, "standard input"));
	dup2(saved, 0);
	term_close(NULL);
	term_emergency_restore();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_colors),
			cmocka_unit_test(test_programs_colors),
			cmocka_unit_test(test_kitty_gets_its_own_modes),
			cmocka_unit_test(test_links),
			cmocka_unit_test(test_links_of_one_number),
			cmocka_unit_test(test_text),
			cmocka_unit_test(test_emoji),
			cmocka_unit_test(test_only_changes_are_sent),
			cmocka_unit_test(test_resize_and_suspend),
			cmocka_unit_test(test_emergency),
			cmocka_unit_test(test_reading_never_waits),
			cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
