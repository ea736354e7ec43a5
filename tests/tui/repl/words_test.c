/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "repl/words.h"

static void splits(const char *text, const char *wanted)
{
	struct words w = {0};
	char all[300] = "";

	assert_int_equal(words_split(&w, text, NULL), 0);
	for (size_t i = 0; i < w.n; i++) {
		strcat(all, "[");
		strcat(all, w.items[i]);
		strcat(all, "]");
	}
	assert_string_equal(all, wanted);
	assert_true(!w.items || !w.items[w.n]);
	words_finish(&w);
}

static void blanks_part_words(void **state)
{
	(void)state;
	splits("", "");
	splits("  \t ", "");
	splits("a  b\tc ", "[a][b][c]");
	splits("'a b' \"c  d\"", "[a b][c  d]");
	splits("a\\ b c\\\\", "[a b][c\\]");
	splits("a'b c'd", "[ab cd]");
	splits("'a\\b' \"a\\\"b\"", "[a\\b][a\"b]");
	splits("''", "[]");
	splits("\\", "[\\]");
}

static void a_home_is_expanded(void **state)
{
	(void)state;
	setenv("HOME", "/my", 1);
	splits("~/x '~/x' a~/x ~", "[/my/x][~/x][a~/x][~]");
}

static void an_open_quote_is_reported(void **state)
{
	struct words w = {0};
	struct trm_error why = {0};

	(void)state;
	assert_int_equal(words_split(&w, "a 'b c", &why), TRM_EINVAL);
	assert_string_equal(why.msg, "a quote is not closed: 'b c");
	words_finish(&w);
	words_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(blanks_part_words),
			cmocka_unit_test(a_home_is_expanded),
			cmocka_unit_test(an_open_quote_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
