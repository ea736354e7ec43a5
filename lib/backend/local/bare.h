/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_BARE_H
#define TRM_LOCAL_BARE_H

/* A sandbox without namespaces (Landlock, or nothing): its folder on this machine, the environment of its
 * processes, and what Landlock lets them reach. Like bubblewrap's arguments these are the security model,
 * so they are built in one place. */

#include "backend/local/argv.h"

/* Longest path of a folder, with its NUL. */
enum { BARE_FOLDER = 96 };

/* Choose the path of a new folder: in memory if /dev/shm has room for disk_bytes, otherwise on disk; and,
 * if possible, where programs can be executed. Nothing is created. */
int bare_choose_folder(uint64_t disk_bytes, char ret[BARE_FOLDER], struct trm_error *reterr);
bool bare_is_in_memory(const char *folder);

/* Refuse, with a sentence, options that need namespaces: mounts at another path, a working directory
 * elsewhere, ranges of addresses. `has_rules`: under Landlock. */
int bare_check(const struct trm_sandbox_opts *opts, bool has_rules, struct trm_error *reterr);

/* Its folder, that of packages, and that of what was prepared for compilers; "": none. */
struct bare_places {
	const char *folder, *cache, *prepared;
};

/* Append "NAME=value" entries, each ended by NUL: the same variables as in other sandboxes.
 * `is_offline`: nothing can be reached. Returns 0 or a code. */
int bare_environment(struct buf *out, const struct bare_places *places, const struct argv_net *net,
		bool is_offline, const struct argv_request *request);

/* Append the rules as in spec_msg. The supervisor adds those for mounts. */
int bare_rules(struct buf *out, const struct bare_places *places, const struct argv_net *net);

#endif
