/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_PAINT_H
#define TUI_REPL_PAINT_H

/* Roles as colors of lines that scroll away. Plain text keeps the terminal's own colors. A background is
 * painted only for roles that are recognized by it. */

#include <stdbool.h>
#include <stddef.h>

#include "output/ansi.h"
#include "theme/theme.h"

struct trm_error;

struct paint {
	struct theme theme;
	enum color_depth depth; /* DEPTH_NONE: no colors at all */
	/* Cache of paint_on(): the search for a readable color costs as much as printing a line. */
	char on[ROLE_COUNT][ANSI_SGR_BYTES + 1];
	bool is_known[ROLE_COUNT];
};

/* `has_color` false: for output without colors. TRM_ENOENT for an unknown theme; the previous theme
 * stays. */
int paint_load(struct paint *p, const char *theme, bool has_color, struct trm_error *reterr);

/* The sequence that turns on the colors of a role ("" if the role has none), borrowed until paint_load();
 * and the sequence that turns them off. */
const char *paint_on(struct paint *p, enum role role);
const char *paint_off(const struct paint *p);

#endif
