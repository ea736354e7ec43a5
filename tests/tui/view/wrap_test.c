/* SPDX-License-Identifier: MIT */
/* Lines that go on in the next row: what is shown, where the cursor goes, what is clicked at. */
#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "editor/editor_internal.h"
#include "text/text.h"
#include "view/editor_view.h"

enum { ROWS = 5, COLS = 24 }; /* 20 of text */

static struct editor e;
static struct clipboard clipboard;
static struct canvas c;

static int setup(void **state)
{
	static const char text[] = "short\n0123456789abcdefghijABCDEFGHIJKLMNOPQRST----\nx\n"
				   "1\n2\n3\n4\n5\n6\n";

	(void)state;
	if (editor_init(&e, NULL, &clipboard) < 0 || editor_set_text(&e, text, strlen(text)) < 0)
		return -1;
	e.wraps = true;
	editor_resize(&e, ROWS, COLS);
	editor_select(&e, 0, 0);
	return canvas_init(&c, ROWS, COLS);
}

static int teardown(void **state)
{
	(void)state;
	editor_finish(&e);
	canvas_finish(&c);
	return 0;
}

static void expect(const char *want, int row, int col)
{
	editor_draw(&e, &c, (struct rect){0, 0, ROWS, COLS}, true, NULL, true);
	char *got = canvas_dump(&c);
	assert_string_equal(got, want);
	free(got);
	assert_int_equal(c.cursor_row, row);
	assert_int_equal(c.cursor_col, col);
}

static void long_lines_go_on(void **state)
{
	(void)state;
	expect("  1 short\n"
	       "  2 0123456789abcdefghij\n"
	       "    ABCDEFGHIJKLMNOPQRST\n"
	       "    ----\n"
	       "  3 x\n",
			0, 4);
}

static void the_cursor_goes_by_rows(void **state)
{
	(void)state;
	editor_move(&e, MOVE_RIGHT, false);
	editor_move(&e, MOVE_DOWN, false);
	editor_move(&e, MOVE_DOWN, false);
	assert_int_equal(e.sel.cursor, 6 + 21);
	editor_move(&e, MOVE_DOWN, false);
	editor_move(&e, MOVE_DOWN, false);
	assert_int_equal(editor_line(&e), 2);
	editor_move(&e, MOVE_UP, false);
	assert_int_equal(e.sel.cursor, 6 + 41);
	editor_move(&e, MOVE_UP, false);
	assert_int_equal(e.sel.cursor, 6 + 21);
}

static void it_scrolls_by_rows(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		editor_move(&e, MOVE_DOWN, false);
	editor_show_cursor(&e);
	expect("  2 0123456789abcdefghij\n"
	       "    ABCDEFGHIJKLMNOPQRST\n"
	       "    ----\n"
	       "  3 x\n"
	       "  4 1\n",
			4, 4);
	editor_scroll(&e, 1);
	editor_draw(&e, &c, (struct rect){0, 0, ROWS, COLS}, true, NULL, true);
	char *got = canvas_dump(&c);
	assert_memory_equal(got, "    ABCDEFGHIJ", 14);
	free(got);
	editor_select(&e, 0, 0);
	assert_int_equal(e.top_line + e.top_row, 0);
}

static void a_click_hits_what_is_shown(void **state)
{
	struct event press = {.type = EVENT_MOUSE,
			.action = MOUSE_PRESS,
			.button = 1,
			.clicks = 1,
			.row = 2,
			.col = 6};

	(void)state;
	editor_handle(&e, &press);
	assert_int_equal(e.sel.cursor, 6 + 22);
}

static void rows_end_at_words(void **state)
{
	static const char text[] = "one two three four five six seven\n"
				   "01234567890123456789 exactly\n"
				   "no-blank-in-this-word-that-is-long";

	(void)state;
	editor_set_text(&e, text, strlen(text));
	editor_select(&e, 0, 0);
	expect("  1 one two three four\n"
	       "    five six seven\n"
	       "  2 01234567890123456789\n"
	       "    exactly\n"
	       "  3 no-blank-in-this-wor\n",
			0, 4);
	editor_select(&e, 18, 18); /* on the blank at the end of a row, and then on the word below */
	expect("  1 one two three four\n"
	       "    five six seven\n"
	       "  2 01234567890123456789\n"
	       "    exactly\n"
	       "  3 no-blank-in-this-wor\n",
			0, 22);
	editor_move(&e, MOVE_RIGHT, false);
	assert_int_equal(editor_row_of(&e, 0, editor_column(&e)).first, 19);
	editor_move(&e, MOVE_DOWN, false);
	assert_int_equal(editor_line(&e), 1);
	/* A blank that is beyond the edge leaves the cursor at it. */
	editor_select(&e, 34 + 20, 34 + 20);
	editor_draw(&e, &c, (struct rect){0, 0, ROWS, COLS}, true, NULL, true);
	assert_int_equal(c.cursor_col, COLS - 1);
	editor_move(&e, MOVE_RIGHT, false);
	assert_int_equal(editor_row_of(&e, 1, editor_column(&e)).row, 1);
	assert_int_equal(editor_line_rows(&e, 2), 2);
}

/* A line of megabytes is not measured with every key. */
static void an_endless_line_is_cut(void **state)
{
	enum { N = 3000000 };
	char *text = malloc(N);

	(void)state;
	memset(text, 'x', N);
	editor_set_text(&e, text, N);
	free(text);
	editor_select(&e, 0, 0);
	assert_int_equal(editor_line_rows(&e, 0), 1);
	editor_select(&e, N, N);
	editor_move(&e, MOVE_UP, false);
	editor_draw(&e, &c, (struct rect){0, 0, ROWS, COLS}, true, NULL, true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
			TEST(long_lines_go_on),
			TEST(the_cursor_goes_by_rows),
			TEST(it_scrolls_by_rows),
			TEST(a_click_hits_what_is_shown),
			TEST(rows_end_at_words),
			TEST(an_endless_line_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
