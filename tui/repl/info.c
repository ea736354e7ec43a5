/* SPDX-License-Identifier: MIT */
/* Usage and limits of the sandbox. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "stream/tty.h"
#include "text/fold.h"
#include "text/format.h"

enum { INTERVAL_MS = 200, SAMPLES = 2, TOP_ROWS = 30 };

/* ---- metrics -------------------------------------------------------------------------------- */

static void stop_metrics(struct repl *r)
{
	if (r->cli_session.sandbox)
		trm_sandbox_set_metrics(r->cli_session.sandbox, 0, false, NULL);
	repl_done(r);
}

static const struct activity measuring = {.what = "measuring", .interrupt = stop_metrics};

static void measure_info(struct repl *r, bool is_top)
{
	struct trm_error why = {0};
	r->wants_top = is_top;
	r->n_samples = 0;
	repl_begin(r, &measuring);
	if (trm_sandbox_set_metrics(r->cli_session.sandbox, INTERVAL_MS, is_top, &why) == 0)
		return;
	repl_error(r, "%s", why.msg);
	repl_done(r);
}

void repl_command_metrics(struct repl *r, const char *rest)
{
	(void)rest;
	measure_info(r, false);
}

void repl_command_top(struct repl *r, const char *rest)
{
	(void)rest;
	measure_info(r, true);
}

static void print_of(struct repl *r, const char *what, const struct trm_sample *s, uint32_t known,
		uint32_t has_limit, uint64_t used, uint64_t limit)
{
	char a[24], b[24];
	if (!(s->known & known))
		show_answer(&r->show, ROLE_TEXT, "%-8s n/a", what);
	else if (s->known & has_limit)
		show_answer(&r->show, ROLE_TEXT, "%-8s %s of %s", what, format_bytes(a, used),
				format_bytes(b, limit));
	else
		show_answer(&r->show, ROLE_TEXT, "%-8s %s", what, format_bytes(a, used));
}

static void print_metrics(struct repl *r, const struct trm_sample *s)
{
	char rx[24], tx[24];
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(r->cli_session.sandbox, &guards);
	if (s->known & TRM_METRIC_CPU_PERCENT)
		show_answer(&r->show, ROLE_TEXT, "%-8s %.1f %% of %.3g core%s", "cpu", s->cpu_percent,
				s->known & TRM_METRIC_CPU_LIMIT ? s->cpu_limit : 1.0,
				s->known & TRM_METRIC_CPU_LIMIT && s->cpu_limit != 1 ? "s" : "");
	else
		show_answer(&r->show, ROLE_TEXT, "%-8s n/a", "cpu");
	print_of(r, "memory", s, TRM_METRIC_MEM, TRM_METRIC_MEM_LIMIT, s->mem_bytes, s->mem_limit_bytes);
	print_of(r, "disk", s, TRM_METRIC_DISK, TRM_METRIC_DISK_LIMIT, s->disk_bytes, s->disk_limit_bytes);
	if (s->known & TRM_METRIC_PROCS)
		show_answer(&r->show, ROLE_TEXT,
				"%-8s %" PRIu64 " of %" PRIu64 ", threads and agent included", "tasks",
				(uint64_t)s->procs, (uint64_t)s->procs_limit);
	if (s->known & TRM_METRIC_NET)
		show_answer(&r->show, ROLE_TEXT, "%-8s on, %s received, %s sent", "network",
				format_bytes(rx, s->net_rx_bytes), format_bytes(tx, s->net_tx_bytes));
	else
		show_answer(&r->show, ROLE_TEXT, "%-8s %s", "network",
				trm_guards_net_name(guards, n, trm_sandbox_limits(r->cli_session.sandbox)));
	if (s->known & TRM_METRIC_UPTIME)
		show_answer(&r->show, ROLE_TEXT, "%-8s %" PRIu64 " s", "up", s->uptime_ms / 1000);
}

static int busier(const void *a, const void *b)
{
	const struct trm_process *x = a, *y = b;
	double d = (y->has_cpu ? y->cpu_percent : 0) - (x->has_cpu ? x->cpu_percent : 0);
	return d > 0                         ? 1
	       : d < 0                       ? -1
	       : x->mem_bytes < y->mem_bytes ? 1
	       : x->mem_bytes > y->mem_bytes ? -1
					     : 0;
}

static void print_top(struct repl *r, const struct trm_metrics *metrics)
{
	size_t n = metrics->n_processes;
	if (!metrics->has_processes)
		show_answer(&r->show, ROLE_TEXT, "the processes are unknown");
	struct trm_process *sorted = n ? malloc(n * sizeof *sorted) : NULL;
	if (!sorted)
		return;
	memcpy(sorted, metrics->processes, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, busier);
	show_answer(&r->show, ROLE_TABLE_HEADER, "%7s %6s %10s  %s", "PID", "CPU%", "MEM", "COMMAND");
	for (size_t i = 0; i < n && i < TOP_ROWS; i++) {
		char mem[24];
		show_answer(&r->show, ROLE_TEXT, "%7u %6.1f %10s  %.60s", sorted[i].pid,
				sorted[i].has_cpu ? sorted[i].cpu_percent : 0.0,
				format_bytes(mem, sorted[i].mem_bytes), sorted[i].command);
	}
	if (n > TOP_ROWS)
		show_answer(&r->show, ROLE_DIM, "… and %zu more", n - TOP_ROWS);
	free(sorted);
}

/* The first sample contains no rates. */
void info_metrics(struct repl *r, const struct trm_metrics *metrics)
{
	if (r->activity.interrupt != stop_metrics || ++r->n_samples < SAMPLES)
		return;
	if (r->wants_top)
		print_top(r, metrics);
	else
		print_metrics(r, &metrics->sample);
	stop_metrics(r);
}

/* ---- limits ------------------------------------------------------------------------------------- */

enum { LIMIT_COL = 15 };

/* Print an answer, whose lines continue in column `indent`. */
__attribute__((format(printf, 4, 5))) static void answer_limit(
		struct repl *r, enum role role, size_t indent, const char *fmt, ...)
{
	struct winsize size;
	char *text = NULL, *folded = NULL;
	va_list args;

	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	tty_size(&size);
	if (r->show.is_terminal)
		folded = text_fold(text, size.ws_col, indent);
	show_answer(&r->show, role, "%s", folded ? folded : text);
	free(folded);
	free(text);
}

void repl_command_limits(struct repl *r, const char *rest)
{
	const struct trm_limits *l = trm_sandbox_limits(r->cli_session.sandbox);
	const struct trm_guard *guards;
	char mem[24], disk[24], file[24], net[TRM_NET_ALLOW + 32];
	static const char *const words[] = {
			[TRM_ENFORCED] = "", [TRM_WEAK] = "weak: ", [TRM_NOT_ENFORCED] = "NOT ENFORCED: "};
	(void)rest;
	if (trm_sandbox_is_joined(r->cli_session.sandbox))
		show_answer(&r->show, ROLE_TEXT, "as requested from the server at the start");
	else if (repl_is_far(r))
		show_answer(&r->show, ROLE_TEXT, "memory %s and %.3g core%s, as requested from the server",
				format_bytes(mem, l->mem_bytes), l->cpus, l->cpus == 1 ? "" : "s");
	else
		answer_limit(r, ROLE_TEXT, 0,
				"memory %s, %.3g core%s, %u processes, files %s (one of them %s), %u open files per "
				"process, %s",
				format_bytes(mem, l->mem_bytes), l->cpus, l->cpus == 1 ? "" : "s", l->procs,
				format_bytes(disk, l->disk_bytes), format_bytes(file, l->file_bytes),
				l->open_files, trm_limits_describe_net(l, net, sizeof net));
	const struct trm_mount *mounts;
	for (size_t i = 0, m = trm_sandbox_mounts(r->cli_session.sandbox, &mounts); i < m; i++)
		answer_limit(r, mounts[i].is_writable ? ROLE_WARN : ROLE_TEXT, LIMIT_COL, "%-14s %s", "mount",
				trm_mount_describe(&mounts[i], net, sizeof net));
	repl_command_timeout(r, "");
	size_t n = trm_sandbox_is_ready(r->cli_session.sandbox)
				   ? trm_sandbox_guards(r->cli_session.sandbox, &guards)
				   : 0;
	for (size_t i = 0; i < n; i++)
		answer_limit(r, guards[i].strength == TRM_ENFORCED ? ROLE_TEXT : ROLE_WARN, LIMIT_COL,
				"%-14s %s%s", guards[i].what, words[guards[i].strength], guards[i].how);
}
