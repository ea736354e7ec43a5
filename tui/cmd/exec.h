/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_EXEC_H
#define TUI_CMD_EXEC_H

struct trm_config;

/* Run a command in the running sandbox `name`, between our stdin, stdout and stderr, as `terrarium exec`
 * does. Gives its exit code. */
int exec_in(const struct trm_config *config, const char *name, char **command);

#endif
