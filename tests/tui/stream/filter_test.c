/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "stream/filter.h"

/* Whole, and one byte at a time: both must give the same. */
static void expect_n(enum filter_kind kind, const char *in, size_t n, const char *wanted)
{
	for (size_t step = 1; step <= n; step += n > 1 ? n - 1 : 1) {
		char *out = malloc(filter_room(n) + n * FILTER_SEQUENCE_MAX + FILTER_FINISH_MAX);
		size_t len = 0;
		struct filter f;
		filter_init(&f, kind);
		for (size_t i = 0; i < n; i += step)
			len += filter_feed(&f, in + i, n - i < step ? n - i : step, out + len);
		len += filter_finish(&f, out + len);
		out[len] = 0;
		assert_string_equal(out, wanted);
		free(out);
	}
}

static void expect(enum filter_kind kind, const char *in, const char *wanted)
{
	expect_n(kind, in, strlen(in), wanted);
}

static void text_passes(void **state)
{
	(void)state;
	expect(FILTER_LINES, "plain\r\n\ttab\bé 漢 😀 ~\n", "plain\r\n\ttab\bé 漢 😀 ~\n");
}

static void colors_pass_and_are_ended(void **state)
{
	(void)state;
	expect(FILTER_LINES, "\033[31mred\033[0m \033[1;38:2::9:9:9mx\033[m.",
			"\033[31mred\033[0m \033[1;38:2::9:9:9mx\033[m.");
	expect(FILTER_LINES, "\033[7mleft on", "\033[7mleft on\033[m");
}

static void hostile_bytes_do_not(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
			{"a\033]0;title\007b", "ab"},
			{"a\033]52;c;aGk=\033\\b", "ab"},
			{"a\033Pq#0\033\\b", "ab"},
			{"a\033[6nb\033[cb\033[>cb\033[21tb", "abbbb"},
			{"a\033[2Jb\033[Hc\033[?1049hd", "abcd"},
			{"a\033[>4;2mb\033[?4mc", "abc"},
			{"a\033cb\0337c", "abc"},
			{"a\033(0b", "ab"},
			{"a\007b\016c\177", "a\xef\xbf\xbd"
					    "b\xef\xbf\xbd"
					    "c\xef\xbf\xbd"},
			{"a\xc2\x9b"
			 "2Jb",
					"a\xef\xbf\xbd"
					"2Jb"},
			{"a\x9b"
			 "31mb",
					"a\xef\xbf\xbd"
					"31mb"},
			{"a\xe2\x80\xae"
			 "b\xe2\x81\xa6"
			 "c",
					"a\xef\xbf\xbd"
					"b\xef\xbf\xbd"
					"c"},
			{"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
			{"\xc3(", "\xef\xbf\xbd("},
			{"a\033]0;never closed\nb", "a\nb"},
			{"a\033]0;x\033[31mb", "a\033[31mb\033[m"},
			{"a\033\033[2Jb\033", "ab"},
			{"a\033[1\nb", "ab"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(FILTER_LINES, cases[i].in, cases[i].out);
	expect_n(FILTER_LINES, "a\0b", 3,
			"a\xef\xbf\xbd"
			"b");
}

static void an_endless_sequence_is_given_up(void **state)
{
	(void)state;
	char in[4096];
	memset(in, '1', sizeof in);
	in[0] = '\033';
	in[1] = '[';
	in[sizeof in - 1] = 0;
	char out[2 * sizeof in];
	struct filter f;
	filter_init(&f, FILTER_LINES);
	size_t n = filter_feed(&f, in, sizeof in - 1, out);
	assert_true(n > 0 && out[0] == '1');
}

static void a_screen_may_be_drawn_and_is_left_sane(void **state)
{
	(void)state;
	expect(FILTER_SCREEN, "\033[2J\033[3;4Hx\0337\0338\033M", "\033[2J\033[3;4Hx\0337\0338\033M");
	expect(FILTER_SCREEN, "\033[?1049h\033[?25lx", "\033[?1049h\033[?25lx\033[?25h\033[?1049l");
	expect(FILTER_SCREEN, "\033[?25l\033[?25hx", "\033[?25l\033[?25hx");
	expect(FILTER_SCREEN, "\033[2;5rx", "\033[2;5rx\0337\033[r\0338\033(B\017\033>");
	expect(FILTER_SCREEN, "a\033]52;c;aGk=\007b\033[6nc\033[?9999hd\033[14te", "abcde");
}

/* What a terminal cannot be put back from, or is held up by. */
static void a_screen_may_not_do_everything(void **state)
{
	(void)state;
	expect(FILTER_SCREEN, "a\033[3Jb\033[2Jc\033[1;3Jd", "ab\033[2Jcd");
	expect(FILTER_SCREEN, "a\033Hb\033[gc\033[3gd", "abcd");
	expect(FILTER_SCREEN, "a\033[999999C\033[99999Cb\033[9999b\033[99bc", "a\033[99999Cb\033[99bc");
	expect(FILTER_SCREEN, "a\033[1;2;3;4;5Tb\033[4i\033[20h\033#8\033cc", "ab8c");
	expect(FILTER_SCREEN, "\016x", "\016x\0337\033[r\0338\033(B\017\033>");
	expect(FILTER_SCREEN, "\033[=1u\033[>1u\033[?u\033[>4m\033[?1001h\033[?2031h\033[$p\033[!p\033[2 q",
			"");
	expect(FILTER_SCREEN, "a\005b\x84\x8d\x90q\x9c",
			"a\xef\xbf\xbd"
			"b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdq\xef\xbf\xbd");
	expect(FILTER_SCREEN, "a\033_Gi=1;AAAA\033\\b\033]1337;File=:AA\ac\033]8;;http://x\033\\d", "abcd");
}

static void live_lines_are_drawn_over_but_none_above(void **state)
{
	(void)state;
	expect(FILTER_LIVE, "a\nb\n\033[2A\033[2Kc\nd\n", "a\nb\n\033[2A\033[2Kc\nd\n");
	expect(FILTER_LIVE, "a\n\033[9Ab\n", "a\n\033[1Ab\n");
	expect(FILTER_LIVE, "\033[A\033[Fx", "\rx");
	expect(FILTER_LIVE, "a\nb\033[Ac", "a\nb\033[1Ac\033[1B\r");
	expect(FILTER_LIVE, "\033[5Ba\033[2J\033[H\033[;A", "a");
}

static void progress_stays_in_its_lines(void **state)
{
	(void)state;
	expect(FILTER_PROGRESS, "a\033[2K\033[1A\033[1G\033[0K\033[J\rb",
			"a\033[2K\033[1A\033[1G\033[0K\033[J\rb");
	expect(FILTER_PROGRESS, "\033[?25lx", "\033[?25lx\033[?25h");
	expect(FILTER_PROGRESS, "a\033[?1049h\033[?1000h\033[?2004l\033[2J\033[H\033[2;5r\033(0\016\ab",
			"a\xef\xbf\xbd\xef\xbf\xbd"
			"b");
}

/* A megabyte of accents on one letter, with colors among them. */
static void hidden_text_is_shown(void **state)
{
	(void)state;
	expect(FILTER_LINES, "\033[8mx\033[28my\033[0m", "\033[7mx\033[27my\033[0m");
	expect(FILTER_LINES, "\033[1;08;31mx\033[m", "\033[1;07;31mx\033[m");
	expect(FILTER_LINES, "\033[8;0;28mx\033[m", "\033[7;0;28mx\033[m");
	expect(FILTER_LINES, "\033[38;5;8;48;2;8;8;8mx\033[38:5:8my\033[m",
			"\033[38;5;8;48;2;8;8;8mx\033[38:5:8my\033[m");
	expect(FILTER_LINES, "\033[7mx\033[28my\033[m", "\033[7mx\033[28my\033[m");
	expect(FILTER_SCREEN, "\033[8mx\033[m", "\033[7mx\033[m");
}

#define FLAG "\xf0\x9f\x8f\xb4"
#define TAG(c) "\xf3\xa0\x81" c
#define TAG_END TAG("\xbf")
#define UNKNOWN "\xef\xbf\xbd"

static void tags_pass_only_in_flags(void **state)
{
	static const char england[] =
			FLAG TAG("\xa7") TAG("\xa2") TAG("\xa5") TAG("\xae") TAG("\xa7") TAG_END;
	(void)state;
	expect(FILTER_LINES, england, england);
	expect(FILTER_LINES, "a" TAG("\xa1") TAG("\xa2") "b", "a" UNKNOWN UNKNOWN "b");
	expect(FILTER_LINES, TAG_END, UNKNOWN);
	expect(FILTER_LINES, FLAG "x" TAG("\xa1"), FLAG "x" UNKNOWN);
	expect(FILTER_LINES,
			FLAG TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1")
					TAG("\xa1"),
			FLAG TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1") TAG("\xa1") UNKNOWN);
	expect(FILTER_LINES,
			FLAG "\xf3\xa0\x80\xa0"
			     "x",
			FLAG UNKNOWN "x"); /* a space is no letter */
}

static void run_marks_are_counted(void **state)
{
	(void)state;
	static const char mark[] = "\xcc\x81", color[] = "\033[m";
	enum { MARKS = 1 << 19 };
	struct filter f;
	char *in = malloc(MARKS * 2), *out = malloc(filter_room(MARKS * 2));
	for (size_t i = 0; i < MARKS; i++)
		memcpy(in + 2 * i, mark, 2);
	filter_init(&f, FILTER_LINES);
	filter_feed(&f, "e", 1, out);
	assert_int_equal(filter_feed(&f, in, 20, out), 20);
	assert_int_equal(filter_feed(&f, color, 3, out), 3);
	assert_int_equal(filter_feed(&f, in, MARKS * 2, out), 2 * FILTER_MARKS_MAX - 20 + 3); /* and U+FFFD */
	assert_int_equal(filter_feed(&f, in, MARKS * 2, out), 0);
	assert_int_equal(filter_feed(&f, "x\xcc\x81", 3, out), 3);
	free(in);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(text_passes),
			cmocka_unit_test(colors_pass_and_are_ended),
			cmocka_unit_test(hostile_bytes_do_not),
			cmocka_unit_test(an_endless_sequence_is_given_up),
			cmocka_unit_test(a_screen_may_be_drawn_and_is_left_sane),
			cmocka_unit_test(a_screen_may_not_do_everything),
			cmocka_unit_test(live_lines_are_drawn_over_but_none_above),
			cmocka_unit_test(progress_stays_in_its_lines),
			cmocka_unit_test(hidden_text_is_shown),
			cmocka_unit_test(tags_pass_only_in_flags),
			cmocka_unit_test(run_marks_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
