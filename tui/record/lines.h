/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_LINES_H
#define TUI_RECORD_LINES_H

/* Printed output as the lines of the output pane, for pages that are not a terminal. */

#include <stddef.h>

#include "cells/canvas.h"

/* One line; trailing blanks without color are cut. */
typedef void lines_fn(void *user, const struct cell *cells, size_t n);

void lines_read(const char *bytes, size_t n, lines_fn *fn, void *user);

#endif
