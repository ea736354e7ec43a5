/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_PAGE_H
#define TUI_MODEL_PAGE_H

/* Pages lie over all panes and take all keys: the table, the gallery, the sandboxes. */

#include <stdbool.h>

#include "command/command.h"

struct effects;
struct event;
struct model;

/* Of the uppermost page; CONTEXT_COUNT: none is shown. */
enum key_context page_context(const struct model *m);
bool page_is_shown(const struct model *m);
/* Is this the command that opens the uppermost one, so that it closes it, too? */
bool page_is_opened_by(const struct model *m, const struct command *c);
/* Close all of them. */
void page_leave_all(struct model *m, struct effects *out);
/* False: there is none, or it is not for it. */
bool page_mouse(struct model *m, const struct event *ev, struct effects *out);
/* The command by which Escape closes the uppermost one, which must be shown. */
const char *page_leave_command(const struct model *m);

#endif
