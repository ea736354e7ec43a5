/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_WHICH_KEY_H
#define TUI_MODEL_WHICH_KEY_H

/* A list of the keys that may follow the first key of a sequence. It appears when the person waits for half
 * a second. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/keymap.h"

struct model;

#define WHICH_KEY_ROWS 40

struct which_key_row {
	char keys[KEYMAP_NAME_BYTES];
	const char *words;
};

/* Call this after each event: a sequence may have begun, continued or ended. */
void which_key_follow(struct model *m);
bool which_key_is_shown(const struct model *m);
int which_key_wait_ms(const struct model *m); /* time until the list appears; -1: it will not */

/* The rows, sorted by their keys. `begun`: the keys typed so far. Returns their number. */
size_t which_key_rows(const struct model *m, struct which_key_row rows[WHICH_KEY_ROWS],
		char begun[KEYMAP_NAME_BYTES]);

#endif
