/* SPDX-License-Identifier: MIT */
#ifndef TUI_INSPECT_H
#define TUI_INSPECT_H

/* Questions to the kernel about a name: its signature, type, value and documentation, in a dialog that
 * scrolls (F9). Also the signature of the call at the cursor, beside the cursor or in the status line. */

#include <stdbool.h>
#include <stddef.h>

#include "editor/editor.h"

struct effects;
struct model;
struct msg;

/* If the code to run is "name?" or "?name", inspect the name instead, as IPython does. Returns true if it
 * is. */
bool inspect_is_asked(struct model *m, struct editor_run what, struct effects *out);
/* Inspect the current row of the variables page. */
void inspect_variable(struct model *m, struct effects *out);
void inspect_answer(struct model *m, const struct msg *msg, struct effects *out);

/* The text around the cursor, for a question to a kernel: malloc'd, NUL-terminated UTF-8. NULL when out of
 * memory. *ret_cursor is in code points of that text; *ret_pos is its position in the buffer. A long text is
 * shortened to the lines near the cursor. */
char *inspect_context(const struct model *m, size_t *ret_len, size_t *ret_cursor, size_t *ret_pos);

/* The signature of the call at the cursor. "": there is none to show. */
const char *signature_text(const struct model *m);
/* Which of its arguments the cursor is in, from 0. */
unsigned signature_argument(const struct model *m);
/* The signature of the name before a bracket, from its definition in the buffer. False: there is none. */
bool signature_from_text(const struct model *m, size_t bracket, char *out, size_t cap);
/* A key has changed the text. `typed` is the character, or 0. */
void signature_typed(struct model *m, unsigned typed, struct effects *out);
/* After an event: hide the hint if the cursor has left the call or Escape was pressed. */
struct event;
void signature_follow(struct model *m, const struct event *ev);
void signature_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
