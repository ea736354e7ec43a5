/* SPDX-License-Identifier: MIT */
/* Printing for several commands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

bool cmd_has_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}
