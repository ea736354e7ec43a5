/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/json.h"
#include "base/utf8.h"

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

/* Characters that change how a terminal or an editor shows the text around them. */
static void what_could_mislead_is_a_number(void **state)
{
	static const uint32_t bad[] = {0, 1, 0x1F, 0x7F, 0x80, 0x9F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029,
			0x202A, 0x202E, 0x2066, 0x2069},
			      good[] = {0xA0, 0x61B, 0x200D, 0x2027, 0x202F, 0x2065, 0x206A, 0x1F600};

	(void)state;
	for (int is_good = 0; is_good < 2; is_good++) {
		size_t n = is_good ? sizeof good / sizeof *good : sizeof bad / sizeof *bad;
		for (size_t i = 0; i < n; i++) {
			char text[8], want[24];
			uint32_t cp = is_good ? good[i] : bad[i];
			size_t len = cp ? trm_utf8_encode(cp, text) : 1;
			struct buf out;
			if (!cp)
				text[0] = 0;
			if (is_good)
				snprintf(want, sizeof want, "\"%.*s\"", (int)len, text);
			else
				snprintf(want, sizeof want, "\"\\u%04x\"", (unsigned)cp);
			buf_init(&out, 64);
			assert_int_equal(json_put_string(&out, text, len), 0);
			assert_int_equal(out.len, strlen(want));
			assert_memory_equal(buf_at(&out), want, out.len);
			assert_int_equal(json_string_size(text, len), out.len);
			buf_finish(&out);
		}
	}
}

static void short_escapes_are_used(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	assert_int_equal(json_put_string(&out, "\"\\\n\r\t\b\f", 7), 0);
	assert_int_equal(out.len, 16);
	assert_memory_equal(buf_at(&out), "\"\\\"\\\\\\n\\r\\t\\b\\f\"", 16);
	buf_finish(&out);
}

/* A string that does not fit fails, wherever its end is reached. */
static void a_full_buffer_is_reported(void **state)
{
	(void)state;
	for (size_t max = 0; max < 14; max++) {
		struct buf out;
		buf_init(&out, max);
		int r = json_put_string(&out, "ab\ncd\x01", 6);
		assert_int_equal(r, max < json_string_size("ab\ncd\x01", 6) ? TRM_ETOOBIG : 0);
		buf_finish(&out);
	}
}

static void digits_are_those_of_printf(void **state)
{
	static const uint64_t values[] = {0, 9, 10, 12345, UINT32_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char want[32];
		struct buf out;
		snprintf(want, sizeof want, "%" PRIu64, values[i]);
		buf_init(&out, 64);
		assert_int_equal(json_put_digits(&out, values[i]), 0);
		assert_int_equal(out.len, strlen(want));
		assert_memory_equal(buf_at(&out), want, out.len);
		buf_finish(&out);
	}
}

static void an_escaped_nul_is_found(void **state)
{
	static const struct {
		const char *json;
		size_t at;
	} cases[] = {{"", 0}, {"\\u000", 5}, {"\"\\u0000\"", 1}, {"\"\\\\u0000\"", 9}, {"\"\\\\\\u0000\"", 3},
			{"[\"a\\u0001\",\"\\u0000\"]", 12}, {"\"\\", 2}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(json_nul_offset(cases[i].json, strlen(cases[i].json)), cases[i].at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(plain_runs_end_where_they_must),
			cmocka_unit_test(strings_of_any_length_are_escaped),
			cmocka_unit_test(what_could_mislead_is_a_number),
			cmocka_unit_test(short_escapes_are_used),
			cmocka_unit_test(a_full_buffer_is_reported),
			cmocka_unit_test(digits_are_those_of_printf),
			cmocka_unit_test(an_escaped_nul_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
