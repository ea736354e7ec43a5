/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_GUARDS_H
#define TRM_BACKEND_SUPERVISED_GUARDS_H

/* The limits that are enforced in one sandbox, and how: derived from what the supervisor has really done,
 * or has asked of an engine, and never more optimistic than that. */

#include <terrarium/sandbox.h>

#include "wire/control.h"

enum { GUARDS_MAX = 14 };

/* The limits that an engine was asked for when it made a sandbox. They travel through the supervisor
 * (origin_msg.asks) to all clients that attach. */
enum ask {
	ASK_MEMORY = 1,
	ASK_CPU = 2,
	ASK_PROCS = 4,
	ASK_DISK = 8,
	ASK_FILE_SIZE = 16,
	ASK_OPEN_FILES = 32,
	ASK_NO_NET = 64,
	ASK_NET = 128,
	ASK_READ_ONLY = 256,
	ASK_FEW_CAPS = 512,
	ASK_CUT = 1024, /* the network, by an init container or else by a NetworkPolicy: backend/recipe/pod.h
			 */
};

/* Fill `ret` (GUARDS_MAX rows); returns the number of rows. `disk_bytes` is the size in force of a local
 * sandbox. */
size_t guards_report(struct trm_guard *ret, const struct ready_msg *ready, const struct trm_limits *limits,
		uint64_t disk_bytes);

/* ---- between guards.c, guards_made.c and guards_bare.c ---- */

struct guard_list {
	struct trm_guard *row; /* GUARDS_MAX */
	size_t n;
	const struct ready_msg *ready;
};

/* Add a row; rows beyond GUARDS_MAX are left out. */
void guards_add(struct guard_list *l, const char *what, enum trm_strength strength, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/* The rows of a sandbox that a recipe has made. */
void guards_add_made(struct guard_list *l, const struct trm_limits *limits);
/* The rows of a local sandbox without namespaces. */
void guards_add_bare(struct guard_list *l, const struct trm_limits *limits, uint64_t disk_bytes);

/* Rows that all local sandboxes have. */
void guards_add_memory(struct guard_list *l, const struct trm_limits *limits);
void guards_add_cpu(struct guard_list *l, const struct trm_limits *limits);
void guards_add_rlimits(struct guard_list *l, const struct trm_limits *limits);

#endif
