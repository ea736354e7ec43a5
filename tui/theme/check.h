/* SPDX-License-Identifier: MIT */
#ifndef TUI_THEME_CHECK_H
#define TUI_THEME_CHECK_H

/* Checks whether a theme is readable, and which roles it leaves out. Pure. */

#include <stdbool.h>
#include <stddef.h>

#include "theme/theme.h"

enum theme_finding_kind {
	FINDING_MISSING,  /* the theme has no `role`: `ground` replaces it */
	FINDING_CONTRAST, /* `role` has too little contrast to its background */
	FINDING_HIDDEN,   /* `role` differs only by its background, which is that of "text" */
	FINDING_UNKNOWN,  /* the colors are the terminal's, so they cannot be computed */
};

struct theme_finding {
	enum theme_finding_kind kind;
	enum role role, ground; /* ground == role: its own background */
	double contrast, least; /* CONTRAST */
	bool is_error;          /* otherwise a remark */
};

/* Check with the colors of `depth`. `report` is called for each finding, in the order of the roles.
 * `least_text`: the contrast required of text, usually THEME_TEXT_CONTRAST. */
typedef void theme_finding_fn(void *user, const struct theme_finding *finding);
void theme_check(const struct theme *t, enum color_depth depth, double least_text, theme_finding_fn *report,
		void *user);

#endif
