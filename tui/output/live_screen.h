/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_LIVE_SCREEN_H
#define TUI_OUTPUT_LIVE_SCREEN_H

/* The part of a run's output that is still being drawn on, as progress displays of several lines are.
 *
 * Theory of operation. Output goes to the store as it is: a memcpy. Only when a sequence turns up that
 * reaches beyond its line (model/movers.h) the last lines of the run are taken back from the store and played
 * to a terminal emulator (libvterm), and what follows goes there too: the screen is "live". Lines that scroll
 * off its top, and all that stand on it when the run ends or has not moved the cursor for a screenful, return
 * to the store as text with colors. So the emulator sees only what needs it, and a flood of plain or
 * colored lines never does.
 *
 * The live lines follow the store's last line. The emulator is not shown what the program printed, but what
 * model/ansi.h has understood of it, written anew: characters, colors, moves with small numbers. So titles,
 * queries, clipboard and modes do nothing, and hostile bytes do not find its weak spots. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/cursor_sequences.h"
#include "output/scrollback.h"

#define LIVE_SCREEN_ROWS_MAX 512
#define LIVE_SCREEN_COLS_MAX 1024

struct VTerm;
struct VTermScreen;
struct output_line;

struct live_screen {
	int want_rows, want_cols; /* size of the next screen */
	struct cursor_sequences cursor_sequences;
	bool is_live;
	uint32_t run; /* whose output it shows */
	struct VTerm *vt;
	struct VTermScreen *cells;
	int rows, cols;
	struct ansi parsers[OUT_STREAMS];
	uint32_t last_char;       /* for "repeat it"; 0: none */
	unsigned since_move;      /* newlines since the cursor was last moved */
	unsigned stale_pens;      /* bit k: the store's colors of stream k are still to be reset */
	struct scrollback *store; /* that scrolled lines go to, while bytes are played */
};

void live_screen_finish(struct live_screen *o); /* takes a zeroed object */
/* From the next screen on; zeroed it is 24 rows of 80 columns. */
void live_screen_size(struct live_screen *o, int rows, int cols);

/* Take output of a run: to the store, or to the screen in front of it. Without memory for a screen, sequences
 * that need one are only skipped. */
void live_screen_feed(struct live_screen *o, struct scrollback *s, enum out_kind kind, uint32_t run,
		const void *bytes, size_t n);
/* What is on the screen is final: it goes to the store, and the screen is no longer live. */
void live_screen_commit(struct live_screen *o, struct scrollback *s);
void live_screen_drop(struct live_screen *o); /* it is forgotten */

/* Lines on the live screen: up to the last that holds something. */
int live_screen_lines(const struct live_screen *o);
/* Read one of them, as output_line_read() does those of the store. */
void live_screen_read(const struct live_screen *o, int line, struct output_line *ret);
/* Does this text stand before the cursor? */
bool live_screen_ends_with(const struct live_screen *o, const char *text);

#endif
