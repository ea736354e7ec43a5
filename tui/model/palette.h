/* SPDX-License-Identifier: MIT */
#ifndef TUI_PALETTE_H
#define TUI_PALETTE_H

/* The command palette: a dialog with all commands that have a title, and their keys. A few
 * letters of the title or the name find a command. Recently chosen commands come first. */

#include <stddef.h>

struct command;
struct effects;
struct model;

enum { PALETTE_RECENT = 12 };

struct palette {
	const struct command *recent[PALETTE_RECENT]; /* chosen in the palette, the last one first */
	size_t n_recent;
};

void palette_ask(struct model *m, struct effects *out);

/* Record that a command was chosen. Also used to restore the commands of an earlier session, oldest first. */
void palette_remember(struct palette *p, const struct command *c);

#endif
