/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_WEBLINK_H
#define TUI_OUTPUT_WEBLINK_H

/* Finds URLs of the web (http, https) in a line of output, which is hostile. Only what stands there as a
 * whole is one: not the begin of a longer one, and nothing with other bytes than printable ASCII. */

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"
#include "output/output_line.h"

struct weblink {
	size_t from, to; /* cells */
	char url[LINK_BYTES];
};

/* The first one that begins at or behind a cell. False: there is none. */
bool weblink_find(const struct output_line *l, size_t cell, struct weblink *ret);

#endif
