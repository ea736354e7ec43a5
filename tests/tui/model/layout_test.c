/* SPDX-License-Identifier: MIT */
#include "model/layout.h"

#include "tui/model/desk.h"

static void assert_inside(const struct layout *l, int rows, int cols)
{
	for (int i = 0; i < PANE_COUNT; i++) {
		struct rect p = l->panes[i];
		if (p.rows == 0)
			continue;
		assert_true(p.rows > 0 && p.cols > 0 && p.row >= 1 && p.row + p.rows <= rows - 2);
		assert_true(p.col >= 0 && p.col + p.cols <= cols);
		for (int k = 0; k < i; k++) {
			struct rect q = l->panes[k];
			bool is_apart = p.row >= q.row + q.rows || q.row >= p.row + p.rows
					|| p.col >= q.col + q.cols || q.col >= p.col + p.cols;
			assert_true(q.rows == 0 || is_apart);
		}
	}
}

/* Whatever the size and the wish, panes lie on the screen and beside each other. */
static void panes_never_overlap(void **state)
{
	(void)state;
	srand(3);
	for (int turn = 0; turn < 20000; turn++) {
		int rows = 10 + rand() % 100, cols = 40 + rand() % 270;
		struct layout_request request = {
				(uint16_t)(rand() % 1001), (uint16_t)(rand() % 1001), rand() % 4 == 0};
		enum pane shown = (enum pane)(rand() % PANE_COUNT);
		struct layout l = layout_make(rows, cols, shown, &request);
		assert_inside(&l, rows, cols);
		assert_true(l.panes[shown].rows > 0 || l.strip.rows > 0);
		if (l.kind != LAYOUT_SINGLE)
			assert_true(l.panes[PANE_EDITOR].rows >= 3 && l.panes[PANE_OUTPUT].rows >= 3);
	}
}

/* A border goes exactly where it is dragged to, as far as it may. */
static void borders_go_where_they_are_put(void **state)
{
	(void)state;
	for (int rows = 20; rows < 100; rows += 7)
		for (int to = 0; to < rows; to++) {
			struct layout_request request = {0};
			struct layout l = layout_make(rows, 130, PANE_EDITOR, &request);
			int least = l.panes[PANE_EDITOR].row + 3, most = l.status_row - 4;
			layout_move_border(&l, 130, BORDER_ROW, to, 5, &request);
			l = layout_make(rows, 130, PANE_EDITOR, &request);
			assert_int_equal(l.divider_row, to < least ? least : to > most ? most : to);
			layout_move_border(&l, 130, BORDER_COL, 5, to, &request);
			assert_inside(&l, rows, 130);
		}
	for (int col = 60; col < 90; col++) {
		struct layout_request request = {0};
		struct layout l = layout_make(36, 130, PANE_EDITOR, &request);
		layout_move_border(&l, 130, BORDER_COL, 5, col, &request);
		assert_int_equal(layout_make(36, 130, PANE_EDITOR, &request).divider_col, col);
	}
}

static void by_mouse(void **state)
{
	int row = m.layout.divider_row, col = m.layout.divider_col;

	(void)state;
	mouse(MOUSE_PRESS, row, 20);
	mouse(MOUSE_DRAG, row - 4, 20);
	assert_int_equal(m.layout.divider_row, row - 4);
	mouse(MOUSE_DRAG, row + 5, 30);
	mouse(MOUSE_RELEASE, row + 5, 30);
	mouse(MOUSE_DRAG, row, 30);
	assert_int_equal(m.layout.divider_row, row + 5);
	assert_int_equal(m.focus, PANE_EDITOR);
	mouse(MOUSE_PRESS, 4, col);
	mouse(MOUSE_DRAG, 9, col - 10);
	mouse(MOUSE_RELEASE, 9, col - 10);
	assert_int_equal(m.layout.divider_col, col - 10);
	event((struct event){.type = EVENT_MOUSE,
			.action = MOUSE_PRESS,
			.button = 1,
			.clicks = 2,
			.row = row + 5,
			.col = 20});
	assert_int_equal(m.layout.divider_row, row);
}

static void by_keys(void **state)
{
	int row = m.layout.divider_row, col = m.layout.divider_col;

	(void)state;
	press(K_UP, MOD_ALT | MOD_SHIFT);
	press(K_UP, MOD_ALT | MOD_SHIFT);
	press(K_DOWN, MOD_ALT | MOD_SHIFT);
	assert_int_equal(m.layout.divider_row, row - 1);
	press(K_RIGHT, MOD_ALT | MOD_SHIFT);
	press(K_LEFT, MOD_ALT | MOD_SHIFT);
	press(K_LEFT, MOD_ALT | MOD_SHIFT);
	assert_int_equal(m.layout.divider_col, col - 2);
}

static void zoom_gives_it_all(void **state)
{
	(void)state;
	press(K_F11, 0);
	assert_int_equal(m.layout.panes[PANE_EDITOR].cols, 120);
	assert_int_equal(m.layout.panes[PANE_OUTPUT].rows, 0);
	assert_screen("zoomed (F11)", true);
	press(K_F6, 0);
	assert_true(m.layout.panes[PANE_OUTPUT].rows > 30);
	press(K_F11, 0);
	assert_int_equal(m.focus, PANE_OUTPUT);
	assert_int_equal(m.layout.kind, LAYOUT_WIDE);
	/* The metrics are a strip on a smaller screen. */
	event((struct event){.type = EVENT_RESIZE, .row = 24, .col = 80});
	press(K_F11, 0);
	press(K_F6, 0);
	assert_int_equal(m.focus, PANE_METRICS);
	press(K_F11, 0);
	assert_int_equal(m.focus, PANE_EDITOR);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_setup, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(panes_never_overlap),
			cmocka_unit_test(borders_go_where_they_are_put),
			TEST(by_mouse),
			TEST(by_keys),
			TEST(zoom_gives_it_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
