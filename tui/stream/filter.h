/* SPDX-License-Identifier: MIT */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

/* What a sandbox prints, made fit for a terminal: an allow list of control
 * sequences, everything else swallowed or shown as U+FFFD. Sequences that make
 * a terminal answer, change its title or clipboard, or load things into it never pass,
 * nor do C1 controls, broken UTF-8 and marks that turn the direction of text. What would be hidden is shown:
 * concealed text (SGR 8) becomes reverse, a tag character that is no part of a flag becomes U+FFFD, and so do
 * the marks on one character that are more than any language has use for.
 * Sans-I/O: bytes in, bytes out, split anywhere.
 *
 * Sources: ECMA-48, and "XTerm Control Sequences" (invisible-island.net). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum filter_kind {
	FILTER_LINES,    /* text in lines: CR LF TAB BS and colors (SGR) */
	FILTER_LIVE,     /* also lines that are redrawn, but only those that this filter has passed on */
	FILTER_PROGRESS, /* lines that are redrawn: also cursor moves, erasing after the cursor, hiding it */
	FILTER_SCREEN,   /* a program that draws: also all erasing of the screen, and some modes */
};

enum { FILTER_SEQUENCE_MAX = 64, FILTER_FINISH_MAX = 512, FILTER_MARKS_MAX = 12 };

struct filter {
	enum filter_kind kind;
	enum {
		FILTER_TEXT,
		FILTER_ESCAPE,
		FILTER_CSI,
		FILTER_CHARSET,
		FILTER_STRING,
		FILTER_STRING_ESCAPE
	} state;
	char held[FILTER_SEQUENCE_MAX]; /* an incomplete sequence or code point */
	size_t n_held;
	bool is_colored;      /* the last SGR was no reset */
	bool has_region;      /* scroll region, charset or keypad mode touched */
	uint8_t n_marks;      /* code points of no width since the last that has one */
	bool is_concealed;    /* the text would be invisible: it is reverse */
	uint8_t flag_left;    /* tag characters that may follow a black flag */
	uint32_t row, lowest; /* LIVE: lines below the first one; the lowest so far */
	uint32_t modes;       /* private modes that are not as they should be left, by row of the table */
};

/* The start is zeroed except for `kind`. */
void filter_init(struct filter *f, enum filter_kind kind);

/* The room that filter_feed() needs for n bytes. */
static inline size_t filter_room(size_t n)
{
	return 3 * n + FILTER_SEQUENCE_MAX;
}

/* Returns the number of bytes written to `out`. */
size_t filter_feed(struct filter *f, const char *in, size_t n, char *out);

/* Write the bytes that reset the terminal. `out` has FILTER_FINISH_MAX bytes. */
size_t filter_finish(struct filter *f, char *out);

#endif
