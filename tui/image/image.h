/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_H
#define TUI_IMAGE_H

/* Images that programs in the sandbox show: their type and size, and their look in a terminal.
 *
 * Theory of operation. The bytes are hostile, and large libraries decode them. So only image_probe(), a
 * few lines of our own, examines them in this process. A child does the rest (job.h); it can only compute
 * and write its answer to a pipe. The answer, a picture, consists only of numbers; picture.h makes every
 * escape sequence from it here. The child loads each library (libpng, libturbojpeg, librsvg, libchafa)
 * when it needs it; a library may be missing.
 *
 * This room is a leaf: of the rest of tui/ it only knows the encoding of colors (cells/canvas.h's
 * COLOR_…). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;

enum {
	IMAGE_SIDE_MAX = 16384, /* pixels */
};
#define IMAGE_PIXELS_MAX ((size_t)32 << 20)

enum image_type { IMAGE_NONE, IMAGE_PNG, IMAGE_JPEG, IMAGE_SVG, IMAGE_TYPES };

struct image_info {
	enum image_type type;
	int width, height; /* pixels according to the file, 1 to IMAGE_SIDE_MAX */
};

/* Determine the type and size from the bytes, not from a name. TRM_EINVAL with a sentence: none of the
 * types above, broken at the beginning, or too large to decode. */
int image_probe(const uint8_t *bytes, size_t n, struct image_info *ret, struct trm_error *reterr);

/* "image/png" … for a type; NULL for IMAGE_NONE. */
const char *image_mime(enum image_type type);

/* The number of cells for an image in its own size, or reduced if that is more than `max_cols` by
 * `max_rows`. A cell is cell_w by cell_h pixels; 0: unknown, then 8 by 16 as in most terminals. */
void image_fit(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows);
/* The same, but the image is also enlarged. */
void image_fill(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows);

#endif
