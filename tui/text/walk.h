/* SPDX-License-Identifier: MIT */
#ifndef TUI_WALK_H
#define TUI_WALK_H

/* Walks through a text by clusters, and along a line by columns. Cursor, selection, mouse and painting
 * all count through this, so they agree.
 *
 * A tab reaches to the next tab stop. Other control characters take 2 columns (shown as ^A), and other
 * undisplayable characters 1 (U+FFFD). */

#include <stdbool.h>
#include <stddef.h>

#include "text/cluster.h"

struct text;

/* The next or previous cluster boundary. At the ends of the text the position does not change. */
size_t text_next(const struct text *t, size_t pos);
size_t text_previous(const struct text *t, size_t pos);

/* The byte at `pos`; 0 at the end (a text holds no NUL from files). */
unsigned char text_byte(const struct text *t, size_t pos);

struct walk {
	const struct text *text;
	int tab_width;
	size_t pos, column; /* of the current cluster */
	struct cluster cluster;
	size_t columns;    /* its width */
	const char *bytes; /* its bytes: cluster.len of them */
	char window[1024];
	size_t window_pos, window_len;
};

/* Begin at `pos`, the start of a line. */
void walk_init(struct walk *w, const struct text *t, size_t pos, int tab_width);

/* Go to the next cluster of the line. False at its end; then pos and column are those of the end. */
bool walk_next(struct walk *w);

/* Skip plain text quickly, at most up to `pos` and `column`, perhaps less; then continue with
 * walk_next(). */
void walk_skip(struct walk *w, size_t pos, size_t column);

/* The column of `pos` in the line that starts at line_start. */
size_t walk_column(const struct text *t, size_t line_start, size_t pos, int tab_width);

/* The position of the cluster in that line that covers `column`; after the line's end: the end. */
size_t walk_position(const struct text *t, size_t line_start, size_t column, int tab_width);

#endif
