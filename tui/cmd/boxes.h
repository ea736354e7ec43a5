/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_BOXES_H
#define TUI_CMD_BOXES_H

/* The running sandboxes of this user, for commands that name them. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/registry.h>

/* The entries, borrowed from the registry until the next call on it. 0, or the sentence has been printed. */
int boxes_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n);

/* That one of them; NULL: none runs by that name. */
const struct trm_entry *boxes_find(const struct trm_entry *entries, size_t n, const char *name);

/* Does one of that name run? Says nothing, whatever is wrong. */
bool boxes_runs(const char *name, struct trm_entry *ret);

/* The sentence "there is no running sandbox 'x'", and which there are; or why that cannot be found out. */
int boxes_fail_unknown(const char *name);

#endif
