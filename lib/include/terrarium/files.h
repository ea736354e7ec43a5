/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_FILES_H
#define TERRARIUM_FILES_H

/* Files in a sandbox: read, write, list and remove them without starting a process in it. To copy large files
 * and directories, see <terrarium/copy.h>.
 *
 * Paths are those inside the sandbox. A path that does not begin with '/' starts at the working directory
 * (trm_sandbox_workdir()). Names and link targets are raw, hostile bytes; trm_text_clean_line() makes them
 * safe to show. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/error.h>

TRM_BEGIN_API

struct trm_sandbox;

struct trm_transfer_cb {
	void (*data)(void *user, const void *bytes, size_t n); /* trm_file_get only */
	/* Exactly once. why->code is TRM_OK, or the reason. `size` and `mode` are those of the file. */
	void (*done)(void *user, const struct trm_error *why, uint64_t size, uint32_t mode);
};

/* Write a file inside the sandbox. The file appears complete or not at all (a new file replaces the old
 * one). `bytes` are copied. */
int trm_file_put(struct trm_sandbox *sandbox, const char *path, uint32_t mode, const void *bytes, size_t n,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);
/* Read a regular file of at most max_bytes (TRM_ETOOBIG if it is larger). */
int trm_file_get(struct trm_sandbox *sandbox, const char *path, uint64_t max_bytes,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);

enum trm_file_kind { TRM_FILE_REGULAR, TRM_FILE_DIR, TRM_FILE_LINK, TRM_FILE_OTHER };

struct trm_file {
	const char *name; /* in its directory; "" for the path itself */
	enum trm_file_kind kind;
	uint32_t mode; /* permission bits */
	uint64_t size; /* only for a regular file */
	int64_t mtime_s;
	uint32_t mtime_ns;
	const char *target; /* of a link; otherwise "" */
};

struct trm_list_cb {
	/* Once for each file, in no particular order; borrowed. */
	void (*file)(void *user, const struct trm_file *file);
	/* The last callback, exactly once. TRM_ENOENT, TRM_EPERM … with a sentence; TRM_ETOOBIG more than
	 * `max_files`. */
	void (*done)(void *user, const struct trm_error *why);
};

/* List the contents of a directory. If the path is not a directory, the list is that one file, with name
 * "". */
int trm_file_list(struct trm_sandbox *sandbox, const char *path, uint64_t max_files,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr);
/* List everything below a directory: names are paths from there ("a/b"), and a directory comes before what is
 * in it. What is mounted below it is left out, links are not followed, and what cannot be read is
 * TRM_FILE_OTHER. */
int trm_file_list_tree(struct trm_sandbox *sandbox, const char *path, uint64_t max_files,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr);
/* Describe the path itself: one file, with name "". A link is described and not followed. */
int trm_file_stat(struct trm_sandbox *sandbox, const char *path, const struct trm_list_cb *cb, void *user,
		struct trm_error *reterr);
/* Create a directory. Exactly one `fn` follows. */
int trm_file_mkdir(struct trm_sandbox *sandbox, const char *path, uint32_t mode, trm_done_fn *fn, void *user,
		struct trm_error *reterr);
/* Remove a file, a link or an empty directory; with `has_tree` also a directory with its contents. Links
 * are removed and not followed. Exactly one `fn` follows. */
int trm_file_remove(struct trm_sandbox *sandbox, const char *path, bool has_tree, trm_done_fn *fn, void *user,
		struct trm_error *reterr);

TRM_END_API

#endif
