/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "base/utf8.h"

enum { MOST = 100 };

static const char *words_of(struct buf *out, char *const *words)
{
	buf_finish(out);
	buf_init(out, MOST);
	shell_put_words(out, words);
	assert_int_equal(buf_append(out, "", 1), 0);
	return buf_at(out);
}

static void test_words_are_quoted_where_they_must_be(void **state)
{
	struct buf out = {0};
	char *const words[] = {(char *)"sh", (char *)"-c", (char *)"it's \xff", (char *)"", NULL};
	(void)state;
	assert_string_equal(words_of(&out, words), "sh -c 'it'\\''s '\"$(printf '\\377')\"'' ''");
	buf_finish(&out);
}

/* Wherever the end comes: within a quote, a character or a word. */
static void test_what_does_not_fit_is_cut_at_a_character(void **state)
{
	struct buf out = {0};
	(void)state;
	for (size_t before = 0; before < 2 * MOST; before++) {
		char first[2 * MOST + 1] = "", second[6 * MOST + 1] = "";
		memset(first, 'x', before);
		for (size_t i = 0; i < MOST; i++)
			strcat(second, i % 3 ? "\xc3\xa9" : "'");
		char *const words[] = {(char *)"echo", first, second, (char *)"end", NULL};
		const char *line = words_of(&out, words);
		size_t n = strlen(line);
		assert_true(n > MOST - 30 && n < MOST);
		assert_string_equal(line + n - strlen("…"), "…");
		assert_true(utf8_is_valid(line, n));
	}
	buf_finish(&out);
}

/* It took half a second when it was measured for each character. */
static void test_a_long_word_is_quoted_at_once(void **state)
{
	enum { LONG = 16 << 20 };
	struct buf out;
	char *word = malloc(LONG + 1);
	(void)state;
	memset(word, ' ', LONG);
	word[LONG] = '\0';
	buf_init(&out, 2 * (size_t)LONG);
	assert_int_equal(shell_quote(&out, word), 0);
	assert_int_equal(out.len, LONG + 2);
	buf_finish(&out);
	free(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_words_are_quoted_where_they_must_be),
			cmocka_unit_test(test_what_does_not_fit_is_cut_at_a_character),
			cmocka_unit_test(test_a_long_word_is_quoted_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
