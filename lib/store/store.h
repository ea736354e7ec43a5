/* SPDX-License-Identifier: MIT */
#ifndef TRM_STORE_H
#define TRM_STORE_H

/* Snapshots on this machine's disk: $XDG_DATA_HOME/terrarium/snapshots, or ~/.local/share/….
 *
 *   TAG/about            what it is: lines "KEY VALUE", see store_about_put(). Written last
 *   TAG/files/workspace  of a local sandbox; what is in these two was made by hostile code. Nobody follows
 *   TAG/files/home       links in it, and nothing in it is executed here
 *   .new-XXXXXX/         one that is being made, locked by whoever makes it
 *   .old-XXXXXX/         one that is being removed
 *
 * Whoever uses a snapshot holds a shared lock (flock) on its folder: the supervisor of each sandbox that was
 * started from it. Making, replacing and removing it takes the lock for itself alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/snapshot.h>

enum { STORE_PATH = 1024, STORE_SETS = 64, STORE_SET = 33 };
#define STORE_FILES "files"
#define STORE_WORKSPACE "workspace"
#define STORE_HOME "home"

struct store_about {
	struct trm_snapshot_info info;
	/* Folders of the cache of packages (install/set.c) that the files refer to. */
	char sets[STORE_SETS][STORE_SET];
	size_t n_sets;
	bool is_bare; /* made without namespaces: such references are paths of this machine */
};

/* A snapshot that is used. `fd` is its folder with a shared lock, for the caller to close: whoever has a copy
 * of the descriptor holds the lock. TRM_EINVAL, TRM_ENOENT as trm_snapshot_find(); TRM_EBUSY it is just being
 * removed. */
int snapstore_open(const char *tag, struct store_about *ret, int *ret_fd, struct trm_error *reterr);

/* A snapshot that is being made. */
struct store_draft {
	int fd; /* of its folder, locked; -1: none */
	char path[STORE_PATH + 16];
	char tag[TRM_SNAPSHOT_TAG];
	bool overwrites;
};
/* Errors: as trm_sandbox_snapshot(). */
int snapstore_begin(struct store_draft *draft, const char *tag, bool overwrites, struct trm_error *reterr);
/* Give it its tag. It is removed if that fails. */
int snapstore_end(struct store_draft *draft, const struct store_about *about, struct trm_error *reterr);
void snapstore_drop(struct store_draft *draft); /* takes one that has ended */

/* Is it in use, by others than the caller? */
bool snapstore_is_used(const char *tag);
/* Remove it from the disk. TRM_EBUSY: it is in use. */
int snapstore_remove(const char *tag, struct trm_error *reterr);
/* Call `fn` for each. */
typedef void store_fn(void *user, const struct store_about *about);
int snapstore_walk(store_fn *fn, void *user, struct trm_error *reterr);
/* Does any snapshot refer to that folder of the cache? */
bool snapstore_needs_set(const char *set);

#endif
