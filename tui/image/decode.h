/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_DECODE_H
#define TUI_IMAGE_DECODE_H

/* Decodes an image into pixels. Only for the child (job.h), because it passes hostile bytes to libraries;
 * the fuzzer calls it, too. */

#include <stddef.h>
#include <stdint.h>

struct trm_error;
struct image_info;

/* Red, green, blue, one byte each. Transparent pixels have become white. */
struct pixels {
	int width, height;
	uint8_t *rgb; /* malloc'd */
};

void pixels_finish(struct pixels *p); /* accepts a zeroed object */

/* `width`, `height`: the size for an image without a size of its own (SVG). Other images keep theirs. */
int image_decode(const uint8_t *bytes, size_t n, const struct image_info *info, int width, int height,
		struct pixels *ret, struct trm_error *reterr);

/* A copy of a different size. Each pixel is the mean of those that it represents. TRM_ENOMEM. */
int pixels_scale(const struct pixels *p, int width, int height, struct pixels *ret);

#endif
