/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_ALIAS_H
#define TRM_POLICY_ALIAS_H

/* Other names of things in the same piece of code: "o" of `import os as o` stands for "os". */

#include <stddef.h>

#include "policy/literal.h"

enum { ALIAS_BUCKETS = 512 };

struct aliases {
	struct alias *buckets[ALIAS_BUCKETS];
};

void aliases_finish(struct aliases *aliases); /* takes a zeroed one */
/* The newest meaning counts. TRM_ENOMEM. */
int aliases_set(struct aliases *aliases, const char *name, size_t n, const struct name *meaning);
/* NULL: it stands for itself. Valid until the name is set anew. */
const char *aliases_get(const struct aliases *aliases, const char *name, size_t n);

#endif
