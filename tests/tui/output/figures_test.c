/* SPDX-License-Identifier: MIT */
/* What runs show, as lines of the output; and what can be done with images. */
#include <stdio.h>

#include <terrarium/result.h>

#include "support/half_png.h"
#include "text/mime.h"
#include "tui/model/desk.h"

static struct canvas canvas;
static char *shown;

static const char *screen_now(void)
{
	free(shown);
	view(&m, &canvas);
	shown = canvas_dump(&canvas);
	return shown;
}

static void begin_run(void)
{
	m.confirm = false;
	type("x");
	press(K_F5, 0);
	const struct effect *run = last_effect(EFFECT_RUN);
	assert_non_null(run);
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.serial = m.run.serial, .run.number = m.run.serial});
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
}

static void display(const char *mime, const char *data, size_t bundle, size_t more)
{
	struct trm_display d = {.mime = (char *)mime,
			.data = (char *)data,
			.n = strlen(data),
			.bundle = bundle,
			.more = more};

	send((struct msg){.type = MSG_RUN_DISPLAY, .run.serial = m.run.serial, .run.display = &d});
}

static void end_run(const char *value)
{
	struct trm_result r = {.lang = m.lang, .number = m.run.serial, .value = (char *)value};

	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &r});
}

static void tell_terminal(enum picture_kind kind)
{
	struct picture_style look = {.kind = kind,
			.cell_w = 8,
			.cell_h = 16,
			.colors = PICTURE_RGB,
			.glyphs = PICTURE_UNICODE};

	assert_non_null(last_effect(EFFECT_ASK_TERMINAL));
	send((struct msg){.type = MSG_IMAGES, .images.look = &look});
}

/* A picture of the figure's size, all of one character. */
static struct picture *picture_of(const struct figure *fig, enum picture_kind kind)
{
	struct picture *p = calloc(1, sizeof *p);
	size_t n = (size_t)fig->cols * (size_t)fig->rows;

	p->look = (struct picture_style){
			.kind = kind, .cols = fig->cols, .rows = fig->rows, .cell_w = 8, .cell_h = 16};
	p->cells = kind == PICTURE_SYMBOLS ? calloc(n, sizeof *p->cells) : NULL;
	for (size_t i = 0; p->cells && i < n; i++)
		p->cells[i] = (struct picture_cell){'#', 0x02FF0000, 0x020000FF};
	return p;
}

static void draw_it(enum picture_kind kind)
{
	const struct effect *wanted = last_effect(EFFECT_DRAW_FIGURE);

	assert_non_null(wanted);
	const struct figure *fig = figures_find(&m.out.figures, wanted->figure);
	assert_non_null(fig);
	send((struct msg){.type = MSG_FIGURE_DRAWN,
			.figure_drawn.id = wanted->figure,
			.figure_drawn.picture = picture_of(fig, kind)});
}

/* ---- */

static void an_image_takes_lines_and_is_drawn(void **state)
{
	(void)state;
	begin_run();
	display("text/plain", "<Pic>", 0, 1);
	display("image/png", HALF_PNG_BASE64, 0, 0);
	end_run("<Pic>");
	assert_non_null(strstr(screen_now(), "[image/png 64\u00d748: is being drawn]"));
	assert_null(strstr(screen_now(), "<Pic>")); /* the image stands for it */
	assert_null(last_effect(EFFECT_DRAW_FIGURE));
	tell_terminal(PICTURE_SYMBOLS);
	draw_it(PICTURE_SYMBOLS);
	const char *text = screen_now(), *first = strstr(text, "########");
	assert_non_null(first);
	assert_null(strstr(text, "#########"));
	int rows = 0;
	for (const char *at = first; at; at = strstr(at + 8, "########"))
		rows++;
	assert_int_equal(rows, 3);
	assert_null(strstr(text, "being drawn"));
}

static void pixels_are_left_to_the_painter(void **state)
{
	(void)state;
	begin_run();
	display("image/png", HALF_PNG_BASE64, 0, 0);
	end_run(NULL);
	tell_terminal(PICTURE_KITTY);
	draw_it(PICTURE_KITTY);
	screen_now();
	assert_int_equal(canvas.n_pictures, 1);
	assert_int_equal(canvas.pictures[0].rows, 3);
	assert_int_equal(canvas.pictures[0].cols, 8);
	/* What is drawn over it hides it there. */
	struct rect over = {canvas.pictures[0].row, canvas.pictures[0].col, 1, 3};
	canvas_fill(&canvas, over, "x", (struct style){0});
	canvas_put(&canvas, over, over.row, over.col, "yy", 2, (struct style){0});
	size_t left = 0;
	for (int i = 0; i < canvas.rows * canvas.cols; i++)
		left += canvas.cells[i].picture == 1;
	assert_int_equal(left, 21);
}

/* In a lower pane an image is drawn smaller, in the last of its lines; in a higher one as large as at first.
 */
static void an_image_follows_the_size_of_the_pane(void **state)
{
	struct figures f = {.terminal.look = {.kind = PICTURE_KITTY, .cell_w = 8, .cell_h = 16}};
	uint8_t *bytes = malloc(sizeof half_png);

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, half_png, sizeof half_png);
	bytes[22] = 640 >> 8; /* as high */
	bytes[23] = 640 & 0xff;
	struct figure *fig = figures_add(&f, 1, "image/png", bytes, sizeof half_png);
	assert_non_null(fig);
	figure_fit(&f, fig, 80, 40);
	fig->lines = fig->rows;
	assert_int_equal(fig->lines, 40);
	figure_set_picture(&f, fig, picture_of(fig, PICTURE_KITTY), NULL);
	assert_int_equal(figure_row_at(fig, 0), 0);
	assert_int_equal(f.n_waiting, 0);
	figures_refit(&f, 80, 15);
	assert_int_equal(fig->rows, 15);
	assert_int_equal(fig->state, FIGURE_WAITING);
	assert_int_equal(f.n_waiting, 1);
	assert_int_equal(figure_row_at(fig, 39), -1);
	figure_set_picture(&f, fig, picture_of(fig, PICTURE_KITTY), NULL);
	assert_true(figure_row_at(fig, 24) < 0);
	assert_int_equal(figure_row_at(fig, 25), 0);
	assert_int_equal(figure_row_at(fig, 39), 14);
	figures_refit(&f, 80, 100);
	assert_int_equal(fig->rows, 40);
	figures_finish(&f);
}

/* Nobody has to scroll to see the axis. Where there is no room for an image, a line says what there is. */
static void an_image_fits_the_pane(void **state)
{
	char *data = strdup(HALF_PNG_BASE64);

	(void)state;
	assert_non_null(data);
	memcpy(data, "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg", 32); /* 640 by 480 pixels */
	resize(24, 80);
	begin_run();
	display("image/png", data, 0, 0);
	end_run(NULL);
	tell_terminal(PICTURE_SYMBOLS);
	const struct figure *fig = figures_find(&m.out.figures, 1);
	assert_non_null(fig);
	assert_true(fig->rows >= FIGURE_ROWS && fig->rows <= model_output_area(&m).rows - 1);
	draw_it(PICTURE_SYMBOLS);
	for (int i = 0; i < 4; i++)
		press(K_DOWN, MOD_ALT | MOD_SHIFT);
	assert_non_null(strstr(screen_now(), "[image/png 640\u00d7480: Alt-I shows it]"));
	effects_clear(&fx);
	press(K_F5, 0);
	display("image/png", data, 0, 0);
	assert_non_null(strstr(screen_now(), "Alt-I shows it]"));
	assert_null(last_effect(EFFECT_DRAW_FIGURE));
	for (int i = 0; i < 4; i++)
		press(K_UP, MOD_ALT | MOD_SHIFT);
	assert_false(figures_find(&m.out.figures, 1)->is_named);
	free(data);
}

static void forms_that_are_text_are_shown_as_text(void **state)
{
	(void)state;
	begin_run();
	display("text/plain", "plain table", 0, 1);
	display("text/html", "<table><tr><td>cell one</td><td>two</td></tr></table>", 0, 0);
	display("text/plain", "kept", 1, 1);
	display("text/html", "<script>x()</script>", 1, 0); /* nothing to be read */
	display("text/markdown", "# Heading", 2, 1);        /* the rest of it is lost */
	display("text/plain", "[1, 2]", 3, 0);
	end_run("[1, 2]");
	const char *text = screen_now();
	assert_non_null(strstr(text, "cell one  two"));
	assert_null(strstr(text, "plain table"));
	assert_non_null(strstr(text, "kept"));
	assert_non_null(strstr(text, "Heading"));
	const char *first = strstr(text, "[1, 2]");
	assert_non_null(first);
	assert_non_null(strstr(first + 1, "[1, 2]")); /* display() and the value: both were wanted */
}

static void what_cannot_be_drawn_says_why(void **state)
{
	(void)state;
	begin_run();
	display("image/png", "AAAA", 0, 0);
	display("image/gif", "R0lGODlh", 1, 0);
	display("image/png", "%%%", 2, 0);
	end_run(NULL);
	const char *text = screen_now();
	assert_non_null(strstr(text, "[image/png, 3 bytes: it is neither a PNG, JPEG nor SVG image]"));
	assert_non_null(strstr(text, "[image/gif, 6 bytes: "));
	assert_int_equal(m.out.figures.n, 2);
	assert_null(last_effect(EFFECT_ASK_TERMINAL)); /* for nothing to be drawn nobody is asked */
	begin_run();
	display("image/png", HALF_PNG_BASE64, 0, 0);
	end_run(NULL);
	tell_terminal(PICTURE_SYMBOLS);
	const struct effect *wanted = last_effect(EFFECT_DRAW_FIGURE);
	assert_non_null(wanted);
	send((struct msg){.type = MSG_FIGURE_DRAWN,
			.figure_drawn.id = wanted->figure,
			.figure_drawn.why = "the PNG image is broken"});
	assert_non_null(strstr(screen_now(), "64\u00d748: the PNG image is broken]"));
}

static void saving_asks_for_a_path_and_before_it_replaces(void **state)
{
	(void)state;
	begin_run();
	display("image/png", HALF_PNG_BASE64, 0, 0);
	display("image/png", HALF_PNG_BASE64, 1, 0);
	end_run(NULL);
	press('s', MOD_ALT);
	assert_string_equal(m.dialog.title, "Save the image as");
	assert_string_equal(field_text(&m.dialog.field), "fig-1-2.png");
	press(K_ENTER, 0);
	const struct effect *save = last_effect(EFFECT_SAVE_FIGURE);
	assert_non_null(save);
	assert_string_equal(save->save_figure.path, "fig-1-2.png");
	assert_int_equal(save->save_figure.figure, 2);
	send((struct msg){.type = MSG_FIGURE_SAVED,
			.figure_saved.id = 2,
			.figure_saved.path = "fig-1-2.png",
			.figure_saved.exists = true});
	assert_string_equal(m.dialog.title, "The file exists");
	press('r', 0);
	assert_non_null(last_effect(EFFECT_SAVE_FIGURE_OVER));
	send((struct msg){
			.type = MSG_FIGURE_SAVED, .figure_saved.id = 2, .figure_saved.path = "fig-1-2.png"});
	assert_non_null(strstr(screen_now(), "saved the image as fig-1-2.png"));
	press('s', MOD_ALT);
	send((struct msg){.type = MSG_FIGURE_SAVED,
			.figure_saved.id = 2,
			.figure_saved.path = "no/x.png",
			.figure_saved.error = "no such folder"});
	assert_non_null(strstr(screen_now(), "no such folder"));
	assert_string_equal(field_text(&m.dialog.field), "no/x.png");
}

static void one_is_shown_on_the_whole_screen(void **state)
{
	(void)state;
	press('i', MOD_ALT);
	assert_non_null(strstr(screen_now(), "no run has shown an image yet"));
	begin_run();
	display("image/png", HALF_PNG_BASE64, 0, 0);
	display("image/png", HALF_PNG_BASE64, 1, 0);
	end_run(NULL);
	tell_terminal(PICTURE_SYMBOLS);
	press('i', MOD_ALT);
	const struct effect *wanted = last_effect(EFFECT_ZOOM_FIGURE);
	assert_non_null(wanted);
	assert_int_equal(wanted->figure, 2);
	assert_non_null(strstr(screen_now(), "image 2 of 2"));
	struct figure like = {.cols = m.out.figures.zoom_cols, .rows = m.out.figures.zoom_rows};
	assert_true(like.rows == m.rows - 2 || like.cols == m.cols);
	send((struct msg){.type = MSG_FIGURE_DRAWN,
			.figure_drawn.id = 2,
			.figure_drawn.is_zoom = true,
			.figure_drawn.picture = picture_of(&like, PICTURE_SYMBOLS)});
	assert_non_null(strstr(screen_now(), "########################"));
	press(K_LEFT, 0);
	assert_non_null(strstr(screen_now(), "image 1 of 2"));
	press(K_ESCAPE, 0);
	assert_null(strstr(screen_now(), "image 1 of 2"));
	/* The way back is shown on any screen. */
	press('i', MOD_ALT);
	for (int cols = 120; cols >= 40; cols -= 10) {
		resize(cols < 60 ? 10 : 24, cols);
		assert_screen("Esc back", true);
		assert_screen(" image 2 of 2   image/png", true);
	}
	resize(36, 120);
	press(K_ESCAPE, 0);
	/* Two clicks on the first one do it, too. */
	const char *text = screen_now(), *at = strstr(text, "[image/png");
	assert_non_null(at);
	int row = 0;
	for (const char *p = text; p < at; p++)
		row += *p == '\n';
	event((struct event){.type = EVENT_MOUSE,
			.action = MOUSE_PRESS,
			.button = 1,
			.clicks = 2,
			.row = row,
			.col = 4});
	assert_non_null(strstr(screen_now(), "image 1 of 2"));
}

static void old_ones_are_given_up(void **state)
{
	struct figures f = {0};
	size_t n = FIGURES_BYTES / 4 + 1;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_non_null(figures_add(&f, 1, "image/png", calloc(1, n), n));
	assert_int_equal(f.n, 3);
	assert_null(figures_find(&f, 1));
	assert_non_null(figures_find(&f, 10));
	assert_int_equal(figures_find(&f, 10)->number, 10);
	assert_true(f.bytes <= FIGURES_BYTES);
	figures_finish(&f);
}

static void base64_is_read(void **state)
{
	static const struct {
		const char *text, *bytes;
	} cases[] = {{"", ""}, {"YQ==", "a"}, {"YWI=", "ab"}, {"YWJj", "abc"}, {"YW\nJj ZA", "abcd"}};
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t *bytes = mime_bytes("image/png", cases[i].text, strlen(cases[i].text), &n);
		assert_non_null(bytes);
		assert_int_equal(n, strlen(cases[i].bytes));
		assert_memory_equal(bytes, cases[i].bytes, n);
		free(bytes);
	}
	assert_null(mime_bytes("image/png", "a?b", 3, &n));
}

static int begin(void **state)
{
	return desk_setup(state) < 0 || canvas_init(&canvas, m.rows, m.cols) < 0 ? -1 : 0;
}

static int end(void **state)
{
	canvas_finish(&canvas);
	free(shown);
	shown = NULL;
	return desk_teardown(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(an_image_takes_lines_and_is_drawn),
			TEST(pixels_are_left_to_the_painter),
			TEST(an_image_follows_the_size_of_the_pane),
			TEST(an_image_fits_the_pane),
			TEST(forms_that_are_text_are_shown_as_text),
			TEST(what_cannot_be_drawn_says_why),
			TEST(saving_asks_for_a_path_and_before_it_replaces),
			TEST(one_is_shown_on_the_whole_screen),
			TEST(old_ones_are_given_up),
			TEST(base64_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
