/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_AGENTFILE_H
#define TRM_RECIPE_AGENTFILE_H

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

enum { AGENTFILE_PATH = 1024 };

/* The agent's program as a file that a container can be shown and may execute: in the user's cache, which a
 * virtual machine's engine sees as well, else in /var/tmp. It lies under a name made of its contents, belongs
 * to the user, and stays there for the next ones. */
int agentfile_path(char path[AGENTFILE_PATH], struct trm_error *reterr);

/* In a file in memory, what the step "put" reads: the program itself, or a tar archive (POSIX.1-1988 ustar)
 * with it as .terrarium/agent. A descriptor, or a negative code. */
int agentfile_put_fd(bool is_tar, struct trm_error *reterr);

#endif
