/* SPDX-License-Identifier: MIT */
/* Fewer bytes, and the same looks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#include "cmocka_all.h"
#include "term/sgr_dedup.h"

static void expect(const char *from, const char *to)
{
	char bytes[256];
	size_t n = strlen(from);
	memcpy(bytes, from, n);
	n = sgr_dedup(bytes, n);
	bytes[n] = '\0';
	assert_string_equal(bytes, to);
}

static void test_colors(void **state)
{
	(void)state;
	expect("", "");
	expect("plain\033", "plain\033");
	expect("\033[", "\033[");
	expect("\033[3", "\033[3");
	expect("\033[38;5;75m\033[48;5;234ma\033[38;5;114m\033[48;5;234mb",
			"\033[38;5;75m\033[48;5;234ma\033[38;5;114mb");
	expect("\033[31m\033[40ma\033[31m\033[41mb\033[91m\033[101mc\033[91md",
			"\033[31m\033[40ma\033[41mb\033[91m\033[101mcd");
	expect("\033[38;2;1;2;3m\033[48:2::4:5:6ma\033[48:2::4:5:6mb", "\033[38;2;1;2;3m\033[48:2::4:5:6mab");
	expect("\033[38;5;75ma\033[m\033[38;5;75mb", "\033[38;5;75ma\033[m\033[38;5;75mb");
	expect("\033[38;5;75ma\033[0;1m\033[38;5;75mb", "\033[38;5;75ma\033[0;1m\033[38;5;75mb");
	expect("\033[38;5;75ma\033[39;49m\033(B\033[m\033[3;6H", "\033[38;5;75ma\033[m\033[3;6H");
	expect("\033(Ba\033(", "a\033(");
	expect("\033(0q\033(Ba", "\033(0q\033(Ba");
	expect("\033[39;49m\033[m", "\033[m");
	expect("\033[39;49ma\033[38;5;1m", "\033[39;49ma\033[38;5;1m");
	expect("\033[38;5;1;4ma\033[38;5;1;4mb", "\033[38;5;1;4ma\033[38;5;1;4mb");
}

/* What a terminal shows. */
static void look(const char *bytes, size_t n, VTermScreenCell cells[40])
{
	VTerm *vt = vterm_new(2, 20);
	VTermScreen *screen = vterm_obtain_screen(vt);
	vterm_set_utf8(vt, 1);
	vterm_screen_reset(screen, 1);
	vterm_input_write(vt, bytes, n);
	for (int i = 0; i < 40; i++)
		vterm_screen_get_cell(screen, (VTermPos){i / 20, i % 20}, &cells[i]);
	vterm_free(vt);
}

static void test_any_frame_looks_the_same(void **state)
{
	static const char *const pieces[] = {"a", "bc", "\033[2;3H", "\033[m", "\033(B", "\033[39;49m",
			"\033[1m", "\033[0;4m", "\033[31m", "\033[32m", "\033[41m", "\033[97m", "\033[104m",
			"\033[38;5;75m", "\033[38;5;9m", "\033[48;5;234m", "\033[48;5;2m", "\033[38;2;1;2;3m",
			"\033[48;2;9;8;7m", "\033[7m", "\033[K"};
	char from[600], to[600];
	VTermScreenCell before[40], after[40];
	(void)state;
	srand(1);
	for (int i = 0; i < 3000; i++) {
		size_t n = 0;
		for (int k = 1 + rand() % 30; k > 0; k--)
			n += (size_t)snprintf(from + n, sizeof from - n, "%s",
					pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
		memcpy(to, from, n);
		size_t left = sgr_dedup(to, n);
		assert_true(left <= n);
		look(from, n, before);
		look(to, left, after);
		for (int k = 0; k < 40; k++) {
			assert_int_equal(before[k].chars[0], after[k].chars[0]);
			assert_true(vterm_color_is_equal(&before[k].fg, &after[k].fg));
			assert_true(vterm_color_is_equal(&before[k].bg, &after[k].bg));
			assert_int_equal(before[k].attrs.bold, after[k].attrs.bold);
			assert_int_equal(before[k].attrs.underline, after[k].attrs.underline);
			assert_int_equal(before[k].attrs.reverse, after[k].attrs.reverse);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_colors),
			cmocka_unit_test(test_any_frame_looks_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
