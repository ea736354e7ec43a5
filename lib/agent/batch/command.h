/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_COMMAND_H
#define TRM_AGENT_COMMAND_H

/* Starting commands, and a folder for what they make. */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct buf;

/* A new folder for temporary files; "": it cannot be made. */
bool step_folder_make(char folder[PATH_MAX]);
void step_folder_remove(const char *folder);
/* With said_fd >= 0 the command prepares: what it prints goes there, and it has no input. Gives errno. */
int step_start(char **argv, int said_fd, pid_t *ret_pid);
/* Run one that prepares, keep what it says, and wait for its end. Gives errno. */
int step_listen(char **argv, struct buf *said, int *ret_status);

#endif
