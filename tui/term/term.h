/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_H
#define TUI_TERM_H

/* The terminal: canvas in, events out. The only user of curses in the program
 * (term/curses.c). One at a time per process.
 *
 * Curses brings cells to the screen; keys do not come through curses but through keys.h,
 * which knows more sequences and never waits. Signals are the caller's: term_open()
 * leaves all handlers as they were. */

#include <stdbool.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "cells/event.h"
#include "theme/theme.h"

struct term;
struct trm_error;

struct term_opts {
	int depth;     /* enum color_depth, or -1: found out (NO_COLOR, COLORTERM, terminfo) */
	bool no_mouse; /* leave the mouse to the terminal */
};

/* Take the terminal at fds 0 and 1: alternate screen, raw mode, mouse, bracketed paste.
 * `opts` may be NULL. Sets LC_CTYPE to a UTF-8 locale if it is none.
 * Errors, each a sentence: fd 0 or 1 is no terminal; TERM unset, unknown, or unable to move
 * its cursor. The terminal is then as it was. */
int term_open(const struct term_opts *opts, struct term **ret, struct trm_error *reterr);

/* Give the terminal back as it was. Takes NULL. */
void term_close(struct term *t);

/* Bring what differs from the last painted canvas to the screen, then put the cursor. Only what was touched
 * is compared; it is untouched afterwards. A canvas of another size than before (after a resize) repaints
 * all. */
void term_paint(struct term *t, struct canvas *c, const struct theme *theme);
void term_repaint_all(struct term *t); /* the next paint trusts nothing on the screen (^L) */

/* Size in cells now, asked from the kernel. */
void term_size(const struct term *t, int *ret_rows, int *ret_cols);
enum color_depth term_depth(const struct term *t);

/* fd 0 is readable: read what is there, without ever waiting. False: the terminal is
 * gone (end of file). Then call term_next() until it says no. */
bool term_read(struct term *t, uint64_t now_ns);
bool term_next(struct term *t, struct event *ret); /* as keys_next() */

/* -1, or after how many ms without input term_flush() is to be called, for a lone ESC. */
int term_flush_ms(const struct term *t);
void term_flush(struct term *t);

/* Give the terminal back for a while (job control, an external program) and take it again; the
 * next paint is a whole one. */
void term_suspend(struct term *t);
void term_resume(struct term *t);

/* For those who print lines and open no terminal: how many colors it has, and whether it may be asked about
 * images (term/terminal_query.h). */
enum color_depth term_guess_depth(void);
bool term_can_be_asked(void);

/* Ask the terminal, with the next frame, which images it can show. False: it is of a kind that cannot be
 * asked. The answer comes among the keys, and is told by term_images() when it is whole. */
bool term_ask_images(struct term *t);

struct term_images {
	bool is_answered;
	bool has_kitty, has_sixel;
	int cell_w, cell_h; /* pixels of a cell; 0: not known */
};
void term_images(const struct term *t, struct term_images *ret);

/* Hand text to the terminal's clipboard (OSC 52); text beyond 100 000 bytes is not sent: false. */
bool term_copy(struct term *t, const char *text, size_t n);

/* Draw attention: a bell; a notification of the desktop (OSC 9), where the terminal may know that. Text is
 * one line, and what is not printable in it is left out. */
void term_bell(struct term *t);
void term_notify(struct term *t, const char *text, size_t n);

/* Make the terminal usable from a signal handler (crash, SIGTERM): leaves the alternate
 * screen, turns off mouse and paste modes, shows the cursor, resets colors, restores
 * termios. Async-signal-safe, may be called at any time and twice; does nothing
 * when no terminal is open. */
void term_emergency_restore(void);

/* Have that done, and then the signal's own way gone, whenever the program crashes. */
void term_watch_crashes(void);

#endif
