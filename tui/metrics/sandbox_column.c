/* SPDX-License-Identifier: MIT */
#include "metrics/sandbox_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/registry.h>

#include "metrics/sample_cell.h"

static bool knows(const struct trm_entry *e, uint32_t metric)
{
	return e->sample.known & metric;
}

static void put_short_time(char out[SANDBOX_CELL], uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 60)
		snprintf(out, SANDBOX_CELL, "%us", (unsigned)s);
	else if (s < 3600)
		snprintf(out, SANDBOX_CELL, "%um%02us", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (s < 48 * 3600)
		snprintf(out, SANDBOX_CELL, "%uh%02um", (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
	else
		snprintf(out, SANDBOX_CELL, "%ud%02uh", (unsigned)(s / 86400), (unsigned)(s / 3600 % 24));
}

static void put_mib(char out[SANDBOX_CELL], uint64_t bytes)
{
	snprintf(out, SANDBOX_CELL, "%.4g", floor((double)bytes / (1 << 20) * 10 + 0.5) / 10);
}

static void put_name(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	snprintf(out, SANDBOX_CELL, "%s", e->name);
}

static void put_backend(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	snprintf(out, SANDBOX_CELL, "%s", e->backend);
}

static void put_kernels(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	size_t used = 0;

	snprintf(out, SANDBOX_CELL, "%s", e->is_stale ? "left behind" : e->has_kernels ? "-" : "n/a");
	for (unsigned i = 0; i < trm_lang_count() && used < SANDBOX_CELL; i++)
		if (e->kernels & 1u << i)
			used += (size_t)snprintf(out + used, SANDBOX_CELL - used, "%s%s", used ? "," : "",
					trm_lang_at(i)->name);
}

static void put_cpu(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_CPU_PERCENT))
		sample_cell_cpu(&e->sample, out);
}

static void put_mem(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_MEM))
		sample_cell_mem(&e->sample, out);
}

static void put_mem_used(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_MEM))
		put_mib(out, e->sample.mem_bytes);
}

static void put_mem_limit(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (e->limits.mem_bytes)
		put_mib(out, e->limits.mem_bytes);
}

static void put_disk(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_DISK))
		sample_cell_disk(&e->sample, out);
}

static void put_procs(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_PROCS))
		sample_cell_procs(&e->sample, out);
}

static void put_uptime(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_UPTIME))
		sample_cell_uptime(&e->sample, out);
}

static void put_age(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (knows(e, TRM_METRIC_UPTIME))
		put_short_time(out, e->sample.uptime_ms);
}

static void put_idle(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (e->has_state && !e->clients)
		put_short_time(out, e->idle_ms);
}

static void put_clients(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (e->has_state)
		snprintf(out, SANDBOX_CELL, "%" PRIu32, e->clients);
}

static void put_kept(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (e->has_state)
		snprintf(out, SANDBOX_CELL, "%s", e->is_kept ? "yes" : "no");
}

static void put_group(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	if (*e->group)
		snprintf(out, SANDBOX_CELL, "%s", e->group);
}

/* A command line without the folder of its program, because there is little room. */
static void put_started_by(const struct trm_entry *e, char out[SANDBOX_CELL])
{
	const char *slash = memrchr(e->client, '/', strcspn(e->client, " "));

	snprintf(out, SANDBOX_CELL, "%s%s",
			e->is_stale     ? "(left behind: nothing runs) "
			: e->has_client ? ""
					: "(gone) ",
			slash ? slash + 1 : e->client);
}

const struct sandbox_column_info sandbox_columns[SANDBOX_COLUMNS] = {
		[SANDBOX_NAME] = {"NAME", "NAME", 20, true, put_name},
		[SANDBOX_BACKEND] = {"BACKEND", "BACKEND", 12, true, put_backend},
		[SANDBOX_KERNELS] = {"KERNELS", "KERNELS", 20, true, put_kernels},
		[SANDBOX_CPU] = {"CPU%", "CPU%", 6, false, put_cpu},
		[SANDBOX_MEM] = {"MEM", "MEM", 10, false, put_mem},
		[SANDBOX_MEM_USED] = {"MEM", "MEM", 6, false, put_mem_used},
		[SANDBOX_MEM_LIMIT] = {"LIMIT", "LIMIT", 6, false, put_mem_limit},
		[SANDBOX_DISK] = {"DISK", "DISK", 9, false, put_disk},
		[SANDBOX_PROCS] = {"PROC", "PROC", 7, false, put_procs},
		[SANDBOX_UPTIME] = {"UP", "UP", 9, false, put_uptime},
		[SANDBOX_AGE] = {"AGE", "AGE", 6, false, put_age},
		[SANDBOX_IDLE] = {"IDLE", "IDLE", 6, false, put_idle},
		[SANDBOX_CLIENTS] = {"CLIENTS", "CLI", 3, false, put_clients},
		[SANDBOX_KEPT] = {"KEPT", "KEPT", 4, false, put_kept},
		[SANDBOX_GROUP] = {"GROUP", "GROUP", 20, true, put_group},
		[SANDBOX_STARTED_BY] = {"STARTED BY", "STARTED BY", 0, true, put_started_by},
};

const char *sandbox_cell(enum sandbox_column column, const struct trm_entry *e, const char *unknown,
		char out[SANDBOX_CELL])
{
	snprintf(out, SANDBOX_CELL, "%s", unknown);
	sandbox_columns[column].value(e, out);
	return out;
}
