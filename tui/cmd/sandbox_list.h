/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SANDBOX_LIST_H
#define TUI_CMD_SANDBOX_LIST_H

/* The running sandboxes of this user, for commands that name them. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/registry.h>

struct trm_error;
struct trm_loop;

/* The entries, borrowed from the registry until the next call on it. 0, or the sentence has been printed. */
int sandbox_list_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n);

/* That one of them; NULL: none runs by that name. */
const struct trm_entry *sandbox_list_find(const struct trm_entry *entries, size_t n, const char *name);

/* Does one of that name run? Says nothing, whatever is wrong. */
bool sandbox_list_runs(const char *name, struct trm_entry *ret);

/* ---- sandbox_list_remote.c ---- */

/* The config's backend has them at a server: nothing of the above finds them. */
struct trm_config;
bool sandbox_list_is_remote(const struct trm_config *config);
/* Those that run there, malloc'd: what the server tells of them, with the namespace as group. Limits that are
 * not known are 0, as started_ms. 0, or the sentence has been printed. */
int sandbox_list_remote(const struct trm_config *config, struct trm_entry **ret_entries, size_t *ret_n);
/* Does one of that name run there? Says nothing, whatever is wrong. */
bool sandbox_list_runs_remote(const struct trm_config *config, const char *name);
/* To take part in that one there. Borrows from both. */
void sandbox_list_remote_opts(
		const struct trm_config *config, const char *name, struct trm_sandbox_opts *ret);
/* Take part in the running sandbox `name`, wherever it is, to look at it: of `look` only metrics and
 * is_onlooker count. As trm_sandbox_attach(), or trm_sandbox_open(): then that there is none comes in
 * `closed`. */
int sandbox_list_open(struct trm_loop *loop, const struct trm_config *config, const char *name,
		const struct trm_sandbox_opts *look, const struct trm_sandbox_cb *cb, void *user,
		struct trm_sandbox **ret, struct trm_error *reterr);

/* ---- */

/* On stderr, if config->name runs already and options on the line say how a new one shall be: a word that
 * they change nothing. `holds_per_run`: variables and directory do, for what is run now. */
struct options;
void sandbox_list_note_running(const struct options *o, const struct trm_config *config, bool holds_per_run);

/* The sentence "there is no running sandbox 'x'", and which there are; or why that cannot be found out. */
int sandbox_list_fail_unknown(const char *name);

#endif
