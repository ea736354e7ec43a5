/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_NODES_H
#define TRM_BACKEND_MICROSANDBOX_NODES_H

/* A list that find(1) has printed in a sandbox, in the form of NODES_FORMAT. It is hostile. This file
 * does no I/O. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/entry.h"

/* "d 755 4096 1700000000.5 1" NUL path NUL target NUL */
#define NODES_FORMAT "%y %m %s %T@ %d\\0%P\\0%l\\0"

/* Small, because there may be a hundred thousand of them; a struct entry has some KiB. */
struct node {
	enum entry_kind kind; /* DIR, FILE, LINK or OTHER */
	unsigned depth;
	uint32_t mode, mtime_ns;
	int64_t mtime_s;
	uint64_t size; /* of a FILE */
	char *path;    /* below the root; the root is the first and has ""; the last component is a name */
	const char *target; /* of a LINK; lies after `path` */
};

struct node_list {
	struct node *at;
	size_t n;
};

/* Read a tree in walking order: each node except the root is at most one level deeper than a directory
 * before it. False: it is no such tree, or memory is out; call nodes_finish() then, too. */
bool nodes_read(struct node_list *ret, const char *text, size_t n);
void nodes_finish(struct node_list *list); /* accepts a zeroed object */
const char *node_name(const struct node *node);

#endif
