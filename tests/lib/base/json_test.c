/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

/* Every byte, at every place of a word: is the run before it as long as it is? */
static void plain_runs_end_where_they_must(void **state)
{
	char text[40];
	(void)state;
	for (int c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof text; at++) {
			bool is_plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
			memset(text, 'A' + (int)at % 26, sizeof text);
			text[at] = (char)c;
			assert_int_equal(json_plain_run(text, sizeof text), is_plain ? sizeof text : at);
			assert_int_equal(json_plain_run(text, at), at);
		}
}

static void strings_of_any_length_are_escaped(void **state)
{
	(void)state;
	for (size_t n = 0; n < 40; n++) {
		char text[64], want[128];
		struct buf out;
		memset(text, 'x', n);
		memcpy(text + n, "\"\n\xC3\xA4tail", 8);
		size_t len = (size_t)snprintf(want, sizeof want, "\"%.*s\\\"\\n\xC3\xA4tail\"", (int)n, text);
		buf_init(&out, 256);
		assert_int_equal(json_put_string(&out, text, n + 8), 0);
		assert_int_equal(out.len, len);
		assert_memory_equal(buf_at(&out), want, len);
		assert_int_equal(json_string_size(text, n + 8), len);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(plain_runs_end_where_they_must),
			cmocka_unit_test(strings_of_any_length_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
