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
	struct theme mono;                    /* looks for terminals without colors */
	struct theme theme;                   /* the theme of the last frame; `mono` without colors */
	struct theme_style looks[ROLE_COUNT]; /* looks of the theme, reduced to the color depth */
	struct canvas last;                   /* the current screen */
	struct pictures pictures;             /* images on the screen */
	bool has_links;                       /* the current screen has some */
	bool awaits_links;                    /* some cells are for links_paint() */
	bool is_all_stale;                    /* everything must be painted again */
	bool wants_answer;                    /* send the query with the next frame */
	bool wants_sync;                      /* also ask whether the terminal can show a frame in one go */
	bool wants_emoji;                     /* also ask about the width of emoji of several code points */
	bool has_asked_emoji;                 /* … only once: later answers would be taken for F3 */
	bool is_utf8;                         /* the terminal takes UTF-8 */
	int n_emoji_answers; /* number of answers about emoji that the screen already reflects */
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
/* Show the pictures that pictures_compare() has found. The cursor does not move. */
void term_paint_pictures(struct term *t);

#endif
