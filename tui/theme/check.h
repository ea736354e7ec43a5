/* SPDX-License-Identifier: MIT */
#ifndef TUI_THEME_CHECK_H
#define TUI_THEME_CHECK_H

/* Whether a theme can be read, and what it leaves out. Pure. */

#include <stdbool.h>
#include <stddef.h>

#include "theme/theme.h"

enum theme_finding_kind {
	FINDING_MISSING,  /* the theme leaves `role` out: `ground` stands in for it */
	FINDING_CONTRAST, /* `role` has too little contrast to the ground it stands on */
	FINDING_HIDDEN,   /* `role` is told by its ground, which is that of "text" */
	FINDING_UNKNOWN,  /* the colors are the terminal's: nobody can compute them */
};

struct theme_finding {
	enum theme_finding_kind kind;
	enum role role, ground; /* ground == role: its own */
	double contrast, least; /* CONTRAST */
	bool is_error;          /* else something to know */
};

/* Check with the colors of `depth`; a finding is called for each thing worth telling, in the order of
 * the roles. `least_text`: what text must have, usually THEME_TEXT_CONTRAST. */
typedef void theme_finding_fn(void *user, const struct theme_finding *finding);
void theme_check(const struct theme *t, enum color_depth depth, double least_text, theme_finding_fn *report,
		void *user);

#endif
