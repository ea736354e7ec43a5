/* SPDX-License-Identifier: MIT */
/* Describes in words what ended a run and which limit it hit (sandbox/limit_report.c). */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/procstat.h"
#include "base/signame.h"
#include "session/session.h"

static const uint64_t mib = 1024 * 1024;

/* ---- the counters ------------------------------------------------------------------ */

void diagnose_record_counters(struct trm_session *s)
{
	struct trm_sample now;
	bool is_marked;
	s->knows_events = session_is_open(s) && metrics_events_now(s->sandbox, true, &now, &is_marked);
	s->peak_is_marked = s->knows_events && is_marked;
	if (s->knows_events)
		s->events = now;
}

/* A report with the counters as they were before the run. It serves for a run and for an interpreter that has
 * ended. */
static struct limit_report limit_report_start(struct trm_session *s)
{
	struct limit_report limit_report = {.sandbox = s->sandbox, .last_words = ""};
	if (s->knows_events)
		limit_report.before = s->events;
	return limit_report;
}

void diagnose_reset_peak(struct trm_session *s)
{
	struct limit_report limit_report = limit_report_start(s);
	if (!s->knows_events) {
		diagnose_record_counters(s);
		return;
	}
	metrics_events_now(s->sandbox, false, &limit_report.now, NULL);
	if (limit_report_kills(&limit_report))
		/* the kill happened before we got here: keep the old counters, so that it is still reported
		 */
		return;
	metrics_events_now(s->sandbox, true, &limit_report.now, &s->peak_is_marked);
	s->events.mem_peak_bytes = limit_report.now.mem_peak_bytes;
}

/* ---- the interpreter's end ----------------------------------------------------------- */

/* People know "segmentation fault", not SIGSEGV. The first letter becomes small because the text stands
 * inside a sentence. */
static void describe_signal(int signo, char *out, size_t cap)
{
	snprintf(out, cap, "%s", signal_text(signo));
	if (out[0] >= 'A' && out[0] <= 'Z' && !(out[1] >= 'A' && out[1] <= 'Z'))
		out[0] = (char)(out[0] - 'A' + 'a');
}

/* The signal came from another client of the sandbox. */
static void describe_sender(uint32_t pid, char *out, size_t cap)
{
	char command[64] = "";
	if (pid && pid <= INT32_MAX)
		procstat_command((pid_t)pid, command, sizeof command);
	if (*command)
		snprintf(out, cap, ", sent by another client, process %u: %s", pid, command);
	else if (pid)
		snprintf(out, cap, ", sent by another client, process %u", pid);
	else
		snprintf(out, cap, ", sent by another client");
}

void diagnose_death(struct trm_session *s, const struct trm_exit *status, char *out, size_t cap)
{
	struct limit_report limit_report = limit_report_start(s);
	char words[96];
	if (status->signal == SIGKILL)
		metrics_events_now(s->sandbox, false, &limit_report.now, NULL);
	if (status->signal == SIGKILL && (status->oom_kills || limit_report_kills(&limit_report))) {
		limit_report_describe_memory(&limit_report, words, sizeof words);
		snprintf(out, cap, "killed: %s", words);
	} else if (status->signal == SIGXFSZ) {
		snprintf(out, cap, "killed by signal %d: file size limit of %" PRIu64 " MiB exceeded",
				SIGXFSZ, s->sandbox->opts.limits.file_bytes / mib);
	} else if (status->signal) {
		describe_signal(status->signal, words, sizeof words);
		int n = snprintf(out, cap, "killed by signal %d (%s)", status->signal, words);
		if (n > 0 && (size_t)n < cap && status->is_by_other)
			describe_sender(status->by_pid, out + n, cap - (size_t)n);
	} else {
		snprintf(out, cap, "the interpreter exited with code %d", status->exit_code);
	}
}

size_t diagnose_interrupt(struct trm_run *run, char *out, size_t cap)
{
	const struct trm_session *s = run->session;
	const struct own_run *own = run_own(run);
	out[0] = '\0';
	if (!own)
		return 0;
	if (own->is_stopped_for_output)
		flood_describe(s->opts.output_max_bytes, out, cap);
	else if (own->is_stopped_for_memory)
		snprintf(out, cap, "interrupted at %" PRIu64 " of %" PRIu64 " MiB, before the memory limit",
				own->memory_reported_bytes / mib, s->sandbox->opts.limits.mem_bytes / mib);
	return strlen(out);
}

/* ---- the limit that the code hit ---------------------------------------------------------- */

void diagnose_hint(struct trm_run *run, const struct trm_result *result, char *out, size_t cap)
{
	struct trm_session *s = run->session;
	struct limit_report limit_report = limit_report_start(s);
	out[0] = '\0';
	if (!session_is_open(s)
			|| (result->status == TRM_STATUS_OK && result->wall_us < SAMPLE_RUN_MS * 1000))
		return;
	limit_report.result = result;
	limit_report.last_words = said_text(&run->last_words);
	metrics_events_now(s->sandbox, false, &limit_report.now, NULL);
	bool is_crowd = limit_report_find(&limit_report, out, cap) == LIMIT_HIT_PROCESSES;
	if (!*out && result->status == TRM_STATUS_TIMEOUT && !run->has_printed && run->lang->commands
			&& run->lang->prepare)
		snprintf(out, cap,
				"compiling is part of the time limit; 'terrarium langs --prepare %s' makes it faster",
				run->lang->name);
	leftovers_end(run, result, is_crowd, &limit_report.now);
	if (limit_report.now.known) { /* this hit is reported now: the next run counts from here */
		s->events = limit_report.now;
		s->knows_events = true;
	}
}
