/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LOOKUP_H
#define TRM_SUPERVISOR_LOOKUP_H

/* Looking up a name in a process of its own. */

#include <sys/types.h>

#include "base/cidr.h"

enum { LOOKUP_MAX = 8 };

struct lookup {
	pid_t pid; /* 0: none */
	int fd;    /* readable when it has ended */
};

/* Returns 0 or -errno. */
int lookup_start(struct lookup *lookup, const char *name);
/* Take the addresses, and end the process, whether it is done or not. Returns how many there are. */
size_t lookup_take(struct lookup *lookup, struct cidr ret[LOOKUP_MAX]);

#endif
