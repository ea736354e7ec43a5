/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_KEYS_H
#define TUI_APP_KEYS_H

/* The key map of the config file: a set, and single keys that take precedence. */

#include <stddef.h>

#include "command/keymap.h"

struct keys_faults {
	/* "FILE:LINE:COLUMN: …" if the position is known. */
	void (*tell)(void *user, const char *sentence);
	void *user;
};

/* Load the key map. `config`: the file, as in trm_config_load(). `set`: "default", "emacs", "vi". Wrong
 * entries are reported and skipped, and an unknown set becomes the default one, so there always is a map.
 * Returns the number of errors, or a negative code: out of memory. */
int app_keys_load(struct keymap *ret, const char *config, const char *set, const struct keys_faults *faults);

#endif
