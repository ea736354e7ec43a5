/* SPDX-License-Identifier: MIT */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

/* What a sandbox prints, made fit for a terminal: an allow list of control
 * sequences, everything else swallowed or shown as U+FFFD. Sequences that make
 * a terminal answer, change its title or clipboard, or load things into it never pass,
 * nor do C1 controls, broken UTF-8 and marks that turn the direction of text. Of marks on one character
 * 30 pass, as many as any language has use for, with some to spare (Unicode UAX 15, "Stream-Safe Text").
 * Sans-I/O: bytes in, bytes out, split anywhere.
 *
 * Sources: ECMA-48, and "XTerm Control Sequences" (invisible-island.net). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum filter_kind {
	FILTER_LINES,    /* text in lines: CR LF TAB BS and colors (SGR) */
	FILTER_PROGRESS, /* lines that are drawn anew: also moves of the cursor, erasing behind it, hiding it
			  */
	FILTER_SCREEN,   /* a program that draws: also all erasing of the screen, and some modes */
};

enum { FILTER_SEQUENCE_MAX = 64, FILTER_FINISH_MAX = 512, FILTER_MARKS_MAX = 30 };

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
	char held[FILTER_SEQUENCE_MAX]; /* a sequence or a code point that is not complete */
	size_t n_held;
	bool is_colored; /* the last SGR was no reset */
	bool has_region; /* scroll region, charset or keypad mode touched */
	uint8_t n_marks; /* code points of no width since the last that has one */
	uint32_t modes;  /* private modes that are not as they should be left, by row of the table */
};

/* Zeroed but for `kind` is the start. */
void filter_init(struct filter *f, enum filter_kind kind);

/* Room that filter_feed() needs for n bytes. */
static inline size_t filter_room(size_t n)
{
	return 3 * n + FILTER_SEQUENCE_MAX;
}

/* Returns how many bytes it wrote to `out`. */
size_t filter_feed(struct filter *f, const char *in, size_t n, char *out);

/* Bytes that put the terminal back to what it should be. `out` has FILTER_FINISH_MAX bytes. */
size_t filter_finish(struct filter *f, char *out);

#endif
