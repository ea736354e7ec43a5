/* SPDX-License-Identifier: MIT */
#ifndef TUI_ANSI_H
#define TUI_ANSI_H

/* Parses output for a terminal: characters, the few controls that move within a line, and colors. Everything
 * else (titles, images, queries, modes, cursor addressing) is skipped completely. No I/O: input may be split
 * anywhere, because the state is kept. The state can be copied by assignment.
 *
 * Sources: ECMA-48 (control sequences), XTerm Control Sequences by Thomas Dickey (SGR 38/48, string
 * terminators), Unicode 15 table 3-7 (UTF-8). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSI_PARAMS = 16 };

struct ansi {
	uint8_t state;           /* 0: between sequences */
	uint8_t is_osc, ignored; /* inside a string; inside an unsupported sequence */
	/* Missing continuation bytes, and bounds of the next one. */
	uint8_t utf8_left, utf8_low, utf8_high;
	uint8_t n_params;
	uint16_t params[ANSI_PARAMS];
	uint16_t colons; /* bit k: parameter k follows a colon */
	uint16_t attrs;  /* current ATTR_… */
	uint32_t cp;     /* incomplete character */
	uint32_t fg, bg; /* current COLOR_… */
};

enum ansi_op {
	ANSI_END,  /* end of the input */
	ANSI_CHAR, /* a character; U+FFFD for invalid bytes */
	ANSI_RETURN,
	ANSI_BACKSPACE,
	ANSI_TAB,
	ANSI_ERASE, /* CSI K; value 0 to the end of the line, 1 to its start, 2 all */
	ANSI_FORWARD,
	ANSI_BACK,
	ANSI_COLUMN, /* CSI C, D, G; value: distance, or column from 0 */
	/* Another CSI sequence without private marks; value: its final byte; see ansi_param(). */
	ANSI_CSI,
	ANSI_ESCAPE, /* ESC and a final byte; value: that byte */
};

/* Parse the next item of *p..end and move *p past it. `ret_value` is a code point or a number. */
enum ansi_op ansi_next(struct ansi *a, const char **p, const char *end, uint32_t *ret_value);

/* Parameter k of the last ANSI_CSI. `otherwise` if it is missing or 0. */
unsigned ansi_param(const struct ansi *a, unsigned k, unsigned otherwise);

/* A newline ends any incomplete sequence. True: it cut a character short. */
bool ansi_end_line(struct ansi *a);

/* The sequence that sets exactly this style, whatever the style before. Returns its length. */
enum { ANSI_SGR_BYTES = 64 };
size_t ansi_sgr(uint16_t attrs, uint32_t fg, uint32_t bg, char out[ANSI_SGR_BYTES]);

/* Is no sequence incomplete and no style set? */
bool ansi_is_plain(const struct ansi *a);

#endif
