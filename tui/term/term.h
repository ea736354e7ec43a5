/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_H
#define TUI_TERM_H

/* The terminal: canvas in, events out. It is the only user of curses in the program (term/curses.c). One
 * per process.
 *
 * Curses brings cells to the screen. Keys do not come through curses but through keys.h, which knows more
 * sequences and never waits. The caller handles signals: term_open() leaves all handlers as they were. */

#include <stdbool.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "cells/event.h"
#include "theme/theme.h"

struct term;
struct trm_error;

struct term_opts {
	int depth;     /* enum color_depth, or -1: detect (NO_COLOR, COLORTERM, terminfo) */
	bool no_mouse; /* leave the mouse to the terminal */
};

/* Take over the terminal at fds 0 and 1: alternate screen, raw mode, mouse, bracketed paste. `opts` may
 * be NULL. Sets LC_CTYPE to a UTF-8 locale if it is none. Errors, each a sentence: fd 0 or 1 is no
 * terminal; TERM is unset, unknown, or cannot move the cursor. The terminal is then unchanged. */
int term_open(const struct term_opts *opts, struct term **ret, struct trm_error *reterr);

/* Restore the terminal. Accepts NULL. */
void term_close(struct term *t);

/* Bring the differences from the last painted canvas to the screen, then place the cursor. Only the
 * touched area is compared; afterwards nothing is touched. A canvas of a different size (after a resize)
 * is painted completely. */
void term_paint(struct term *t, struct canvas *c, const struct theme *theme);
void term_repaint_all(struct term *t); /* the next painting writes everything again (^L) */

/* The current size in cells, from the kernel. */
void term_size(const struct term *t, int *ret_rows, int *ret_cols);
enum color_depth term_depth(const struct term *t);

/* fd 0 is readable: read the available bytes without waiting. False: the terminal is gone (end of file).
 * Then call term_next() until it returns false. */
bool term_read(struct term *t, uint64_t now_ns);
bool term_next(struct term *t, struct event *ret); /* as keys_next() */

/* -1, or the time in ms without input after which term_flush() must be called, for a lone ESC. */
int term_flush_ms(const struct term *t);
void term_flush(struct term *t);

/* Restore the terminal for a while (job control, an external program), and take it over again. The next
 * painting is complete. */
void term_suspend(struct term *t);
void term_resume(struct term *t);

/* For programs that print lines without opening a terminal: how many colors it has, and whether it can be
 * asked about images (term/terminal_query.h). */
enum color_depth term_guess_depth(void);
bool term_can_be_asked(void);
/* Does the terminal show links (OSC 8), as far as the environment tells? */
bool term_guess_links(void);

/* Ask the terminal, with the next frame, which images it can show. False: this kind of terminal cannot be
 * asked. The answer comes among the keys; term_images() returns it once it is complete. */
bool term_ask_images(struct term *t);

struct term_images {
	bool is_answered;
	bool has_kitty, has_sixel;
	int cell_w, cell_h; /* pixels of a cell; 0: unknown */
};
void term_images(const struct term *t, struct term_images *ret);

/* True if the terminal reports different keys for, say, Enter and Shift-Enter, which are the same on
 * others. False until the terminal has answered. */
bool term_has_distinct_keys(const struct term *t);

/* Copy text to the terminal's clipboard (OSC 52). False: more than 100 000 bytes, which are not sent. */
bool term_copy(struct term *t, const char *text, size_t n);

/* Draw attention: a bell, or a desktop notification (OSC 9) if the terminal may know it. The text is one
 * line; unprintable characters are left out. */
void term_bell(struct term *t);
void term_notify(struct term *t, const char *text, size_t n);

/* Make the terminal usable from a signal handler (crash, SIGTERM): leave the alternate screen, turn off
 * mouse and paste modes, show the cursor, reset colors, restore termios. Async-signal-safe; may be called
 * at any time and more than once. Does nothing when no terminal is open. */
void term_emergency_restore(void);

/* Do that whenever the program crashes, before the signal takes effect. */
void term_watch_crashes(void);

#endif
