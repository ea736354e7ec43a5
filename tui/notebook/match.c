/* SPDX-License-Identifier: MIT */
/* Finds the cell of the file that each cell of the script was. Equal cells at both ends are matched first.
 * The rest is aligned as a whole, so that the pairs are as similar as possible. Then cells that have moved
 * are found. */
#include "notebook/notebook.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

/* Pairs that are compared; with more, cells are matched by position. */
#define PAIRS_MAX ((size_t)4 << 20)
#define ALIKE_BYTES 256 /* bytes that are compared at each end */

enum { SAME = 2000, ALIKE = 1000, MOVED = 500 };

bool notebook_same_cell(const struct notebook_cell *a, const struct notebook_cell *b)
{
	return a->kind == b->kind && a->foreign == b->foreign && a->n == b->n
	       && memcmp(a->source, b->source, a->n) == 0 && strcmp(a->title, b->title) == 0;
}

/* How similar two cells are; 0: they cannot be the same cell. */
static int likeness(const struct notebook_cell *a, const struct notebook_cell *b)
{
	size_t shorter = a->n < b->n ? a->n : b->n, longer = a->n < b->n ? b->n : a->n, head = 0, tail = 0;

	if (a->kind != b->kind || a->foreign != b->foreign)
		return 0;
	if (notebook_same_cell(a, b))
		return SAME;
	size_t most = shorter < ALIKE_BYTES ? shorter : ALIKE_BYTES;
	while (head < most && a->source[head] == b->source[head])
		head++;
	while (tail < most && tail < shorter - head
			&& a->source[a->n - 1 - tail] == b->source[b->n - 1 - tail])
		tail++;
	longer = longer < 2 * (size_t)ALIKE_BYTES ? longer : 2 * (size_t)ALIKE_BYTES;
	return 1 + (int)((head + tail) * ALIKE / (longer ? longer : 1));
}

struct alignment {
	const struct notebook_cell *old, *new;
	size_t n_old, n_new, first; /* position of both ranges in the whole */
	size_t *ret;
};

/* Match by position, because there are too many cells to compare. */
static void pair_by_place(struct alignment *a)
{
	for (size_t i = 0; i < a->n_new && i < a->n_old; i++)
		if (likeness(&a->old[i], &a->new[i]))
			a->ret[i] = a->first + i;
}

enum step { STEP_PAIR, STEP_OLD, STEP_NEW };

/* Fill in the best sum for the first i + 1 new cells and each number of old cells, row by row. */
static void fill_steps(struct alignment *a, int *above, int *row, char *steps)
{
	size_t width = a->n_old + 1;

	memset(above, 0, width * sizeof *above);
	for (size_t i = 0; i < a->n_new; i++) {
		row[0] = 0;
		for (size_t j = 1; j < width; j++) {
			int alike = likeness(&a->old[j - 1], &a->new[i]);
			char *step = &steps[i * width + j];
			row[j] = above[j];
			*step = STEP_NEW;
			if (row[j - 1] > row[j]) {
				row[j] = row[j - 1];
				*step = STEP_OLD;
			}
			if (alike && above[j - 1] + alike > row[j]) {
				row[j] = above[j - 1] + alike;
				*step = STEP_PAIR;
			}
		}
		int *other = above;
		above = row;
		row = other;
	}
}

static int align(struct alignment *a)
{
	size_t width = a->n_old + 1, i = a->n_new, j = a->n_old;

	if (a->n_new == 0 || a->n_old == 0)
		return 0;
	if (a->n_new > PAIRS_MAX / width) {
		pair_by_place(a);
		return 0;
	}
	int *rows = malloc(2 * width * sizeof *rows);
	char *steps = malloc(a->n_new * width);
	if (rows && steps)
		fill_steps(a, rows, rows + width, steps);
	while (rows && steps && i > 0 && j > 0) {
		char step = steps[(i - 1) * width + j];
		if (step == STEP_PAIR)
			a->ret[i - 1] = a->first + j - 1;
		i -= step != STEP_OLD;
		j -= step != STEP_NEW;
	}
	bool is_done = rows && steps;
	free(rows);
	free(steps);
	return is_done ? 0 : TRM_ENOMEM;
}

/* The most similar cell that is not taken yet. NOTEBOOK_NEW: none is similar. */
static size_t most_alike(const struct notebook_cell *old, size_t n_old, const bool *is_taken,
		const struct notebook_cell *new, int least, size_t *budget)
{
	size_t found = NOTEBOOK_NEW;

	for (size_t j = 0; j<n_old && * budget> 0 && least < SAME; j++, --*budget) {
		int alike = is_taken[j] ? 0 : likeness(&old[j], new);
		if (alike <= least)
			continue;
		least = alike;
		found = j;
	}
	return found;
}

/* A cell that is very similar to one that is not taken was moved. */
static int find_moved(const struct notebook_cell *old, size_t n_old, const struct notebook_cell *new,
		size_t n_new, size_t *ret)
{
	bool *is_taken = calloc(n_old + 1, sizeof *is_taken);
	size_t budget = PAIRS_MAX;

	if (!is_taken)
		return TRM_ENOMEM;
	for (size_t i = 0; i < n_new; i++)
		if (ret[i] != NOTEBOOK_NEW)
			is_taken[ret[i]] = true;
	for (size_t i = 0; i < n_new; i++) {
		int alike = ret[i] == NOTEBOOK_NEW ? 0 : likeness(&old[ret[i]], &new[i]);
		size_t better = most_alike(old, n_old, is_taken, &new[i], alike + MOVED, &budget);
		if (better == NOTEBOOK_NEW)
			continue;
		if (ret[i] != NOTEBOOK_NEW)
			is_taken[ret[i]] = false;
		is_taken[better] = true;
		ret[i] = better;
	}
	free(is_taken);
	return 0;
}

int notebook_match(const struct notebook_cell *old, size_t n_old, const struct notebook_cell *new,
		size_t n_new, size_t *ret)
{
	size_t head = 0, tail = 0;

	for (size_t i = 0; i < n_new; i++)
		ret[i] = NOTEBOOK_NEW;
	while (head < n_old && head < n_new && notebook_same_cell(&old[head], &new[head])) {
		ret[head] = head;
		head++;
	}
	while (tail < n_old - head && tail < n_new - head
			&& notebook_same_cell(&old[n_old - 1 - tail], &new[n_new - 1 - tail])) {
		ret[n_new - 1 - tail] = n_old - 1 - tail;
		tail++;
	}
	struct alignment a = {.old = old + head,
			.new = new + head,
			.n_old = n_old - head - tail,
			.n_new = n_new - head - tail,
			.first = head,
			.ret = ret + head};
	int r = align(&a);
	return r < 0 ? r : find_moved(old, n_old, new, n_new, ret);
}
