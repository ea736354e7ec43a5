/* SPDX-License-Identifier: MIT */
#ifndef TUI_ANSI_H
#define TUI_ANSI_H

/* Reads what a program prints for a terminal: characters, the few controls
 * that move inside a line, and colors. Everything else (titles, images,
 * queries, modes, cursor addressing) is swallowed whole. Sans I/O: bytes may be
 * cut anywhere, the state carries over; it can be copied by assignment.
 *
 * Sources: ECMA-48 (control sequences), XTerm Control Sequences by Thomas
 * Dickey (SGR 38/48, string terminators), Unicode 15 table 3-7 (UTF-8). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSI_PARAMS = 16 };

struct ansi {
	uint8_t state;                          /* 0: between sequences */
	uint8_t is_osc, ignored;                /* in a string; in a sequence that we do not know */
	uint8_t utf8_left, utf8_low, utf8_high; /* continuation bytes to come, bounds of the next one */
	uint8_t n_params;
	uint16_t params[ANSI_PARAMS];
	uint16_t colons; /* bit k: a colon stood before parameter k */
	uint16_t attrs;  /* ATTR_… now in force */
	uint32_t cp;     /* character under way */
	uint32_t fg, bg; /* COLOR_… now in force */
};

enum ansi_op {
	ANSI_END,  /* all bytes are used up */
	ANSI_CHAR, /* a character: U+FFFD for what is broken */
	ANSI_RETURN,
	ANSI_BACKSPACE,
	ANSI_TAB,
	ANSI_ERASE, /* CSI K; value 0 to the end of the line, 1 to its start, 2 all */
	ANSI_FORWARD,
	ANSI_BACK,
	ANSI_COLUMN, /* CSI C, D, G; value: how far, or the column from 0 */
	ANSI_CSI,    /* another one without private marks; value: its final byte; ansi_param() */
	ANSI_ESCAPE, /* ESC and a final byte: value */
};

/* The next thing in *p..end, which moves past it. `ret_value`: code point or number. */
enum ansi_op ansi_next(struct ansi *a, const char **p, const char *end, uint32_t *ret_value);

/* Parameter k of the ANSI_CSI that was just returned; `otherwise` where it is missing or 0. */
unsigned ansi_param(const struct ansi *a, unsigned k, unsigned otherwise);

/* A newline ends whatever is open. True if a character was cut short by it. */
bool ansi_end_line(struct ansi *a);

/* The sequence that puts exactly this in force, whatever was before. Returns its length. */
enum { ANSI_SGR_BYTES = 64 };
size_t ansi_sgr(uint16_t attrs, uint32_t fg, uint32_t bg, char out[ANSI_SGR_BYTES]);

/* Nothing is open and no color is in force. */
bool ansi_is_plain(const struct ansi *a);

#endif
