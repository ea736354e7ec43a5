/* SPDX-License-Identifier: MIT */
#include "theme/check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cells/canvas.h"
#include "cmocka_all.h"

static int parse(const char *json, struct theme *t, struct trm_error *err)
{
	return theme_parse(json, strlen(json), "my.json", NULL, NULL, t, err);
}

static void test_parse(void **state)
{
	struct theme t;
	(void)state;
	assert_int_equal(parse("// a comment\n{ /* { */ \"palette\": {\"leaf\": \"#0a0\"},\n\"roles\": {"
			       "\"text\": {\"fg\": \"#102030\", \"bg\": \"color200\"}, \"dim\": \"leaf\","
			       "\"title\": {\"bg\": \"default\", \"attrs\": [\"bold\", \"underline\"]}}}",
					 &t, NULL),
			0);
	assert_string_equal(t.name, "my");
	assert_int_equal(t.looks[ROLE_TEXT].fg, COLOR_RGB(0x102030));
	assert_int_equal(t.looks[ROLE_TEXT].bg, COLOR_INDEX(200));
	assert_int_equal(t.looks[ROLE_DIM].fg, COLOR_RGB(0x00AA00));
	assert_int_equal(t.looks[ROLE_DIM].bg, COLOR_INDEX(200));
	assert_int_equal(t.looks[ROLE_TITLE].fg, COLOR_RGB(0x102030));
	assert_int_equal(t.looks[ROLE_TITLE].bg, COLOR_NONE);
	assert_int_equal(t.looks[ROLE_TITLE].attrs, ATTR_BOLD | ATTR_UNDERLINE);
	assert_int_equal(t.looks[ROLE_MENU].fg, COLOR_RGB(0x102030));
}

static const struct {
	const char *json, *place, *word;
} broken[] = {
		{"", "my.json:1:1", "not JSON"},
		{"{\n\"roles\": {\"text\": \"#fff\",}}", "my.json:2:", "not JSON"},
		{"{\"roles\": {}} x", "my.json:1:", "not JSON"},
		{"[]", "my.json:1:1", "object"},
		{"{}", "my.json:1:1", "\"roles\" is missing"},
		{"{\"roles\": 3}", "my.json:1:2", "\"roles\""},
		{"{\n // \"rolez\": \n\"rolez\": {}}", "my.json:3:1", "rolez"},
		{"{\"roles\": {\n\t\"titel\": \"#fff\"}}", "my.json:2:2", "titel"},
		{"{\"roles\": {\n\"dim\": {},\n  \"text\": {\"fg\": \"#12345\"}}}", "my.json:3:12", "#12345"},
		{"{\"roles\": {\"text\": {\"fg\": \"color256\"}}}", "my.json:1:", "color256"},
		{"{\"roles\": {\"text\": {\"fg\": 7}}}", "my.json:1:", "text"},
		{"{\"roles\": {\"text\": {\"color\": \"#fff\"}}}", "my.json:1:", "color"},
		{"{\"roles\": {\"text\": {\"attrs\": [\"bolt\"]}}}", "my.json:1:", "bolt"},
		{"{\"roles\": {\"text\": {\"attrs\": \"bold\"}}}", "my.json:1:", "list"},
		{"{\"roles\": {\"text\": []}}", "my.json:1:", "text"},
		{"{\"palette\": {\"a\": \"b\", \"b\": \"a\"}, \"roles\": {}}", "my.json:1:", "\"a\""},
		{"{\"inherits\": \"x\", \"roles\": {}}", "my.json:1:2", "inherit"},
		{"{\"name\": 3, \"roles\": {}}", "my.json:1:2", "name"},
};

static void test_errors_tell_the_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct trm_error err = {0};
		struct theme t = {.name = "untouched"};
		assert_true(parse(broken[i].json, &t, &err) < 0);
		assert_string_equal(t.name, "untouched");
		if (strncmp(err.msg, broken[i].place, strlen(broken[i].place)) != 0
				|| !strstr(err.msg, broken[i].word))
			fail_msg("case %zu: %s", i, err.msg);
	}
}

/* As WCAG 2 counts it, by the book. */
static double linear(uint32_t channel)
{
	double c = channel / 255.0;
	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
	return 0.2126 * linear(rgb >> 16 & 0xFF) + 0.7152 * linear(rgb >> 8 & 0xFF)
	       + 0.0722 * linear(rgb & 0xFF);
}

/* The sixteen colors of programs can be read on every ground, and a color that can be is left alone. */
static void test_programs_colors_are_mended(void **state)
{
	static const uint32_t grounds[] = {0xFBFAF6, 0xFFFFFF, 0x181B21, 0x000000};

	(void)state;
	for (size_t g = 0; g < sizeof(grounds) / sizeof(*grounds); g++)
		for (int i = 0; i < 16; i++) {
			uint32_t ground = COLOR_RGB(grounds[g]);
			uint32_t rgb = color_mend(COLOR_INDEX(i), ground, DEPTH_RGB);
			uint32_t of_256 = color_mend(COLOR_INDEX(i), ground, DEPTH_256);
			assert_true(color_contrast(rgb, ground) >= THEME_TEXT_CONTRAST);
			assert_true(color_contrast(of_256, ground) >= THEME_TEXT_CONTRAST);
		}
	uint32_t cyan = color_rgb(color_mend(COLOR_INDEX(6), COLOR_RGB(0xFBFAF6), DEPTH_RGB));
	assert_true((cyan >> 16 & 0xFF) < 0x10 && (cyan >> 8 & 0xFF) > 0x40); /* still cyan */
	assert_int_equal(color_mend(COLOR_INDEX(6), COLOR_RGB(0), DEPTH_RGB), COLOR_INDEX(6));
	assert_int_equal(color_mend(COLOR_INDEX(6), COLOR_NONE, DEPTH_RGB), COLOR_INDEX(6));
	assert_int_equal(color_mend(COLOR_INDEX(15), COLOR_NONE, DEPTH_16), COLOR_NONE);
}

static void test_contrast_is_that_of_wcag(void **state)
{
	(void)state;
	for (uint32_t rgb = 0; rgb <= 0xFFFFFF; rgb += 0x10307) {
		double want = (1.05) / (luminance(rgb) + 0.05);
		double got = color_contrast(COLOR_RGB(rgb), COLOR_RGB(0xFFFFFF));
		assert_true(fabs(want - got) < 0.001);
	}
}

static const struct {
	const char *name;
	double least;
} shipped[] = {{"dark", 4.5}, {"light", 4.5}, {"projector", 7}, {"contrast", 7}, {"color-blind", 4.5},
		{"ocean", 4.5}, {"dusk", 4.5}, {"amber", 4.5}, {"terminal", 4.5}, {"mono", 4.5}};

struct reported {
	const char *theme;
	enum color_depth depth;
	size_t n_unknown, n_errors;
};

static void tell(void *user, const struct theme_finding *f)
{
	struct reported *reported = user;
	reported->n_unknown += f->kind == FINDING_UNKNOWN;
	if (f->kind == FINDING_MISSING)
		print_error("%s leaves out %s\n", reported->theme, role_name(f->role));
	else if (f->kind != FINDING_UNKNOWN)
		print_error("%s, depth %d: %s on %s: %.2f\n", reported->theme, (int)reported->depth,
				role_name(f->role), role_name(f->ground), f->contrast);
	reported->n_errors += f->kind != FINDING_UNKNOWN;
}

/* Every role of every theme that comes with the program, with as many colors as there are. */
static void test_shipped_can_be_read(void **state)
{
	size_t n_errors = 0;
	(void)state;
	for (size_t i = 0; i < sizeof(shipped) / sizeof(*shipped); i++) {
		char path[512];
		struct theme t;
		struct trm_error err;
		snprintf(path, sizeof(path), "%s/themes/%s.json", TESTS_SOURCE_DIR, shipped[i].name);
		if (theme_load(path, &t, &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(t.name, shipped[i].name);
		bool is_own = t.looks[ROLE_TEXT].fg == COLOR_NONE;
		for (int depth = DEPTH_8; depth <= DEPTH_RGB; depth++) {
			double least = depth == DEPTH_RGB ? shipped[i].least : 4.5;
			struct reported reported = {t.name, (enum color_depth)depth, 0, 0};
			theme_check(&t, reported.depth, least, tell, &reported);
			n_errors += reported.n_errors;
			assert_int_equal(reported.n_unknown > 0, is_own);
		}
	}
	assert_int_equal(n_errors, 0);
}

static void count_kinds(void *user, const struct theme_finding *f)
{
	size_t *n = user;
	n[f->kind]++;
	if (f->kind == FINDING_MISSING && f->role == ROLE_POPUP)
		assert_int_equal(f->ground, ROLE_MENU);
}

static void test_check_finds(void **state)
{
	struct theme t;
	size_t n[4] = {0};
	(void)state;
	assert_int_equal(parse("{\"roles\": {\"text\": {\"fg\": \"#888\", \"bg\": \"#777\"},"
			       "\"selection\": {}, \"menu\": {\"fg\": \"#fff\", \"bg\": \"#000\"}}}",
					 &t, NULL),
			0);
	theme_check(&t, DEPTH_RGB, 4.5, count_kinds, n);
	assert_int_equal(n[FINDING_MISSING], ROLE_COUNT - 3);
	assert_true(n[FINDING_CONTRAST] > 20);
	assert_true(n[FINDING_HIDDEN] >= 1);
	assert_int_equal(t.looks[ROLE_POPUP].fg, COLOR_RGB(0xFFFFFF));
}

static void test_degrade(void **state)
{
	(void)state;
	assert_int_equal(color_degrade(COLOR_RGB(0xFF0000), DEPTH_256), COLOR_INDEX(196));
	assert_int_equal(color_degrade(COLOR_RGB(0x080808), DEPTH_256), COLOR_INDEX(232));
	assert_int_equal(color_degrade(COLOR_RGB(0x808080), DEPTH_256), COLOR_INDEX(244));
	assert_int_equal(color_degrade(COLOR_RGB(0xFFFFFF), DEPTH_256), COLOR_INDEX(231));
	assert_int_equal(color_degrade(COLOR_RGB(0x5F87AF), DEPTH_256), COLOR_INDEX(67));
	assert_int_equal(color_degrade(COLOR_RGB(0xFF1010), DEPTH_16), COLOR_INDEX(9));
	assert_int_equal(color_degrade(COLOR_RGB(0x101010), DEPTH_8), COLOR_INDEX(0));
	assert_int_equal(color_degrade(COLOR_INDEX(196), DEPTH_8), COLOR_INDEX(1));
	assert_int_equal(color_degrade(COLOR_INDEX(12), DEPTH_16), COLOR_INDEX(12));
	assert_int_equal(color_degrade(COLOR_RGB(1), DEPTH_NONE), COLOR_NONE);
	assert_int_equal(color_degrade(COLOR_NONE, DEPTH_8), COLOR_NONE);
}

/* Bold black is a gray where there are eight colors: nobody could read the focused button. */
static void test_black_is_not_bold(void **state)
{
	struct theme t;

	(void)state;
	assert_int_equal(theme_builtin("dark", &t, NULL), 0);
	struct theme_style look = theme_style(&t, ROLE_BUTTON_FOCUS, DEPTH_8);
	assert_int_equal(look.fg, COLOR_INDEX(0));
	assert_int_equal(look.attrs & ATTR_BOLD, 0);
	assert_true(theme_style(&t, ROLE_BUTTON_FOCUS, DEPTH_256).attrs & ATTR_BOLD);
}

/* A graph's color goes from its own to the hottest, with as many steps as the terminal's colors allow. */
static void test_heat(void **state)
{
	struct theme t;

	(void)state;
	assert_int_equal(theme_builtin("dark", &t, NULL), 0);
	assert_int_equal(theme_heat(&t, ROLE_GRAPH_MEM, 0, DEPTH_RGB).fg, t.looks[ROLE_GRAPH_MEM].fg);
	assert_int_equal(theme_heat(&t, ROLE_GRAPH_MEM, COLOR_HEATS / 2, DEPTH_RGB).fg,
			t.looks[ROLE_GRAPH_MID].fg);
	assert_int_equal(theme_heat(&t, ROLE_GRAPH_MEM, 99, DEPTH_RGB).fg, t.looks[ROLE_GRAPH_HIGH].fg);
	for (unsigned step = 1; step <= COLOR_HEATS; step++)
		assert_int_not_equal(theme_heat(&t, ROLE_GRAPH_MEM, step, DEPTH_RGB).fg,
				theme_heat(&t, ROLE_GRAPH_MEM, step - 1, DEPTH_RGB).fg);
	struct theme_style low = theme_heat(&t, ROLE_GRAPH_MEM, 0, DEPTH_8),
			   mid = theme_heat(&t, ROLE_GRAPH_MEM, 4, DEPTH_8),
			   high = theme_heat(&t, ROLE_GRAPH_MEM, COLOR_HEATS, DEPTH_8);
	assert_true(low.fg != mid.fg && mid.fg != high.fg && low.fg != high.fg);
	assert_int_equal(theme_heat(&t, ROLE_GRAPH_MEM, 0, DEPTH_NONE).attrs & ATTR_BOLD, 0);
	assert_true(theme_heat(&t, ROLE_GRAPH_MEM, COLOR_HEATS, DEPTH_NONE).attrs & ATTR_BOLD);
}

static void test_builtin(void **state)
{
	struct theme t, file;
	(void)state;
	assert_int_equal(theme_builtin("dark", &t, NULL), 0);
	assert_int_equal(theme_load("dark", &file, NULL), 0);
	assert_memory_equal(t.looks, file.looks, sizeof(t.looks));
	assert_int_equal(theme_builtin("mono", &t, NULL), 0);
	assert_int_equal(t.looks[ROLE_SELECTION].attrs, ATTR_REVERSE);
	assert_true(theme_builtin("light", &t, NULL) < 0);
}

static void write_theme(const char *path, const char *json)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(json, f);
	fclose(f);
}

static void test_search_and_list(void **state)
{
	char dir[] = "/tmp/terrarium-theme-XXXXXX", folder[200], path[256];
	struct theme_list list;
	struct theme t;
	struct trm_error err = {0};
	bool has_mine = false;
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(folder, sizeof(folder), "%s/terrarium", dir);
	mkdir(folder, 0700);
	snprintf(folder, sizeof(folder), "%s/terrarium/themes", dir);
	mkdir(folder, 0700);
	setenv("XDG_CONFIG_HOME", dir, 1);

	snprintf(path, sizeof(path), "%s/mine.json", folder);
	write_theme(path, "{\"inherits\": \"dark\", \"roles\": {\"title\": \"#123456\"}}");
	assert_int_equal(theme_load("mine", &t, NULL), 0);
	assert_int_equal(t.looks[ROLE_TITLE].fg, COLOR_RGB(0x123456));
	assert_int_equal(t.looks[ROLE_DIM].fg, COLOR_RGB(0x929CAC));

	assert_int_equal(theme_list_init(&list), 0);
	for (size_t i = 0; i < list.n; i++) {
		has_mine |= strcmp(list.names[i], "mine") == 0;
		assert_true(i == 0 || strcmp(list.names[i - 1], list.names[i]) < 0);
	}
	assert_true(has_mine && list.n >= 6);
	theme_list_finish(&list);

	write_theme(path, "{\"inherits\": \"mine\", \"roles\": {}}");
	assert_true(theme_load("mine", &t, &err) < 0);
	assert_non_null(strstr(err.msg, "inherit"));
	assert_int_equal(theme_load("nosuch", &t, &err), TRM_ENOENT);
	assert_non_null(strstr(err.msg, "dark"));
	assert_int_equal(theme_load("/nosuch/file.json", &t, &err), TRM_ENOENT);
	unlink(path);
	assert_int_equal(symlink("away.json", path), 0);
	assert_int_equal(theme_load("mine", &t, &err), TRM_ENOENT);
	assert_non_null(strstr(err.msg, "/mine.json is a link that leads nowhere: there is no away.json"));
	assert_int_equal(theme_load(path, &t, &err), TRM_ENOENT);
	assert_non_null(strstr(err.msg, "leads nowhere"));
	unlink(path);
	snprintf(path, sizeof(path), "%s/dark.json", folder);
	assert_int_equal(symlink("away.json", path), 0);
	assert_int_equal(theme_load("dark", &t, &err), 0);
	unlink(path);
	for (int up = 0; up < 2; up++) {
		rmdir(folder);
		*strrchr(folder, '/') = '\0';
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_parse),
			cmocka_unit_test(test_errors_tell_the_place),
			cmocka_unit_test(test_shipped_can_be_read),
			cmocka_unit_test(test_contrast_is_that_of_wcag),
			cmocka_unit_test(test_programs_colors_are_mended),
			cmocka_unit_test(test_check_finds),
			cmocka_unit_test(test_degrade),
			cmocka_unit_test(test_black_is_not_bold),
			cmocka_unit_test(test_heat),
			cmocka_unit_test(test_builtin),
			cmocka_unit_test(test_search_and_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
