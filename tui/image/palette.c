/* SPDX-License-Identifier: MIT */
/* Reduces the number of colors by median cut (P. Heckbert, "Color image quantization for frame buffer
 * display", 1982) of the colors that occur, which are counted with five bits for each component. If at
 * most PICTURE_COLORS occur, as in plots without smooth lines, each is kept exactly. */
#include <stdlib.h>
#include <string.h>

#include "image/make.h"
#include "image/picture.h"

#define BINS (1 << 15)

struct bin {
	uint32_t count;
	uint64_t sum[3];
	uint8_t color; /* of the palette */
};

/* Bins [from, to) of a list, which become one color. */
struct box {
	size_t from, to;
	uint64_t count;
	int axis; /* the longest side: 0 red, 1 green, 2 blue */
	int side;
};

struct cut {
	struct bin *bins;
	uint16_t *list; /* bins that are not empty */
	size_t n;
	struct box boxes[PICTURE_COLORS];
	size_t n_boxes;
};

static size_t bin_of(const uint8_t *rgb)
{
	return (size_t)(rgb[0] >> 3) << 10 | (size_t)(rgb[1] >> 3) << 5 | (size_t)(rgb[2] >> 3);
}

static int part_of(uint16_t bin, int axis)
{
	return bin >> (10 - 5 * axis) & 31;
}

static void measure_box(const struct cut *cut, struct box *box)
{
	box->count = 0;
	box->side = -1;
	for (size_t i = box->from; i < box->to; i++)
		box->count += cut->bins[cut->list[i]].count;
	for (int axis = 0; axis < 3; axis++) {
		int low = 31, high = 0;
		for (size_t i = box->from; i < box->to; i++) {
			int part = part_of(cut->list[i], axis);
			low = part < low ? part : low;
			high = part > high ? part : high;
		}
		if (high - low > box->side) {
			box->side = high - low;
			box->axis = axis;
		}
	}
}

static int by_part(const void *a, const void *b, void *axis)
{
	return part_of(*(const uint16_t *)a, *(int *)axis) - part_of(*(const uint16_t *)b, *(int *)axis);
}

/* Cut a box so that half of its pixels lie on either side. */
static void split_box(struct cut *cut, struct box *box)
{
	struct box *other = &cut->boxes[cut->n_boxes++];
	uint64_t before = 0;
	size_t at = box->from;

	qsort_r(cut->list + box->from, box->to - box->from, sizeof *cut->list, by_part, &box->axis);
	do
		before += cut->bins[cut->list[at++]].count;
	while (at < box->to - 1 && before < box->count / 2);
	*other = (struct box){.from = at, .to = box->to};
	box->to = at;
	measure_box(cut, box);
	measure_box(cut, other);
}

/* The box that is best to cut next. NULL: each has only one bin. */
static struct box *widest_box(struct cut *cut)
{
	struct box *best = NULL;
	double most = 0;

	for (size_t i = 0; i < cut->n_boxes; i++) {
		struct box *box = &cut->boxes[i];
		double good = box->to - box->from > 1 ? (double)box->side * (double)box->side
									* (1 + (double)box->count)
						      : 0;
		if (good > most) {
			most = good;
			best = box;
		}
	}
	return best;
}

static void name_colors(struct cut *cut, struct picture *p)
{
	for (size_t k = 0; k < cut->n_boxes; k++) {
		uint64_t sum[3] = {0}, count = 0;
		for (size_t i = cut->boxes[k].from; i < cut->boxes[k].to; i++) {
			struct bin *bin = &cut->bins[cut->list[i]];
			bin->color = (uint8_t)k;
			count += bin->count;
			for (int c = 0; c < 3; c++)
				sum[c] += bin->sum[c];
		}
		for (int c = 0; c < 3 && count; c++)
			p->palette[k][c] = (uint8_t)((sum[c] + count / 2) / count);
	}
	p->n_colors = cut->n_boxes;
}

static void count_bins(struct cut *cut, const uint8_t *rgb, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bin *bin = &cut->bins[bin_of(rgb + 3 * i)];
		if (bin->count++ == 0)
			cut->list[cut->n++] = (uint16_t)bin_of(rgb + 3 * i);
		for (int c = 0; c < 3; c++)
			bin->sum[c] += rgb[3 * i + (size_t)c];
	}
}

bool make_palette(struct picture *p, const uint8_t *rgb)
{
	struct cut cut = {.bins = calloc(BINS, sizeof *cut.bins), .list = malloc(BINS * sizeof *cut.list)};
	struct box *box;
	bool ok = cut.bins && cut.list && p->n;

	if (ok) {
		count_bins(&cut, rgb, p->n);
		cut.boxes[0] = (struct box){.from = 0, .to = cut.n};
		cut.n_boxes = 1;
		measure_box(&cut, &cut.boxes[0]);
		while (cut.n_boxes < PICTURE_COLORS && (box = widest_box(&cut)))
			split_box(&cut, box);
		name_colors(&cut, p);
		for (size_t i = 0; i < p->n; i++)
			p->bytes[i] = cut.bins[bin_of(rgb + 3 * i)].color;
	}
	free(cut.bins);
	free(cut.list);
	return ok;
}
