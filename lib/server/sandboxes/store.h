/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_STORE_H
#define TRM_SERVER_SANDBOXES_STORE_H

/* The server's memory on disk, which survives the server:
 *
 *   DIR/NAMESPACE/.sandboxes/NAME.json    the config of the last start
 *   DIR/NAMESPACE/.files/NAME/            its files when it was stopped: snapshot.h
 *   DIR/NAMESPACE/.scripts/NAME/          its scripts while it runs
 *   DIR/NAMESPACE/…                       volumes with relative host paths
 *
 * All of it is closed to other users. Our own names begin with a dot; those of volumes may not. Names of
 * namespaces and sandboxes have been checked (rpc/names.h) before they come here. */

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct store;
struct trm_error;

enum store_part { STORE_SANDBOXES, STORE_FILES, STORE_SCRIPTS, STORE_PARTS };

/* Open DIR, and make it if it is missing. NULL: $XDG_STATE_HOME/terrarium/namespaces, or the same below
 * ~/.local/state. TRM_EPERM: it belongs to somebody else, or others may write into it. */
int store_open(const char *dir, struct store **ret, struct trm_error *reterr);
void store_close(struct store *store); /* accepts NULL */

/* Calls `space` for each namespace, then `entry` for each remembered sandbox in it. Unreadable files are
 * logged and skipped. The callee owns `config`. A result < 0 ends the loading, with "out of memory". */
struct store_reader {
	int (*space)(void *user, const char *space);
	int (*entry)(void *user, const char *space, const char *name, struct cJSON *config);
	void *user;
};
int store_load(struct store *store, const struct store_reader *reader, struct trm_error *reterr);

int store_make_space(struct store *store, const char *space, struct trm_error *reterr);
/* Replace the older entry in one step, or leave it. */
int store_save(struct store *store, const char *space, const char *name, const struct cJSON *config,
		struct trm_error *reterr);
/* Remove only the entry. */
void store_forget(struct store *store, const char *space, const char *name);

/* The full path of a sandbox's part, with `suffix` after its name. False: it is too long. */
bool store_path(const struct store *store, const char *space, enum store_part part, const char *name,
		const char *suffix, char *out, size_t cap);
/* The same for the namespace itself. */
bool store_space_path(const struct store *store, const char *space, char *out, size_t cap);
/* Make the directory of a part if it is missing. */
int store_make_part(struct store *store, const char *space, enum store_part part, struct trm_error *reterr);

#endif
