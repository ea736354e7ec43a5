/* SPDX-License-Identifier: MIT */
/* Output as it looks: every case is played whole and a byte at a time. */
#include "output/output_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#define ESC "\x1b"
#define FFFD "\xef\xbf\xbd"
#define FLAG "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa"
#define WOMAN "\xf0\x9f\x91\xa9"
#define GIRL "\xf0\x9f\x91\xa7"
#define BOY "\xf0\x9f\x91\xa6"
#define THUMB "\xf0\x9f\x91\x8d"
#define TONE "\xf0\x9f\x8f\xbd"
#define ZWJ "\xe2\x80\x8d"

struct seen {
	char text[65536];
	struct style first;
};

/* All lines, each ended by '/', and the style of the first cell. */
static struct seen look(const struct scrollback *s)
{
	struct seen seen = {0};
	struct out_reader r;
	struct output_line l = {0};
	size_t len = 0;
	bool is_first = true;

	out_reader_seek(&r, s, scrollback_first(s));
	while (output_line_read(&l, &r)) {
		for (size_t i = 0; i < l.n && len < sizeof seen.text - 256; i++)
			len += (size_t)sprintf(seen.text + len, "%s", l.cells[i].text);
		if (is_first && l.n)
			seen.first = l.cells[0].style;
		is_first = false;
		seen.text[len++] = '/';
	}
	output_line_finish(&l);
	return seen;
}

static struct seen play(const char *bytes, size_t n, size_t step)
{
	struct scrollback s;

	assert_int_equal(scrollback_init(&s, 1 << 20), 0);
	for (size_t at = 0; at < n; at += step)
		scrollback_append(&s, OUT_STDOUT, 1, bytes + at, n - at < step ? n - at : step);
	struct seen seen = look(&s);
	scrollback_finish(&s);
	return seen;
}

static const struct {
	const char *bytes;
	size_t n; /* 0: up to its NUL */
	const char *want;
} cases[] = {
		{"one\ntwo\n", 0, "one/two/"},
		{"no newline", 0, "no newline/"},
		{"\n\nblank lines stay\n", 0, "//blank lines stay/"},
		{"10%\r50%\r100%\n", 0, "100%/"},
		{"100%\r5\n", 0, "500%/"},
		{"line\r\nend\r\n", 0, "line/end/"},
		{"ab\b\bX\n", 0, "Xb/"},
		{"\bX\n", 0, "X/"},
		{"a\tb\n", 0, "a       b/"},
		{ESC "[31mred" ESC "[0m\n", 0, "red/"},
		{"long text\r" ESC "[Kshort\n", 0, "short/"},
		{"abc" ESC "[1Kd\n", 0, "   d/"},
		{"abc" ESC "[2D!\n", 0, "a!c/"},
		{"a" ESC "[3Cb\n", 0, "a   b/"},
		{"abc" ESC "[1GX\n", 0, "Xbc/"},
		{ESC "[2J" ESC "[H" ESC "[?25lclear\n", 0, "clear/"},
		{ESC "]0;a title\aafter\n", 0, "after/"},
		{ESC "]8;;http://x" ESC "\\link" ESC "]8;;" ESC "\\\n", 0, "link/"},
		{ESC "Pq#0;1;2" ESC "\\sixel\n", 0, "sixel/"},
		{ESC "_Gf=100;AAAA" ESC "\\apc\n", 0, "apc/"},
		{ESC "^pm" ESC "\\" ESC "Xsos" ESC "\\x\n", 0, "x/"},
		{"\xc2\x9b"
		 "31mc1\n",
				0, "c1/"},
		{"\xc2\x9d"
		 "0;title\xc2\x9c"
		 "c1 osc\n",
				0, "c1 osc/"},
		{ESC "]never ended\nnext\n", 0, "/next/"},
		{ESC "(B" ESC ")0" ESC "=" ESC "7plain\n", 0, "plain/"},
		{ESC "[31" ESC "[32mtwice\n", 0, "twice/"},
		{ESC "[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18mmany\n", 0, "many/"},
		{"nul\0!\n", 6, "nul" FFFD "!/"},
		{"\xff\xfe!\n", 0, FFFD FFFD "!/"},
		{"\xc3(\n", 0, FFFD "(/"},
		{"cut \xe2\x82\n", 0, "cut " FFFD "/"},
		{"\xed\xa0\x80\n", 0, FFFD FFFD FFFD "/"},
		{"\xe2\x82\xac \xf0\x9f\x98\x80\n", 0, "\xe2\x82\xac \xf0\x9f\x98\x80/"},
		{"e\xcc\x81\n", 0, "e\xcc\x81/"},
		{"\xcc\x81\n", 0, FFFD "/"},
		{"\xe6\xbc\xa2\rX\n", 0, "X /"},
		{"X\xe6\xbc\xa2\b\bY\n", 0, "XY /"},
		{FLAG "x\rXY\n", 0, "XYx/"},
		{THUMB TONE "x\rab\n", 0, "abx/"},
		{THUMB TONE TONE "x\n", 0, THUMB TONE TONE "x/"},
		{"a" TONE "\n", 0, "a" TONE "/"},
		{FLAG FLAG "\n", 0, FLAG FLAG "/"},
		{WOMAN ZWJ WOMAN ZWJ GIRL ZWJ BOY "x\n", 0, WOMAN ZWJ WOMAN ZWJ ZWJ "x/"},
		{"\xe2\x80\xae"
		 "evil\n",
				0, FFFD "evil/"},
		{"\x07\x0e\x0f"
		 "bell\x7f\n",
				0, "bell/"},
};

static void looks_as_on_a_terminal(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n = cases[i].n ? cases[i].n : strlen(cases[i].bytes);
		for (size_t step = 1; step <= n; step += n > 1 ? n - 1 : 1) {
			struct seen seen = play(cases[i].bytes, n, step);
			assert_string_equal(seen.text, cases[i].want);
		}
	}
}

/* However it is cut, output looks the same, and nothing in it breaks the parser. */
static void cuts_do_not_matter(void **state)
{
	static const char letters[] =
			"\x1b[]m;:0123K\r\b\t\nGCDP\\_^X\x9b\xc2\xe6\xbc\xa2\xf0\x9f\x98\x80\xcc\x81 ab\a";
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char bytes[120];
		size_t n = 1 + (size_t)round % sizeof bytes;
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] = letters[(seed >> 16) % sizeof letters];
		}
		struct seen whole = play(bytes, n, n), single = play(bytes, n, 1), some = play(bytes, n, 7);
		assert_string_equal(whole.text, single.text);
		assert_string_equal(whole.text, some.text);
		assert_memory_equal(&whole.first, &single.first, sizeof whole.first);
	}
}

static void colors(void **state)
{
	static const struct {
		const char *bytes;
		uint16_t attrs;
		uint32_t fg, bg;
	} sgr[] = {
			{ESC "[31mx", 0, COLOR_INDEX(1), COLOR_NONE},
			{ESC "[1;4;92;103mx", ATTR_BOLD | ATTR_UNDERLINE, COLOR_INDEX(10), COLOR_INDEX(11)},
			{ESC "[38;5;208mx", 0, COLOR_INDEX(208), COLOR_NONE},
			{ESC "[38;2;1;2;3;48;2;4;5;6mx", 0, COLOR_RGB(0x010203), COLOR_RGB(0x040506)},
			{ESC "[38:2::1:2:3;1mx", ATTR_BOLD, COLOR_RGB(0x010203), COLOR_NONE},
			{ESC "[38:5:9mx", 0, COLOR_INDEX(9), COLOR_NONE},
			{ESC "[4:3mx", ATTR_UNDERLINE, COLOR_NONE, COLOR_NONE},
			{ESC "[1;2;3;7;9m" ESC "[22;27mx", ATTR_ITALIC | ATTR_STRIKE, COLOR_NONE, COLOR_NONE},
			{ESC "[31;41m" ESC "[39;49mx", 0, COLOR_NONE, COLOR_NONE},
			{ESC "[31m" ESC "[mx", 0, COLOR_NONE, COLOR_NONE},
			{ESC "[38;5mx", 0, COLOR_NONE, COLOR_NONE},
			{ESC "[99999999999;31mx", 0, COLOR_INDEX(1), COLOR_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof sgr / sizeof *sgr; i++) {
		struct seen seen = play(sgr[i].bytes, strlen(sgr[i].bytes), 1);
		assert_string_equal(seen.text, "x/");
		assert_int_equal(seen.first.attrs, sgr[i].attrs);
		assert_int_equal(seen.first.fg, sgr[i].fg);
		assert_int_equal(seen.first.bg, sgr[i].bg);
		assert_int_equal(seen.first.role, ROLE_OUT_STDOUT);
	}
}

static struct style style_at(const struct scrollback *s, uint64_t line)
{
	struct out_reader r;
	struct output_line l = {0};

	out_reader_seek(&r, s, line);
	assert_true(output_line_read(&l, &r));
	assert_true(l.n > 0);
	struct style style = l.cells[0].style;
	output_line_finish(&l);
	return style;
}

static void colors_reach_across_lines_but_not_runs_or_streams(void **state)
{
	struct scrollback s;

	(void)state;
	scrollback_init(&s, 1 << 20);
	scrollback_append(&s, OUT_STDOUT, 1, ESC "[32mgreen\n", 11);
	scrollback_append(&s, OUT_STDERR, 1, "error\n", 6);
	scrollback_append(&s, OUT_STDOUT, 1, "still\n", 6);
	scrollback_header(&s, 2);
	scrollback_append(&s, OUT_STDOUT, 2, "fresh\n", 6);
	assert_int_equal(style_at(&s, 0).fg, COLOR_INDEX(2));
	assert_int_equal(style_at(&s, 1).fg, COLOR_NONE);
	assert_int_equal(style_at(&s, 1).role, ROLE_OUT_STDERR);
	assert_int_equal(style_at(&s, 2).fg, COLOR_INDEX(2));
	assert_int_equal(style_at(&s, 4).fg, COLOR_NONE);
	scrollback_finish(&s);
}

static void late_output_has_a_line_and_a_label_of_its_own(void **state)
{
	struct scrollback s;

	(void)state;
	scrollback_init(&s, 1 << 20);
	scrollback_append(&s, OUT_STDOUT, 1, "now", 3);
	scrollback_append(&s, OUT_LATE, 3, "then\n", 5);
	scrollback_append(&s, OUT_STDOUT, 1, "on\n", 3);
	struct seen seen = look(&s);
	assert_string_equal(seen.text, "now/[3] late: then/on/");
	scrollback_finish(&s);
}

static void wraps_at_cells_not_bytes(void **state)
{
	struct scrollback s;
	struct out_reader r;
	struct output_line l = {0};

	(void)state;
	scrollback_init(&s, 1 << 20);
	scrollback_append(&s, OUT_STDOUT, 1, "abc\xe6\xbc\xa2\xe6\xbc\xa2\n", 10);
	out_reader_seek(&r, &s, 0);
	assert_true(output_line_read(&l, &r));
	assert_int_equal(l.n, 7);
	assert_int_equal(
			output_line_row_end(&l, 0, 4), 3); /* the wide character goes to the next row whole */
	assert_int_equal(output_line_row_end(&l, 3, 4), 7);
	assert_int_equal(output_line_rows(&l, 4), 2);
	assert_int_equal(output_line_rows(&l, 7), 1);
	output_line_finish(&l);
	scrollback_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(looks_as_on_a_terminal),
			cmocka_unit_test(cuts_do_not_matter),
			cmocka_unit_test(colors),
			cmocka_unit_test(colors_reach_across_lines_but_not_runs_or_streams),
			cmocka_unit_test(late_output_has_a_line_and_a_label_of_its_own),
			cmocka_unit_test(wraps_at_cells_not_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
