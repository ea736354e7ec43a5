/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_VI_KEYS_H
#define TUI_MODEL_VI_KEYS_H

/* vi's keys in the workbench, as far as they are not the editor's: search, repeat, ":" commands. */

#include <stdbool.h>

/* For the help; the last row is zeroed. */
struct vi_help {
	const char *keys, *help;
};
extern const struct vi_help vi_help[];

struct effects;
struct model;
struct msg;

/* True: the key belongs to vi. `again` is called with each key of a repeated change. */
bool vi_keys_take(struct model *m, const struct msg *msg, struct effects *out,
		void (*again)(struct model *m, const struct msg *msg, struct effects *out));

/* After an event: visual mode selects what is selected. */
void vi_keys_follow(struct model *m);

/* The command s: "s/OLD/NEW/", "%s/OLD/NEW/g", "3,9s/OLD/NEW/gi". False: the text is another command. */
bool vi_substitute(struct model *m, const char *text, struct effects *out);

#endif
