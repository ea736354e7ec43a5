/* SPDX-License-Identifier: MIT */
#include "widget/fuzzy.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static void assert_better(const char *needle, const char *better, const char *worse)
{
	if (fuzzy_score(needle, better, NULL) <= fuzzy_score(needle, worse, NULL))
		fail_msg("\"%s\": \"%s\" %d, \"%s\" %d", needle, better, fuzzy_score(needle, better, NULL),
				worse, fuzzy_score(needle, worse, NULL));
}

static void finds_letters_in_order(void **state)
{
	(void)state;
	assert_true(fuzzy_score("thm", "Theme", NULL) > 0);
	assert_true(fuzzy_score("the me", "Theme", NULL) > 0);
	assert_int_equal(fuzzy_score("mth", "Theme", NULL), 0);
	assert_int_equal(fuzzy_score("x", "", NULL), 0);
	assert_int_equal(fuzzy_score("", "anything", NULL), 1);
	assert_int_equal(fuzzy_score("  ", "", NULL), 1);
	assert_int_equal(fuzzy_score("0123456789012345678901234567890123456789", "0", NULL), 0);
}

static void words_come_first(void **state)
{
	(void)state;
	assert_better("np", "Next pane", "Interrupt");
	assert_better("save", "Save", "Save as…");
	assert_better("rl", "Reload", "Interrupt what runs, or save all");
	assert_better("copy", "Copy", "Close only pretty yellow");
	assert_better("the", "Theme…", "Turn the page");
}

static void run_marks_what_was_found(void **state)
{
	uint64_t marks;

	(void)state;
	assert_true(fuzzy_score("np", "Next pane", &marks) > 0);
	assert_int_equal(marks, 1u << 0 | 1u << 5);
	assert_int_equal(fuzzy_score("zz", "Next pane", &marks), 0);
	assert_int_equal(marks, 0);
}

/* Random needles cut out of random texts are always found, and only their letters are marked. */
static void finds_what_is_there(void **state)
{
	(void)state;
	srand(7);
	for (int turn = 0; turn < 3000; turn++) {
		char text[100], needle[40] = "";
		size_t n = (size_t)(rand() % 90), m = 0;
		uint64_t marks;
		for (size_t i = 0; i < n; i++)
			text[i] = (char)('a' + rand() % 6);
		text[n] = '\0';
		for (size_t i = 0; i < n && i < FUZZY_TEXT && m < FUZZY_NEEDLE; i++)
			if (rand() % 4 == 0)
				needle[m++] = text[i];
		needle[m] = '\0';
		assert_true(fuzzy_score(needle, text, &marks) > 0);
		assert_int_equal((size_t)__builtin_popcountll(marks), m);
		for (size_t i = 0, k = 0; i < FUZZY_TEXT; i++)
			if (marks >> i & 1)
				assert_int_equal(text[i], needle[k++]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(finds_letters_in_order),
			cmocka_unit_test(words_come_first),
			cmocka_unit_test(run_marks_what_was_found),
			cmocka_unit_test(finds_what_is_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
