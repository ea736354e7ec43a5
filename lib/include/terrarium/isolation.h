/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_ISOLATION_H
#define TERRARIUM_ISOLATION_H

#include <stdbool.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;

/* How a local sandbox is isolated from this machine. */
enum trm_isolation {
	TRM_ISOLATION_AUTO,       /* namespaces, else Landlock; TRM_ENOISOLATION if neither works */
	TRM_ISOLATION_NAMESPACES, /* bubblewrap: namespaces, seccomp */
	/* Landlock and seccomp without namespaces, for containers that do not permit them */
	TRM_ISOLATION_LANDLOCK,
	TRM_ISOLATION_NONE, /* code runs with all rights of the caller; never chosen automatically */
};

/* "auto", "namespaces", "landlock", "none". */
const char *trm_isolation_name(enum trm_isolation level);
bool trm_isolation_find(const char *name, enum trm_isolation *ret);
/* Find the strongest level that works on this machine now. `ret_why` (may be NULL) says why no stronger one
 * works; its code is TRM_OK if this is the strongest. Starts a short-lived process and blocks for about a
 * millisecond. */
enum trm_isolation trm_isolation_best(struct trm_error *ret_why);
/* Explain each level that does not work on this machine: a line "NAME: why", and where a way is known to make
 * it work, a line "  cure: how". Blocks as trm_isolation_best(). Returns `out`. */
enum { TRM_ISOLATION_WORDS = 2048 };
char *trm_isolation_explain(char out[TRM_ISOLATION_WORDS]);

TRM_END_API

#endif
