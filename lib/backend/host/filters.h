/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_FILTERS_H
#define TRM_BACKEND_HOST_FILTERS_H

/* The seccomp programs that seccomp_gen made at build time. */

#include "wire/control.h"

const char *filters_machine(void); /* the value that uname() must have: "x86_64" */

struct filters {
	struct slice calls, arguments, calls_strict, arguments_strict, older; /* as in spec_msg */
};

struct filters filters_of_namespaces(void);
/* Without a network no socket can be created; with one, only internet and netlink sockets. `abi`: the version
 * of Landlock. */
struct filters filters_of_landlock(bool has_net, uint32_t abi);

#endif
