/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERM_INTERNAL_H
#define TUI_TERM_TERM_INTERNAL_H

/* struct term, for the files of this room that are not the painter. */

#include <stdbool.h>
#include <termios.h>

#include "cells/canvas.h"
#include "term/pictures.h"
#include "theme/theme.h"

struct keys;
struct screen; /* the painter's (curses.c) */

struct term {
	struct screen *screen;
	struct keys *keys;
	enum color_depth depth;
	struct theme mono;                    /* looks where there are no colors */
	struct theme theme;                   /* last painted with; mono where there are no colors */
	struct theme_style looks[ROLE_COUNT]; /* of it, degraded */
	struct canvas last;                   /* what is on the screen */
	struct pictures pictures;             /* images on it */
	bool is_all_stale;                    /* nothing of it counts */
	bool wants_answer;                    /* the terminal is to be asked with the next frame */
	bool wants_sync;                      /* and this, whether it can show a frame in one go */
	bool has_mouse;
	bool has_modes; /* modes_on has been sent */
	struct termios shell_mode;
	char modes_on[160], modes_off[160];
};

/* Fill in modes_on and modes_off for this kind of terminal. */
void modes_choose(struct term *t);

/* Write past curses, which has nothing in its buffer but between a change and refresh(). */
void term_write(const char *bytes, size_t n);
/* Have it asked, unless it is too old, whether it can show a frame in one go. */
void term_want_sync(struct term *t);
/* Ask it, if that was wanted: at the start of the last row, which must be written anew then. */
bool term_ask_now(struct term *t, int last_row);
/* Have the terminal forget the images that it was sent. */
void term_drop_pictures(struct term *t);
/* Show those that pictures_look() has found, where the cursor was before. */
void term_paint_pictures(struct term *t);

#endif
