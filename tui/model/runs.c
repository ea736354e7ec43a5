/* SPDX-License-Identifier: MIT */
#include "model/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "model/outline.h"
#include "text/cluster.h"

void runs_finish(struct runs *r)
{
	free(r->items);
	memset(r, 0, sizeof *r);
}

/* Room for one more: twice as much up to RUNS_MAX, then the oldest is forgotten. */
static bool grow(struct runs *r)
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

/* The first line of the code that says something. */
static void excerpt(char *out, size_t cap, const char *code, size_t len)
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
}

struct run_info *runs_add(struct runs *r, const struct trm_lang *lang, const char *code, size_t len)
{
	if (!grow(r))
		return NULL;
	struct run_info *run = &r->items[++r->last % r->cap];
	*run = (struct run_info){.serial = r->last, .state = RUN_QUEUED, .lang = lang};
	excerpt(run->excerpt, sizeof run->excerpt, code, len);
	return run;
}

struct run_info *runs_find(const struct runs *r, uint32_t serial)
{
	if (!r->cap || serial == 0)
		return NULL;
	struct run_info *run = &r->items[serial % r->cap];
	return run->serial == serial ? run : NULL;
}

/* ---- words ---- */

char *format_duration(char out[24], uint64_t us)
{
	if (us < 9950)
		snprintf(out, 24, "%.1f ms", (double)us / 1e3);
	else if (us < 999500)
		snprintf(out, 24, "%.0f ms", (double)us / 1e3);
	else if (us < 59950000)
		snprintf(out, 24, "%.1f s", (double)us / 1e6);
	else
		snprintf(out, 24, "%" PRIu64 ":%02" PRIu64 " min", us / 60000000, us / 1000000 % 60);
	return out;
}

char *format_bytes(char out[24], uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	unsigned unit = 0;

	while (v >= 1023.5 && unit < 4) {
		v /= 1024.0;
		unit++;
	}
	bool is_whole = v >= 99.95 || v < (double)(uint64_t)v + 0.05;
	snprintf(out, 24, is_whole ? "%.0f %s" : "%.1f %s", v, units[unit]);
	return out;
}

/* ---- the header ---- */

static void add(struct outline *line, uint16_t role, uint16_t attrs, const char *text)
{
	outline_put(line, text, strlen(text), (struct style){.role = role, .attrs = attrs});
}

static const struct {
	uint16_t role;
	const char *mark, *ascii;
} marks[] = {
		[TRM_STATUS_OK] = {ROLE_OUT_VALUE, "✓", "ok"},
		[TRM_STATUS_ERROR] = {ROLE_OUT_ERROR, "✗", "error"},
		[TRM_STATUS_TIMEOUT] = {ROLE_OUT_ERROR, "✗ time-out", "time-out"},
		[TRM_STATUS_INTERRUPTED] = {ROLE_WARN, "✗ interrupted", "interrupted"},
		[TRM_STATUS_KILLED] = {ROLE_OUT_ERROR, "✗ killed", "killed"},
		[TRM_STATUS_LOST] = {ROLE_OUT_ERROR, "✗ lost", "lost"},
};

static void outcome(struct outline *line, const struct run_info *run, bool has_utf8)
{
	char text[64], number[24];

	add(line, ROLE_DIM, 0, format_duration(number, run->wall_us));
	add(line, ROLE_DIM, 0, "  ");
	if (run->is_exit) {
		snprintf(text, sizeof text, "exit %d ", run->exit_code);
		add(line, ROLE_OUT_ERROR, 0, text);
	}
	add(line, marks[run->status].role, 0, has_utf8 ? marks[run->status].mark : marks[run->status].ascii);
}

void run_header(struct outline *line, const struct run_info *run, bool has_utf8)
{
	char text[64];

	if (!run) {
		add(line, ROLE_OUT_HEADER, 0, "[run]");
		return;
	}
	if (run->number)
		snprintf(text, sizeof text, "[%" PRIu64 "] %s", run->number, run->lang->name);
	else
		snprintf(text, sizeof text, "[ ] %s", run->lang->name);
	add(line, ROLE_OUT_HEADER, ATTR_BOLD, text);
	add(line, ROLE_DIM, 0, "  ");
	if (run->state == RUN_DONE)
		outcome(line, run, has_utf8);
	else
		add(line, ROLE_WARN, 0, run->state == RUN_QUEUED ? "waiting" : "running");
	add(line, ROLE_DIM, 0, "  ");
	add(line, ROLE_DIM, 0, run->excerpt);
}
