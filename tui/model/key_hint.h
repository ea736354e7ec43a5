/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_KEY_HINT_H
#define TUI_MODEL_KEY_HINT_H

/* The keys that the screen names: in messages, in the key bar, in the help and in the list of commands. A key
 * is named only if it works now. In the editor another binding of the same key, or vi, may come first. */

#include <stdbool.h>

#include "command/keymap.h"

struct model;

/* Does the editor take these keys for something else? */
bool key_is_hidden(const struct model *m, const struct binding *b);
/* NULL: no key works for the command everywhere in its context. */
const struct keys *key_of_command(const struct model *m, const struct command *c);
/* For a sentence: "F5", or the quoted title of a command without a key, as the list of commands shows it.
 * Returns `out`. */
const char *key_hint(const struct model *m, const char *command, char out[KEYMAP_NAME_BYTES]);

#endif
