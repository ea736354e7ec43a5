/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_STORE_H
#define TRM_SERVER_SANDBOXES_STORE_H

/* What the server remembers on disk, so that it survives the server:
 *
 *   DIR/NAMESPACE/.sandboxes/NAME.json    what the sandbox was started as
 *   DIR/NAMESPACE/.files/NAME/            the files that it had when it was stopped: snapshot.h
 *   DIR/NAMESPACE/.scripts/NAME/          its scripts while it runs
 *   DIR/NAMESPACE/…                       volumes with relative host paths
 *
 * All of it is closed to other users. What is ours begins with a dot; volumes may not. Names of namespaces
 * and sandboxes are checked (rpc/names.h) before they come here. */

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct store;
struct trm_error;

enum store_part { STORE_SANDBOXES, STORE_FILES, STORE_SCRIPTS, STORE_PARTS };

/* Open DIR, and make it if it is not there. NULL: $XDG_STATE_HOME/terrarium/namespaces, or the same below
 * ~/.local/state. TRM_EPERM: it belongs to somebody else, or others may write into it. */
int store_open(const char *dir, struct store **ret, struct trm_error *reterr);
void store_close(struct store *store); /* takes NULL */

/* `entry` for each sandbox that is remembered, `space` for each namespace before its sandboxes; unreadable
 * files are logged and left out. `config` is the callee's. A value < 0 ends the reading, with "out of
 * memory". */
struct store_reader {
	int (*space)(void *user, const char *space);
	int (*entry)(void *user, const char *space, const char *name, struct cJSON *config);
	void *user;
};
int store_load(struct store *store, const struct store_reader *reader, struct trm_error *reterr);

int store_make_space(struct store *store, const char *space, struct trm_error *reterr);
/* Whole or not at all, in place of the older one. */
int store_save(struct store *store, const char *space, const char *name, const struct cJSON *config,
		struct trm_error *reterr);
/* The entry alone. */
void store_forget(struct store *store, const char *space, const char *name);

/* The full path of a sandbox's part, with `suffix` behind its name; false: it is too long. */
bool store_path(const struct store *store, const char *space, enum store_part part, const char *name,
		const char *suffix, char *out, size_t cap);
/* The same for the namespace itself. */
bool store_space_path(const struct store *store, const char *space, char *out, size_t cap);
/* The directory that holds a part, made if it is not there. */
int store_make_part(struct store *store, const char *space, enum store_part part, struct trm_error *reterr);

#endif
