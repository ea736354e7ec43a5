/* SPDX-License-Identifier: MIT */
#ifndef TUI_INSPECT_H
#define TUI_INSPECT_H

/* What the kernel knows of a name: signature, type, value, documentation, in a dialog that scrolls (F9);
 * and of the call that is being typed: its signature, in the status line. */

#include <stdbool.h>
#include <stddef.h>

#include "editor/editor.h"

struct effects;
struct model;
struct msg;

/* The name under the cursor of the editor. */
void inspect_cursor(struct model *m, struct effects *out);
/* "name?" or "?name" instead of code asks what the kernel knows of it, as in IPython. True: it was asked. */
bool inspect_is_asked(struct model *m, struct editor_run what, struct effects *out);
/* The row of the variables page that the mark is on. */
void inspect_variable(struct model *m, struct effects *out);
void inspect_answer(struct model *m, const struct msg *msg, struct effects *out);

/* The text around the cursor, to be sent to a kernel with a question: malloc'd, NUL-terminated UTF-8; NULL
 * when out of memory. *ret_cursor: in code points of it; *ret_pos: where in the buffer it begins. Long texts
 * are cut to what lies near, at the start of a line. */
char *inspect_context(const struct model *m, size_t *ret_len, size_t *ret_cursor, size_t *ret_pos);

/* The signature of the call that the cursor is in; "" if there is none to be shown. */
const char *signature_text(const struct model *m);
/* The text has changed by a key: `typed` is the character, or 0. */
void signature_typed(struct model *m, unsigned typed, struct effects *out);
/* After an event: the hint goes when the call has been left, or with Escape. */
struct event;
void signature_follow(struct model *m, const struct event *ev);
void signature_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
