/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_DECODE_H
#define TUI_IMAGE_DECODE_H

/* Bytes of an image to pixels. To be called in the child only (job.h), as it trusts libraries with hostile
 * bytes; the fuzzer calls it too. */

#include <stddef.h>
#include <stdint.h>

struct trm_error;
struct image_info;

/* Red, green, blue, a byte each; what was transparent has become white. */
struct pixels {
	int width, height;
	uint8_t *rgb; /* malloc'd */
};

void pixels_finish(struct pixels *p); /* takes a zeroed object */

/* `width`, `height`: the size wanted of what has none of its own (SVG); else it comes in its own size. */
int image_decode(const uint8_t *bytes, size_t n, const struct image_info *info, int width, int height,
		struct pixels *ret, struct trm_error *reterr);

/* A copy of another size, each pixel the mean of those it stands for. TRM_ENOMEM. */
int pixels_scale(const struct pixels *p, int width, int height, struct pixels *ret);

#endif
