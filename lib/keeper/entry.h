/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_ENTRY_H
#define TRM_KEEPER_ENTRY_H

/* A sandbox's directory in the runtime directory. The keeper holds a lock on
 * it for as long as it lives; one that nobody holds has been left behind. */

/* Remove the entry and, if it was the last, the runtime directory itself. */
void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path);

/* Remove entries whose keeper has died. */
void entry_sweep(int run_fd);

#endif
