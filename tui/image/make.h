/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_MAKE_H
#define TUI_IMAGE_MAKE_H

/* Parts of picture_create(). */

#include <stdbool.h>
#include <stdint.h>

struct picture;
struct pixels;

/* Fill in p->cells by p->look: with libchafa, or with half blocks if it is missing. False: out of memory. */
bool make_symbols(struct picture *p, const struct pixels *pixels);

/* Fill in p->cells with characters in the terminal's own color. */
void make_ink(struct picture *p, const struct pixels *pixels);

/* Fill in p->palette and p->bytes (width * height) with the best few colors. False: out of memory. */
bool make_palette(struct picture *p, const uint8_t *rgb);

#endif
