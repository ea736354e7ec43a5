/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_FILES_H
#define TERRARIUM_FILES_H

/* Looking at the files in a sandbox, without starting anything in it. For moving them see
 * <terrarium/copy.h>, and trm_file_put() and trm_file_get() for small ones.
 *
 * Paths are the sandbox's; one that does not begin with '/' is taken from its working directory
 * (trm_sandbox_workdir()). Names and link targets are raw bytes and hostile: trm_text_clean_line() makes them
 * fit to be shown. */

#include <stdint.h>

#include <terrarium/sandbox.h>

enum trm_file_kind { TRM_FILE_REGULAR, TRM_FILE_DIR, TRM_FILE_LINK, TRM_FILE_OTHER };

struct trm_file {
	const char *name; /* in its directory; "" for what the path itself names */
	enum trm_file_kind kind;
	uint32_t mode; /* permission bits */
	uint64_t size; /* of a regular file */
	int64_t mtime_s;
	uint32_t mtime_ns;
	const char *target; /* of a link; else "" */
};

struct trm_list_cb {
	/* Once for each, in no particular order; borrowed. */
	void (*file)(void *user, const struct trm_file *file);
	/* Exactly once, last. TRM_ENOENT, TRM_EPERM … with a sentence; TRM_ETOOBIG more than `max_files`. */
	void (*done)(void *user, const struct trm_error *why);
};

/* What lies in a directory; a path that names something else gives that one, with name "". */
int trm_file_list(struct trm_sandbox *sandbox, const char *path, uint64_t max_files,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr);
/* What the path itself names: one file, with name "". A link is told and not followed. */
int trm_file_stat(struct trm_sandbox *sandbox, const char *path, const struct trm_list_cb *cb, void *user,
		struct trm_error *reterr);
/* Exactly one `fn` follows each. */
int trm_file_mkdir(struct trm_sandbox *sandbox, const char *path, uint32_t mode, trm_done_fn *fn, void *user,
		struct trm_error *reterr);
/* A file, a link or an empty directory; `has_tree`: also a directory with all that lies in it. Links are
 * removed and not followed. */
int trm_file_remove(struct trm_sandbox *sandbox, const char *path, bool has_tree, trm_done_fn *fn, void *user,
		struct trm_error *reterr);

#endif
