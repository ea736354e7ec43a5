/* SPDX-License-Identifier: MIT */
#ifndef TUI_PALETTE_H
#define TUI_PALETTE_H

/* The command palette: every command with a title, found by a few letters of its title or name, with its
 * key beside it. Those chosen last come first. It is a dialog (DIALOG_PALETTE). */

#include <stddef.h>

struct command;
struct effects;
struct model;

enum { PALETTE_RECENT = 12 };

struct palette {
	const struct command *recent[PALETTE_RECENT]; /* chosen in here, the last first */
	size_t n_recent;
};

void palette_ask(struct model *m, struct effects *out);

/* Remember that a command was chosen (also to restore what an earlier session knew, the oldest first). */
void palette_remember(struct palette *p, const struct command *c);

#endif
