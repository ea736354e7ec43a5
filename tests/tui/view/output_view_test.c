/* SPDX-License-Identifier: MIT */
/* The output pane on whole screens, at several sizes and depths of color, against the files in screens/.
 * After a wanted change: TERRARIUM_WRITE_SCREENS=1. */
#include "tui/model/desk.h"

#include <stdio.h>

#include "theme/theme.h"
#include "tui/view/looks.h"

static struct canvas canvas;

static void print(const char *text, int stream)
{
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = m.run.serial,
			.run.output.stream = stream,
			.run.output.bytes = text,
			.run.output.len = strlen(text)});
}

static void begin(const char *code)
{
	press('a', MOD_CTRL);
	type(code);
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.serial = m.run.serial, .run.number = m.run.serial});
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
}

static void end(struct trm_result r)
{
	r.lang = m.lang;
	r.number = m.run.serial;
	r.wall_us = 12345;
	r.has_cpu = true;
	r.cpu_us = 2500;
	r.has_mem_peak = true;
	r.mem_peak_bytes = 12 << 20;
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &r});
}

/* A folded run, one with colors and a progress display, one that fails; a search; a run in hand. */
static void set_the_scene(void)
{
	char *trace[] = {
			(char *)"Traceback (most recent call last):\n  File \"<run 3>\", line 1, in <module>",
			(char *)"NameError: name 'y' is not defined", NULL};

	begin("folded = 1");
	print("hidden\nhidden\n", TRM_STDERR);
	end((struct trm_result){.value = (char *)"1"});
	m.out.mark = 0;
	m.out.has_mark = true;
	press(K_F6, 0);
	press('-', 0);
	press(K_ESCAPE, 0);
	press(K_F6, MOD_SHIFT);
	begin("colors()");
	print("\x1b[31mred\x1b[0m \x1b[1;38;5;208morange\x1b[0m \x1b[48;2;10;20;120;4mon blue\x1b[0m\n",
			TRM_STDERR);
	print("one  10%\ntwo  10%\n", TRM_STDERR);
	print("\x1b[2A\x1b[32mone 100%\x1b[0m\n\x1b[2Ktwo  90%\n", TRM_STDOUT);
	end((struct trm_result){0});
	begin("y");
	end((struct trm_result){.status = TRM_STATUS_ERROR,
			.exit_code = 1,
			.error_name = (char *)"NameError",
			.error_message = (char *)"name 'y' is not defined",
			.traceback = trace});
	press(K_F6, 0);
	press('/', 0);
	type("one\n");
}

static const char *read_file(const char *path)
{
	static char text[1 << 18];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static void assert_file(const char *name, const char *seen)
{
	char path[512];

	snprintf(path, sizeof path, "%s/tests/tui/view/screens/output_%s.txt", TESTS_SOURCE_DIR, name);
	if (getenv("TERRARIUM_WRITE_SCREENS")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs(seen, f);
		fclose(f);
	}
	if (strcmp(seen, read_file(path)) != 0)
		print_message("%s is not as expected:\n%s", path, seen);
	assert_string_equal(seen, read_file(path));
}

static void paint(int rows, int cols)
{
	event((struct event){.type = EVENT_RESIZE, .row = rows, .col = cols});
	assert_int_equal(canvas_resize(&canvas, rows, cols), 0);
	view(&m, &canvas);
}

static void sizes(void **state)
{
	static const struct {
		int rows, cols;
		const char *name;
	} sizes[] = {{36, 120, "120x36"}, {24, 80, "80x24"}, {16, 60, "60x16"}, {10, 40, "40x10"}};

	(void)state;
	set_the_scene();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		paint(sizes[i].rows, sizes[i].cols);
		char *seen = canvas_dump(&canvas);
		assert_file(sizes[i].name, seen);
		free(seen);
	}
}

static void without_utf8(void **state)
{
	(void)state;
	m.has_utf8 = m.out.has_utf8 = false;
	set_the_scene();
	paint(24, 80);
	char *seen = canvas_dump(&canvas);
	assert_file("ascii", seen);
	free(seen);
}

/* ---- colors ---- */

/* Which cells of the pane look alike, as letters. */
static void depths(void **state)
{
	static const char *const names[] = {[DEPTH_NONE] = "mono",
			[DEPTH_8] = "8",
			[DEPTH_16] = "16",
			[DEPTH_256] = "256",
			[DEPTH_RGB] = "rgb"};
	static char seen[80 * 24 * 2];

	(void)state;
	set_the_scene();
	paint(24, 80);
	struct rect area = model_output_area(&m), whole = {area.row, area.col - 1, area.rows, area.cols + 1};
	for (int depth = DEPTH_NONE; depth <= DEPTH_RGB; depth++) {
		struct theme theme;
		assert_int_equal(theme_builtin(depth == DEPTH_NONE ? "mono" : "dark", &theme, NULL), 0);
		looks_dump(&canvas, whole, &theme, (enum color_depth)depth, seen);
		char name[32];
		snprintf(name, sizeof name, "looks_%s", names[depth]);
		assert_file(name, seen);
	}
}

static int set_up(void **state)
{
	(void)state;
	if (desk_setup_sized(24, 80) < 0)
		return -1;
	m.confirm = false;
	return canvas_init(&canvas, 24, 80);
}

static int tear_down(void **state)
{
	canvas_finish(&canvas);
	return desk_teardown(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(sizes), TEST(without_utf8), TEST(depths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
