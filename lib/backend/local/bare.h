/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_BARE_H
#define TRM_LOCAL_BARE_H

/* A sandbox without namespaces (Landlock, or nothing): its folder on this machine, the environment of what
 * runs in it, and what Landlock lets it reach. Like bubblewrap's arguments these are the security model, so
 * they are made in one place. */

#include "backend/local/argv.h"

/* Longest path of a folder, with its NUL. */
enum { BARE_FOLDER = 96 };

/* The path for a new folder: in memory where /dev/shm has room for disk_bytes, else on disk; not where
 * programs cannot be executed, if there is a choice. Nothing is made. */
int bare_choose_folder(uint64_t disk_bytes, char ret[BARE_FOLDER], struct trm_error *reterr);
bool bare_is_in_memory(const char *folder);

/* What is asked for and cannot be had without namespaces is refused with a sentence: mounts at another path,
 * a working directory elsewhere, ranges of addresses. `has_rules`: under Landlock. */
int bare_check(const struct trm_sandbox_opts *opts, bool has_rules, struct trm_error *reterr);

/* Append "NAME=value", each ended by NUL: the same variables as in other sandboxes. 0 or a code. */
int bare_environment(struct buf *out, const char *folder, const struct argv_net *net,
		const struct argv_request *request);

/* Append the rules as in spec_msg. The supervisor adds those for mounts. */
int bare_rules(struct buf *out, const char *folder, const struct argv_net *net);

#endif
