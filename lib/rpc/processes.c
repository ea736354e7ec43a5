/* SPDX-License-Identifier: MIT */
#include "rpc/processes.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <string.h>

#include <terrarium/metrics.h>
#include <terrarium/text.h>

#include "rpc/put.h"

/* The largest number that a double holds exactly. */
#define MOST 9007199254740992.0

static cJSON *write_row(const struct trm_process *p)
{
	cJSON *row = cJSON_CreateObject();
	rpc_put_number(&row, "pid", p->pid);
	rpc_put_number(&row, "ppid", p->ppid);
	rpc_put_text(&row, "state", (const char[]){p->state, '\0'});
	if (p->has_cpu)
		rpc_put_number(&row, "cpu_percent", p->cpu_percent);
	rpc_put_number(&row, "mem_bytes", (double)p->mem_bytes);
	rpc_put_number(&row, "threads", p->threads);
	rpc_put_number(&row, "cpu_ns", (double)p->cpu_ns);
	rpc_put_number(&row, "start", (double)p->start);
	rpc_put_text(&row, "command", p->command);
	return row;
}

cJSON *rpc_processes_write(const struct trm_process *processes, size_t n)
{
	cJSON *rows = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++)
		rpc_append(&rows, write_row(&processes[i]));
	return rows;
}

static double number(const cJSON *row, const char *name, double max)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
	bool is_one = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= max;
	return is_one ? item->valuedouble : 0;
}

static bool read_row(const cJSON *row, struct trm_process *ret)
{
	const char *state = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "state"));
	const char *command = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "command"));
	*ret = (struct trm_process){.pid = (uint32_t)number(row, "pid", UINT32_MAX),
			.ppid = (uint32_t)number(row, "ppid", UINT32_MAX),
			.state = state && state[0] > ' ' && state[0] < 127 ? state[0] : '?',
			.has_cpu = cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(row, "cpu_percent")),
			.cpu_percent = number(row, "cpu_percent", 1e6),
			.mem_bytes = (uint64_t)number(row, "mem_bytes", MOST),
			.threads = (uint32_t)number(row, "threads", UINT32_MAX),
			.cpu_ns = (uint64_t)number(row, "cpu_ns", MOST),
			.start = (uint64_t)number(row, "start", MOST)};
	if (command)
		trm_text_clean_line(ret->command, sizeof ret->command, command, strlen(command));
	return ret->pid != 0;
}

size_t rpc_processes_read(const cJSON *json, struct trm_process *table, size_t max)
{
	const cJSON *row;
	size_t n = 0;
	cJSON_ArrayForEach(row, json)
	{
		if (n == max)
			break;
		n += read_row(row, &table[n]);
	}
	return n;
}
