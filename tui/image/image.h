/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_H
#define TUI_IMAGE_H

/* Images that programs in the sandbox show: what they are, and how they look in a terminal.
 *
 * Theory of operation. The bytes are hostile, and those who decode them are large libraries. So only
 * image_probe(), a few lines of our own, looks at them in this process; the rest happens in a child (job.h)
 * that can do nothing but compute and write its answer to a pipe. The answer, a picture, is made of numbers
 * only; every escape sequence is made from it here, by picture.h. Of the libraries (libpng, libturbojpeg,
 * librsvg, libchafa) each is loaded in that child when it is needed, and may be missing.
 *
 * A leaf: knows nothing of the rest of tui/ but how it notes colors (cells/canvas.h's COLOR_…). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;

enum {
	IMAGE_SIDE_MAX = 16384, /* pixels */
	IMAGE_CELLS_MAX = 1000, /* columns or rows of a picture */
};
#define IMAGE_PIXELS_MAX ((size_t)32 << 20)

enum image_type { IMAGE_NONE, IMAGE_PNG, IMAGE_JPEG, IMAGE_SVG, IMAGE_TYPES };

struct image_info {
	enum image_type type;
	int width, height; /* pixels as the file says, 1 to IMAGE_SIDE_MAX */
};

/* What is it, and how large? Believes the bytes rather than a name. TRM_EINVAL with a sentence: none of the
 * types above, broken at its beginning, or too large to be decoded. */
int image_probe(const uint8_t *bytes, size_t n, struct image_info *ret, struct trm_error *reterr);

/* "image/png" … for a type; NULL for IMAGE_NONE. */
const char *image_mime(enum image_type type);

/* The cells that an image takes that is shown in its own size, or smaller when that is more than `max_cols`
 * by `max_rows`. A cell is cell_w by cell_h pixels; 0: not known, as in most terminals 8 by 16. */
void image_fit(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows);
/* The same, but enlarged as well. */
void image_fill(const struct image_info *info, int cell_w, int cell_h, int max_cols, int max_rows,
		int *ret_cols, int *ret_rows);

#endif
