/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_TARGET_H
#define TRM_TREE_TARGET_H

/* Where the root of a tree goes, by the rules of `cp -r`: into an existing directory, under the source's
 * name; otherwise it becomes the path itself. Only links in a path that a person has typed are followed. */

#include <stdbool.h>

#include <terrarium/error.h>

#include "wire/entry.h"

struct target {
	int fd;                        /* the caller's to close */
	char name[ENTRY_NAME_MAX + 1]; /* in the directory fd; "": that directory itself */
	bool is_below;                 /* the path names the directory; otherwise an entry of it */
};

/* With makes_parents, directories above the path are made. `base`: name of the source, "" if the target shall
 * be the directory itself. `is_dir`: the root is a directory. Errors: a sentence that begins with the path.
 */
int target_find(const char *path, const char *base, bool must_be_dir, bool is_dir, bool makes_parents,
		struct target *ret, struct trm_error *reterr);

#endif
