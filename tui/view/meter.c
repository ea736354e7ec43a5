/* SPDX-License-Identifier: MIT */
/* Metrics as text. */
#include <inttypes.h>
#include <stdio.h>

#include "view/parts.h"

#define MIB 1048576.0

static void format_cpu(const struct trm_sample *s, char out[64], bool is_short)
{
	bool has_limit = s->known & TRM_METRIC_CPU_LIMIT;

	if (!(s->known & TRM_METRIC_CPU_PERCENT))
		snprintf(out, 64, "n/a");
	else if (is_short)
		snprintf(out, 64, "%.1f%%", s->cpu_percent);
	else if (has_limit)
		snprintf(out, 64, "%.1f %% of %.3g core%s", s->cpu_percent, s->cpu_limit,
				s->cpu_limit == 1.0 ? "" : "s");
	else
		snprintf(out, 64, "%.1f %% of a core", s->cpu_percent);
}

/* "64 / 512 MiB". The unit is always MiB, so that columns can be compared. Values below 10 have one decimal.
 */
static void format_bytes(
		char out[64], bool is_known, uint64_t bytes, bool has_limit, uint64_t limit, bool is_short)
{
	double v = (double)bytes / MIB;
	const char *unit = is_short ? "M" : " MiB", *slash = is_short ? "/" : " / ";

	if (!is_known)
		snprintf(out, 64, "n/a");
	else if (has_limit)
		snprintf(out, 64, "%.*f%s%.0f%s", v < 9.95 ? 1 : 0, v, slash, (double)limit / MIB, unit);
	else
		snprintf(out, 64, "%.*f%s", v < 9.95 ? 1 : 0, v, unit);
}

static void format_mem(const struct trm_sample *s, char out[64], bool is_short)
{
	format_bytes(out, s->known & TRM_METRIC_MEM, s->mem_bytes, s->known & TRM_METRIC_MEM_LIMIT,
			s->mem_limit_bytes, is_short);
}

static void format_disk(const struct trm_sample *s, char out[64], bool is_short)
{
	format_bytes(out, s->known & TRM_METRIC_DISK, s->disk_bytes, s->known & TRM_METRIC_DISK_LIMIT,
			s->disk_limit_bytes, is_short);
}

static void format_procs(const struct trm_sample *s, char out[64], bool is_short)
{
	if (!(s->known & TRM_METRIC_PROCS))
		snprintf(out, 64, "n/a");
	else if (s->known & TRM_METRIC_PROCS_LIMIT)
		snprintf(out, 64, is_short ? "%" PRIu64 "/%" PRIu64 : "%" PRIu64 " / %" PRIu64 " tasks",
				s->procs, s->procs_limit);
	else
		snprintf(out, 64, "%" PRIu64, s->procs);
}

/* The bytes received and sent in total. The graph shows the rate. */
static void format_net(const struct trm_sample *s, char out[64], bool is_short)
{
	if (!(s->known & TRM_METRIC_NET))
		snprintf(out, 64, "n/a");
	else
		snprintf(out, 64, is_short ? "%.1f/%.1fM" : "%.1f MiB in, %.1f out",
				(double)s->net_rx_bytes / MIB, (double)s->net_tx_bytes / MIB);
}

static void format_wait(const struct trm_sample *s, char out[64], bool is_short)
{
	if (!(s->known & TRM_METRIC_THROTTLED_PERCENT))
		snprintf(out, 64, "n/a");
	else
		snprintf(out, 64, is_short ? "%.0f%%" : "throttled %.0f %%", s->throttled_percent);
}

static void value_percent(double value, char out[24])
{
	snprintf(out, 24, "%.0f%%", value);
}

static void value_mib(double value, char out[24])
{
	snprintf(out, 24, value < 9.95 && value != (double)(int)value ? "%.1fM" : "%.0fM", value);
}

static void value_count(double value, char out[24])
{
	snprintf(out, 24, "%.0f", value);
}

static void value_rate(double value, char out[24])
{
	snprintf(out, 24, value >= 1024.0 ? "%.1fM/s" : "%.0fK/s", value >= 1024.0 ? value / 1024.0 : value);
}

static double limit_cpu(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_CPU_LIMIT ? s->cpu_limit * 100.0 : 100.0;
}

static double limit_mem(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_MEM_LIMIT ? (double)s->mem_limit_bytes / MIB : 0.0;
}

static double limit_disk(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_DISK_LIMIT ? (double)s->disk_limit_bytes / MIB : 0.0;
}

static double limit_procs(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_PROCS_LIMIT ? (double)s->procs_limit : 0.0;
}

static double no_limit(const struct trm_sample *s)
{
	(void)s;
	return 0.0;
}

static double all_of_it(const struct trm_sample *s)
{
	(void)s;
	return 100.0;
}

static double share_of_limit(bool is_known, double value, double limit)
{
	return is_known && limit > 0.0 ? value / limit : -1.0;
}

static double load_cpu(const struct trm_sample *s)
{
	return share_of_limit(s->known & TRM_METRIC_CPU_PERCENT, s->cpu_percent, limit_cpu(s));
}

static double load_mem(const struct trm_sample *s)
{
	return share_of_limit(s->known & TRM_METRIC_MEM, (double)s->mem_bytes / MIB, limit_mem(s));
}

static double load_disk(const struct trm_sample *s)
{
	return share_of_limit(s->known & TRM_METRIC_DISK, (double)s->disk_bytes / MIB, limit_disk(s));
}

static double load_procs(const struct trm_sample *s)
{
	return share_of_limit(s->known & TRM_METRIC_PROCS, (double)s->procs, limit_procs(s));
}

static double load_wait(const struct trm_sample *s)
{
	return share_of_limit(s->known & TRM_METRIC_THROTTLED_PERCENT, s->throttled_percent, 100.0);
}

static double load_unknown(const struct trm_sample *s)
{
	(void)s;
	return -1.0;
}

const struct meter meters[SERIES_COUNT] = {
		[SERIES_CPU] = {"CPU", ROLE_GRAPH_CPU, false, true, format_cpu, value_percent, limit_cpu,
				load_cpu},
		[SERIES_MEM] = {"MEM", ROLE_GRAPH_MEM, true, false, format_mem, value_mib, limit_mem,
				load_mem},
		[SERIES_DISK] = {"DISK", ROLE_GRAPH_DISK, true, false, format_disk, value_mib, limit_disk,
				load_disk},
		[SERIES_PROC] = {"PROC", ROLE_GRAPH_PROC, true, false, format_procs, value_count, limit_procs,
				load_procs},
		[SERIES_NET] = {"NET", ROLE_GRAPH_NET, true, true, format_net, value_rate, no_limit,
				load_unknown},
		[SERIES_WAIT] = {"WAIT", ROLE_GRAPH_PRESSURE, true, true, format_wait, value_percent,
				all_of_it, load_wait},
};

/* CPU at its limit is busy, not in danger. Any other metric near its limit is in danger. */
uint16_t meter_role(const struct meter *meter, const struct trm_sample *s)
{
	double load = meter->load(s);

	if (load >= GRAPH_CRITICAL)
		return meter->is_busy_at_limit ? ROLE_WARN : ROLE_CRITICAL;
	return load >= GRAPH_WARN ? ROLE_WARN : ROLE_TEXT;
}
