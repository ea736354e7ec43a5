/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <term.h>

#include "term/direct.h"
#include "term/term.h"

enum color_depth term_guess_depth(void)
{
	const char *no_color = getenv("NO_COLOR");
	int ignored;
	if ((no_color && *no_color) || setupterm(NULL, STDOUT_FILENO, &ignored) != 0)
		return DEPTH_NONE;
	int colors = tigetnum("colors");
	del_curterm(cur_term);
	if (colors < 8)
		return DEPTH_NONE;
	return direct_is_wanted() ? DEPTH_RGB : colors >= 256 ? DEPTH_256 : colors >= 16 ? DEPTH_16 : DEPTH_8;
}
