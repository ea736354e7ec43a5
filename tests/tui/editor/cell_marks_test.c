/* SPDX-License-Identifier: MIT */
#include "editor/cell_marks.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "editor/editor_internal.h"
#include "text/text.h"

static struct editor e;
static struct clipboard clipboard;

static int setup(void **state)
{
	static const char text[] = "a = 1\nb = 2\n# %%\nc = 3\n";

	(void)state;
	return editor_init(&e, NULL, &clipboard) < 0 || editor_set_text(&e, text, strlen(text)) < 0;
}

static int teardown(void **state)
{
	(void)state;
	editor_finish(&e);
	clipboard_finish(&clipboard);
	return 0;
}

static void edit(size_t pos, size_t removed, const char *text)
{
	editor_replace(&e, pos, removed, text, strlen(text), BURST_NONE);
}

static struct cell_mark *ran(size_t pos, size_t len, uint32_t serial)
{
	struct cell_mark *m = cell_marks_add(&e.marks, e.text, pos, len);

	assert_non_null(m);
	m->serial = serial;
	m->state = CELL_OK;
	return m;
}

static void is_mark(size_t i, uint32_t serial, const char *code, bool is_stale)
{
	assert_true(i < e.marks.n);
	const struct cell_mark *m = &e.marks.items[i];
	char *text = text_slice(e.text, m->pos, m->len);

	assert_int_equal(m->serial, serial);
	assert_string_equal(text, code);
	assert_int_equal(m->is_stale, is_stale);
	free(text);
}

static void a_mark_moves_with_its_code(void **state)
{
	(void)state;
	ran(17, 6, 1);
	edit(0, 0, "new\n");
	is_mark(0, 1, "c = 3\n", false);
	edit(0, 6, "");
	is_mark(0, 1, "c = 3\n", false);
}

static void an_edit_makes_it_stale_until_it_is_undone(void **state)
{
	(void)state;
	ran(17, 6, 1);
	uint64_t version = e.marks.version;
	edit(21, 1, "4");
	is_mark(0, 1, "c = 4\n", true);
	assert_int_not_equal(e.marks.version, version);
	editor_undo(&e);
	is_mark(0, 1, "c = 3\n", false);
}

static void white_space_around_it_does_not_count(void **state)
{
	(void)state;
	ran(17, 6, 1);
	edit(17, 0, "\n");
	edit(24, 0, "\n\n");
	is_mark(0, 1, "\nc = 3\n\n\n", false);
	edit(26, 0, "d");
	is_mark(0, 1, "\nc = 3\n\n\nd", true);
}

static void a_line_ends_at_its_break(void **state)
{
	(void)state;
	ran(0, 5, 1)->ends_with_line = true;
	edit(5, 0, "\nx");
	is_mark(0, 1, "a = 1", false);
	edit(5, 0, "0");
	is_mark(0, 1, "a = 10", true);
}

static void a_run_covers_those_inside_it(void **state)
{
	(void)state;
	struct cell_mark *m = ran(0, 23, 1);
	m->has_error_pos = true;
	m->error_pos = 17;
	ran(0, 5, 2);
	ran(17, 6, 3);
	assert_int_equal(e.marks.n, 3);
	assert_false(e.marks.items[0].has_error_pos);
	ran(0, 12, 4);
	assert_int_equal(e.marks.n, 3);
	is_mark(0, 1, "a = 1\nb = 2\n# %%\nc = 3\n", false);
	is_mark(1, 3, "c = 3\n", false);
	is_mark(2, 4, "a = 1\nb = 2\n", false);
}

static void what_is_deleted_with_more_is_gone(void **state)
{
	(void)state;
	ran(6, 5, 1);
	ran(17, 6, 2);
	edit(4, 9, "");
	assert_int_equal(e.marks.n, 1);
	assert_int_equal(e.marks.items[0].serial, 2);
	edit(3, 9, "");
	is_mark(0, 2, "3\n", true);
	editor_set_text(&e, "", 0);
	assert_int_equal(e.marks.n, 0);
}

static void an_edit_of_its_end_cuts_it(void **state)
{
	(void)state;
	ran(6, 5, 1);
	edit(9, 6, "");
	is_mark(0, 1, "b =", true);
	edit(6, 3, "");
	assert_int_equal(e.marks.n, 0);
}

static void the_error_stays_in_its_line(void **state)
{
	(void)state;
	struct cell_mark *m = ran(0, 12, 1);
	m->has_error_pos = true;
	m->error_pos = 6;
	edit(0, 0, "\n\n");
	assert_int_equal(text_line_of(e.text, e.marks.items[0].error_pos), 3);
}

static void a_lost_one_stays_stale(void **state)
{
	(void)state;
	ran(17, 6, 1);
	cell_marks_kernel_gone(&e.marks);
	edit(17, 0, "x");
	editor_undo(&e);
	is_mark(0, 1, "c = 3\n", true);
}

static void the_oldest_are_forgotten(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CELL_MARKS_MAX + 10; i++)
		ran(i % 2, 1 + i, i + 1);
	assert_true(e.marks.n <= CELL_MARKS_MAX);
	assert_non_null(cell_marks_find(&e.marks, CELL_MARKS_MAX + 10));
}

static void the_line_that_shows_it(void **state)
{
	(void)state;
	assert_int_equal(editor_mark_line(&e, ran(17, 6, 1)), 2);
	edit(0, 0, "\n\n");
	assert_int_equal(editor_mark_line(&e, ran(0, 14, 2)), 2);
}

static void words_are_a_line_that_a_terminal_may_show(void **state)
{
	char out[CELL_TEXT_BYTES], many[1000];

	(void)state;
	assert_true(cell_mark_take_text(out, "\n  one\ttwo\033[31m\r\nthree"));
	assert_string_equal(out, "one two [31m ");
	assert_false(cell_mark_take_text(out, "one\n \n"));
	memset(many, 'x', sizeof many - 1);
	many[sizeof many - 1] = '\0';
	assert_true(cell_mark_take_text(out, many));
	assert_int_equal(strlen(out), CELL_TEXT_BYTES - 1);
}

static void cells_are_taken_one_by_one(void **state)
{
	static const char text[] = "# %%\n# %% b\n\nx\n# %% c\ny";
	struct editor_run all, cell;
	size_t pos, n = 0;
	size_t starts[8];

	(void)state;
	editor_set_text(&e, text, strlen(text));
	all = editor_run_cells(&e, 0, text_lines(e.text) - 1);
	for (pos = all.pos; n < 8 && editor_take_cell(&e, all, &pos, &cell);)
		starts[n++] = cell.first_line;
	assert_int_equal(n, 2);
	assert_int_equal(starts[0], 2);
	assert_int_equal(starts[1], 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_mark_moves_with_its_code),
			TEST(an_edit_makes_it_stale_until_it_is_undone),
			TEST(white_space_around_it_does_not_count),
			TEST(a_line_ends_at_its_break),
			TEST(a_run_covers_those_inside_it),
			TEST(what_is_deleted_with_more_is_gone),
			TEST(an_edit_of_its_end_cuts_it),
			TEST(the_error_stays_in_its_line),
			TEST(a_lost_one_stays_stale),
			TEST(the_oldest_are_forgotten),
			TEST(the_line_that_shows_it),
			TEST(words_are_a_line_that_a_terminal_may_show),
			TEST(cells_are_taken_one_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
