/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_SINK_H
#define TRM_TREE_SINK_H

/* The receiving half of a copy: frames of wire/entry.h become files. The agent
 * takes so what is put, the host what comes out of a sandbox, which may say anything.
 *
 * Theory of operation. Directories are held open from the root down, and everything is
 * made by one component relative to the descriptor of its directory, never following a link. So
 * whatever names are sent, and whoever moves things about meanwhile, nothing is
 * written but below the target. Links are made only if they stay inside (wire/entry.h).
 *
 * A file has no name until it is complete (O_TMPFILE; where the file system has none, a
 * temporary name): then it takes its place at once, also that of an older file or of a link.
 * If the program is killed in the middle, nothing of the file is left.
 *
 * What cannot be taken is told (`refused`), counted, and the rest goes on. What concerns the root, and what
 * would meet everything that follows (no space, read-only, a ceiling), ends the copy. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "wire/entry.h"

struct sink;

struct sink_opts {
	const char *path; /* target, as typed */
	const char *base; /* see target.h */
	bool must_be_dir;
	uint64_t max_bytes, max_files;
	uint32_t withheld;     /* permission bits that nothing gets */
	const char *when_full; /* what to do when there is no space, behind a colon; may be NULL */
	void (*refused)(void *user, const struct trm_error *why);
	void *user;
};

int sink_create(const struct sink_opts *opts, struct sink **ret, struct trm_error *reterr);
/* Whatever is not complete is gone. Takes NULL. */
void sink_destroy(struct sink *sink);

/* TRM_EPROTO: the sender broke the rules; any other error: why the copy cannot go on. After an error only
 * sink_destroy() is left. */
int sink_entry(struct sink *sink, const struct entry *entry, struct trm_error *why);
int sink_data(struct sink *sink, const void *bytes, size_t n, struct trm_error *why);

bool sink_is_over(const struct sink *sink); /* the tree is complete */
const struct tree_sum *sink_sum(const struct sink *sink);
/* Of the file or directory in hand, below the target: raw bytes, borrowed until the next call. */
const char *sink_path(const struct sink *sink);

#endif
