/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear/linear.h"
#include "metrics/sandbox_column.h"
#include "text/format.h"
#include "text/text.h"

/* ---- where it goes ---- */

#define TREND_SAMPLES 5

/* Compare the newest sample with the mean of the samples before it. */
static const char *trend(const struct metric_history *h, enum series series, double scale)
{
	double sum = 0, now;
	int n = 0;

	if (h->n < 2)
		return "";
	const struct metric_point *last = metric_history_at(h, h->n - 1);
	now = last ? (double)last->values[series] : -1;
	for (uint64_t k = 2; k <= TREND_SAMPLES + 1 && k <= h->n; k++) {
		const struct metric_point *p = metric_history_at(h, h->n - k);
		if (!p || p->values[series] < 0)
			continue;
		sum += (double)p->values[series];
		n++;
	}
	if (now < 0 || !n)
		return "";
	double change = now - sum / n, least = scale * 0.01 > now * 0.02 ? scale * 0.01 : now * 0.02;
	return change > least ? ", rising" : change < -least ? ", falling" : ", steady";
}

/* "212", "3.5": as a person would say the number. */
static char *say_number(char out[24], double v)
{
	bool is_whole = v >= 9.95 || fabs(v - floor(v + 0.5)) < 0.05;
	snprintf(out, 24, is_whole ? "%.0f" : "%.1f", v);
	return out;
}

static void say_of(struct linear *l, const char *what, bool is_known, double value, bool has_limit,
		double limit, const char *unit, const char *way)
{
	char a[24], b[24];

	if (!is_known)
		linear_say(l, "%s unknown", what);
	else if (has_limit)
		linear_say(l, "%s %s of %s%s%s%s", what, say_number(a, value), say_number(b, limit),
				*unit ? " " : "", unit, way);
	else
		linear_say(l, "%s %s%s%s%s", what, say_number(a, value), *unit ? " " : "", unit, way);
}

static void say_cpu(struct linear *l, const struct metrics *x)
{
	const struct trm_sample *s = &x->sample;
	double cores = s->known & TRM_METRIC_CPU_LIMIT ? s->cpu_limit : 1;
	char a[24], b[24];

	if (!(s->known & TRM_METRIC_CPU_PERCENT))
		linear_say(l, "CPU unknown");
	else
		linear_say(l, "CPU %s percent of %s core%s%s", say_number(a, s->cpu_percent),
				say_number(b, cores), cores == 1 ? "" : "s",
				trend(&x->history, SERIES_CPU, 100));
	if (s->known & TRM_METRIC_THROTTLED_PERCENT && s->throttled_percent > 0)
		linear_say(l, "CPU throttled in %s percent of the time", say_number(a, s->throttled_percent));
}

static void say_pressure(struct linear *l, const struct trm_sample *s)
{
	const struct {
		uint32_t bit;
		const char *what;
		double percent;
	} rows[] = {{TRM_METRIC_PRESSURE_CPU, "CPU", s->pressure_cpu_percent},
			{TRM_METRIC_PRESSURE_MEM, "memory", s->pressure_mem_percent},
			{TRM_METRIC_PRESSURE_IO, "input and output", s->pressure_io_percent}};
	char number[24];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (s->known & rows[i].bit && rows[i].percent >= 0.1)
			linear_say(l, "waiting for %s %s percent of the time%s", rows[i].what,
					say_number(number, rows[i].percent),
					s->pressure_is_machine ? ", on the whole machine" : "");
}

static void say_uptime(struct linear *l, uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s >= 3600)
		linear_say(l, "up %" PRIu64 " hours %" PRIu64 " minutes", s / 3600, s / 60 % 60);
	else if (s >= 60)
		linear_say(l, "up %" PRIu64 " minutes %" PRIu64 " seconds", s / 60, s % 60);
	else
		linear_say(l, "up %" PRIu64 " seconds", s);
}

void linear_metrics(struct linear *l, const struct model *m)
{
	const struct metrics *x = &m->metrics;
	const struct trm_sample *s = &x->sample;
	const struct sandbox_info *box = &m->sandbox;
	const double mib = 1 << 20;

	if (!x->has_sample) {
		linear_say(l, "nothing has been measured yet");
		return;
	}
	say_cpu(l, x);
	say_of(l, "memory", s->known & TRM_METRIC_MEM, (double)s->mem_bytes / mib,
			s->known & TRM_METRIC_MEM_LIMIT, (double)s->mem_limit_bytes / mib, "MiB",
			trend(&x->history, SERIES_MEM, (double)s->mem_limit_bytes / mib));
	say_of(l, "disk", s->known & TRM_METRIC_DISK, (double)s->disk_bytes / mib,
			s->known & TRM_METRIC_DISK_LIMIT, (double)s->disk_limit_bytes / mib, "MiB",
			trend(&x->history, SERIES_DISK, (double)s->disk_limit_bytes / mib));
	say_of(l, "tasks", s->known & TRM_METRIC_PROCS, (double)s->procs, s->known & TRM_METRIC_PROCS_LIMIT,
			(double)s->procs_limit, "", trend(&x->history, SERIES_PROC, 1));
	if (s->known & TRM_METRIC_NET)
		linear_say(l, "network: %" PRIu64 " bytes received, %" PRIu64 " sent", s->net_rx_bytes,
				s->net_tx_bytes);
	else
		linear_say(l, "network %s", trm_guards_net_name(box->guards, box->n_guards, &box->limits));
	say_pressure(l, s);
	if (s->known & TRM_METRIC_OOM_KILLS && s->oom_kills)
		linear_say(l, "killed because memory ran out: %" PRIu64 " times", s->oom_kills);
	if (s->known & TRM_METRIC_UPTIME)
		say_uptime(l, s->uptime_ms);
}

void linear_processes(struct linear *l, const struct model *m)
{
	const struct process_table *t = &m->metrics.processes;
	char number[24], bytes[24];

	if (!t->is_known) {
		linear_say(l, "the processes are unknown");
		return;
	}
	linear_say(l, "%zu process%s", t->n, t->n == 1 ? "" : "es");
	for (size_t i = 0; i < t->n; i++) {
		const struct trm_process *p = &t->processes[t->rows[i].at];
		if (p->has_cpu)
			linear_say(l, "process %u: CPU %s percent, memory %s, %s", p->pid,
					say_number(number, p->cpu_percent), format_bytes(bytes, p->mem_bytes),
					p->command);
		else
			linear_say(l, "process %u: memory %s, %s", p->pid, format_bytes(bytes, p->mem_bytes),
					p->command);
	}
}

/* ---- the rest ---- */

void linear_run(struct linear *l, const struct run_info *run)
{
	char time[24], cpu[64] = "", peak[64] = "", exit_code[32] = "", number[24] = "", before[80] = "";

	if (!run || run->state != RUN_DONE)
		return;
	if (run->number)
		snprintf(number, sizeof number, " %" PRIu64, run->number);
	if (run->is_exit)
		snprintf(exit_code, sizeof exit_code, ", exit code %d", run->exit_code);
	size_t n = 0;
	if (run->install_us)
		n = (size_t)snprintf(before, sizeof before, ", installed in %s",
				format_duration((char[24]){0}, run->install_us));
	if (run->compile_us)
		snprintf(before + n, sizeof before - n, ", compiled in %s",
				format_duration((char[24]){0}, run->compile_us));
	if (run->has_cpu) {
		char text[24];
		snprintf(cpu, sizeof cpu, ", CPU time %s", format_duration(text, run->cpu_us));
	}
	if (run->has_mem_peak) {
		char text[24];
		snprintf(peak, sizeof peak, ", memory peak %s", format_bytes(text, run->mem_peak_bytes));
	}
	linear_say(l, "run%s, %s: %s%s, %s%s%s%s", number, run->lang->name, trm_status_name(run->status),
			exit_code,
			run->is_wall_unknown ? "time unknown" : format_duration(time, run->wall_us), before,
			cpu, peak);
}

void linear_status(struct linear *l, const struct model *m)
{
	static const char *const states[] = {
			[SANDBOX_STARTING] = "starting", [SANDBOX_READY] = "ready", [SANDBOX_DEAD] = "ended"};
	char name[4200], time[24];

	linear_say(l, "sandbox %s, backend %s, %s", m->sandbox.name, m->sandbox.backend,
			states[m->sandbox.state]);
	linear_say(l, "language %s, buffer %s, line %zu of %zu", m->lang->name,
			buffer_name(buffers_current(&m->buffers), name, sizeof name),
			editor_line(model_editor(m)) + 1, text_lines(model_editor(m)->text));
	if (m->run.reads_line)
		linear_say(l, "the code waits for a line of input");
	else if (model_is_running(m))
		linear_say(l, "running for %s",
				format_duration(time, (m->now_ns - m->run.started_ns) / 1000));
	else
		linear_say(l, "nothing runs");
	if (m->is_recording)
		linear_say(l, "this is being recorded");
}

void linear_variables(struct linear *l, const struct model *m)
{
	const struct variables *v = &m->variables[m->lang->index];

	if (!v->is_known) {
		linear_say(l, "the variables of %s are unknown%s", m->lang->name, v->is_untold ? "" : " yet");
		return;
	}
	linear_say(l, "%zu variable%s of %s", v->n, v->n == 1 ? "" : "s", m->lang->name);
	for (size_t i = 0; i < v->n; i++) {
		const struct variable *row = &v->rows[i];
		linear_say(l, "%s: %s%s%s%s%s", row->name, row->type, *row->size ? ", size " : "", row->size,
				*row->value ? ", " : "", row->value);
	}
}

/* "CPU 12.0 percent, memory 20 MiB, …": what is unknown is left out. */
static void tell_sandbox(const struct trm_entry *e, char *out, size_t cap)
{
	static const struct {
		enum sandbox_column column;
		const char *before, *behind;
	} columns[] = {{SANDBOX_CPU, "CPU", " percent"}, {SANDBOX_MEM_USED, "memory", " MiB"},
			{SANDBOX_MEM_LIMIT, "limit", " MiB"}, {SANDBOX_PROCS, "processes", ""},
			{SANDBOX_CLIENTS, "clients", ""}, {SANDBOX_KEPT, "kept:", ""},
			{SANDBOX_GROUP, "group", ""}, {SANDBOX_STARTED_BY, "started by", ""}};
	char cell[SANDBOX_CELL];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof columns / sizeof *columns && used < cap; i++)
		if (*sandbox_cell(columns[i].column, e, "", cell))
			used += (size_t)snprintf(out + used, cap - used, ", %s %s%s", columns[i].before, cell,
					columns[i].behind);
}

void linear_sandboxes(struct linear *l, const struct model *m)
{
	const struct sandboxes *s = &m->sandboxes;
	char words[1024];

	if (s->error[0])
		linear_say(l, "%s", s->error);
	linear_say(l, "%zu sandbox%s", s->n, s->n == 1 ? "" : "es");
	for (size_t i = 0; i < s->n; i++) {
		tell_sandbox(&s->entries[i], words, sizeof words);
		linear_say(l, "%zu: %s%s%s", i + 1, s->entries[i].name,
				sandboxes_is_own(m, &s->entries[i]) ? ", this one" : "", words);
	}
}
