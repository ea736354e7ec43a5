/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PROCESSES_H
#define TRM_RPC_PROCESSES_H

/* The processes of a sandbox, as a list of objects: an extension of sandbox.metrics.get ("full"). */

#include <stddef.h>

struct cJSON;
struct trm_process;

/* The caller's; NULL when out of memory. */
struct cJSON *rpc_processes_write(const struct trm_process *processes, size_t n);
/* Rows of `json` (hostile, may be NULL) that are processes, at most `max`, commands cleaned; their number. */
size_t rpc_processes_read(const struct cJSON *json, struct trm_process *table, size_t max);

#endif
