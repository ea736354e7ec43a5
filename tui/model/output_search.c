/* SPDX-License-Identifier: MIT */
/* Searching the output: a bar at the bottom of the pane, and moving between matches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "command/command.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/output.h"
#include "model/update.h"

/* Bytes of output that are searched in one step. A plain pattern takes about 1 ms per MiB, a regular
 * expression ten times as long. */
#define SLICE_PLAIN ((size_t)32 << 20)
#define SLICE_REGEX ((size_t)2 << 20)

static size_t slice(const struct model *m)
{
	return m->out.search.is_regex ? SLICE_REGEX : SLICE_PLAIN;
}

/* "line 3 of 17 that match" */
static void describe_matches(struct model *m)
{
	struct outbar *bar = &m->out.bar;
	uint64_t index, n = outsearch_count(&m->out.search, m->out.has_mark ? m->out.mark : 0, &index);
	const char *more = outsearch_is_done(&m->out) ? "" : "+";

	bar->is_wrong = n == 0 && !*more;
	if (!m->out.search.find)
		bar->said[0] = '\0';
	else if (index && m->out.has_mark)
		snprintf(bar->said, sizeof bar->said, "%" PRIu64 " of %" PRIu64 "%s line%s", index, n, more,
				n == 1 ? "" : "s");
	else
		snprintf(bar->said, sizeof bar->said, n ? "%" PRIu64 "%s line%s" : "no match", n, more,
				n == 1 ? "" : "s");
	if (bar->is_wrong && find_gave_up(m->out.search.find))
		snprintf(bar->said, sizeof bar->said, "no match (given up in some lines)");
}

/* Make the next match after or before a line the current line. */
static bool show_next(struct model *m, uint64_t line, int by)
{
	struct rect area = model_output_area(m);
	uint64_t to;

	m->needs_draw = true;
	if (!outsearch_next(&m->out, line, by, &to))
		return false;
	outpane_show(&m->out, area.rows, area.cols, to);
	describe_matches(m);
	return true;
}

/* While the pattern is typed: go to the last match at or before the line where the search began. */
static void search_from_origin(struct model *m)
{
	uint64_t origin = m->out.bar.origin;

	if (!show_next(m, origin == UINT64_MAX ? origin : origin + 1, -1))
		describe_matches(m);
}

static void begin_output_search(struct model *m)
{
	struct outbar *bar = &m->out.bar;
	struct trm_error err = {0};

	if (outsearch_begin(&m->out.search, field_text(&bar->what), bar->is_regex, &err) < 0) {
		snprintf(bar->said, sizeof bar->said, "%.150s", err.msg);
		bar->is_wrong = true;
		return;
	}
	outsearch_step(&m->out, slice(m));
	search_from_origin(m);
	bar->is_looking = output_search_is_busy(m);
}

static void output_find(struct model *m, struct effects *out)
{
	struct outbar *bar = &m->out.bar;

	(void)out;
	model_focus(m, PANE_OUTPUT);
	bar->is_open = true;
	field_select(&bar->what);
	bar->origin = m->out.has_mark ? m->out.mark : UINT64_MAX;
	m->out.has_selection = false;
	describe_matches(m);
	m->needs_draw = true;
}

static void find_again(struct model *m, int by)
{
	uint64_t end = outpane_end(&m->out), from = m->out.has_mark ? m->out.mark : by > 0 ? 0 : end;

	if (!m->out.search.find)
		output_find(m, NULL);
	else if (!show_next(m, from, by))
		notices_add(&m->notices, m->now_ns, false, "no line of the output matches");
	else if (m->out.has_mark && by > 0 ? m->out.mark < from : m->out.mark > from)
		notices_add(&m->notices, m->now_ns, false, "the search wrapped");
	m->needs_draw = true;
}

static void output_find_next(struct model *m, struct effects *out)
{
	(void)out;
	find_again(m, 1);
}

static void output_find_previous(struct model *m, struct effects *out)
{
	(void)out;
	find_again(m, -1);
}

static const struct command commands[] = {
		{"output-find", "Find in the output…", "find in the output (plain or regular expression)",
				CONTEXT_OUTPUT, .run = output_find},
		{"output-find-next", "Find next in the output", "go to the next match", CONTEXT_OUTPUT,
				.run = output_find_next},
		{"output-find-previous", "Find previous in the output", "go to the previous match",
				CONTEXT_OUTPUT, .run = output_find_previous},
};
const struct command_table output_search_commands = COMMAND_TABLE(commands);

/* ---- the bar ---- */

static void close_bar(struct model *m, bool forgets)
{
	m->out.bar.is_open = false;
	if (forgets)
		outsearch_finish(&m->out.search);
}

/* Keys of the bar itself. */
static bool bar_key(struct model *m, const struct event *ev)
{
	bool is_alt_x = ev->key == 'x' && ev->mods == MOD_ALT;
	bool is_stop = ev->key == 'c' && ev->mods == MOD_CTRL && !model_is_running(m);

	if (is_alt_x) {
		m->out.bar.is_regex = !m->out.bar.is_regex;
		begin_output_search(m);
	} else if (ev->key == K_ESCAPE || is_stop) {
		close_bar(m, true);
	} else if (ev->key == K_ENTER) {
		close_bar(m, m->out.bar.what.len == 0);
	} else if (ev->key == K_UP || ev->key == K_DOWN) {
		find_again(m, ev->key == K_UP ? -1 : 1);
	} else {
		return false;
	}
	return true;
}

bool output_search_event(struct model *m, const struct msg *msg)
{
	const struct event *ev = msg->event;

	if (m->focus != PANE_OUTPUT || !m->out.bar.is_open)
		return false;
	if (ev->type != EVENT_KEY && ev->type != EVENT_PASTE)
		return false;
	m->needs_draw = true;
	if (ev->type == EVENT_KEY && bar_key(m, ev))
		return true;
	if (!field_handle(&m->out.bar.what, ev))
		return false;
	begin_output_search(m);
	return true;
}

bool output_search_is_busy(const struct model *m)
{
	return m->out.search.find && !outsearch_is_done(&m->out);
}

void output_search_tick(struct model *m)
{
	if (!output_search_is_busy(m))
		return;
	outsearch_step(&m->out, slice(m));
	if (m->out.bar.is_looking && m->out.bar.is_open && !model_is_running(m))
		search_from_origin(m);
	else
		describe_matches(m);
	m->out.bar.is_looking = m->out.bar.is_looking && output_search_is_busy(m);
}
