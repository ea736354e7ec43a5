/* SPDX-License-Identifier: MIT */
/* What displays say of themselves, and displays of files. */
#include <terrarium/artifact.h>

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/result.h>

#include "cmocka_all.h"

/* 3 by 2 pixels, 100 dpi (3937 per meter) */
static const char png[] =
		"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\x08\2\0\0\0crc.\0\0\0\tpHYs\0\0\x0f\x61\0\0\x0f\x61"
		"\1crc.\0\0\0\0IDATcrc.";
/* JFIF with 72 dpi, a table, and a frame of 7 by 5 */
static const char jpeg[] =
		"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\1\0\x48\0\x48\0\0\xff\xdb\0\4aa\xff\xc0\0\x11\x08\0\5\0\7\3padding";

static struct trm_display of_file(const char *name, const void *bytes, size_t n)
{
	struct trm_display d;
	assert_int_equal(trm_display_of_file(name, bytes, n, &d), 0);
	assert_string_equal(d.title, name);
	assert_int_equal(d.source, TRM_DISPLAY_COLLECTED);
	return d;
}

static void drop(struct trm_display *d)
{
	free(d->mime);
	free(d->data);
	free(d->title);
}

static void images_tell_their_size(void **state)
{
	struct trm_display d = of_file("a.png", png, sizeof png - 1);
	(void)state;
	assert_string_equal(d.format, "png");
	assert_true(d.has_size && d.width == 3 && d.height == 2);
	assert_true(d.has_dpi && d.dpi == 100);
	drop(&d);
	d = of_file("a.JPG", jpeg, sizeof jpeg - 1);
	assert_string_equal(d.format, "jpeg");
	assert_true(d.has_size && d.width == 7 && d.height == 5);
	assert_true(d.has_dpi && d.dpi == 72);
	drop(&d);
	d = of_file("a.gif", "GIF89a\3\0\2\0", 10);
	assert_true(d.has_size && d.width == 3 && d.height == 2 && !d.has_dpi);
	drop(&d);
}

static void svg_has_lengths(void **state)
{
	static const struct {
		const char *svg;
		unsigned width, height;
	} cases[] = {{"<?xml version='1.0'?>\n<svg xmlns='x' width=\"72pt\" height='1in'/>", 96, 96},
			{"<svg width=\"10\" height=\"20px\">", 10, 20},
			{"<svg data-width='5' width='7' height='7'>", 7, 7},
			{"<svg width='100%' height='50%'>", 0, 0}, {"<svg viewBox='0 0 1 1'>", 0, 0},
			{"<svg width='inf' height='nan'>", 0, 0}, {"<svg width='-5' height='5'>", 0, 0},
			{"<svg width='1e300' height='5'>", 0, 0}, {"<svg width=", 0, 0}, {"", 0, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_display d = of_file("a.svg", cases[i].svg, strlen(cases[i].svg));
		if (d.has_size != (cases[i].width != 0) || d.width != cases[i].width
				|| d.height != cases[i].height)
			fail_msg("%u by %u: %s", d.width, d.height, cases[i].svg);
		drop(&d);
	}
}

/* However they are cut: what is not there is not known. */
static void headers_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof png; n++) {
		struct trm_display d = of_file("a.png", png, n);
		assert_int_equal(d.has_size, n >= 33);
		drop(&d);
	}
	for (size_t n = 0; n < sizeof jpeg; n++) {
		struct trm_display d = of_file("a.jpeg", jpeg, n);
		assert_true(!d.has_size || d.width == 7);
		drop(&d);
	}
}

static void files_are_what_they_can_be(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t n;
		const char *mime, *data;
	} cases[] = {{"a.csv", "a,b\n", 4, "text/csv", "a,b\n"},
			{"a.csv", "a\xff", 2, "application/octet-stream", "Yf8="},
			{"a.csv", "a\0b", 3, "application/octet-stream", "YQBi"},
			{"a", "x", 1, "application/octet-stream", "eA=="},
			{"a.html", "<script>", 8, "text/html", "<script>"},
			{"a.json", "{}", 2, "application/json", "{}"}, {"a.txt", "", 0, "text/plain", ""},
			{"a.pdf", "%PDF", 4, "application/pdf", "JVBERg=="}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_display d = of_file(cases[i].name, cases[i].bytes, cases[i].n);
		assert_string_equal(d.mime, cases[i].mime);
		assert_string_equal(d.data, cases[i].data);
		assert_false(d.has_size || d.has_dpi);
		drop(&d);
	}
}

static bool is_figure(const char *mime, const char *data)
{
	return trm_display_is_figure(&(struct trm_display){.mime = (char *)mime, .data = (char *)data});
}

static void figures_are_not_text(void **state)
{
	(void)state;
	assert_true(is_figure("image/png", ""));
	assert_true(is_figure("application/pdf", ""));
	assert_true(is_figure("text/html", "<div><script>x</script></div>"));
	assert_false(is_figure("text/html", "<table></table>"));
	assert_false(is_figure("text/plain", "<script>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(images_tell_their_size),
			cmocka_unit_test(svg_has_lengths),
			cmocka_unit_test(headers_may_be_cut_anywhere),
			cmocka_unit_test(files_are_what_they_can_be),
			cmocka_unit_test(figures_are_not_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
