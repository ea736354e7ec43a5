/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SANDBOX_LIST_H
#define TUI_CMD_SANDBOX_LIST_H

/* The running sandboxes of this user, for commands that take a name. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/registry.h>

struct trm_config;
struct trm_error;
struct trm_loop;

/* The entries, borrowed from the registry until its next call. 0, or an exit code after a message. */
int sandbox_list_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n);

/* The entry with this name. NULL: no such sandbox runs. */
const struct trm_entry *sandbox_list_find(const struct trm_entry *entries, size_t n, const char *name);

/* Does a sandbox with this name run? Prints no message. */
bool sandbox_list_runs(const char *name, struct trm_entry *ret);

/* Is the backend a recipe that can suspend sandboxes? Prints no message. */
bool sandbox_list_suspends(const struct trm_config *config, const char *backend);

/* ---- sandbox_list_remote.c ---- */

/* Are the sandboxes of the config's backend on a server? The functions above do not find those. */
struct trm_config_lists;
bool sandbox_list_is_remote(const struct trm_config *config);
/* The sandboxes that run there, malloc'd. The fields are those that the server reports, with the namespace
 * as group. Unknown limits and started_ms are 0. 0, or an exit code after a message. */
int sandbox_list_remote(const struct trm_config *config, struct trm_entry **ret_entries, size_t *ret_n);
/* Does a sandbox with this name run there? Prints no message. */
bool sandbox_list_runs_remote(const struct trm_config *config, const char *name);
/* Set the options for attaching to a sandbox there. They borrow from the other arguments. */
void sandbox_list_remote_opts(const struct trm_config *config, const char *name,
		struct trm_config_lists *lists, struct trm_sandbox_opts *ret);
/* Attach to the running sandbox `name`, wherever it is, to watch it. Of `look`, only metrics and is_observer
 * are used. Works like trm_sandbox_attach(), or for a server like trm_sandbox_open(): there, `closed`
 * reports that no such sandbox runs. */
int sandbox_list_open(struct trm_loop *loop, const struct trm_config *config, const char *name,
		const struct trm_sandbox_opts *look, const struct trm_sandbox_cb *cb, void *user,
		struct trm_sandbox **ret, struct trm_error *reterr);

/* If config->name runs already and options describe a new sandbox, print on stderr that they have no effect.
 * `holds_per_run`: variables and directory do have an effect, on the code that runs now. */
struct options;
void sandbox_list_note_running(const struct options *o, const struct trm_config *config, bool holds_per_run);

/* Print "there is no running sandbox 'x'" and the running ones, or why they cannot be listed. */
int sandbox_list_fail_unknown(const char *name);

#endif
