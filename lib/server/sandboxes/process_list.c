/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/process_list.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

#include "base/clock.h"
#include "rpc/processes.h"

enum { PROCESS_LIST_MS = 1000 };
#define FORGOTTEN_NS 10000000000u /* nobody has asked for this long */

bool process_list_ask(struct process_list *process_list, struct trm_sandbox *sandbox, struct cJSON **ret)
{
	bool is_first = !process_list->asked_ns;
	process_list->asked_ns = clock_ns();
	if (is_first && trm_sandbox_set_metrics(sandbox, PROCESS_LIST_MS, true, NULL) < 0)
		process_list->asked_ns = 0;
	if (process_list->table)
		*ret = rpc_processes_write(process_list->table, process_list->n);
	return process_list->table;
}

static void copy_processes(struct process_list *process_list, const struct trm_metrics *metrics)
{
	size_t n = metrics->n_processes * sizeof *process_list->table;
	struct trm_process *table = realloc(process_list->table, n ? n : 1);
	if (!table)
		return;
	memcpy(table, metrics->processes, n);
	process_list->table = table;
	process_list->n = metrics->n_processes;
}

void process_list_take(struct process_list *process_list, struct trm_sandbox *sandbox,
		const struct trm_metrics *metrics, uint32_t autosave_ms)
{
	if (!process_list->asked_ns)
		return;
	if (metrics->has_processes)
		copy_processes(process_list, metrics);
	if (clock_ns() - process_list->asked_ns < FORGOTTEN_NS)
		return;
	trm_sandbox_set_metrics(sandbox, autosave_ms, false, NULL);
	process_list_finish(process_list);
}

void process_list_finish(struct process_list *process_list)
{
	free(process_list->table);
	*process_list = (struct process_list){0};
}
