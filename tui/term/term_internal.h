/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERM_INTERNAL_H
#define TUI_TERM_TERM_INTERNAL_H

/* struct term, for the other files of this room. */

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
	bool wants_emoji;                     /* and how wide it shows emoji of several code points */
	bool is_utf8;                         /* it takes UTF-8 */
	int n_emoji_answers;                  /* of its answers to that, those that are on the screen */
	bool has_mouse;
	bool has_modes; /* modes_on has been sent */
	struct termios shell_mode;
	char modes_on[160], modes_off[160];
};

/* Fill in modes_on and modes_off for this kind of terminal. */
void modes_choose(struct term *t);

/* Write without curses, whose buffer is empty except between a change and refresh(). */
void term_write(const char *bytes, size_t n);
/* Ask with the next frame, unless the terminal is too old, whether it can show a frame in one step. */
void term_want_sync(struct term *t);
/* Send the pending query, at the start of the last row, which must then be written again. */
bool term_ask_now(struct term *t, int last_row);
/* Make the terminal forget the images that were sent. */
void term_drop_pictures(struct term *t);
/* Show the pictures that pictures_look() has found. The cursor does not move. */
void term_paint_pictures(struct term *t);

#endif
