/* SPDX-License-Identifier: MIT */
#include "cells/canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "text/cluster.h"

#define WIDE "\xE4\xB8\xAD" /* two cells */

static const struct style plain;

static void expect(const struct canvas *c, const char *want)
{
	char *got = canvas_dump(c);
	assert_string_equal(got, want);
	free(got);
}

/* No half of a wide character stands alone. */
static void check_pairs(const struct canvas *c)
{
	for (int i = 0; i < c->rows * c->cols; i++) {
		int col = i % c->cols;
		if (c->cells[i].width == 2)
			assert_true(col + 1 < c->cols && c->cells[i + 1].width == 0);
		if (c->cells[i].width == 0)
			assert_true(col > 0 && c->cells[i - 1].width == 2 && c->cells[i].text[0] == '\0');
	}
}

static int put(struct canvas *c, struct rect clip, int row, int col, const char *text)
{
	int end = canvas_put(c, clip, row, col, text, strlen(text), plain);
	check_pairs(c);
	return end;
}

static void test_put(void **state)
{
	struct canvas c;
	struct rect all = {0, 0, 3, 10};
	(void)state;
	assert_int_equal(canvas_init(&c, 3, 10), 0);
	assert_int_equal(put(&c, all, 0, 2, "hello"), 7);
	assert_int_equal(put(&c, all, 1, 0, "a" WIDE "b"), 4);
	assert_int_equal(put(&c, all, 2, 7, "0123456"), 14);
	assert_int_equal(put(&c, all, 5, 0, "nowhere"), 7);
	expect(&c, "  hello\na" WIDE "b\n       012\n");
	canvas_finish(&c);
	canvas_finish(&c);
}

static void test_edges_cut_wide_characters(void **state)
{
	struct canvas c;
	struct rect clip = {0, 2, 1, 4};
	(void)state;
	canvas_init(&c, 1, 8);
	canvas_fill(&c, (struct rect){0, 0, 1, 8}, ".", plain);
	put(&c, clip, 0, 1, WIDE WIDE WIDE);
	expect(&c, ".. " WIDE " ..\n");
	canvas_finish(&c);
}

static void test_overwriting_halves(void **state)
{
	struct canvas c;
	struct rect all = {0, 0, 1, 6};
	(void)state;
	canvas_init(&c, 1, 6);
	put(&c, all, 0, 0, WIDE WIDE WIDE);
	put(&c, all, 0, 1, "x");
	expect(&c, " x" WIDE WIDE "\n");
	put(&c, all, 0, 2, "y");
	expect(&c, " xy " WIDE "\n");
	put(&c, all, 0, 3, WIDE);
	expect(&c, " xy" WIDE "\n");
	canvas_finish(&c);
}

static void test_nothing_raw_gets_in(void **state)
{
	struct canvas c;
	struct rect all = {0, 0, 1, 12};
	(void)state;
	canvas_init(&c, 1, 12);
	put(&c, all, 0, 0, "\x1B[2J\xFF\t\xE2\x80\xAE\xC2\x9B");
	expect(&c, "\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\n");
	canvas_finish(&c);
}

static void test_long_clusters_are_cut_between_code_points(void **state)
{
	struct canvas c;
	char text[64] = "e";
	(void)state;
	canvas_init(&c, 1, 4);
	for (int i = 0; i < 20; i++)
		strcat(text, "\xCC\x81");
	assert_int_equal(put(&c, (struct rect){0, 0, 1, 4}, 0, 0, text), 1);
	assert_int_equal(strlen(c.cells[0].text), 19);
	canvas_finish(&c);
}

/* Plain characters go onto the canvas many at a time; what is at their ends is looked at closely. */
static void test_runs_end_where_they_must(void **state)
{
	struct canvas c;
	struct rect all = {0, 0, 1, 8};
	(void)state;
	canvas_init(&c, 1, 8);
	put(&c, all, 0, 0, WIDE WIDE WIDE WIDE);
	assert_int_equal(put(&c, all, 0, 1, "abcd"), 5);
	expect(&c, " abcd " WIDE "\n");
	assert_int_equal(put(&c, all, 0, 0,
					 "abe\xCC\x81"
					 "f\tg"),
			6);
	assert_string_equal(c.cells[2].text, "e\xCC\x81");
	assert_string_equal(c.cells[3].text, "f");
	assert_int_equal(put(&c, (struct rect){0, 2, 1, 3}, 0, -1, "0123456789"), 9);
	expect(&c, "ab345g" WIDE "\n");
	put(&c, (struct rect){0, 2, 1, 0}, 0, 0, "nothing");
	expect(&c, "ab345g" WIDE "\n");
	canvas_finish(&c);
}

/* What is drawn without a close look is what a close look would find. */
static void test_borders_and_dots_are_one_column_wide(void **state)
{
	static const uint32_t ranges[][2] = {{0x20, 0x7E}, {0x2500, 0x25BF}, {0x2800, 0x28FF}};
	struct canvas c;
	(void)state;
	assert_int_equal(canvas_init(&c, 1, 4), 0);
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		for (uint32_t cp = ranges[i][0]; cp <= ranges[i][1]; cp++) {
			char text[16];
			int n = cp < 0x80 ? snprintf(text, sizeof text, "%c", (int)cp)
					  : snprintf(text, sizeof text, "%c%c%c", (int)(0xE0 | cp >> 12),
							  (int)(0x80 | (cp >> 6 & 63)),
							  (int)(0x80 | (cp & 63)));
			assert_int_equal(codepoint_width(cp), 1);
			assert_int_equal(put(&c, (struct rect){0, 0, 1, 4}, 0, 0, text), 1);
			assert_string_equal(c.cells[0].text, text);
			strcpy(text + n, "\xCC\x81"); /* joins it */
			assert_int_equal(put(&c, (struct rect){0, 0, 1, 4}, 0, 1, text), 2);
			assert_string_equal(c.cells[1].text, text);
		}
	assert_int_equal(
			put(&c, (struct rect){0, 0, 1, 4}, 0, 0, "\xE2\x94"), 2); /* cut off: two odd bytes */
	canvas_finish(&c);
}

static void test_fill_clips(void **state)
{
	struct canvas c;
	(void)state;
	canvas_init(&c, 2, 5);
	canvas_fill(&c, (struct rect){-3, -3, 50, 50}, "#", plain);
	expect(&c, "#####\n#####\n");
	canvas_fill(&c, (struct rect){1, 1, 1, 3}, WIDE, plain);
	check_pairs(&c);
	expect(&c, "#####\n#" WIDE " #\n");
	canvas_fill(&c, (struct rect){0, 4, 2, 0}, "!", plain);
	expect(&c, "#####\n#" WIDE " #\n");
	assert_int_equal(canvas_resize(&c, 1, 2), 0);
	expect(&c, "\n");
	assert_int_equal(canvas_resize(&c, 0, -1), 0);
	assert_int_equal(c.rows * c.cols, 1);
	canvas_finish(&c);
}

static void test_random(void **state)
{
	static const char *const bits[] = {
			"a", WIDE, "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", "e\xCC\x81", "\x01", "\xFF"};
	struct canvas c;
	unsigned seed = 5;
	(void)state;
	canvas_init(&c, 4, 9);
	for (int i = 0; i < 20000; i++) {
		int v[6];
		for (int k = 0; k < 6; k++) {
			seed = seed * 1103515245u + 12345u;
			v[k] = (int)(seed >> 8) % 14 - 3;
		}
		put(&c, (struct rect){v[0], v[1], v[2], v[3]}, v[4], v[5], bits[(seed >> 20) % 6]);
	}
	canvas_finish(&c);
}

static void test_links_have_numbers(void **state)
{
	struct canvas c;
	char url[LINK_BYTES + 2] = "http://a";
	(void)state;
	canvas_init(&c, 2, 9);
	assert_false(canvas_has_links(&c));
	uint16_t first = canvas_link(&c, url);
	assert_true(first > 0);
	assert_int_equal(canvas_link(&c, url), first);
	assert_string_equal(canvas_link_url(&c, first), url);
	for (int i = 1; i < CANVAS_LINKS; i++) {
		snprintf(url, sizeof url, "http://%d", i);
		assert_int_not_equal(canvas_link(&c, url), 0);
	}
	assert_int_equal(canvas_link(&c, "http://z"), 0);
	canvas_forget_links(&c);
	assert_null(canvas_link_url(&c, first));
	memset(url, 'a', LINK_BYTES);
	assert_int_equal(canvas_link(&c, url), 0); /* too long */
	assert_int_equal(canvas_link(&c, "http://a"), first);
	canvas_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_put),
			cmocka_unit_test(test_edges_cut_wide_characters),
			cmocka_unit_test(test_overwriting_halves),
			cmocka_unit_test(test_nothing_raw_gets_in),
			cmocka_unit_test(test_long_clusters_are_cut_between_code_points),
			cmocka_unit_test(test_runs_end_where_they_must),
			cmocka_unit_test(test_borders_and_dots_are_one_column_wide),
			cmocka_unit_test(test_fill_clips),
			cmocka_unit_test(test_random),
			cmocka_unit_test(test_links_have_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
