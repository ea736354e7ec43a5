/* SPDX-License-Identifier: MIT */
/* Images that a sandbox shows: looked at, and decoded if they are not large; and what the child that decodes
 * may answer. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "image/decode.h"
#include "image/image.h"
#include "image/picture.h"
#include "support/half_png.h"

enum { PIXELS = 1 << 16 };

static void ignore(void *user, const char *bytes, size_t n)
{
	(void)user;
	(void)bytes;
	(void)n;
}

static void draw(const struct pixels *pixels, enum picture_kind kind)
{
	struct picture_style look = {.kind = kind, .cols = 5, .rows = 3, .cell_w = 4, .cell_h = 8};
	struct picture *p = picture_create(pixels, &look), *other = NULL;
	size_t n;
	uint8_t *packed = p ? picture_pack(p, &n) : NULL;

	if (packed && picture_unpack(packed, n, &look, &other, NULL) == 0)
		picture_sixel(other, 1, 2, 5, ignore, NULL);
	free(packed);
	picture_destroy(other);
	picture_destroy(p);
}

static void unpack(const uint8_t *bytes, size_t n)
{
	static const struct picture_style asked = {
			.kind = PICTURE_SIXEL, .cols = 2, .rows = 2, .cell_w = 4, .cell_h = 4};
	struct picture *p = NULL;

	if (picture_unpack(bytes, n, &asked, &p, NULL) == 0)
		picture_sixel(p, 0, 2, 2, ignore, NULL);
	picture_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct image_info info;
	struct pixels pixels;

	unpack(bytes, n);
	if (image_probe(bytes, n, &info, NULL) < 0 || info.type == IMAGE_SVG
			|| (size_t)info.width * (size_t)info.height > PIXELS
			|| image_decode(bytes, n, &info, 40, 40, &pixels, NULL) < 0)
		return 0;
	draw(&pixels, PICTURE_SIXEL);
	draw(&pixels, PICTURE_KITTY);
	pixels_finish(&pixels);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		{(const char *)half_png, sizeof half_png},
		SEED("\xff\xd8\xff\xe0\0\4\0\0\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0\xff\xd9"),
		SEED("<svg width='20px' height=\"10\" viewBox='0 0 1 2'></svg>"),
		{NULL, 0},
};
