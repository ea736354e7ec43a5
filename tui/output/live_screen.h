/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_LIVE_SCREEN_H
#define TUI_OUTPUT_LIVE_SCREEN_H

/* The part of a run's output that can still change, such as progress displays of several lines.
 *
 * Theory of operation. Output normally goes to the store as it is, by a memcpy. When a sequence that reaches
 * beyond its line appears (output/cursor_sequences.h), the last lines of the run are moved from the store to
 * a terminal emulator (libvterm), and further output goes there, too. The screen is now "live". Lines that
 * scroll out at its top return to the store as text with colors. All other lines return when the run ends or
 * has not moved the cursor for a screenful. So the emulator only gets output that needs it, and never a
 * flood of plain or colored lines.
 *
 * The live lines follow the last line of the store. The emulator does not get the program's bytes, but the
 * parts that output/ansi.h has understood, written anew: characters, colors, moves with small numbers.
 * Titles, queries, clipboard and modes therefore have no effect, and hostile bytes cannot reach weak spots
 * of the emulator. */

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
	uint32_t run; /* run whose output it shows */
	struct VTerm *vt;
	struct VTermScreen *cells;
	int rows, cols;
	struct ansi parsers[OUT_STREAMS];
	uint32_t last_char;       /* for the repeat sequence; 0: none */
	unsigned since_move;      /* newlines since the last cursor motion */
	unsigned stale_pens;      /* bit k: the stored colors of stream k must still be reset */
	struct scrollback *store; /* target of lines that scroll out, during a write */
};

void live_screen_finish(struct live_screen *o); /* accepts a zeroed object */
/* Set the size of the next screen. The default is 24 rows of 80 columns. */
void live_screen_size(struct live_screen *o, int rows, int cols);

/* Add output of a run to the store or to the live screen. Without memory for a screen, sequences that need
 * one are skipped. */
void live_screen_feed(struct live_screen *o, struct scrollback *s, enum out_kind kind, uint32_t run,
		const void *bytes, size_t n);
/* Move the content of the screen to the store. The screen is no longer live. */
void live_screen_commit(struct live_screen *o, struct scrollback *s);
void live_screen_drop(struct live_screen *o); /* drops the content */

/* The lines of the live screen, up to the last one that is not empty. */
int live_screen_lines(const struct live_screen *o);
/* Read one of these lines, as output_line_read() reads lines of the store. */
void live_screen_read(const struct live_screen *o, int line, struct output_line *ret);
/* Is this text just before the cursor? */
bool live_screen_ends_with(const struct live_screen *o, const char *text);

#endif
