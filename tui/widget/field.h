/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIELD_H
#define TUI_FIELD_H

/* One line of text to edit: a path, or a line for stdin. A zeroed object is empty. */

#include <stdbool.h>
#include <stddef.h>

struct event;
struct canvas;

#define FIELD_MAX 65536 /* limit in bytes */

struct field {
	char *text; /* NUL-terminated; NULL: nothing was typed */
	size_t len, cap;
	size_t cursor;    /* byte offset, between clusters */
	bool is_selected; /* all text is selected: the next text that is typed or pasted replaces it */
};

void field_finish(struct field *f); /* accepts a zeroed object */
void field_clear(struct field *f);
/* Sets the text, with the cursor at the end; false: out of memory. */
bool field_set(struct field *f, const char *text);
void field_select(struct field *f); /* selects all text, with the cursor at the end */

/* Handle typing, arrows, Home, End, Backspace, Delete, paste (newlines become blanks) and these keys of
 * readline: ^A ^E ^B ^F move, ^H ^D ^W ^U ^K erase. True: the event was for the field. */
bool field_handle(struct field *f, const struct event *ev);

static inline const char *field_text(const struct field *f)
{
	return f->text ? f->text : "";
}

#endif
