/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_PROCESS_LIST_H
#define TRM_SERVER_SANDBOXES_PROCESS_LIST_H

/* The processes of a served sandbox. To list them costs its agent something, so it is done only for as long
 * as somebody asks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct trm_metrics;
struct trm_sandbox;

struct process_list {
	struct trm_process *table; /* NULL: not known */
	size_t n;
	uint64_t asked_ns; /* 0: nobody asks */
};

/* Somebody asks. False: there is no list yet; else *ret is one for the caller, NULL for want of memory. */
bool process_list_ask(struct process_list *process_list, struct trm_sandbox *sandbox, struct cJSON **ret);
/* The sandbox was measured. `autosave_ms`: how often it is when nobody asks; 0: never. */
void process_list_take(struct process_list *process_list, struct trm_sandbox *sandbox,
		const struct trm_metrics *metrics, uint32_t autosave_ms);
void process_list_finish(struct process_list *process_list);

#endif
