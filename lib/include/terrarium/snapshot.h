/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SNAPSHOT_H
#define TERRARIUM_SNAPSHOT_H

/* Snapshots: the files of a sandbox as the base of new ones. A snapshot holds what was written and installed,
 * but no processes and no variables of interpreters. New sandboxes are started from it with
 * trm_sandbox_opts.from. They get the files as they were, and changes in them never reach the snapshot.
 *
 *   local       the contents of /workspace and of the home directory, in a folder of this machine. Packages
 * of the shared cache (terrarium/install.h) stay there, and are kept as long as a snapshot needs them.
 *   containers  an image of the engine, made from the whole container without its mounts and volumes
 *
 * Snapshots lie in $XDG_DATA_HOME/terrarium/snapshots (~/.local/share/…), where only their owner can read
 * them. A snapshot appears complete or not at all, whatever ends the program that makes it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/copy.h>

TRM_BEGIN_API

struct trm_error;
struct trm_sandbox;
struct trm_snapshot;

enum { TRM_SNAPSHOT_TAG = 65 /* bytes of the longest tag, with its NUL */ };

struct trm_snapshot_info {
	char tag[TRM_SNAPSHOT_TAG];
	char backend[32];    /* that its sandboxes have: "local", or a recipe's name */
	char image[192];     /* of containers: the image's name in the engine; else "" */
	char user[128];      /* of containers: the user that code ran as; else "" */
	char sandbox[65];    /* that it was made from */
	uint64_t created_ms; /* Unix time */
	bool has_size;       /* the next two are known */
	uint64_t bytes, files;
	bool is_used; /* a sandbox that was started from it runs */
};

/* Check a tag: as trm_sandbox_name_check(). TRM_EINVAL with a sentence. */
int trm_snapshot_check(const char *tag, struct trm_error *reterr);
/* Find one. TRM_EINVAL: no tag; TRM_ENOENT: there is none, and which there are. */
int trm_snapshot_find(const char *tag, struct trm_snapshot_info *ret, struct trm_error *reterr);
/* List all, in no order. The rows are borrowed. Leftovers of killed programs are removed. */
typedef void trm_snapshot_fn(void *user, const struct trm_snapshot_info *info);
int trm_snapshot_list(trm_snapshot_fn *fn, void *user, struct trm_error *reterr);
/* Remove one, and its image. Blocks. `config`: the config file with the recipes (NULL: the usual one).
 * Errors: as trm_snapshot_find(); TRM_EBUSY: sandboxes use it, with their names; else the engine's reason. */
int trm_snapshot_remove(const char *tag, const char *config, struct trm_error *reterr);

struct trm_snapshot_opts {
	size_t size; /* sizeof(struct trm_snapshot_opts), as TRM_SNAPSHOT_OPTS_INIT sets it */
	const char *tag;
	bool overwrites;    /* a snapshot of that tag, which no sandbox may be using */
	uint64_t max_bytes; /* of all files together; 0: TRM_COPY_MAX_BYTES. Not of images */
	uint64_t max_files; /* 0: TRM_COPY_MAX_FILES. Not of images */
	const char *config; /* as above */
};

#define TRM_SNAPSHOT_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_snapshot_opts) \
	}

struct trm_snapshot_cb {
	/* At most ten times a second; not of images. May be NULL. */
	void (*progress)(void *user, const struct trm_copy_progress *progress);
	/* A file is left out: a device, a socket, one that cannot be read. May be NULL. */
	void (*refused)(void *user, const struct trm_error *why);
	/* The last callback, exactly once; the handle becomes invalid when it returns. `info` is NULL unless
	 * why->code is TRM_OK. */
	void (*done)(void *user, const struct trm_error *why, const struct trm_snapshot_info *info);
};

/* Make a snapshot of a sandbox, which goes on running. What code changes meanwhile may be in it or not.
 * Copies `opts`; borrows `cb`, and the sandbox, which must stay open until cb->done.
 * Later:  progress and refused, then done; never before this returns.
 * Errors: TRM_EINVAL the tag; TRM_EEXIST there is such a snapshot; TRM_EBUSY the one that would be
 * overwritten is in use; TRM_ENOTSUP the backend has no snapshots, or not of such a sandbox. In `done` also
 *         TRM_ETOOBIG more than the limits, or a full disk; TRM_ECANCELED. */
int trm_sandbox_snapshot(struct trm_sandbox *sandbox, const struct trm_snapshot_opts *opts,
		const struct trm_snapshot_cb *cb, void *user, struct trm_snapshot **ret_snapshot,
		struct trm_error *reterr);
/* Give it up: `done` follows with TRM_ECANCELED, and nothing of it is left. Takes NULL. */
void trm_snapshot_cancel(struct trm_snapshot *snapshot);

TRM_END_API

#endif
