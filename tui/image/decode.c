/* SPDX-License-Identifier: MIT */
#include "image/decode.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "image/image.h"
#include "image/library.h"

void pixels_finish(struct pixels *p)
{
	free(p->rgb);
	*p = (struct pixels){0};
}

static int make_pixels(int width, int height, struct pixels *ret, struct trm_error *reterr)
{
	*ret = (struct pixels){.width = width, .height = height};
	if (width < 1 || height < 1 || (size_t)width * (size_t)height > IMAGE_PIXELS_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "the image is too large to be shown");
	ret->rgb = malloc((size_t)width * (size_t)height * 3);
	return ret->rgb ? 0 : trm_error_set(reterr, TRM_ENOMEM, "the image needs too much memory");
}

/* ---- PNG ---- */

enum { PNG_RGB = 2, PNG_VERSION = 1 }; /* PNG_FORMAT_RGB, PNG_IMAGE_VERSION */

static int decode_png(const uint8_t *bytes, size_t n, struct pixels *ret, struct trm_error *reterr)
{
	static const uint8_t white[3] = {255, 255, 255};
	struct png_image image = {.version = PNG_VERSION};
	struct library_png png;
	int r = library_load(LIBRARY_PNG, &png, reterr);

	if (r < 0)
		return r;
	if (!png.begin_read_from_memory(&image, bytes, n))
		return trm_error_set(reterr, TRM_EINVAL, "the PNG image is broken: %.60s", image.message);
	image.format = PNG_RGB;
	r = make_pixels((int)image.width, (int)image.height, ret, reterr);
	if (r == 0 && !png.finish_read(&image, white, ret->rgb, 0, NULL))
		r = trm_error_set(reterr, TRM_EINVAL, "the PNG image is broken: %.60s", image.message);
	png.free(&image);
	return r;
}

/* ---- JPEG ---- */

enum { JPEG_RGB = 0 }; /* TJPF_RGB */

static int decode_jpeg(const uint8_t *bytes, size_t n, struct pixels *ret, struct trm_error *reterr)
{
	struct library_jpeg jpeg;
	int width, height, subsampling, colors, r = library_load(LIBRARY_JPEG, &jpeg, reterr);
	void *handle = r < 0 ? NULL : jpeg.init();

	if (r < 0)
		return r;
	if (!handle || jpeg.header(handle, bytes, n, &width, &height, &subsampling, &colors) < 0)
		r = trm_error_set(reterr, TRM_EINVAL, "the JPEG image is broken");
	if (r == 0)
		r = make_pixels(width, height, ret, reterr);
	if (r == 0) {
		memset(ret->rgb, 255, (size_t)width * (size_t)height * 3);
		/* It also fails for an image that is cut off, whose beginning is usable: half a picture
		 * is better than none. */
		jpeg.decompress(handle, bytes, n, ret->rgb, width, 0, height, JPEG_RGB, 0);
	}
	if (handle)
		jpeg.destroy(handle);
	return r;
}

/* ---- SVG ---- */

enum { CAIRO_ARGB32 = 0 };

/* Cairo's pixels are 32 bits in the machine's byte order, premultiplied by alpha. They are drawn on
 * white. */
static void take_surface(const uint8_t *data, int stride, struct pixels *p)
{
	uint8_t *out = p->rgb;

	for (int y = 0; y < p->height; y++)
		for (int x = 0; x < p->width; x++) {
			uint32_t v;
			memcpy(&v, data + (size_t)y * (size_t)stride + (size_t)x * 4, 4);
			uint32_t rest = 255 - (v >> 24);
			*out++ = (uint8_t)((v >> 16 & 255) + rest);
			*out++ = (uint8_t)((v >> 8 & 255) + rest);
			*out++ = (uint8_t)((v & 255) + rest);
		}
}

static int render_svg(void *handle, const struct library_svg *svg, const struct library_cairo *cairo,
		struct pixels *p, struct trm_error *reterr)
{
	void *surface = cairo->surface_create(CAIRO_ARGB32, p->width, p->height);
	struct rsvg_rectangle all = {0, 0, p->width, p->height};
	int r = cairo->surface_status(surface)
				? trm_error_set(reterr, TRM_ENOMEM, "the image needs too much memory")
				: 0;
	if (r == 0) {
		void *context = cairo->create(surface);
		if (!svg->render_document(handle, context, &all, NULL))
			r = trm_error_set(reterr, TRM_EINVAL, "the SVG image cannot be drawn");
		cairo->destroy(context);
	}
	if (r == 0) {
		cairo->surface_flush(surface);
		take_surface(cairo->surface_data(surface), cairo->surface_stride(surface), p);
	}
	cairo->surface_destroy(surface);
	return r;
}

static int decode_svg(const uint8_t *bytes, size_t n, int width, int height, struct pixels *ret,
		struct trm_error *reterr)
{
	struct library_svg svg;
	struct library_cairo cairo;
	int r = library_load(LIBRARY_SVG, &svg, reterr);

	if (r == 0)
		r = library_load(LIBRARY_CAIRO, &cairo, reterr);
	if (r == 0)
		r = make_pixels(width, height, ret, reterr);
	if (r < 0)
		return r;
	void *handle = svg.new_from_data(bytes, n, NULL);
	if (!handle)
		return trm_error_set(reterr, TRM_EINVAL, "the SVG image is broken");
	/* The process ends soon, so the handle is not freed. */
	return render_svg(handle, &svg, &cairo, ret, reterr);
}

int image_decode(const uint8_t *bytes, size_t n, const struct image_info *info, int width, int height,
		struct pixels *ret, struct trm_error *reterr)
{
	*ret = (struct pixels){0};
	int r = info->type == IMAGE_PNG    ? decode_png(bytes, n, ret, reterr)
		: info->type == IMAGE_JPEG ? decode_jpeg(bytes, n, ret, reterr)
		: info->type == IMAGE_SVG  ? decode_svg(bytes, n, width, height, ret, reterr)
					   : trm_error_set(reterr, TRM_EINVAL,
							   "it is neither a PNG, JPEG nor SVG image");
	if (r < 0)
		pixels_finish(ret);
	return r;
}

/* ---- another size ---- */

/* The part of the old pixels [from, to) that the new pixel `i` of `n` represents, in 1/256ths of a pixel. */
static void span(int i, int n, int old, uint32_t *ret_from, uint32_t *ret_to)
{
	*ret_from = (uint32_t)((uint64_t)i * (uint64_t)old * 256 / (uint64_t)n);
	*ret_to = (uint32_t)((uint64_t)(i + 1) * (uint64_t)old * 256 / (uint64_t)n);
	if (*ret_to <= *ret_from)
		*ret_to = *ret_from + 1;
}

/* How much of the pixel `k` lies in the span, of 256. */
static uint32_t overlap(uint32_t k, uint32_t from, uint32_t to)
{
	uint32_t begin = k * 256 > from ? k * 256 : from, end = (k + 1) * 256 < to ? (k + 1) * 256 : to;
	return end > begin ? end - begin : 0;
}

static void mean_of(
		const struct pixels *p, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, uint8_t out[3])
{
	uint64_t sum[3] = {0}, weight = 0;

	for (uint32_t y = y0 / 256; y * 256 < y1 && y < (uint32_t)p->height; y++)
		for (uint32_t x = x0 / 256; x * 256 < x1 && x < (uint32_t)p->width; x++) {
			const uint8_t *at = p->rgb + ((size_t)y * (size_t)p->width + x) * 3;
			uint64_t part = (uint64_t)overlap(x, x0, x1) * overlap(y, y0, y1);
			for (int c = 0; c < 3; c++)
				sum[c] += at[c] * part;
			weight += part;
		}
	for (int c = 0; c < 3; c++)
		out[c] = weight ? (uint8_t)((sum[c] + weight / 2) / weight) : 255;
}

int pixels_scale(const struct pixels *p, int width, int height, struct pixels *ret)
{
	int r = make_pixels(width, height, ret, NULL);

	if (r < 0)
		return r;
	for (int y = 0; y < height; y++) {
		uint32_t x0, x1, y0, y1;
		span(y, height, p->height, &y0, &y1);
		for (int x = 0; x < width; x++) {
			span(x, width, p->width, &x0, &x1);
			mean_of(p, x0, x1, y0, y1, ret->rgb + ((size_t)y * (size_t)width + (size_t)x) * 3);
		}
	}
	return 0;
}
