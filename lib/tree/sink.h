/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_SINK_H
#define TRM_TREE_SINK_H

/* The receiving half of a copy: frames of wire/entry.h become files. The agent uses it for a PUT, the
 * host for files out of a sandbox, whose frames may contain anything.
 *
 * Theory of operation. Directories are held open from the root down. Everything is created by a single
 * component relative to the descriptor of its directory, never through a link. So whatever names are
 * sent, and whatever is moved meanwhile, nothing is written outside of the target. Links are made only if
 * they stay inside (wire/entry.h).
 *
 * A file has no name until it is complete (O_TMPFILE, or a temporary name if the file system lacks that).
 * Then it takes its place at once, even that of an older file or link. If the program is killed in
 * between, nothing of the file is left.
 *
 * A node that cannot be made is reported (`refused`) and counted, and the copy goes on. The copy ends
 * with an error of the root, or an error that would affect everything that follows (no space, read-only,
 * a limit). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "wire/entry.h"

struct sink;

struct sink_opts {
	const char *path; /* target, as typed */
	const char *base; /* see target.h */
	bool must_be_dir, makes_parents;
	int64_t unless_changed_since_ns; /* what has changed here since then stays; 0: all is replaced */
	bool keeps_links; /* also those that lead out of the target, where nobody follows them */
	uint64_t max_bytes, max_files;
	uint32_t withheld;     /* permission bits that no file gets */
	const char *when_full; /* advice when there is no space, which follows a colon; may be NULL */
	void (*refused)(void *user, const struct trm_error *why);
	void *user;
};

int sink_create(const struct sink_opts *opts, struct sink **ret, struct trm_error *reterr);
/* Incomplete files vanish. Accepts NULL. */
void sink_destroy(struct sink *sink);

/* TRM_EPROTO: the sender broke the protocol. Any other error: why the copy cannot go on. After an error
 * only sink_destroy() may be called. */
int sink_entry(struct sink *sink, const struct entry *entry, struct trm_error *why);
int sink_data(struct sink *sink, const void *bytes, size_t n, struct trm_error *why);

bool sink_is_over(const struct sink *sink); /* the tree is complete */
const struct tree_sum *sink_sum(const struct sink *sink);

#endif
