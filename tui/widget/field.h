/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIELD_H
#define TUI_FIELD_H

/* One line of text to type into: a path, a line for stdin. Zeroed is empty. */

#include <stdbool.h>
#include <stddef.h>

struct event;
struct canvas;

#define FIELD_MAX 65536 /* bytes; more is not taken */

struct field {
	char *text; /* NUL-terminated; NULL while nothing was typed */
	size_t len, cap;
	size_t cursor;    /* byte offset, between clusters */
	bool is_selected; /* all of it: what is typed or pasted comes in its place */
};

void field_finish(struct field *f); /* takes a zeroed object */
void field_clear(struct field *f);
bool field_set(struct field *f, const char *text); /* cursor at the end; false: out of memory */
void field_select(struct field *f);                /* all that there is; cursor at the end */

/* Typing, arrows, Home, End, Backspace, Delete, ^U (all before the cursor), ^W (the word before),
 * paste (newlines become blanks). True: the event was for the field. */
bool field_handle(struct field *f, const struct event *ev);

static inline const char *field_text(const struct field *f)
{
	return f->text ? f->text : "";
}

#endif
