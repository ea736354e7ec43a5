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

/* On stderr, if config->name runs already and options on the line say how a new one shall be: a word that
 * they change nothing. */
struct options;
struct trm_config;
void boxes_note_running(const struct options *o, const struct trm_config *config);

/* The sentence "there is no running sandbox 'x'", and which there are; or why that cannot be found out. */
int boxes_fail_unknown(const char *name);

#endif
