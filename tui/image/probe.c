/* SPDX-License-Identifier: MIT */
/* Sources: PNG (ISO/IEC 15948) 5.2 and 11.2.2; JPEG (ITU T.81) B.1 and B.2.2; SVG 2, 8.2 and 8.6. */
#include "image/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int too_short(const char *type, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EINVAL, "the %s image ends before it says its size", type);
}

/* ---- PNG ---- */

static const uint8_t png_magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static bool is_png(const uint8_t *bytes, size_t n)
{
	return n >= sizeof png_magic && memcmp(bytes, png_magic, sizeof png_magic) == 0;
}

static int probe_png(const uint8_t *bytes, size_t n, double *ret_width, double *ret_height,
		struct trm_error *reterr)
{
	if (n < 24)
		return too_short("PNG", reterr);
	if (memcmp(bytes + 12, "IHDR", 4) != 0)
		return trm_error_set(reterr, TRM_EINVAL, "the PNG image is broken: its header is missing");
	*ret_width = be32(bytes + 16);
	*ret_height = be32(bytes + 20);
	return 0;
}

/* ---- JPEG ---- */

static bool is_jpeg(const uint8_t *bytes, size_t n)
{
	return n >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF;
}

/* A frame header: SOF0 to SOF15, except three markers in between with other meanings. */
static bool is_frame(uint8_t marker)
{
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

static int probe_jpeg(const uint8_t *bytes, size_t n, double *ret_width, double *ret_height,
		struct trm_error *reterr)
{
	for (size_t at = 2; at + 9 < n;) {
		if (bytes[at] != 0xFF)
			return trm_error_set(
					reterr, TRM_EINVAL, "the JPEG image is broken near its beginning");
		uint8_t marker = bytes[at + 1];
		if (is_frame(marker)) {
			*ret_height = bytes[at + 5] << 8 | bytes[at + 6];
			*ret_width = bytes[at + 7] << 8 | bytes[at + 8];
			return 0;
		}
		bool has_length = marker != 0xFF && marker != 0x01 && (marker < 0xD0 || marker > 0xD8);
		at += marker == 0xFF ? 1 : 2; /* 0xFF may be repeated as padding */
		if (has_length)
			at += (size_t)(bytes[at] << 8 | bytes[at + 1]);
	}
	return too_short("JPEG", reterr);
}

/* ---- SVG ---- */

#define SVG_LOOK 4096 /* bytes in which the first tag must begin */

/* The first tag of the name svg; NULL: none. */
static const char *svg_tag(const uint8_t *bytes, size_t n)
{
	const char *s = (const char *)bytes, *end = s + (n < SVG_LOOK ? n : SVG_LOOK);

	for (; s + 4 < end; s++)
		if (memcmp(s, "<svg", 4) == 0 && strchr(" \t\r\n>/", s[4]))
			return s;
	return NULL;
}

/* Copy an attribute of the tag, as far as it fits. False: the tag does not have it. */
static bool svg_attribute(const char *tag, const char *end, const char *name, char ret[64])
{
	size_t len = strlen(name), n = 0;

	for (const char *s = tag; s + len + 3 < end && *s != '>'; s++) {
		if (!strchr(" \t\r\n", *s) || memcmp(s + 1, name, len) != 0 || s[len + 1] != '=')
			continue;
		char quote = s[len + 2];
		for (s += len + 3; s < end && *s != quote && n < 63; s++)
			ret[n++] = *s;
		ret[n] = '\0';
		return quote == '"' || quote == '\'';
	}
	return false;
}

/* A length in pixels; 0: none, or relative to something. */
static double svg_length(const char *text)
{
	static const struct {
		const char *unit;
		double pixels;
	} units[] = {{"", 1}, {"px", 1}, {"pt", 4.0 / 3}, {"pc", 16}, {"in", 96}, {"mm", 96 / 25.4},
			{"cm", 96 / 2.54}};
	char *unit;
	double value = strtod(text, &unit);

	unit[strcspn(unit, " \t\r\n")] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].unit) == 0)
			return value > 0 && value < 1e6 ? value * units[i].pixels : 0;
	return 0;
}

/* Width and height of the view box. False: it has no usable one. */
static bool svg_box(char *text, double *ret_width, double *ret_height)
{
	double value[4];

	for (int i = 0; i < 4; i++) {
		char *end;
		text += strspn(text, " \t\r\n,");
		value[i] = strtod(text, &end);
		if (end == text)
			return false;
		text = end;
	}
	if (!(value[2] > 0 && value[3] > 0 && value[2] < 1e6 && value[3] < 1e6))
		return false;
	*ret_width = value[2];
	*ret_height = value[3];
	return true;
}

static void probe_svg(const uint8_t *bytes, size_t n, double *ret_width, double *ret_height)
{
	const char *tag = svg_tag(bytes, n), *end = (const char *)bytes + n;
	char text[64];
	double box_w = 300, box_h = 150; /* the default of browsers */
	bool has_box = svg_attribute(tag, end, "viewBox", text) && svg_box(text, &box_w, &box_h);
	double width = svg_attribute(tag, end, "width", text) ? svg_length(text) : 0;
	double height = svg_attribute(tag, end, "height", text) ? svg_length(text) : 0;

	if (!has_box && width <= 0 && height <= 0) {
		width = box_w;
		height = box_h;
	}
	*ret_width = width > 0 ? width : height > 0 ? height * box_w / box_h : box_w;
	*ret_height = height > 0 ? height : *ret_width * box_h / box_w;
}

/* ---- */

static const char *const mimes[IMAGE_TYPES] = {
		[IMAGE_PNG] = "image/png", [IMAGE_JPEG] = "image/jpeg", [IMAGE_SVG] = "image/svg+xml"};

const char *image_mime(enum image_type type)
{
	return mimes[type];
}

static int check_size(double width, double height, struct image_info *ret, struct trm_error *reterr)
{
	if (!(width >= 0.5 && height >= 0.5))
		return trm_error_set(
				reterr, TRM_EINVAL, "the image is broken: it says that it has no pixels");
	if (width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX || width * height > (double)IMAGE_PIXELS_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"the image is too large to be shown: %.0f by %.0f pixels", width, height);
	ret->width = (int)ceil(width);
	ret->height = (int)ceil(height);
	return 0;
}

int image_probe(const uint8_t *bytes, size_t n, struct image_info *ret, struct trm_error *reterr)
{
	double width = 0, height = 0;
	int r = 0;

	*ret = (struct image_info){0};
	if (is_png(bytes, n)) {
		ret->type = IMAGE_PNG;
		r = probe_png(bytes, n, &width, &height, reterr);
	} else if (is_jpeg(bytes, n)) {
		ret->type = IMAGE_JPEG;
		r = probe_jpeg(bytes, n, &width, &height, reterr);
	} else if (svg_tag(bytes, n)) {
		ret->type = IMAGE_SVG;
		probe_svg(bytes, n, &width, &height);
	} else {
		return trm_error_set(reterr, TRM_EINVAL, "it is neither a PNG, JPEG nor SVG image");
	}
	return r < 0 ? r : check_size(width, height, ret, reterr);
}

/* ---- how many cells ---- */

static int at_least_one(double n, int max)
{
	return n < 1 ? 1 : n > max ? max : (int)n;
}

static void scale_to(const struct image_info *info, double cell_w, double cell_h, double scale, int max_cols,
		int max_rows, int *ret_cols, int *ret_rows)
{
	*ret_cols = at_least_one(round(info->width * scale / cell_w), max_cols);
	*ret_rows = at_least_one(round(info->height * scale / cell_h), max_rows);
}

void image_fill(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows)
{
	double w = cell_w > 0 ? cell_w : 8, h = cell_h > 0 ? cell_h : 16;
	double across = max_cols * w / info->width, down = max_rows * h / info->height;

	scale_to(info, w, h, across < down ? across : down, max_cols, max_rows, ret_cols, ret_rows);
}

void image_fit(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows)
{
	double w = cell_w > 0 ? cell_w : 8, h = cell_h > 0 ? cell_h : 16;

	if (info->width <= max_cols * w && info->height <= max_rows * h)
		scale_to(info, w, h, 1, max_cols, max_rows, ret_cols, ret_rows);
	else
		image_fill(info, cell_w, cell_h, max_cols, max_rows, ret_cols, ret_rows);
}
