/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "repl/line.h"
#include "repl/paste.h"

/* Feed in steps of so many bytes, as a terminal may; the paste, and what is left behind it. */
static void pastes(const char *bytes, const char *wanted, const char *rest)
{
	size_t n = strlen(bytes);

	for (size_t step = 1; step <= n; step++) {
		struct paste p = {0};
		size_t have = step < 3 ? 3 : step, at = 0, used;
		enum paste_result got;
		while ((got = paste_feed(&p, bytes + at, have - at, &used)) == PASTE_MORE) {
			at += used;
			assert_true(have < n);
			have = have + step < n ? have + step : n;
		}
		assert_int_equal(got, PASTE_DONE);
		assert_string_equal(p.text, wanted);
		assert_memory_equal(bytes + at + used, rest, strlen(rest));
		paste_finish(&p);
	}
}

static void text_between_the_marks_is_a_paste(void **state)
{
	(void)state;
	pastes("\033[200~one\033[201~rest", "one", "rest");
	pastes("\033[200~a\rb\r\nc\n\033[201~x", "a\nb\nc", "x");
	pastes("\033[200~\033[201~", "", "");
	pastes("\033[200~\ttab \001\004\033[31mé\x7f\033[201~\r", "\ttab [31mé", "\r");
	pastes("\033[200~\033[200~\033[20\033[201~", "[200~[20", "");
}

static void keys_are_none(void **state)
{
	static const char *const keys[] = {
			"a", "\033", "\033[A", "\033[2~", "\033[20~", "\033OP", "\033[201~"};
	struct paste p = {0};
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		assert_int_equal(paste_feed(&p, keys[i], strlen(keys[i]), &used), PASTE_NONE);
		assert_int_equal(used, 0);
	}
	assert_int_equal(paste_feed(&p, "\033[20", 4, &used), PASTE_MORE); /* it may become one */
	assert_int_equal(used, 0);
	paste_finish(&p);
}

static void what_is_too_long_is_said(void **state)
{
	struct paste p = {0};
	size_t used;
	static char block[1 << 16];

	(void)state;
	memset(block, 'a', sizeof block);
	assert_int_equal(paste_feed(&p, "\033[200~", 6, &used), PASTE_MORE);
	for (size_t n = 0; n < LINE_MAX_BYTES + sizeof block; n += sizeof block)
		assert_int_equal(paste_feed(&p, block, sizeof block, &used), PASTE_MORE);
	assert_int_equal(paste_feed(&p, "\033[201~", 6, &used), PASTE_DONE);
	assert_true(p.is_cut);
	paste_finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(text_between_the_marks_is_a_paste),
			cmocka_unit_test(keys_are_none),
			cmocka_unit_test(what_is_too_long_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
