/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CGROUP_H
#define TRM_BASE_CGROUP_H

/* The values that control groups of both versions count: the file of each value, and how its text is read. A
 * caller that reads often keeps the files open and calls cgroup_parse(); all others call cgroup_read(). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgroup_value {
	CGROUP_CPU_NS,
	CGROUP_MEM,
	CGROUP_MEM_CACHE, /* pages of unused files, which the kernel frees on demand */
	CGROUP_MEM_PEAK,
	CGROUP_MEM_LIMIT,
	CGROUP_OOM_KILLS,
	CGROUP_PROCS,
	CGROUP_PROCS_LIMIT,
	CGROUP_PROCS_REFUSED,
	CGROUP_VALUES
};

enum { CGROUP_TEXT = 4096 }; /* enough for each of the files */

/* The file's name in the group's directory. */
const char *cgroup_file(bool is_v2, enum cgroup_value what);
/* Version 1: the controller that counts it, which is the name of its tree. */
const char *cgroup_controller(enum cgroup_value what);
/* Take the value from the file's text. False: it is not there, or there is no limit. */
bool cgroup_parse(bool is_v2, enum cgroup_value what, const char *text, uint64_t *ret);
bool cgroup_read(const char *dir, bool is_v2, enum cgroup_value what, uint64_t *ret);

/* The number at the beginning of a text. False for "max", -1 and numbers near 2^63, by which version 1 means
 * that there is no limit. */
bool cgroup_number(const char *text, uint64_t *ret);

#endif
