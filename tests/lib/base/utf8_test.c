/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

static void every_code_point_survives(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		char enc[4];
		uint32_t back;
		bool valid;
		if (cp >= 0xD800 && cp <= 0xDFFF)
			continue;
		size_t n = trm_utf8_encode(cp, enc);
		if (trm_utf8_decode(enc, n, &back, &valid) != n || !valid || back != cp)
			fail_msg("U+%04X came back as U+%04X", cp, back);
		if (n > 1 && (trm_utf8_decode(enc, n - 1, &back, &valid) != 1 || valid))
			fail_msg("U+%04X cut short was taken", cp);
	}
}

static void broken_sequences_are_refused(void **state)
{
	static const char *const bad[] = {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
			"\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3("};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(utf8_is_valid(bad[i], strlen(bad[i])));
		size_t n;
		char *fixed = utf8_repair(bad[i], strlen(bad[i]), &n);
		assert_true(utf8_is_valid(fixed, n));
		free(fixed);
	}
}

static void a_clean_line_has_nothing_hostile(void **state)
{
	char out[64];
	(void)state;
	trm_text_clean_line(out, sizeof out,
			"a\x1b]0;t\x07\nb\xC2\x9B"
			"c\xE2\x80\xAE"
			"d\tz",
			18);
	assert_string_equal(out, "a\xEF\xBF\xBD]0;t\xEF\xBF\xBD b\xEF\xBF\xBD"
				 "c\xEF\xBF\xBD"
				 "d z");
	assert_int_equal(trm_text_clean_line(out, 5, "ab\xE2\x82\xAC", 5), 2); /* cut at a code point */
	assert_string_equal(out, "ab");
}

static void errors_are_one_clean_sentence(void **state)
{
	struct trm_error e = {0};
	(void)state;
	assert_int_equal(trm_error_set(&e, TRM_EIO, "read '%s'", "x\x1b[2Jy"), TRM_EIO);
	assert_string_equal(e.msg, "read 'x\xEF\xBF\xBD[2Jy'");
	err_wrap(&e, e.code, "sandbox '%s'", "s");
	assert_string_equal(e.msg, "sandbox 's': read 'x\xEF\xBF\xBD[2Jy'");
	assert_int_equal(e.code, TRM_EIO);
	assert_int_equal(trm_error_set_errno(&e, 2, "open f"), TRM_ENOENT);
	assert_string_equal(e.msg, "open f: No such file or directory");
	assert_int_equal(trm_error_set(NULL, TRM_EPERM, "nobody listens"), TRM_EPERM);
	for (int code = 0; code >= -13; code--)
		assert_string_not_equal(trm_strerror(code), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(every_code_point_survives),
			cmocka_unit_test(broken_sequences_are_refused),
			cmocka_unit_test(a_clean_line_has_nothing_hostile),
			cmocka_unit_test(errors_are_one_clean_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
