/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_WHICH_KEY_H
#define TUI_MODEL_WHICH_KEY_H

/* What may come next after the first key of a sequence, shown to a person who waits half a second. */

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

/* After every event: has a sequence begun, gone on or ended? */
void which_key_follow(struct model *m);
bool which_key_is_shown(const struct model *m);
int which_key_wait_ms(const struct model *m); /* until it is to be shown; -1: it is not */

/* The rows, sorted as their keys are. `begun`: the keys typed so far. Returns how many. */
size_t which_key_rows(const struct model *m, struct which_key_row rows[WHICH_KEY_ROWS],
		char begun[KEYMAP_NAME_BYTES]);

#endif
