/* SPDX-License-Identifier: MIT */
/* sandbox.metrics.get. */
#include <cJSON.h>
#include <math.h>
#include <string.h>

#include "rpc/names.h"
#include "rpc/params.h"
#include "rpc/put.h"
#include "rpc/sample.h"
#include "sandbox/sandbox.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/target.h"
#include "server/sandboxes/fleet.h"

/* How much a row holds. Processes are listed only for a single sandbox, to bound the reply. */
enum detail { NUMBERS, SAMPLE, PROCESSES };

static void add_number(cJSON **row, const char *name, bool is_known, double value)
{
	if (is_known)
		rpc_put_number(row, name, value);
	else
		rpc_put(row, name, cJSON_CreateNull());
}

/* Add all known values. The CPU percentage is that of the row. */
static void add_sample(cJSON **row, struct served *served, const struct trm_sample *now)
{
	struct trm_sample all;
	if (!metrics_sample_now(served->sandbox, &all) || !(all.known & TRM_METRIC_MEM))
		all = *now; /* the agent's last sample */
	all.cpu_percent = now->cpu_percent;
	all.uptime_ms = usage_rate_age_ms(&served->usage_rate);
	all.known |= (now->known & TRM_METRIC_CPU_PERCENT) | TRM_METRIC_UPTIME;
	rpc_put(row, "sample", rpc_sample_write(&all));
}

static void add_processes(cJSON **row, struct served *served)
{
	cJSON *processes = NULL;
	if (process_list_ask(&served->process_list, served->sandbox, &processes))
		rpc_put(row, "processes", processes);
}

static void add_row(cJSON **rows, struct served *served, enum detail detail)
{
	struct trm_sample now = {0};
	const bool is_running = served->state == SERVED_RUNNING;
	/* Whoever finds it stopped would start it, and end it as its own. */
	const bool is_being_adopted = served->state == SERVED_STARTING && served->is_adopted;
	cJSON *row = cJSON_CreateObject();
	if (is_running)
		usage_rate_read(&served->usage_rate, served->sandbox, &now);
	rpc_put_text(&row, "namespace", served->space->name);
	rpc_put_text(&row, "name", served->name);
	rpc_put_bool(&row, "running", is_running || is_being_adopted);
	add_number(&row, "cpu_usage", now.known & TRM_METRIC_CPU_PERCENT, round(now.cpu_percent * 100) / 100);
	add_number(&row, "memory_usage", now.known & TRM_METRIC_MEM, (double)(now.mem_bytes >> 20));
	add_number(&row, "disk_usage", now.known & TRM_METRIC_DISK, (double)now.disk_bytes);
	if (detail >= SAMPLE && is_running)
		add_sample(&row, served, &now);
	if (detail == PROCESSES && is_running)
		add_processes(&row, served);
	rpc_append(rows, row);
}

static void add_space(cJSON **rows, const struct space *space, enum detail detail)
{
	for (struct served *served = space->sandboxes; served; served = served->next)
		add_row(rows, served, detail);
}

static int add_rows(cJSON **rows, struct fleet *fleet, const struct target *target, enum detail detail,
		struct trm_error *why)
{
	bool is_everywhere = !strcmp(target->space, RPC_EVERYWHERE);
	struct served *served;
	int r = 0;
	if (target->name && !is_everywhere) {
		r = fleet_find(fleet, target->space, target->name, &served, why);
		if (r == 0)
			add_row(rows, served, detail);
		return r;
	}
	struct space *space = is_everywhere ? fleet_spaces(fleet) : fleet_space(fleet, target->space);
	if (!space && !is_everywhere)
		return fleet_find(fleet, target->space, "", &served, why);
	for (; space; space = is_everywhere ? space->next : NULL) {
		if (!target->name)
			add_space(rows, space, detail);
		else if (fleet_find(fleet, space->name, target->name, &served, NULL) == 0)
			add_row(rows, served, detail);
	}
	return 0;
}

static enum detail detail_of(const struct target *target)
{
	return target->name && strcmp(target->space, RPC_EVERYWHERE) != 0 ? PROCESSES : SAMPLE;
}

void method_metrics(struct call *call)
{
	struct target target;
	struct trm_error why = {0};
	bool is_full = false;
	if (!target_read(call, false, &target))
		return;
	int r = target.name ? rpc_name_check("Sandbox", target.name, &why) : 0;
	if (r == 0 && strcmp(target.space, RPC_EVERYWHERE) != 0)
		r = rpc_name_check("Namespace", target.space, &why);
	if (r == 0)
		r = rpc_get_bool(call->params, "full", &is_full, &why);
	cJSON *result = cJSON_CreateObject(), *rows = cJSON_CreateArray();
	if (r == 0)
		r = add_rows(&rows, call->server->fleet, &target, is_full ? detail_of(&target) : NUMBERS,
				&why);
	rpc_put(&result, "sandboxes", rows);
	if (r == 0) {
		call_result(call, result);
		return;
	}
	cJSON_Delete(result);
	target_fail(call, &why);
}
