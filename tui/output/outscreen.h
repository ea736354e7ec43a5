/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTSCREEN_H
#define TUI_OUTSCREEN_H

/* The part of a run's output that is still being drawn on, as progress displays of several lines are.
 *
 * Theory of operation. Output goes to the store as it is: a memcpy. Only when a sequence turns up that
 * reaches beyond its line (model/movers.h) the last lines of the run are taken back from the store and played
 * to a terminal emulator (libvterm), and what follows goes there too: the screen is "live". Lines that scroll
 * off its top, and all that stand on it when the run ends or has not moved the cursor for a screenful, return
 * to the store as text with colours. So the emulator sees only what needs it, and a flood of plain or
 * coloured lines never does.
 *
 * The live lines follow the store's last line. The emulator is not shown what the program printed, but what
 * model/ansi.h has understood of it, written anew: characters, colours, moves with small numbers. So titles,
 * queries, clipboard and modes do nothing, and hostile bytes do not find its weak spots. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/movers.h"
#include "output/outstore.h"

#define OUTSCREEN_ROWS_MAX 512
#define OUTSCREEN_COLS_MAX 1024

struct VTerm;
struct VTermScreen;
struct outline;

struct outscreen {
	int want_rows, want_cols; /* size of the next screen */
	struct movers movers;
	bool is_live;
	uint32_t run; /* whose output it shows */
	struct VTerm *vt;
	struct VTermScreen *cells;
	int rows, cols;
	struct ansi parsers[OUT_STREAMS];
	uint32_t last_char;     /* for "repeat it"; 0: none */
	unsigned since_move;    /* newlines since the cursor was last moved */
	unsigned stale_pens;    /* bit k: the store's colours of stream k are still to be reset */
	struct outstore *store; /* that scrolled lines go to, while bytes are played */
};

void outscreen_finish(struct outscreen *o); /* takes a zeroed object */
/* From the next screen on; zeroed it is 24 rows of 80 columns. */
void outscreen_size(struct outscreen *o, int rows, int cols);

/* Take output of a run: to the store, or to the screen in front of it. Without memory for a screen, sequences
 * that need one are only skipped. */
void outscreen_feed(struct outscreen *o, struct outstore *s, enum out_kind kind, uint32_t run,
		const void *bytes, size_t n);
/* What is on the screen is final: it goes to the store, and the screen is no longer live. */
void outscreen_settle(struct outscreen *o, struct outstore *s);
void outscreen_drop(struct outscreen *o); /* it is forgotten */

/* Lines on the live screen: up to the last that holds something. */
int outscreen_lines(const struct outscreen *o);
/* Read one of them, as outline_read() does those of the store. */
void outscreen_read(const struct outscreen *o, int line, struct outline *ret);
/* Does this text stand before the cursor? */
bool outscreen_ends_with(const struct outscreen *o, const char *text);

#endif
