/* SPDX-License-Identifier: MIT */
/* Images through the child that decodes them: what comes out, and that nothing hostile does harm. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "image/decode.h"
#include "image/image.h"
#include "image/job.h"
#include "support/half_png.h"

static struct trm_error why;

/* NULL: it failed, and `why` says so. */
static struct picture *make(const void *bytes, size_t n, const struct picture_style *look)
{
	struct image_info info;
	struct image_job *job;
	struct picture *picture = NULL;
	enum image_job_state state;

	why = (struct trm_error){0};
	if (image_probe(bytes, n, &info, &why) < 0)
		return NULL;
	assert_int_equal(image_job_start(bytes, n, &info, look, &job, &why), 0);
	while ((state = image_job_read(job, &picture, &why)) == IMAGE_JOB_BUSY) {
		struct pollfd p = {.fd = image_job_fd(job), .events = POLLIN};
		assert_true(poll(&p, 1, 60000) > 0);
	}
	image_job_destroy(job);
	return state == IMAGE_JOB_DONE ? picture : NULL;
}

static struct picture *make_half(struct picture_style look)
{
	struct picture *p = make(half_png, sizeof half_png, &look);

	if (!p)
		fail_msg("%s", why.msg);
	return p;
}

static const struct picture_style symbols = {.kind = PICTURE_SYMBOLS,
		.cols = 8,
		.rows = 3,
		.colors = PICTURE_RGB,
		.glyphs = PICTURE_UNICODE};

/* The color that most of a cell of one color has. */
static uint32_t color_of(const struct picture_cell *cell)
{
	return cell->glyph == ' ' || cell->bg == cell->fg ? cell->bg : cell->fg;
}

static void symbols_have_the_images_colors(void **state)
{
	struct picture *p = make_half(symbols);

	(void)state;
	assert_int_equal(color_of(&p->cells[0]), 0x02FF0000);
	assert_int_equal(color_of(&p->cells[7]), 0x020000FF);
	assert_int_equal(color_of(&p->cells[2 * 8 + 3]), 0x02FF0000);
	picture_destroy(p);
}

static void every_depth_and_set_of_glyphs_is_drawn(void **state)
{
	(void)state;
	for (int colors = PICTURE_MONO; colors <= PICTURE_RGB; colors++)
		for (int glyphs = PICTURE_ASCII; glyphs <= PICTURE_UNICODE; glyphs++) {
			struct picture_style look = symbols;
			look.colors = (enum picture_colors)colors;
			look.glyphs = (enum picture_glyphs)glyphs;
			struct picture *p = make_half(look);
			for (int i = 0; i < 24; i++) {
				uint32_t kind = p->cells[i].fg >> 24;
				assert_true(glyphs != PICTURE_ASCII || p->cells[i].glyph < 0x7F);
				assert_true(colors == PICTURE_RGB ? kind != 1 : kind != 2);
				assert_true(colors != PICTURE_MONO
						|| (p->cells[i].fg == 0 && p->cells[i].bg == 0));
			}
			picture_destroy(p);
		}
}

static void sixel_has_few_exact_colors(void **state)
{
	struct picture *p = make_half((struct picture_style){
			.kind = PICTURE_SIXEL, .cols = 8, .rows = 3, .cell_w = 8, .cell_h = 16});

	(void)state;
	assert_int_equal(p->width, 64);
	assert_int_equal(p->height, 48);
	assert_int_equal(p->n_colors, 2);
	const uint8_t *left = p->palette[p->bytes[0]], *right = p->palette[p->bytes[63]];
	assert_memory_equal(left, "\xff\0\0", 3);
	assert_memory_equal(right, "\0\0\xff", 3);
	picture_destroy(p);
}

static void kitty_is_not_enlarged_but_made_smaller(void **state)
{
	struct picture_style look = {.kind = PICTURE_KITTY, .cols = 16, .rows = 6, .cell_w = 8, .cell_h = 16};
	struct picture *p = make_half(look);

	(void)state;
	assert_true(p->width == 64 && p->height == 48);
	picture_destroy(p);
	look.cols = 4;
	look.rows = 1;
	p = make_half(look);
	assert_true(p->width == 32 && p->height == 16);
	picture_destroy(p);
}

static void vectors_are_drawn_in_the_size_wanted(void **state)
{
	static const char svg[] =
			"<svg xmlns='http://www.w3.org/2000/svg' width='64' height='48'>"
			"<rect width='32' height='48' fill='red'/><text x='40' y='20'>a</text></svg>"; /* fonts
													  are
													  needed
													*/
	struct picture_style look = {.kind = PICTURE_SIXEL, .cols = 20, .rows = 8, .cell_w = 8, .cell_h = 15};
	struct picture *p = make(svg, strlen(svg), &look);

	(void)state;
	if (!p && strstr(why.msg, "install the package"))
		skip();
	assert_non_null(p);
	assert_true(p->width == 160 && p->height == 120);
	assert_memory_equal(p->palette[p->bytes[0]], "\xff\0\0", 3);
	assert_memory_equal(p->palette[p->bytes[159]], "\xff\xff\xff", 3); /* nothing is white */
	picture_destroy(p);
}

static void broken_images_give_a_sentence(void **state)
{
	unsigned char bytes[sizeof half_png];

	(void)state;
	for (size_t cut = 30; cut < sizeof half_png - 12; cut += 20) {
		struct picture *p = make(half_png, cut, &symbols);
		assert_true(p || strstr(why.msg, "PNG image is broken"));
		picture_destroy(p);
	}
	for (size_t at = 8; at < sizeof half_png; at += 5) {
		memcpy(bytes, half_png, sizeof bytes);
		bytes[at] ^= 0x55;
		struct picture *p = make(bytes, sizeof bytes, &symbols);
		assert_true(p || *why.msg);
		picture_destroy(p);
	}
	static const char svg[] = "<svg width='5' height='5'><g>";
	assert_null(make(svg, strlen(svg), &symbols));
	assert_true(strstr(why.msg, "broken") || strstr(why.msg, "install the package"));
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A billion laughs: what an entity stands for must not fill the memory. */
static void bombs_do_no_harm(void **state)
{
	char svg[4000] = "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a0 'ha'>";
	double begun = now_s();

	(void)state;
	for (int i = 1; i < 12; i++) {
		char line[200];
		snprintf(line, sizeof line,
				"<!ENTITY a%d '&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;'>", i,
				i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
		strcat(svg, line);
	}
	strcat(svg, "]><svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'><text>&a11;</text></svg>");
	struct picture *p = make(svg, strlen(svg), &symbols);
	picture_destroy(p);
	assert_true(now_s() - begun < 30);
}

static void an_answer_that_cannot_be_is_refused(void **state)
{
	struct picture *p = make_half(symbols), *other = NULL;
	size_t n;
	uint8_t *packed = picture_pack(p, &n);
	struct picture_style asked = symbols;

	(void)state;
	assert_int_equal(picture_unpack(packed, n, &asked, &other, &why), 0);
	assert_memory_equal(other->cells, p->cells, 24 * sizeof *p->cells);
	picture_destroy(other);
	assert_int_equal(picture_unpack(packed, n - 1, &asked, &other, &why), TRM_EPROTO);
	assert_int_equal(picture_unpack(packed, 5, &asked, &other, &why), TRM_EPROTO);
	asked.rows = 4;
	assert_int_equal(picture_unpack(packed, n, &asked, &other, &why), TRM_EPROTO);
	asked.rows = 3;
	asked.kind = PICTURE_KITTY;
	assert_int_equal(picture_unpack(packed, n, &asked, &other, &why), TRM_EPROTO);
	asked.kind = PICTURE_SYMBOLS;
	p->cells[0].glyph = 0x1b;
	free(packed);
	packed = picture_pack(p, &n);
	assert_int_equal(picture_unpack(packed, n, &asked, &other, &why), 0);
	assert_int_equal(other->cells[0].glyph, ' ');
	picture_destroy(other);
	picture_destroy(p);
	free(packed);
}

/* Thin lines in all colors that matplotlib draws with, on white and on black. */
static void every_curve_has_ink(void **state)
{
	static const uint8_t colors[][3] = {{31, 119, 180}, {255, 127, 14}, {44, 160, 44}, {214, 39, 40},
			{148, 103, 189}, {140, 86, 75}, {227, 119, 194}, {127, 127, 127}, {188, 189, 34},
			{23, 190, 207}};
	enum { N = sizeof colors / sizeof *colors, WIDTH = 640, HEIGHT = 480 };
	const struct picture_style look = {.kind = PICTURE_SYMBOLS,
			.cols = 60,
			.rows = 20,
			.colors = PICTURE_MONO,
			.glyphs = PICTURE_UNICODE};
	struct pixels pixels = {WIDTH, HEIGHT, malloc((size_t)WIDTH * HEIGHT * 3)};

	(void)state;
	for (int ground = 0; ground < 256; ground += 255) {
		memset(pixels.rgb, ground, (size_t)WIDTH * HEIGHT * 3);
		for (int k = 0; k < N; k++)
			for (int i = 0; i < 2 * WIDTH; i++) /* two pixels high, in row 2 k of cells */
				memcpy(pixels.rgb + ((size_t)(k * 48 + 10) * WIDTH + (size_t)i) * 3,
						colors[k], 3);
		struct picture *p = picture_create(&pixels, &look);
		assert_non_null(p);
		for (int k = 0; k < N; k++)
			for (int col = 0; col < look.cols; col++)
				if (p->cells[2 * k * look.cols + col].glyph == ' ')
					fail_msg("color %d is not drawn on %d in column %d", k, ground, col);
		assert_int_equal(p->cells[look.cols].glyph, ' ');
		picture_destroy(p);
	}
	pixels_finish(&pixels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(symbols_have_the_images_colors),
			cmocka_unit_test(every_depth_and_set_of_glyphs_is_drawn),
			cmocka_unit_test(sixel_has_few_exact_colors),
			cmocka_unit_test(kitty_is_not_enlarged_but_made_smaller),
			cmocka_unit_test(vectors_are_drawn_in_the_size_wanted),
			cmocka_unit_test(broken_images_give_a_sentence),
			cmocka_unit_test(bombs_do_no_harm),
			cmocka_unit_test(an_answer_that_cannot_be_is_refused),
			cmocka_unit_test(every_curve_has_ink),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
