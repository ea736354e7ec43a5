/* SPDX-License-Identifier: MIT */
#include "output/weblink.h"

#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

/* The URLs in a line, each followed by a blank. */
static const char *found(const char *text)
{
	static char all[4096];
	struct output_line l = {0};
	struct weblink link;
	size_t used = 0;

	output_line_begin(&l, OUT_STDOUT, 1);
	output_line_put(&l, text, strlen(text), (struct style){0});
	all[0] = '\0';
	for (size_t at = 0; weblink_find(&l, at, &link); at = link.to) {
		assert_true(link.from < link.to && link.to <= l.n);
		assert_int_equal(strlen(link.url), link.to - link.from);
		used += (size_t)snprintf(all + used, sizeof all - used, "%s ", link.url);
	}
	output_line_finish(&l);
	return all;
}

static void urls_are_found(void **state)
{
	(void)state;
	assert_string_equal(found("see http://a.b/c and HTTPS://d:80/?e=f#g."),
			"http://a.b/c HTTPS://d:80/?e=f#g ");
	assert_string_equal(found("http://[::1]:8888/lab?token=0a"), "http://[::1]:8888/lab?token=0a ");
	assert_string_equal(found("(https://a/b_(c)), [https://d]; 'http://e','http://f'"),
			"https://a/b_(c) https://d http://e http://f ");
	assert_string_equal(found("<a href=\"http://g\">"), "http://g ");
	assert_string_equal(found("\u201chttp://h\u201d \u2502http://i\u2502 http://j\u3002"),
			"http://h http://i http://j ");
}

static void nothing_else_is(void **state)
{
	(void)state;
	assert_string_equal(found("file:///etc/passwd ftp://a javascript:b http:/c http://"), "");
	assert_string_equal(found("xhttp://a http:// b https://. https://-"), "");
	assert_string_equal(found("http://a/\u00e4/b http://\u4e2d"), ""); /* not whole */
	assert_string_equal(found("http://a/re\u0301sume http://a/re\u0301"), "");
	assert_string_equal(found("http://a\033]8;;http://b\ac"), "http://ac ");
}

static void lengths_have_a_limit(void **state)
{
	char url[OUT_LINE_COLS + 100] = "http://a";

	(void)state;
	memset(url + 8, 'a', LINK_BYTES - 9);
	assert_int_equal(strlen(found(url)), LINK_BYTES); /* and the blank */
	url[LINK_BYTES - 1] = 'a';
	assert_string_equal(found(url), "");
	memset(url, ' ', sizeof url - 1);
	memcpy(url + OUT_LINE_COLS - 10, "http://a/bcd", 12); /* cut off at the end */
	assert_string_equal(found(url), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(urls_are_found),
			cmocka_unit_test(nothing_else_is),
			cmocka_unit_test(lengths_have_a_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
