/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "image/image.h"
#include "support/half_png.h"

static struct image_info info;
static struct trm_error why;

static int probe(const void *bytes, size_t n)
{
	why = (struct trm_error){0};
	return image_probe(bytes, n, &info, &why);
}

static int probe_text(const char *text)
{
	return probe(text, strlen(text));
}

static void tells_type_and_size_by_the_bytes(void **state)
{
	static const unsigned char jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xFF, 0xC0, 0, 11, 8,
			0, 48, 0, 64, 1, 1, 0x11, 0};

	(void)state;
	assert_int_equal(probe(half_png, sizeof half_png), 0);
	assert_true(info.type == IMAGE_PNG && info.width == HALF_W && info.height == HALF_H);
	assert_int_equal(probe(jpeg, sizeof jpeg), 0);
	assert_true(info.type == IMAGE_JPEG && info.width == 64 && info.height == 48);
	assert_string_equal(image_mime(info.type), "image/jpeg");
}

static void knows_the_sizes_that_an_svg_may_have(void **state)
{
	static const struct {
		const char *text;
		int width, height;
	} cases[] = {
			{"<svg width=\"64\" height=\"48\"/>", 64, 48},
			{"<?xml version='1.0'?>\n<!-- x -->\n<svg xmlns='x' width='1in' height='72pt'>", 96,
					96},
			{"<svg viewBox=\"0 0 200 100\"></svg>", 200, 100},
			{"<svg viewBox='0,0,200,100' width='50'>", 50, 25},
			{"<svg height='10' viewBox='0 0 200 100'>", 20, 10},
			{"<svg width='100%' height='100%' viewBox='0 0 40 30'>", 40, 30},
			{"<svg>", 300, 150},
			{"<svg width='abc' viewBox='0 0 -1 5'>", 300, 150},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(probe_text(cases[i].text), 0);
		assert_int_equal(info.type, IMAGE_SVG);
		if (info.width != cases[i].width || info.height != cases[i].height)
			fail_msg("%s: %d x %d", cases[i].text, info.width, info.height);
	}
}

static void refuses_what_is_broken_or_too_large(void **state)
{
	unsigned char huge[sizeof half_png];

	(void)state;
	assert_int_equal(probe("", 0), TRM_EINVAL);
	assert_int_equal(probe_text("GIF89a...."), TRM_EINVAL);
	assert_int_equal(probe_text("<html><body>"), TRM_EINVAL);
	for (size_t n = 0; n < 24; n++)
		assert_int_equal(probe(half_png, n), TRM_EINVAL);
	memcpy(huge, half_png, sizeof huge);
	memcpy(huge + 16, "\0\0\x40\x01", 4);
	assert_int_equal(probe(huge, sizeof huge), TRM_ETOOBIG);
	memcpy(huge + 16, "\0\0\x30\0\0\0\x30\0", 8); /* each side would do */
	assert_int_equal(probe(huge, sizeof huge), TRM_ETOOBIG);
	assert_non_null(strstr(why.msg, "12288 by 12288"));
	memcpy(huge + 16, "\0\0\0\0", 4);
	assert_int_equal(probe(huge, sizeof huge), TRM_EINVAL);
	assert_int_equal(probe_text("<svg width='999999' height='5'>"), TRM_ETOOBIG);
	assert_int_equal(probe("\xFF\xD8\xFF\xE0\xFF\xFF", 6), TRM_EINVAL);
	assert_int_equal(probe("\xFF\xD8\xFF\xC0\0\x0b\x08\0\0", 9), TRM_EINVAL);
}

static void fits_into_cells(void **state)
{
	const struct image_info plot = {IMAGE_PNG, 640, 480}, dot = {IMAGE_PNG, 3, 3},
				line = {IMAGE_PNG, 10000, 2};
	int cols, rows;

	(void)state;
	image_fit(&plot, 8, 16, 100, 40, &cols, &rows);
	assert_true(cols == 80 && rows == 30);
	image_fit(&plot, 0, 0, 40, 40, &cols, &rows);
	assert_true(cols == 40 && rows == 15);
	image_fit(&plot, 10, 20, 200, 10, &cols, &rows);
	assert_true(cols == 27 && rows == 10);
	image_fill(&plot, 8, 16, 200, 60, &cols, &rows);
	assert_true(cols == 160 && rows == 60);
	image_fit(&dot, 8, 16, 80, 24, &cols, &rows);
	assert_true(cols == 1 && rows == 1);
	image_fit(&line, 8, 16, 80, 24, &cols, &rows);
	assert_true(cols == 80 && rows == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tells_type_and_size_by_the_bytes),
			cmocka_unit_test(knows_the_sizes_that_an_svg_may_have),
			cmocka_unit_test(refuses_what_is_broken_or_too_large),
			cmocka_unit_test(fits_into_cells),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
