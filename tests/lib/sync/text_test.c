/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "sync/text.h"

static void tidy(const char *bytes, size_t n, const char *wanted)
{
	char *text = text_tidy(bytes, n);
	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

/* What Python's "\n".join(lines).rstrip() gives, the lines being what a portal sends. */
static void texts_are_those_of_the_sdk(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
			{"", ""},
			{"\n\n", ""},
			{"a\n", "a"},
			{"  a  \n \t\n", "  a"},
			{"a\r\nb\r\n", "a\nb"},
			{"a\rb", "a\rb"},
			{"a\n\nb", "a\n\nb"},
			{"x\xc2\xa0\xe3\x80\x80\x1c\v\f\n", "x"},
			{"x\xe2\x80\x8b\n", "x\xe2\x80\x8b"}, /* no white space to Python */
			{"caf\xc3\xa9", "caf\xc3\xa9"},
			{"\xc3\xa9 \xff", "\xc3\xa9 \xef\xbf\xbd"},
			{"\x80\x80\x80\x80\x80",
					"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tidy(cases[i].bytes, strlen(cases[i].bytes), cases[i].text);
	tidy("a\0b\n", 4,
			"a\xef\xbf\xbd"
			"b");
}

static void white_space_is_that_of_python(void **state)
{
	static const char text[] = "\xe2\x80\x83\t x y \xe2\x80\xa9\n";
	size_t n = sizeof text - 1;
	(void)state;
	assert_int_equal(text_space_before(text, n), 5);
	assert_int_equal(text_space_behind(text, n), 5);
	assert_int_equal(text_space_before(" \n", 2), 2);
	assert_int_equal(text_space_behind(" \n", 2), 2);
	assert_int_equal(text_space_before("", 0), 0);
	assert_int_equal(text_space_behind("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(texts_are_those_of_the_sdk),
			cmocka_unit_test(white_space_is_that_of_python),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
