/* SPDX-License-Identifier: MIT */
#ifndef TUI_CLUSTER_H
#define TUI_CLUSTER_H

/* Grapheme clusters: what a person takes for one character, and how many cells it
 * takes.
 *
 * Widths follow Unicode (wide and fullwidth 2, marks 0) and not the locale, and
 * agree with what terminals that count code points do, so that the columns of the
 * screen never drift: a cluster is as wide as its first code point, whatever
 * is joined to it; a pair of regional indicators (a flag) is 2. The painter shows only what
 * cannot change that width (see term/curses.c).
 *
 * Joined to the code point before: marks and other code points of no width, emoji
 * modifiers, whatever follows a zero width joiner, the second of a pair of
 * regional indicators. A code point of no width at the start of a line, and those that
 * would turn the direction of text, stand alone and are CLUSTER_ODD. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/text.h>

enum cluster_kind {
	CLUSTER_TEXT,    /* as it is */
	CLUSTER_CONTROL, /* C0 (a newline and a tab too), DEL: one byte */
	CLUSTER_ODD,     /* to be shown as U+FFFD: broken bytes, C1, direction marks, lone marks */
};

struct cluster {
	uint32_t cp;   /* first code point; U+FFFD where the byte begins none */
	uint16_t len;  /* bytes, at least 1 */
	uint8_t width; /* 1 or 2; 1 for CONTROL and ODD */
	uint8_t kind;  /* enum cluster_kind */
};

#define CLUSTER_MAX 256 /* bytes; what is longer is split */

/* The cluster at s[0..n), n > 0. */
struct cluster cluster_at(const char *s, size_t n);

/* Where the cluster that ends at s[n) begins: its length in bytes, n > 0. Agrees with walking forward
 * from the start of the line when s holds the line from its start, or
 * at least CLUSTER_MAX bytes before n. */
size_t cluster_before(const char *s, size_t n);

/* Cells of one line of text, as canvas_put() draws it. */
size_t cluster_columns(const char *s, size_t n);

/* How many bytes of s fit into `width` cells: up to behind a blank if there is one, else cut; at least
 * one cluster. */
size_t cluster_wrap(const char *s, size_t n, size_t width);

/* Is it a skin tone, an emoji modifier? One joins an emoji (anything from U+2600 on) before it. */
bool codepoint_is_tone(uint32_t cp);

/* 0 (joins what is before it), 1 or 2. */
int codepoint_width(uint32_t cp);

#endif
