/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CURSES_LINKS_H
#define TUI_TERM_CURSES_LINKS_H

/* Links (OSC 8). A terminal takes a cell for a part of the link that is open when the cell is written, and
 * curses neither knows that nor tells when it writes which cell. So the cells of links are painted last. At
 * first curses paints the row with blanks in their place, also where a link has been: a blank differs from
 * what follows, so that curses must write it. Then the plain ones come, and each link between the sequences
 * that open and close it. Rows without links, and those in which nothing has changed, take no part. */

#include <stdbool.h>

#include "cells/canvas.h"

struct term;

/* In the last frame: this cell is blank, and is to be painted by links_paint(). */
#define LINK_AWAITED 65535u

bool links_in_row(const struct cell *row, int cols);
/* Before painting: what stands there was overwritten by others, or will be. */
void links_spoil(struct term *t);
/* Has a number another URL than in the last frame? And keep those of this frame. */
bool links_renumbered(struct term *t, const struct canvas *c);
/* After curses has painted and refreshed. */
void links_paint(struct term *t, const struct canvas *c);

#endif
