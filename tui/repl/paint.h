/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_PAINT_H
#define TUI_REPL_PAINT_H

/* Roles as colors of lines that scroll away: what is plain text has the terminal's own colors, and no
 * ground is painted but where a role is told by it. */

#include <stdbool.h>
#include <stddef.h>

#include "output/ansi.h"
#include "theme/theme.h"

struct trm_error;

struct paint {
	struct theme theme;
	enum color_depth depth; /* DEPTH_NONE: no colors at all */
	/* What paint_on() has found: to look for a color that can be read costs as much as to print a line.
	 */
	char on[ROLE_COUNT][ANSI_SGR_BYTES + 1];
	bool is_known[ROLE_COUNT];
};

/* `has_color` false: for where there are none. An unknown theme: TRM_ENOENT, and the one before stays. */
int paint_load(struct paint *p, const char *theme, bool has_color, struct trm_error *reterr);

/* The sequence that turns the colors of a role on, "" if it has none, borrowed until paint_load(); and the
 * one that ends it. */
const char *paint_on(struct paint *p, enum role role);
const char *paint_off(const struct paint *p);

#endif
