/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_KEYS_H
#define TUI_APP_KEYS_H

/* The key map as the config file wants it: a set, and single keys before it. */

#include <stddef.h>

#include "command/keymap.h"

struct keys_faults {
	void (*tell)(void *user, const char *sentence); /* "FILE:LINE:COLUMN: …" where there is a place */
	void *user;
};

/* `config`: the file, as in trm_config_load(); `set`: "default", "emacs". What is wrong is told and passed
 * over, so that there always is a map; an unknown set becomes the default one. Returns how many faults
 * there were, or a negative code: out of memory. */
int app_keys_load(struct keymap *ret, const char *config, const char *set, const struct keys_faults *faults);

#endif
