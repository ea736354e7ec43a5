/* SPDX-License-Identifier: MIT */
#include "editor/buffers.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "cmocka_all.h"
#include "langs.h"

static struct buffers b;
static struct clipboard clipboard;

static int setup(void **state)
{
	(void)state;
	return buffers_init(&b, &clipboard);
}

static int teardown(void **state)
{
	(void)state;
	buffers_finish(&b);
	clipboard_finish(&clipboard);
	return 0;
}

static struct buffer *add(unsigned lang)
{
	struct buffer *one = buffers_add(&b, trm_lang_at(lang));
	assert_non_null(one);
	return one;
}

static void each_language_has_one_at_first(void **state)
{
	char label[BUFFER_LABEL];

	(void)state;
	assert_int_equal(b.n, LANG_COUNT);
	buffer_label(b.items[0], label);
	assert_string_equal(label, " python ");
}

static void going_to_a_language_finds_the_one_shown_last(void **state)
{
	const struct trm_lang *python = trm_lang_default();
	struct buffer *second = add(LANG_PYTHON), *third = add(LANG_PYTHON);

	(void)state;
	buffers_show(&b, second->id);
	buffers_show(&b, third->id);
	buffers_show(&b, second->id);
	buffers_show(&b, 2);
	assert_ptr_equal(buffers_of_lang(&b, python), second);
	buffers_remove(&b, second->id);
	assert_ptr_equal(buffers_of_lang(&b, python), third);
}

static void unnamed_ones_are_reported_apart(void **state)
{
	char label[BUFFER_LABEL];
	struct buffer *second = add(LANG_BASH), *third = add(LANG_BASH);

	(void)state;
	buffer_label(third, label);
	assert_string_equal(label, " bash 3 ");
	buffers_remove(&b, second->id);
	buffer_label(add(LANG_BASH), label);
	assert_string_equal(label, " bash 2 ");
}

static void closing_goes_back_to_the_one_before(void **state)
{
	struct buffer *last = add(LANG_BASH);

	(void)state;
	buffers_show(&b, 2);
	buffers_show(&b, last->id);
	buffers_remove(&b, last->id);
	assert_int_equal(buffers_current(&b)->id, 2);
	buffers_remove(&b, 1);
	assert_int_equal(buffers_current(&b)->id, 2);
	buffers_remove(&b, 3);
	buffers_remove(&b, 2); /* the last one stays */
	assert_int_equal(b.n, 1);
}

static void ids_are_never_used_again(void **state)
{
	uint32_t id = add(LANG_BASH)->id;

	(void)state;
	buffers_remove(&b, id);
	assert_true(add(LANG_BASH)->id > id);
	assert_null(buffers_find(&b, id));
}

static void next_and_previous_go_round(void **state)
{
	(void)state;
	buffers_show(&b, b.items[0]->id);
	assert_ptr_equal(buffers_beside(&b, -1), b.items[2]);
	assert_ptr_equal(buffers_beside(&b, 1), b.items[1]);
	buffers_show(&b, b.items[2]->id);
	assert_ptr_equal(buffers_beside(&b, 1), b.items[0]);
}

static void a_file_goes_where_nothing_was_written(void **state)
{
	const struct trm_lang *python = trm_lang_default();

	(void)state;
	assert_ptr_equal(buffers_vacant(&b, python), b.items[0]);
	assert_int_equal(editor_set_text(&b.items[0]->editor, "x", 1), 0);
	assert_null(buffers_vacant(&b, python));
	assert_true(buffer_is_unsaved(b.items[0]));
}

/* Whatever is current and however narrow the row: the current tab is there, and nothing overlaps. */
static void the_current_tab_is_always_shown(void **state)
{
	struct tab tabs[TABS_MAX];

	(void)state;
	for (int i = 0; i < 100; i++)
		add((unsigned)(i % LANG_COUNT));
	for (int cols = 12; cols < 300; cols += 7) {
		for (size_t i = 0; i < b.n; i++) {
			bool is_there = false;
			int at = 0;
			buffers_show(&b, b.items[i]->id);
			size_t n = buffers_tabs(&b, cols, tabs);
			assert_true(n <= TABS_MAX);
			for (size_t k = 0; k < n; k++) {
				assert_true(tabs[k].col >= at && tabs[k].cols > 0);
				at = tabs[k].col + tabs[k].cols;
				is_there |= tabs[k].buffer == b.items[i];
			}
			assert_true(at <= cols);
			assert_true(is_there);
			assert_int_equal(tabs[0].by, tabs[0].buffer == b.items[0] ? 0 : -1);
			assert_int_equal(tabs[n - 1].by, tabs[n - 1].buffer == b.items[b.n - 1] ? 0 : 1);
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
			TEST(each_language_has_one_at_first),
			TEST(going_to_a_language_finds_the_one_shown_last),
			TEST(unnamed_ones_are_reported_apart),
			TEST(closing_goes_back_to_the_one_before),
			TEST(ids_are_never_used_again),
			TEST(next_and_previous_go_round),
			TEST(a_file_goes_where_nothing_was_written),
			TEST(the_current_tab_is_always_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
