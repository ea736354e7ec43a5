/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_LANGS_PREPARE_H
#define TUI_CMD_LANGS_PREPARE_H

struct trm_config;

/* Make, in a new local sandbox, what the language's compiler can use again in all later ones. Gives an exit
 * code. */
int langs_prepare(const struct trm_config *config, const char *name);

#endif
