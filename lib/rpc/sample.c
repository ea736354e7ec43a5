/* SPDX-License-Identifier: MIT */
#include "rpc/sample.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <terrarium/metrics.h>
#include <terrarium/text.h>

#include "rpc/put.h"

enum kind { WHOLE, REAL };

#define ROW(field, kind, bit) \
	{ \
#field, offsetof(struct trm_sample, field), kind, TRM_METRIC_##bit \
	}
/* Values with the same bit are known together. */
static const struct row {
	const char *name;
	size_t offset;
	enum kind kind;
	uint32_t bit;
} rows[] = {
		ROW(cpu_percent, REAL, CPU_PERCENT),
		ROW(cpu_ns, WHOLE, CPU_TIME),
		ROW(cpu_limit, REAL, CPU_LIMIT),
		ROW(mem_bytes, WHOLE, MEM),
		ROW(mem_peak_bytes, WHOLE, MEM_PEAK),
		ROW(mem_limit_bytes, WHOLE, MEM_LIMIT),
		ROW(disk_bytes, WHOLE, DISK),
		ROW(disk_limit_bytes, WHOLE, DISK_LIMIT),
		ROW(procs, WHOLE, PROCS),
		ROW(procs_limit, WHOLE, PROCS_LIMIT),
		ROW(net_rx_bytes, WHOLE, NET),
		ROW(net_tx_bytes, WHOLE, NET),
		ROW(uptime_ms, WHOLE, UPTIME),
		ROW(oom_kills, WHOLE, OOM_KILLS),
		ROW(net_refused, WHOLE, NET_REFUSED),
		ROW(cpu_periods, WHOLE, THROTTLE),
		ROW(cpu_throttled, WHOLE, THROTTLE),
		ROW(throttled_ns, WHOLE, THROTTLE),
		ROW(throttled_percent, REAL, THROTTLED_PERCENT),
		ROW(procs_refused, WHOLE, PROCS_REFUSED),
		ROW(pressure_cpu_percent, REAL, PRESSURE_CPU),
		ROW(pressure_mem_percent, REAL, PRESSURE_MEM),
		ROW(pressure_io_percent, REAL, PRESSURE_IO),
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* The largest number that a double holds exactly. No measured value is larger. */
#define MOST 9007199254740992.0

cJSON *rpc_sample_write(const struct trm_sample *sample)
{
	cJSON *json = cJSON_CreateObject();
	for (size_t i = 0; i < N_ROWS; i++) {
		const void *at = (const char *)sample + rows[i].offset;
		double value = rows[i].kind == REAL ? *(const double *)at : (double)*(const uint64_t *)at;
		if (sample->known & rows[i].bit)
			rpc_put_number(&json, rows[i].name, value);
	}
	rpc_put_bool(&json, "pressure_is_machine", sample->pressure_is_machine);
	if (sample->source[0])
		rpc_put_text(&json, "source", sample->source);
	return json;
}

void rpc_sample_read(const cJSON *json, struct trm_sample *ret)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, rows[i].name);
		void *at = (char *)ret + rows[i].offset;
		if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < MOST))
			continue;
		ret->known |= rows[i].bit;
		if (rows[i].kind == REAL)
			*(double *)at = item->valuedouble;
		else
			*(uint64_t *)at = (uint64_t)item->valuedouble;
	}
	const cJSON *source = cJSON_GetObjectItemCaseSensitive(json, "source");
	const cJSON *is_machine = cJSON_GetObjectItemCaseSensitive(json, "pressure_is_machine");
	if (cJSON_IsBool(is_machine))
		ret->pressure_is_machine = cJSON_IsTrue(is_machine);
	if (cJSON_IsString(source))
		trm_text_clean_line(ret->source, sizeof ret->source, source->valuestring,
				strlen(source->valuestring));
}
