/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_COMMAND_H
#define TRM_AGENT_COMMAND_H

/* Starts commands, and makes a folder for their files. */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct buf;

/* Make a folder for temporary files. False: impossible. */
bool step_folder_make(char folder[PATH_MAX]);
void step_folder_remove(const char *folder);
/* Start a command; returns errno. With said_fd >= 0 it prepares: its output goes there, and it has no
 * input. */
int step_start(char **argv, int said_fd, pid_t *ret_pid);
/* Run a command that prepares, keep its output, and wait for its end. Returns errno. */
int step_listen(char **argv, struct buf *said, int *ret_status);

#endif
