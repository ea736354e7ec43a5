/* SPDX-License-Identifier: MIT */
/* What the REPL itself says: notes and errors. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/repl_internal.h"
#include "stream/option_names.h"

void repl_fail(struct repl *r, int code)
{
	if (r->exit_code == 0 && !repl_has_person(r))
		r->exit_code = code;
}

/* Settings by the names of their options. Frees the text. */
static void tell_line(struct repl *r, enum role role, char *text)
{
	size_t cap = 2 * strlen(text) + 64;
	char *line = malloc(cap);
	if (line)
		show_print(&r->show, role, "%s%s",
				r->show.is_terminal ? "" : "terrarium: ", option_names_put(text, line, cap));
	free(line);
	free(text);
}

void repl_say(struct repl *r, const char *fmt, ...)
{
	char *text;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	tell_line(r, ROLE_DIM, text);
}

void repl_error(struct repl *r, const char *fmt, ...)
{
	char *text;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	repl_fail(r, EXIT_OWN_FAILURE);
	if (n < 0)
		return;
	tell_line(r, ROLE_OUT_ERROR, text);
}
