/* SPDX-License-Identifier: MIT */
/* Real plots of all three languages in a real sandbox, drawn with characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"
#include "support/half_png.h"

enum { ROWS = 44, COLS = 120 };

static const char *program;
static struct screen s = {.fd = -1};

static void run_with(const char *option, const char *lang, const char *code)
{
	static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
			"XDG_CONFIG_HOME=/nonexistent", NULL};
	const char *argv[] = {program, "--backend", "local", "--confirm", "off", "--lang", lang, option,
			option ? "on" : NULL, NULL};

	screen_start(&s, ROWS, COLS, argv, env);
	screen_wait(&s, "idle");
	screen_send(&s, "\033[200~"); /* pasted: nothing is indented or completed */
	screen_send(&s, code);
	screen_send(&s, "\033[201~");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "\u2713");
}

static void run(const char *lang, const char *code)
{
	run_with(NULL, lang, code);
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

static bool is_near(const VTermColor *given, uint32_t want)
{
	VTermColor c = *given;

	vterm_screen_convert_color_to_rgb(s.vts, &c);
	return abs((int)c.rgb.red - (int)(want >> 16 & 255)) < 24
	       && abs((int)c.rgb.green - (int)(want >> 8 & 255)) < 24
	       && abs((int)c.rgb.blue - (int)(want & 255)) < 24;
}

/* Cells of the output pane that have this color, of the character or behind it. */
static int cells_of(uint32_t color)
{
	int n = 0;

	for (int row = ROWS / 3; row < ROWS - 2; row++)
		for (int col = 1; col < 70; col++) {
			VTermScreenCell cell;
			vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
			n += is_near(&cell.fg, color) || is_near(&cell.bg, color);
		}
	return n;
}

static void wait_cells(uint32_t color, int at_least)
{
	double end = screen_now_ms() + SCREEN_DEADLINE_MS;

	while (cells_of(color) < at_least) {
		if (screen_now_ms() > end)
			fail_msg("%d cells of color %06x:\n%s", cells_of(color), color, screen_text(&s));
		screen_wait_quiet(&s, 20);
	}
}

static void matplotlib_is_drawn_between_the_lines(void **state)
{
	(void)state;
	if (access("/usr/lib/python3/dist-packages/matplotlib", F_OK) < 0)
		skip();
	run("python", "import matplotlib.pyplot as plt\nprint('above')\nplt.bar([1, 2, 3], [3, 1, 2], color='#ff0000')\n"
		      "plt.show()\nprint('below')");
	wait_cells(0xFF0000, 40); /* the bars */
	wait_cells(0xFFFFFF, 300);
	const char *text = screen_text(&s), *below = strstr(text, "\u2502 below");
	assert_non_null(below); /* the image has pushed it down; what is above has scrolled away, or not */
	assert_null(strstr(text, "being drawn"));
	const char *above = strstr(text, "\u2502 above");
	assert_true(!above || above < below);
	leave();
}

/* The text says what was chosen; a color of the code's own stays. */
static void plots_have_the_colors_of_the_theme(void **state)
{
	(void)state;
	if (access("/usr/lib/python3/dist-packages/matplotlib", F_OK) < 0)
		skip();
	run_with("--theme-plots", "python",
			"import matplotlib.pyplot as plt\nprint(plt.rcParams['axes.facecolor'], "
			"plt.rcParams['text.color'])\nplt.bar([1, 2, 3], [3, 1, 2], color='#ff0000')\nplt.show()");
	wait_cells(0xFF0000, 40);
	assert_true(cells_of(0xFFFFFF) < 100);
	leave();
}

static void node_shows_a_buffer(void **state)
{
	(void)state;
	run("javascript", "display(Buffer.from('" HALF_PNG_BASE64 "', 'base64'))");
	wait_cells(0xFF0000, 12);
	wait_cells(0x0000FF, 12);
	leave();
}

static void bash_shows_a_file(void **state)
{
	(void)state;
	run("bash", "base64 -d > pic <<< '" HALF_PNG_BASE64 "'\ndisplay pic");
	wait_cells(0xFF0000, 12);
	wait_cells(0x0000FF, 12);
	leave();
}

static int after(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

#define CASE(test) cmocka_unit_test_teardown(test, after)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			CASE(matplotlib_is_drawn_between_the_lines),
			CASE(plots_have_the_colors_of_the_theme),
			CASE(node_shows_a_buffer),
			CASE(bash_shows_a_file),
	};
	program = argv[argc > 1];
	if (!screen_has_sandboxes(program))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
