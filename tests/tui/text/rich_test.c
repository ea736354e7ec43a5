/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "text/rich.h"

static char *got;
static size_t cols; /* that tables may take; 0: any */

static const char *html(const char *text)
{
	size_t n;

	free(got);
	got = rich_from_html(text, strlen(text), cols, &n);
	assert_non_null(got);
	assert_int_equal(strlen(got), n);
	return got;
}

static const char *markdown(const char *text)
{
	size_t n;

	free(got);
	got = rich_from_markdown(text, strlen(text), &n);
	assert_non_null(got);
	return got;
}

static void tables_become_columns(void **state)
{
	(void)state;
	assert_string_equal(
			html("<style>th {x}</style><table border=\"1\"><thead><tr style='text-align: right;'><th></th>"
			     "<th>name</th><th>n</th></tr></thead>\n<tbody><tr><th>0</th><td>ab</td><td>1.5</td></tr>"
			     "<tr><th>10</th><td>c</td><td>-20</td></tr></tbody></table><p>2 rows &times; 2</p>"),
			"\033[1m\033[22m    \033[1mname\033[22m    \033[1mn\033[22m\n"
			"\033[1m0\033[22m   ab    1.5\n"
			"\033[1m10\033[22m  c     -20\n\n"
			"2 rows \u00d7 2");
}

static void wide_tables_are_folded_between_columns(void **state)
{
	static const char table[] = "<table><tr><th></th><th>aaaa</th><th>bbbb</th><th>cccc</th></tr>"
				    "<tr><td>0</td><td>1111</td><td>2222</td><td>3333</td></tr></table>";

	(void)state;
	cols = 13; /* "0  1111  2222" */
	html(table);
	rich_strip(got);
	assert_string_equal(got, "   aaaa  bbbb\n0  1111  2222\n\n   cccc\n0  3333");
	cols = 3; /* a column is never cut */
	html(table);
	rich_strip(got);
	assert_string_equal(got, "   aaaa\n0  1111\n\n   bbbb\n0  2222\n\n   cccc\n0  3333");
	cols = 0;
	html("<table><tr><td>x</td></tr></table>");
	assert_string_equal(got, "x");
}

static void words_and_blocks(void **state)
{
	(void)state;
	assert_string_equal(
			html("<h1>Title</h1><p>one\n  two&nbsp;&lt;three&gt; &amp; &#65;&#x42;</p><ul><li>a<li>b</ul>x<br>y"),
			"\033[1mTitle\033[22m\n\none two <three> & AB\n\n  * a\n  * b\nx\ny");
	assert_string_equal(html("<pre>a\n  b</pre>"), "a\n  b");
	assert_string_equal(html("<b>x</b> y"), "\033[1mx\033[22m y");
	assert_string_equal(html("a < b && c &unknown; &"), "a < b && c &unknown; &");
}

static void nothing_hostile_gets_through(void **state)
{
	(void)state;
	assert_string_equal(
			html("<script>alert('<b>')</script><p onclick=\"x>y\">ok</p><!-- > --><iframe src='z'>no</iframe>"),
			"ok");
	assert_null(strchr(html("a\033[2Jb&#27;[31mc&#x9b;d"), '\033'));
	assert_null(strchr(markdown("a\033]52;c;x\a"), '\033'));
	assert_string_equal(html("<table><tr><td>a<table><tr><td>b</td></tr></table></td></tr>"), "a b");
	assert_string_equal(html("<table></table></table></b></td>"), "");
	assert_string_equal(html("<td>x<tr></tr"), "x");
	assert_string_equal(html(""), "");
	assert_string_equal(html("<script>"), "");
}

static void long_things_are_cut(void **state)
{
	size_t n = 3 << 20;
	char *text = malloc(n + 1);

	(void)state;
	memset(text, 'x', n);
	text[n] = '\0';
	assert_true(strlen(html(text)) <= RICH_MAX);
	assert_non_null(strstr(got, "the rest is too long"));
	for (size_t i = 0; i + 8 <= n; i += 8)
		memcpy(text + i, i ? "<tr><td>" : "<table> ", 8);
	assert_non_null(strstr(html(text), "more rows"));
	free(text);
}

static void markdown_is_read(void **state)
{
	(void)state;
	assert_string_equal(
			markdown("# Head\n\nsome **bold** and *soft* `a*b`, [words](http://x)\n- item\n```\ncode **x**\n```\nend"),
			"\033[1mHead\033[22m\n\nsome \033[1mbold\033[22m and soft a*b, words (http://x)\n* item\n"
			"    code **x**\nend");
	assert_string_equal(markdown("2 * 3 = 6\n| a | b |\n\\*"), "2 * 3 = 6\n| a | b |\n*");
}

static void bold_can_be_taken_out(void **state)
{
	(void)state;
	markdown("**a** b\n# c");
	rich_strip(got);
	assert_string_equal(got, "a b\nc");
}

static int drop(void **state)
{
	(void)state;
	free(got);
	got = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(tables_become_columns, drop),
			cmocka_unit_test_teardown(wide_tables_are_folded_between_columns, drop),
			cmocka_unit_test_teardown(words_and_blocks, drop),
			cmocka_unit_test_teardown(nothing_hostile_gets_through, drop),
			cmocka_unit_test_teardown(long_things_are_cut, drop),
			cmocka_unit_test_teardown(markdown_is_read, drop),
			cmocka_unit_test_teardown(bold_can_be_taken_out, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
