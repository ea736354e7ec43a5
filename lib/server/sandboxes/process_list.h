/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_PROCESS_LIST_H
#define TRM_SERVER_SANDBOXES_PROCESS_LIST_H

/* The processes of a served sandbox. Listing them costs its agent something, so it is done only while
 * clients ask for them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct trm_metrics;
struct trm_sandbox;

struct process_list {
	struct trm_process *table; /* NULL: unknown */
	size_t n;
	uint64_t asked_ns; /* 0: nobody asks */
};

/* A client asks for the list. False: there is none yet. Otherwise *ret is the caller's; NULL: no memory. */
bool process_list_ask(struct process_list *process_list, struct trm_sandbox *sandbox, struct cJSON **ret);
/* A new sample. `autosave_ms`: the interval of samples when nobody asks; 0: none. */
void process_list_take(struct process_list *process_list, struct trm_sandbox *sandbox,
		const struct trm_metrics *metrics, uint32_t autosave_ms);
void process_list_finish(struct process_list *process_list);

#endif
