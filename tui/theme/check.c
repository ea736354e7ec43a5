/* SPDX-License-Identifier: MIT */
#include "theme/check.h"

#include "cells/canvas.h"

#define GRAPHIC_CONTRAST 3.0 /* WCAG 2.1, 1.4.11: graphics that must be understood */
#define QUIET_CONTRAST 1.5   /* lines between things that are clear without them */

static double least_of(enum role role, double least_text)
{
	switch (role) {
	case ROLE_BORDER:
	case ROLE_GRAPH_LIMIT: return QUIET_CONTRAST;
	case ROLE_BORDER_FOCUS:
	case ROLE_GRAPH_CPU:
	case ROLE_GRAPH_MEM:
	case ROLE_GRAPH_DISK:
	case ROLE_GRAPH_PROC:
	case ROLE_GRAPH_NET:
	case ROLE_GRAPH_MID:
	case ROLE_GRAPH_HIGH:
	case ROLE_GRAPH_PRESSURE: return GRAPHIC_CONTRAST;
	default: return least_text;
	}
}

/* Roles that appear in the current line as well as elsewhere. */
static bool is_in_current_line(enum role role)
{
	return (role >= ROLE_SYN_KEYWORD && role <= ROLE_SYN_ERROR) || role == ROLE_TEXT
	       || role == ROLE_CELL_SEPARATOR;
}

static bool is_reported_by_ground(enum role role)
{
	return role == ROLE_SELECTION || role == ROLE_SEARCH_MATCH || role == ROLE_SEARCH_CURRENT
	       || role == ROLE_MENU_CURRENT || role == ROLE_POPUP_CURRENT || role == ROLE_TABLE_CURRENT
	       || role == ROLE_BUTTON_FOCUS;
}

struct check {
	const struct theme *theme;
	enum color_depth depth;
	double least_text;
	theme_finding_fn *report;
	void *user;
};

static void check_contrast(const struct check *c, enum role role, enum role ground)
{
	struct theme_style look = ground == role ? theme_style(c->theme, role, c->depth)
						 : theme_style_on(c->theme, role, ground, c->depth);
	struct theme_finding f = {.role = role, .ground = ground};

	if (look.fg == COLOR_NONE || look.bg == COLOR_NONE) {
		f.kind = FINDING_UNKNOWN;
		c->report(c->user, &f);
		return;
	}
	f.kind = FINDING_CONTRAST;
	f.is_error = true;
	f.contrast = color_contrast(look.fg, look.bg);
	f.least = least_of(role, c->least_text);
	/* The palette has few colors, so half of the requested contrast is enough. */
	if (c->depth <= DEPTH_16 && f.least > GRAPHIC_CONTRAST)
		f.least = GRAPHIC_CONTRAST;
	if (c->depth <= DEPTH_16 && f.least == QUIET_CONTRAST)
		f.least = 1.0;
	if (f.contrast < f.least)
		c->report(c->user, &f);
}

static void check_ground(const struct check *c, enum role role)
{
	struct theme_style look = theme_style(c->theme, role, c->depth),
			   text = theme_style(c->theme, ROLE_TEXT, c->depth);
	struct theme_finding f = {
			.kind = FINDING_HIDDEN, .role = role, .ground = ROLE_TEXT, .is_error = true};

	if (look.bg == text.bg && look.fg == text.fg && look.attrs == text.attrs)
		c->report(c->user, &f);
}

void theme_check(const struct theme *t, enum color_depth depth, double least_text, theme_finding_fn *report,
		void *user)
{
	struct check c = {t, depth, least_text, report, user};

	for (int i = 0; i < ROLE_COUNT; i++) {
		enum role role = (enum role)i;
		struct theme_finding missing = {FINDING_MISSING, role, theme_stand_in(t, role), 0, 0, false};
		if (!t->is_given[role])
			report(user, &missing);
		check_contrast(&c, role, role);
		if (is_in_current_line(role))
			check_contrast(&c, role, ROLE_LINE_CURRENT);
		if (is_reported_by_ground(role))
			check_ground(&c, role);
	}
}
