/* SPDX-License-Identifier: MIT */
/* A list of files that a sandbox at a server has printed: what is read of it fits into entries. */
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/nodes.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct node_list list;
	bool is_one = nodes_read(&list, (const char *)bytes, n);
	unsigned deepest = 0;
	if (is_one && !list.n)
		abort();
	for (size_t i = 0; i < list.n; i++) {
		const struct node *f = &list.at[i];
		const char *name = node_name(f);
		if (strlen(name) > ENTRY_NAME_MAX || strlen(f->target) > ENTRY_TARGET_MAX
				|| f->depth > deepest || f->depth > ENTRY_DEPTH_MAX
				|| (i ? !entry_is_name(name) : *name) || f->mode & ~(uint32_t)ENTRY_MODE_MASK
				|| f->mtime_ns >= 1000000000)
			abort();
		deepest = f->kind == ENTRY_DIR ? f->depth + 1 : f->depth;
	}
	nodes_finish(&list);
	return 0;
}

#define ROOT "d 755 4096 1700000000.5000000000 0\0\0\0"
const struct fuzz_seed fuzz_seeds[] = {
		SEED(ROOT "f 644 12 7.000000001 1\0a\0\0"
			  "l 777 3 7.0 1\0l\0a/b\0"),
		SEED(ROOT "d 700 4096 -5.25 1\0sub\0\0"
			  "p 600 9 7.0 2\0sub/p\0\0"),
		SEED("f 644 18446744073709551615 9223372036854775807.9999999999 0\0\0\0"),
		{NULL, 0},
};
