/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_EXEC_H
#define TUI_CMD_EXEC_H

struct trm_config;

/* Run a command in the running sandbox `name`, with stdin, stdout and stderr of this program, as `terrarium
 * exec` does. Returns the exit code. */
int exec_in(const struct trm_config *config, const char *name, char **command);

#endif
