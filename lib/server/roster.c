/* SPDX-License-Identifier: MIT */
#include "server/roster.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

#include "rpc/processes.h"

enum { ROSTER_MS = 1000 };
#define FORGOTTEN_NS UINT64_C(10000000000) /* nobody has asked for so long */

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

bool roster_ask(struct roster *roster, struct trm_sandbox *sandbox, struct cJSON **ret)
{
	bool is_first = !roster->asked_ns;
	roster->asked_ns = now_ns();
	if (is_first && trm_sandbox_set_metrics(sandbox, ROSTER_MS, true, NULL) < 0)
		roster->asked_ns = 0;
	if (roster->table)
		*ret = rpc_processes_write(roster->table, roster->n);
	return roster->table;
}

static void keep(struct roster *roster, const struct trm_metrics *metrics)
{
	size_t n = metrics->n_processes * sizeof *roster->table;
	struct trm_process *table = realloc(roster->table, n ? n : 1);
	if (!table)
		return;
	memcpy(table, metrics->processes, n);
	roster->table = table;
	roster->n = metrics->n_processes;
}

void roster_take(struct roster *roster, struct trm_sandbox *sandbox, const struct trm_metrics *metrics,
		uint32_t rest_ms)
{
	if (!roster->asked_ns)
		return;
	if (metrics->has_processes)
		keep(roster, metrics);
	if (now_ns() - roster->asked_ns < FORGOTTEN_NS)
		return;
	trm_sandbox_set_metrics(sandbox, rest_ms, false, NULL);
	roster_finish(roster);
}

void roster_finish(struct roster *roster)
{
	free(roster->table);
	*roster = (struct roster){0};
}
