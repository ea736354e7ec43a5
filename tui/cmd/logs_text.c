/* SPDX-License-Identifier: MIT */
/* Prints runs for people. */
#include "cmd/logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void clock_of(uint64_t ms, char *out, size_t cap)
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	if (!ms || !localtime_r(&seconds, &tm) || !strftime(out, cap, ", %H:%M:%S", &tm))
		*out = '\0';
}

/* Print one message line. It is dim if the terminal has colors, and resets the colors of the code. */
static void print_own_line(struct logs *l, const char *text)
{
	char line[1200];
	snprintf(line, sizeof line, "%s%.1100s%s", l->has_color ? "\x1b[0;2m" : "", text,
			l->has_color ? "\x1b[0m" : "");
	sink_line(&l->out, line);
}

static size_t count_lines(const char *s, size_t n)
{
	size_t lines = 0;
	for (const char *at = s; at < s + n && (at = memchr(at, '\n', (size_t)(s + n - at))); at++)
		lines++;
	return lines + (n && s[n - 1] != '\n');
}

/* "> first line (4 lines)" */
static void say_code(struct logs *l, const struct logs_entry *e)
{
	char first[400], line[520];
	/* From the first line that is not blank to the last one. */
	const char *from = e->code + strspn(e->code, " \t\r\n"), *end = e->code + e->code_len;
	while (end > from && strchr(" \t\r\n", end[-1]))
		end--;
	size_t lines = end > from ? count_lines(from, (size_t)(end - from)) : 0;
	trm_text_clean_line(first, sizeof first, from, strcspn(from, "\n"));
	if (lines > 1 || e->code_cut)
		snprintf(line, sizeof line, "> %s (%zu lines%s)", first, lines,
				e->code_cut ? " and more" : "");
	else
		snprintf(line, sizeof line, "> %s", first);
	print_own_line(l, line);
}

static void say_head(struct logs *l, struct logs_entry *e)
{
	char line[400], when[32];
	clock_of(e->began_ms, when, sizeof when);
	if (e->is_late)
		snprintf(line, sizeof line, "--- %s, later output of run %" PRIu64 " ---", e->lang->name,
				e->number);
	else if (e->is_command)
		snprintf(line, sizeof line, "--- command, %s%s%s ---",
				*e->by ? e->by : "by an unknown client", when,
				e->is_reported ? ", goes on" : "");
	else
		snprintf(line, sizeof line, "--- run %" PRIu64 ", %s, %s%s%s ---", e->number, e->lang->name,
				*e->by ? e->by : "by an unknown client", when,
				e->is_reported ? ", goes on" : "");
	print_own_line(l, line);
	if (!e->is_reported && !e->is_late)
		say_code(l, e);
	if (!e->is_reported && e->lost_bytes) {
		snprintf(line, sizeof line, "(%" PRIu64 " earlier bytes are no longer kept)", e->lost_bytes);
		print_own_line(l, line);
	}
	e->is_reported = true;
}

void logs_turn_to(struct logs *l, struct logs_entry *e)
{
	if (l->reported_last != e)
		say_head(l, e);
	l->reported_last = e;
}

void logs_put_output(struct logs_entry *e, const char *bytes, size_t n)
{
	struct logs *l = e->logs;
	if (!l->is_live || l->is_json) {
		writer_put(&e->text, bytes, n);
		return;
	}
	logs_turn_to(l, e);
	if (sink_held(&l->out) < LOGS_HELD_MAX)
		sink_pass(&l->out, bytes, n);
}

void logs_put_line(struct logs_entry *e, const char *text)
{
	struct logs *l = e->logs;
	bool is_kept = !l->is_live || l->is_json;
	char last = is_kept ? (e->text.n ? e->text.bytes[e->text.n - 1] : '\n') : l->out.last;
	if (last != '\n' && (is_kept || l->reported_last == e))
		logs_put_output(e, "\n", 1);
	logs_put_output(e, text, strlen(text));
	logs_put_output(e, "\n", 1);
}

static void on_display_line(void *user, const char *line)
{
	logs_put_line(user, line);
}

const struct displays_out logs_displays = {.text = on_display_line, .note = on_display_line};

void logs_put_end(struct logs_entry *e, const struct trm_result *r)
{
	char line[700], took[40] = "";
	if (r->value)
		logs_put_line(e, r->value);
	for (char **row = r->traceback; row && *row; row++)
		logs_put_line(e, *row);
	if (r->error_name && !(r->traceback && *r->traceback)) {
		snprintf(line, sizeof line, "%s: %s", r->error_name, r->error_message);
		logs_put_line(e, line);
	}
	if (!r->is_wall_unknown)
		snprintf(took, sizeof took, ", %.3f s", (double)r->wall_us / 1e6);
	else if (r->has_cpu) /* the kernel tells it; nobody has watched the clock */
		snprintf(took, sizeof took, ", CPU time %.3f s", (double)r->cpu_us / 1e6);
	snprintf(line, sizeof line, "--- %s%s%.500s%s ---", trm_status_name(r->status), r->reason ? ", " : "",
			r->reason ? r->reason : "", took);
	if (r->status == TRM_STATUS_ERROR && !r->error_name)
		snprintf(line, sizeof line, "--- error, exit code %d%s ---", r->exit_code, took);
	logs_put_line(e, line);
}
