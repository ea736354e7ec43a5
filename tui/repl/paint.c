/* SPDX-License-Identifier: MIT */
#include "repl/paint.h"

#include <string.h>

#include "cells/canvas.h"
#include "term/term.h"

int paint_load(struct paint *p, const char *theme, bool has_color, struct trm_error *reterr)
{
	p->depth = has_color ? term_guess_depth() : DEPTH_NONE;
	struct theme loaded;
	int r = theme_load_most(theme, NULL, &loaded, reterr);
	if (r == 0)
		p->theme = loaded;
	memset(p->is_known, 0, sizeof p->is_known);
	return r;
}

static void find_sgr(const struct paint *p, enum role role, char out[ANSI_SGR_BYTES + 1])
{
	out[0] = '\0';
	if (p->depth == DEPTH_NONE || role == ROLE_TEXT || role == ROLE_OUT_STDOUT)
		return;
	struct theme_style look = theme_style(&p->theme, role, p->depth),
			   text = theme_style(&p->theme, ROLE_TEXT, p->depth);
	uint32_t fg = look.fg == text.fg ? COLOR_NONE : look.fg,
		 bg = look.bg == text.bg ? COLOR_NONE : look.bg;
	if (fg != COLOR_NONE || bg != COLOR_NONE || look.attrs)
		out[ansi_sgr(look.attrs, fg, bg, out)] = '\0';
}

const char *paint_on(struct paint *p, enum role role)
{
	if (!p->is_known[role])
		find_sgr(p, role, p->on[role]);
	p->is_known[role] = true;
	return p->on[role];
}

const char *paint_off(const struct paint *p)
{
	return p->depth == DEPTH_NONE ? "" : "\033[0m";
}
