/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PROCESSES_H
#define TRM_RPC_PROCESSES_H

/* The processes of a sandbox, as a list of objects: an extension of sandbox.metrics.get ("full"). */

#include <stddef.h>

struct cJSON;
struct trm_process;

/* Owned by the caller. NULL: out of memory. */
struct cJSON *rpc_processes_write(const struct trm_process *processes, size_t n);
/* Read the rows of `json` (hostile, may be NULL) that describe processes, at most `max`. Commands are
 * cleaned. Returns the number of rows. */
size_t rpc_processes_read(const struct cJSON *json, struct trm_process *table, size_t max);

#endif
