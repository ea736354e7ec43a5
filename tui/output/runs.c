/* SPDX-License-Identifier: MIT */
#include "output/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "output/output_line.h"
#include "text/cluster.h"
#include "text/format.h"

#define BYTES_WORTH_TELLING ((uint64_t)1 << 20)
#define RATE_NS 500000000u /* interval for the rate */

void runs_finish(struct runs *r)
{
	for (uint32_t i = 0; i < r->cap; i++)
		free(r->items[i].code);
	free(r->items);
	memset(r, 0, sizeof *r);
}

/* Make room for another run: twice as many up to RUNS_MAX, then in place of the oldest. */
static bool grow_runs(struct runs *r)
{
	uint32_t cap = r->cap ? r->cap * 2 : 16;

	if (r->last + 1 < r->cap || r->cap == RUNS_MAX)
		return true;
	struct run_info *items = realloc(r->items, cap * sizeof *items);
	if (!items)
		return false;
	memset(items + r->cap, 0, (cap - r->cap) * sizeof *items);
	r->items = items;
	r->cap = cap;
	return true;
}

/* The first line of the code that is not blank. Returns whether it was cut. */
static bool excerpt(char *out, size_t cap, const char *code, size_t len)
{
	size_t at = 0, used = 0;

	while (at < len && (code[at] == '\n' || code[at] == ' ' || code[at] == '\t'))
		at++;
	while (at < len && code[at] != '\n') {
		struct cluster c = cluster_at(code + at, len - at);
		if (used + c.len >= cap)
			break;
		if (c.kind == CLUSTER_TEXT) {
			memcpy(out + used, code + at, c.len);
			used += c.len;
		} else {
			out[used++] = ' ';
		}
		at += c.len;
	}
	out[used] = '\0';
	return at < len && code[at] != '\n';
}

struct run_info *runs_add(struct runs *r, const struct trm_lang *lang, const char *code, size_t len)
{
	if (!grow_runs(r))
		return NULL;
	struct run_info *run = &r->items[++r->last % r->cap], *older = runs_find(r, r->last - RUNS_CODE);
	free(run->code);
	if (older) {
		free(older->code);
		older->code = NULL;
	}
	*run = (struct run_info){.serial = r->last, .state = RUN_QUEUED, .lang = lang};
	run->is_excerpt_cut = excerpt(run->excerpt, sizeof run->excerpt, code, len);
	run->code = len < RUNS_CODE_BYTES ? strndup(code, len) : NULL;
	return run;
}

struct run_info *runs_find(const struct runs *r, uint32_t serial)
{
	if (!r->cap || serial == 0)
		return NULL;
	struct run_info *run = &r->items[serial % r->cap];
	return run->serial == serial ? run : NULL;
}

/* ---- what a language keeps ---- */

enum keeping { KEEPS_VARIABLES, KEEPS_PIECES, KEEPS_FILES };

static const struct {
	const char *interrupted, *restarted;
} keepings[] = {
		[KEEPS_VARIABLES] = {"interrupted; variables are kept",
				"its variables are lost, files are kept"},
		[KEEPS_PIECES] = {"interrupted; files and variables of earlier pieces are kept",
				"variables of its pieces are lost, files are kept"},
		[KEEPS_FILES] = {"interrupted; files are kept", "files are kept"},
};

static enum keeping keeping_of(const struct trm_lang *lang)
{
	return !lang || !lang->commands ? KEEPS_VARIABLES : lang->has_pieces ? KEEPS_PIECES : KEEPS_FILES;
}

bool run_keeps_variables(const struct trm_lang *lang)
{
	return keeping_of(lang) != KEEPS_FILES;
}

const char *run_interrupted_text(const struct trm_lang *lang)
{
	return keepings[keeping_of(lang)].interrupted;
}

const char *run_restarted_text(const struct trm_lang *lang)
{
	return keepings[keeping_of(lang)].restarted;
}

/* ---- the header ---- */

static void add_header_text(struct output_line *line, uint16_t role, uint16_t attrs, const char *text)
{
	output_line_put(line, text, strlen(text), (struct style){.role = role, .attrs = attrs});
}

static const struct {
	uint16_t role;
	const char *mark, *ascii;
} marks[] = {
		[TRM_STATUS_OK] = {ROLE_OUT_VALUE, "✓", "ok"},
		[TRM_STATUS_ERROR] = {ROLE_OUT_ERROR, "✗", "error"},
		[TRM_STATUS_TIMEOUT] = {ROLE_OUT_ERROR, "✗ timeout", "timeout"},
		[TRM_STATUS_INTERRUPTED] = {ROLE_WARN, "✗ interrupted", "interrupted"},
		[TRM_STATUS_KILLED] = {ROLE_OUT_ERROR, "✗ killed", "killed"},
		[TRM_STATUS_LOST] = {ROLE_OUT_ERROR, "✗ lost", "lost"},
};

static void add_number(struct output_line *line, const char *before, const char *number, const char *behind)
{
	add_header_text(line, ROLE_DIM, 0, before);
	add_header_text(line, ROLE_DIM, 0, number);
	add_header_text(line, ROLE_DIM, 0, behind);
}

/* The time and memory of the run. A run with much output also shows the amount. That of another client has
 * its name in this place. */
static void cost(struct output_line *line, const struct run_info *run)
{
	char number[24];

	if (run->by[0])
		return;
	if (run->install_us)
		add_number(line, "  installed in ", format_duration(number, run->install_us), "");
	if (run->compile_us)
		add_number(line, "  compiled in ", format_duration(number, run->compile_us), "");
	if (run->has_cpu)
		add_number(line, "  cpu ", format_duration(number, run->cpu_us), "");
	if (run->has_mem_peak)
		add_number(line, "  peak ", format_bytes(number, run->mem_peak_bytes), "");
	if (run->out_bytes >= BYTES_WORTH_TELLING)
		add_number(line, "  printed ", format_bytes(number, run->out_bytes), "");
}

static void outcome(struct output_line *line, const struct run_info *run, bool has_utf8)
{
	char text[64], number[24];

	if (!run->is_wall_unknown)
		add_number(line, "", format_duration(number, run->wall_us), "  ");
	if (run->is_exit) {
		snprintf(text, sizeof text, "exit %d ", run->exit_code);
		add_header_text(line, ROLE_OUT_ERROR, 0, text);
	}
	/* A run that had to be killed is no harmless interrupt: the variables are gone. */
	enum trm_status status = run->status == TRM_STATUS_INTERRUPTED && run->is_state_lost
						 ? TRM_STATUS_KILLED
						 : run->status;
	add_header_text(line, marks[status].role, 0, has_utf8 ? marks[status].mark : marks[status].ascii);
	cost(line, run);
}

/* The state of the run, and the rate of its output. */
static void progress(struct output_line *line, const struct run_info *run, uint64_t now_ns)
{
	static const char *const words[] = {[RUN_QUEUED] = "waiting",
			[RUN_RUNNING] = "running",
			[RUN_INTERRUPTING] = "interrupting",
			[RUN_KILLING] = "killing"};
	uint64_t tenths = run->began_ns && now_ns > run->began_ns ? (now_ns - run->began_ns) / 100000000u : 0;
	char text[24];

	add_header_text(line, run->is_paused ? ROLE_OUT_ERROR : ROLE_WARN, 0,
			run->is_paused                                   ? "paused"
			: run->state == RUN_QUEUED && run->out_bytes     ? "installing"
			: run->state <= RUN_KILLING && words[run->state] ? words[run->state]
									 : "waiting");
	if (tenths && run->state != RUN_QUEUED) {
		if (tenths < 600)
			snprintf(text, sizeof text, " %" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
		else
			snprintf(text, sizeof text, " %" PRIu64 ":%02" PRIu64 " min", tenths / 600,
					tenths / 10 % 60);
		add_header_text(line, ROLE_WARN, 0, text);
	}
	if (run->out_bytes >= BYTES_WORTH_TELLING) {
		add_number(line, "  printed ", format_bytes(text, run->out_bytes), "");
		add_number(line, ", ", format_bytes(text, run->bytes_per_s), "/s");
	}
	if (run->is_spilling)
		add_header_text(line, ROLE_WARN, 0, "  to a file");
}

void run_header(struct output_line *line, const struct run_info *run, bool has_utf8, uint64_t now_ns,
		int64_t n_folded)
{
	char text[64], count[32];

	if (!run) {
		add_header_text(line, ROLE_OUT_HEADER, 0, "[run]");
		return;
	}
	add_header_text(line, ROLE_OUT_HEADER, 0,
			n_folded >= 0 ? has_utf8 ? "▸ " : "+ "
			: has_utf8    ? "▾ "
				      : "- ");
	if (run->number)
		snprintf(text, sizeof text, "[%" PRIu64 "] %s", run->number, run->lang->name);
	else
		snprintf(text, sizeof text, "%s%s",
				run->by[0]        ? "command"
				: run->is_install ? ""
						  : "[ ] ",
				run->by[0] ? "" : run->lang->name);
	add_header_text(line, ROLE_OUT_HEADER, ATTR_BOLD, text);
	add_header_text(line, ROLE_DIM, 0, "  ");
	if (run->state == RUN_DONE)
		outcome(line, run, has_utf8);
	else
		progress(line, run, now_ns);
	if (n_folded >= 0) {
		snprintf(text, sizeof text, "  %s line%s folded",
				format_count(count, (uint64_t)n_folded, ','), n_folded == 1 ? "" : "s");
		add_header_text(line, ROLE_WARN, 0, text);
	}
	add_header_text(line, ROLE_DIM, 0, "  ");
	if (run->by[0]) {
		add_header_text(line, ROLE_OUT_HEADER, 0, run->by);
		add_header_text(line, ROLE_DIM, 0, "  ");
	}
	add_header_text(line, ROLE_DIM, 0, run->excerpt);
	if (run->is_excerpt_cut)
		add_header_text(line, ROLE_DIM, 0, has_utf8 ? "…" : "...");
}

/* ---- end of a run ---- */

void run_info_end(struct run_info *run, const struct trm_result *r, uint64_t now_ns)
{
	run->state = RUN_DONE;
	run->number = r->number;
	run->status = r->status;
	run->is_state_lost = r->state_lost;
	run->exit_code = r->exit_code;
	run->is_exit = r->status == TRM_STATUS_ERROR && (!r->error_name || r->exit_code > 1);
	run->wall_us = r->wall_us;
	run->is_wall_unknown = r->is_wall_unknown;
	run->ended_ns = now_ns;
	if (!run->began_ns)
		run->began_ns = now_ns - r->wall_us * 1000;
	run->install_us = r->has_install ? r->install_us : 0;
	run->compile_us = r->has_compile ? r->compile_us : 0;
	run->has_cpu = r->has_cpu;
	run->cpu_us = r->cpu_us;
	run->has_mem_peak = r->has_mem_peak;
	run->mem_peak_bytes = r->mem_peak_bytes;
}

/* ---- amount of output ---- */

void run_count(struct run_info *run, uint64_t bytes)
{
	run->out_bytes += bytes;
}

void run_tick(struct run_info *run, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - run->rate_at_ns, bytes = run->out_bytes - run->rate_bytes;

	if (run->rate_at_ns && passed_ns < RATE_NS)
		return;
	if (run->rate_at_ns)
		run->bytes_per_s = (uint64_t)((double)bytes * 1e9 / (double)passed_ns);
	run->rate_at_ns = now_ns;
	run->rate_bytes = run->out_bytes;
}
