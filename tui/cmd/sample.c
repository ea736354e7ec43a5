/* SPDX-License-Identifier: MIT */
#include "cmd/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/json_out.h"
#include "metrics/sample_cell.h"

#define MIB 1048576.0

/* ---- JSON ---- */

enum field_kind { FIELD_U64, FIELD_DOUBLE, FIELD_NS_AS_MS };

static const struct {
	const char *name;
	uint32_t known; /* enum trm_metric */
	enum field_kind kind;
	size_t offset;
} fields[] = {
		{"uptime_ms", TRM_METRIC_UPTIME, FIELD_U64, offsetof(struct trm_sample, uptime_ms)},
		{"cpu_percent", TRM_METRIC_CPU_PERCENT, FIELD_DOUBLE,
				offsetof(struct trm_sample, cpu_percent)},
		{"cpu_ms", TRM_METRIC_CPU_TIME, FIELD_NS_AS_MS, offsetof(struct trm_sample, cpu_ns)},
		{"cpu_limit", TRM_METRIC_CPU_LIMIT, FIELD_DOUBLE, offsetof(struct trm_sample, cpu_limit)},
		{"mem_bytes", TRM_METRIC_MEM, FIELD_U64, offsetof(struct trm_sample, mem_bytes)},
		{"mem_peak_bytes", TRM_METRIC_MEM_PEAK, FIELD_U64,
				offsetof(struct trm_sample, mem_peak_bytes)},
		{"mem_limit_bytes", TRM_METRIC_MEM_LIMIT, FIELD_U64,
				offsetof(struct trm_sample, mem_limit_bytes)},
		{"disk_bytes", TRM_METRIC_DISK, FIELD_U64, offsetof(struct trm_sample, disk_bytes)},
		{"disk_limit_bytes", TRM_METRIC_DISK_LIMIT, FIELD_U64,
				offsetof(struct trm_sample, disk_limit_bytes)},
		{"procs", TRM_METRIC_PROCS, FIELD_U64, offsetof(struct trm_sample, procs)},
		{"procs_limit", TRM_METRIC_PROCS_LIMIT, FIELD_U64, offsetof(struct trm_sample, procs_limit)},
		{"procs_refused", TRM_METRIC_PROCS_REFUSED, FIELD_U64,
				offsetof(struct trm_sample, procs_refused)},
		{"oom_kills", TRM_METRIC_OOM_KILLS, FIELD_U64, offsetof(struct trm_sample, oom_kills)},
		{"net_refused", TRM_METRIC_NET_REFUSED, FIELD_U64, offsetof(struct trm_sample, net_refused)},
		{"net_rx_bytes", TRM_METRIC_NET, FIELD_U64, offsetof(struct trm_sample, net_rx_bytes)},
		{"net_tx_bytes", TRM_METRIC_NET, FIELD_U64, offsetof(struct trm_sample, net_tx_bytes)},
		{"throttled_percent", TRM_METRIC_THROTTLED_PERCENT, FIELD_DOUBLE,
				offsetof(struct trm_sample, throttled_percent)},
		{"throttled_ms", TRM_METRIC_THROTTLE, FIELD_NS_AS_MS,
				offsetof(struct trm_sample, throttled_ns)},
		{"pressure_cpu_percent", TRM_METRIC_PRESSURE_CPU, FIELD_DOUBLE,
				offsetof(struct trm_sample, pressure_cpu_percent)},
		{"pressure_mem_percent", TRM_METRIC_PRESSURE_MEM, FIELD_DOUBLE,
				offsetof(struct trm_sample, pressure_mem_percent)},
		{"pressure_io_percent", TRM_METRIC_PRESSURE_IO, FIELD_DOUBLE,
				offsetof(struct trm_sample, pressure_io_percent)},
};

void sample_put(struct json_out *j, const struct trm_sample *s)
{
	const uint32_t pressure = TRM_METRIC_PRESSURE_CPU | TRM_METRIC_PRESSURE_MEM | TRM_METRIC_PRESSURE_IO;

	json_put_text(j, "source", *s->source ? s->source : NULL);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const void *at = (const char *)s + fields[i].offset;
		if (!(s->known & fields[i].known))
			json_put_null(j, fields[i].name);
		else if (fields[i].kind == FIELD_DOUBLE)
			json_put_number(j, fields[i].name, *(const double *)at, 2);
		else
			json_put_u64(j, fields[i].name,
					*(const uint64_t *)at
							/ (fields[i].kind == FIELD_NS_AS_MS ? 1000000 : 1));
	}
	if (s->known & pressure)
		json_put_bool(j, "pressure_is_machine", s->pressure_is_machine);
	else
		json_put_null(j, "pressure_is_machine");
}

static void put_process(struct json_out *j, const struct trm_process *p)
{
	json_open(j, NULL, '{');
	json_put_u64(j, "pid", p->pid);
	json_put_u64(j, "ppid", p->ppid);
	json_put_text(j, "state", p->state ? (char[]){p->state, 0} : NULL);
	json_put_number(j, "cpu_percent", p->has_cpu ? p->cpu_percent : NAN, 2);
	json_put_u64(j, "mem_bytes", p->mem_bytes);
	json_put_number(j, "threads", p->threads ? (double)p->threads : NAN, 0);
	json_put_number(j, "cpu_ms", p->start ? (double)(p->cpu_ns / 1000000) : NAN, 0);
	json_put_text(j, "command", p->command);
	json_close(j, '}');
}

void sample_put_processes(struct json_out *j, const struct trm_metrics *metrics)
{
	if (!metrics || !metrics->has_processes) {
		json_put_null(j, "processes");
		return;
	}
	json_open(j, "processes", '[');
	for (size_t i = 0; i < metrics->n_processes; i++)
		put_process(j, &metrics->processes[i]);
	json_close(j, ']');
}

void sample_put_kernels(struct json_out *j, const struct trm_entry *e)
{
	if (!e->has_kernels && !e->is_stale) {
		json_put_null(j, "kernels");
		return;
	}
	json_open(j, "kernels", '[');
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (e->kernels & 1u << i)
			json_put_text(j, NULL, trm_lang_at(i)->name);
	json_close(j, ']');
}

void sample_put_seconds(struct json_out *j, const char *key, bool is_known, uint64_t ms)
{
	json_put_number(j, key, is_known ? (double)ms / 1000 : (double)NAN, 3);
}

void sample_put_limits(struct json_out *j, const struct trm_limits *limits)
{
	json_open(j, "limits", '{');
	json_put_u64(j, "mem_bytes", limits->mem_bytes);
	json_put_number(j, "cpus", limits->cpus, 3);
	json_put_u64(j, "procs", limits->procs);
	json_put_u64(j, "disk_bytes", limits->disk_bytes);
	json_put_u64(j, "file_bytes", limits->file_bytes);
	json_put_u64(j, "open_files", limits->open_files);
	json_put_bool(j, "net", limits->net);
	json_put_text(j, "net_allow", limits->net_allow);
	json_put_text(j, "net_allow_host", limits->net_allow_host);
	json_close(j, '}');
}

/* ---- text ---- */

/* "27 of 512 MiB". Values below 10 have one decimal. */
static void format_bytes(char *out, size_t cap, bool is_known, uint64_t bytes, bool has_limit, uint64_t limit)
{
	double v = (double)bytes / MIB;
	int decimals = v < 9.95 ? 1 : 0;

	if (!is_known)
		snprintf(out, cap, "n/a");
	else if (has_limit)
		snprintf(out, cap, "%.*f of %.0f MiB", decimals, v, (double)limit / MIB);
	else
		snprintf(out, cap, "%.*f MiB", decimals, v);
}

static void format_cpu(char *out, size_t cap, const struct trm_sample *s)
{
	char now[24], limit[40] = "";

	snprintf(now, sizeof now, s->known & TRM_METRIC_CPU_PERCENT ? "%.1f %%" : "n/a", s->cpu_percent);
	if (s->known & TRM_METRIC_CPU_LIMIT)
		snprintf(limit, sizeof limit, " of %.3g core%s", s->cpu_limit,
				s->cpu_limit == 1.0 ? "" : "s");
	snprintf(out, cap, "%s%s", now, limit);
}

static void format_mem(char *out, size_t cap, const struct trm_sample *s)
{
	format_bytes(out, cap, s->known & TRM_METRIC_MEM, s->mem_bytes, s->known & TRM_METRIC_MEM_LIMIT,
			s->mem_limit_bytes);
}

static void format_disk(char *out, size_t cap, const struct trm_sample *s)
{
	format_bytes(out, cap, s->known & TRM_METRIC_DISK, s->disk_bytes, s->known & TRM_METRIC_DISK_LIMIT,
			s->disk_limit_bytes);
}

static void format_procs(char *out, size_t cap, const struct trm_sample *s)
{
	if (!(s->known & TRM_METRIC_PROCS))
		snprintf(out, cap, "n/a");
	else if (s->known & TRM_METRIC_PROCS_LIMIT)
		snprintf(out, cap, "%" PRIu64 " of %" PRIu64, s->procs, s->procs_limit);
	else
		snprintf(out, cap, "%" PRIu64, s->procs);
}

static void format_percent(char *out, size_t cap, bool is_known, double percent)
{
	snprintf(out, cap, is_known ? "%.0f %%" : "n/a", percent);
}

void sample_tell(const struct trm_sample *s, char *out, size_t cap)
{
	char cpu[64], mem[64], disk[64], procs[64];

	format_cpu(cpu, sizeof cpu, s);
	format_mem(mem, sizeof mem, s);
	format_disk(disk, sizeof disk, s);
	format_procs(procs, sizeof procs, s);
	snprintf(out, cap, "cpu %s, memory %s, files %s, tasks %s", cpu, mem, disk, procs);
}

static void print_cpu(const struct trm_sample *s)
{
	char text[64];

	format_cpu(text, sizeof text, s);
	printf("cpu         %s", text);
	if (s->known & TRM_METRIC_CPU_TIME)
		printf(", %.2f s so far", (double)s->cpu_ns / 1e9);
	if (s->known & TRM_METRIC_THROTTLED_PERCENT && s->throttled_percent >= 1.0)
		printf(", throttled %.0f %%", s->throttled_percent);
	putchar('\n');
}

static void print_mem(const struct trm_sample *s)
{
	char text[64];

	format_mem(text, sizeof text, s);
	printf("memory      %s", text);
	if (s->known & TRM_METRIC_MEM_PEAK)
		printf(", peak %.1f", (double)s->mem_peak_bytes / MIB);
	if (s->known & TRM_METRIC_OOM_KILLS && s->oom_kills)
		printf(", out of memory %" PRIu64 " times", s->oom_kills);
	if (s->known & TRM_METRIC_NET_REFUSED && s->net_refused)
		printf(", %" PRIu64 " connections refused", s->net_refused);
	putchar('\n');
}

static void print_procs(const struct trm_sample *s)
{
	char text[64];

	format_procs(text, sizeof text, s);
	printf("tasks       %s", text);
	if (s->known & TRM_METRIC_PROCS)
		fputs(", threads and agent included", stdout);
	if (s->known & TRM_METRIC_PROCS_REFUSED && s->procs_refused)
		printf(", %" PRIu64 " refused", s->procs_refused);
	putchar('\n');
}

static void print_pressure(const struct trm_sample *s)
{
	char cpu[24], mem[24], io[24];

	format_percent(cpu, sizeof cpu, s->known & TRM_METRIC_PRESSURE_CPU, s->pressure_cpu_percent);
	format_percent(mem, sizeof mem, s->known & TRM_METRIC_PRESSURE_MEM, s->pressure_mem_percent);
	format_percent(io, sizeof io, s->known & TRM_METRIC_PRESSURE_IO, s->pressure_io_percent);
	printf("waiting     for cpu %s, memory %s, io %s%s\n", cpu, mem, io,
			s->pressure_is_machine ? " (of the whole machine)" : "");
}

void sample_print(const struct trm_sample *s, const char *net)
{
	char text[64];

	print_cpu(s);
	print_mem(s);
	format_disk(text, sizeof text, s);
	printf("files       %s\n", text);
	print_procs(s);
	if (s->known & TRM_METRIC_NET)
		printf("network     %.1f MiB in, %.1f MiB out\n", (double)s->net_rx_bytes / MIB,
				(double)s->net_tx_bytes / MIB);
	else
		printf("network     %s\n", net);
	print_pressure(s);
	sample_cell_uptime(s, text);
	printf("up          %s, measured by %s\n", text, *s->source ? s->source : "n/a");
}

void sample_print_processes(const struct trm_metrics *metrics)
{
	if (!metrics->has_processes)
		return;
	printf("\n%6s %6s %8s %2s  %s\n", "PID", "CPU%", "MEM", "S", "COMMAND");
	for (size_t i = 0; i < metrics->n_processes; i++) {
		const struct trm_process *p = &metrics->processes[i];
		char cpu[24];
		snprintf(cpu, sizeof cpu, p->has_cpu ? "%.1f" : "n/a", p->cpu_percent);
		printf("%6u %6s %7.1fM %2c  %.52s\n", p->pid, cpu, (double)p->mem_bytes / MIB,
				p->state ? p->state : '?', p->command);
	}
}
