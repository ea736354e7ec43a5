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

static void colours_pass_and_are_ended(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(text_passes),
			cmocka_unit_test(colours_pass_and_are_ended),
			cmocka_unit_test(hostile_bytes_do_not),
			cmocka_unit_test(an_endless_sequence_is_given_up),
			cmocka_unit_test(a_screen_may_be_drawn_and_is_left_sane),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
