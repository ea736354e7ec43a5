/* SPDX-License-Identifier: MIT */
/* Progress displays and hostile sequences: every case is played whole and a byte at a time. */
#include "output/live_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "output/output_line.h"

#define ESC "\x1b"
#define UP ESC "[A"
#define WIPE ESC "[2K"

struct seen {
	char text[65536];
	size_t len;
};

static void add_line(struct seen *seen, const struct output_line *l)
{
	for (size_t i = 0; i < l->n && seen->len < sizeof seen->text - 64; i++)
		seen->len += (size_t)sprintf(seen->text + seen->len, "%s", l->cells[i].text);
	seen->text[seen->len++] = '/';
	seen->text[seen->len] = '\0';
}

/* All lines, those that are still live included, each ended by '/'. */
static void look(struct live_screen *o, const struct scrollback *s, struct seen *seen)
{
	struct out_reader r;
	struct output_line l = {0};

	seen->len = 0;
	seen->text[0] = '\0';
	out_reader_seek(&r, s, scrollback_first(s));
	while (output_line_read(&l, &r))
		add_line(seen, &l);
	for (int i = 0; i < live_screen_lines(o); i++) {
		live_screen_read(o, i, &l);
		add_line(seen, &l);
	}
	output_line_finish(&l);
}

static const struct {
	const char *bytes, *want;
} cases[] = {
		{"plain\n" ESC "[31mred" ESC "[0m\n", "plain/red/"},
		/* two bars, as tqdm draws them */
		{"0%\n\r 10%" UP "\r50%\n\r 60%" UP "\r100%\n\r 100%\n", "100%/ 100%/"},
		/* rich: erase and draw again */
		{"log\na 1\nb 1"
		 "\r" WIPE UP WIPE "a 2\nb 2"
		 "\r" WIPE UP WIPE "a 3\nb 3\n",
				"log/a 3/b 3/"},
		/* rich's transient display goes away */
		{"before\nx\ny\r" WIPE UP WIPE "after\n", "before/after/"},
		/* docker: each layer at its own distance */
		{"a: wait\nb: wait\n" ESC "[2A" WIPE "\ra: done" ESC "[2B\r" ESC "[1A" WIPE "\rb: done" ESC
		 "[1B\r"
		 "ok\n",
				"a: done/b: done/ok/"},
		{"one\ntwo\n" ESC "[2J" ESC "[Hthree\n", "three/"},
		{"one\ntwo\n" ESC "[1;1HONE\n", "ONE/two/"},
		{"a\nb\nc\n" ESC "[3A" ESC "[J"
		 "gone\n",
				"gone/"},
		{"ab" ESC "7cd" ESC "8XY\n", "abXY/"},
		{"x" ESC "[3bz\n", "xxxxz/"},
		/* a line without an end stays where it is */
		{"ask " ESC "[s"
		 "me",
				"ask me/"},
		/* wide characters, and one overwritten in its middle */
		{"日本\n" UP ESC "[2Cx\n", "日x/"},
		/* what may do nothing */
		{ESC "]0;title"
		     "\x07" ESC "]52;c;QUJD" ESC "\\" ESC "P+q544e" ESC "\\" UP "ok\n",
				"ok/"},
		{UP ESC "[c" ESC "[6n" ESC "[5n" ESC "Z"
			"\x05" ESC "[>c" ESC "[?1$p"
			"ok\n",
				"ok/"},
		{"a\n" ESC "[?1049h" UP "b\n" ESC "[?1049l"
		 "c\n",
				"b/c/"},
		{UP ESC "[99999999999;99999999999Hx\n", NULL},
		{UP ESC "[999999999S" ESC "[999999999T" ESC "[999999999L" ESC "[999999999M" ESC
			"[999999999@" ESC "[999999999P" ESC "[999999999b"
			"ok\n",
				NULL},
		{UP ESC "[2;3r" ESC "[?6h\n\n\n\n\nx" ESC "c"
			"fresh\n",
				NULL},
		{UP ESC "#8", NULL},
		{"\xff\xfe" UP "\xc3\n", NULL},
};

static void play(const char *bytes, size_t step, struct seen *ret)
{
	struct live_screen o = {0};
	struct scrollback s;
	struct seen quiet;
	size_t n = strlen(bytes);

	assert_int_equal(scrollback_init(&s, 1 << 20), 0);
	live_screen_size(&o, 10, 40);
	for (size_t at = 0; at < n; at += step)
		live_screen_feed(&o, &s, OUT_STDOUT, 1, bytes + at, n - at < step ? n - at : step);
	look(&o, &s, ret);
	live_screen_commit(&o, &s);
	look(&o, &s, &quiet);
	assert_string_equal(ret->text, quiet.text);
	live_screen_finish(&o);
	scrollback_finish(&s);
}

static void displays_look_right(void **state)
{
	static struct seen whole, single;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		play(cases[i].bytes, SIZE_MAX, &whole);
		play(cases[i].bytes, 1, &single);
		assert_string_equal(whole.text, single.text);
		if (cases[i].want)
			assert_string_equal(whole.text, cases[i].want);
		for (const char *p = whole.text; *p; p++)
			assert_true((unsigned char)*p >= 0x20);
	}
}

static void keeps_colors(void **state)
{
	struct live_screen o = {0};
	struct scrollback s;
	struct out_reader r;
	struct output_line l = {0};
	static const char bytes[] = ESC "[1;38;2;1;2;3mbar\nx\n" UP ESC "[48;5;200;4my" ESC "[0m\nplain\n";

	(void)state;
	assert_int_equal(scrollback_init(&s, 1 << 20), 0);
	live_screen_feed(&o, &s, OUT_STDERR, 1, bytes, sizeof bytes - 1);
	live_screen_commit(&o, &s);
	out_reader_seek(&r, &s, 0);
	assert_true(output_line_read(&l, &r));
	assert_int_equal(l.kind, OUT_STDERR);
	assert_int_equal(l.cells[0].style.fg, COLOR_RGB(0x010203));
	assert_int_equal(l.cells[0].style.attrs, ATTR_BOLD);
	assert_true(output_line_read(&l, &r));
	assert_int_equal(l.cells[0].style.bg, COLOR_INDEX(200));
	assert_int_equal(l.cells[0].style.attrs, ATTR_BOLD | ATTR_UNDERLINE);
	assert_true(output_line_read(&l, &r));
	assert_int_equal(l.cells[0].style.fg, COLOR_NONE);
	assert_int_equal(l.cells[0].style.attrs, 0);
	assert_false(output_line_read(&l, &r));
	output_line_finish(&l);
	live_screen_finish(&o);
	scrollback_finish(&s);
}

/* When nothing moves any more, lines go straight to the store again. */
static void comes_to_rest(void **state)
{
	struct live_screen o = {0};
	struct scrollback s;
	char line[32];

	(void)state;
	assert_int_equal(scrollback_init(&s, 1 << 20), 0);
	live_screen_size(&o, 10, 40);
	live_screen_feed(&o, &s, OUT_STDOUT, 1, "a\n" UP ESC "[32mb\n", 12);
	assert_true(o.is_live);
	for (int i = 0; i < 100; i++)
		live_screen_feed(&o, &s, OUT_STDOUT, 1, line, (size_t)sprintf(line, "line %d\n", i));
	assert_false(o.is_live);
	assert_int_equal(scrollback_end(&s), 101);
	struct out_reader r;
	struct output_line l = {0};
	out_reader_seek(&r, &s, 100);
	assert_true(output_line_read(&l, &r));
	assert_int_equal(l.cells[0].style.fg, COLOR_INDEX(2));
	output_line_finish(&l);
	live_screen_finish(&o);
	scrollback_finish(&s);
}

/* Lines of other runs and notes are not drawn over. */
static void leaves_other_runs_alone(void **state)
{
	static struct seen seen;
	struct live_screen o = {0};
	struct scrollback s;

	(void)state;
	assert_int_equal(scrollback_init(&s, 1 << 20), 0);
	live_screen_feed(&o, &s, OUT_STDOUT, 1, "first\n", 6);
	scrollback_header(&s, 2);
	live_screen_feed(&o, &s, OUT_STDOUT, 2, "a\nb\n" ESC "[99AX\n", 11);
	look(&o, &s, &seen);
	assert_string_equal(seen.text, "first//X/b/");
	assert_false(live_screen_ends_with(&o, "X"));
	live_screen_feed(&o, &s, OUT_STDOUT, 2, "\nname? ", 7);
	assert_true(live_screen_ends_with(&o, "name? "));
	live_screen_feed(&o, &s, OUT_STDOUT, 3, "next\n", 5);
	assert_false(o.is_live);
	live_screen_finish(&o);
	scrollback_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(displays_look_right),
			cmocka_unit_test(keeps_colors),
			cmocka_unit_test(comes_to_rest),
			cmocka_unit_test(leaves_other_runs_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
