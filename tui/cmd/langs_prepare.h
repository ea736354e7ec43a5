/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_LANGS_PREPARE_H
#define TUI_CMD_LANGS_PREPARE_H

struct trm_config;

/* Create, in a new local sandbox, the files that the language's compiler can use again in all later
 * sandboxes. Returns an exit code. */
int langs_prepare(const struct trm_config *config, const char *name);

#endif
