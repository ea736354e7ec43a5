/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_AGENTFILE_H
#define TRM_RECIPE_AGENTFILE_H

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

enum { AGENTFILE_PATH = 1024 };

/* The agent's program as a file that containers can mount and execute: in the user's cache, which the
 * engine of a virtual machine sees as well, otherwise in /var/tmp. Its name is derived from its contents,
 * it belongs to the user, and it stays for later sandboxes. */
int agentfile_path(char path[AGENTFILE_PATH], struct trm_error *reterr);

/* Make a file in memory with the input of the step "put": the program itself, or a tar archive
 * (POSIX.1-1988 ustar) that holds it as .terrarium/agent. A descriptor, or a negative code. */
int agentfile_put_fd(bool is_tar, struct trm_error *reterr);

#endif
