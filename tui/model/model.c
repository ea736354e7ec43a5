/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "model/output.h"
#include "model/which_key.h"
#include "text/cluster.h"

int model_init(struct model *m, const struct model_opts *opts)
{
	memset(m, 0, sizeof *m);
	m->rows = opts->rows;
	m->cols = opts->cols;
	m->has_utf8 = opts->has_utf8;
	m->shows_links = opts->shows_links;
	m->graph_style = opts->graph_style;
	m->alerts.opts = opts->alerts;
	if (!opts->has_utf8)
		m->graph_style = GRAPH_ASCII;
	m->lang = opts->lang;
	m->confirm = opts->confirm;
	snprintf(m->trust, sizeof m->trust, "%s", opts->trust ? opts->trust : "");
	snprintf(m->policy, sizeof m->policy, "%s", opts->policy ? opts->policy : "");
	m->policy_asks = opts->policy_asks;
	m->with = opts->with;
	m->timeout_ms = opts->timeout_ms;
	m->grace_ms = opts->grace_ms;
	m->auto_complete = opts->auto_complete;
	m->run_history.is_on = opts->has_history;
	m->terminate_grace_ms = opts->terminate_grace_ms;
	m->sandbox.limits = opts->limits;
	snprintf(m->theme, sizeof m->theme, "%s", opts->theme);
	m->needs_draw = true;
	if (keymap_init(&m->keymap) < 0)
		return TRM_ENOMEM;
	if (buffers_init(&m->buffers, &m->clipboard) < 0)
		return TRM_ENOMEM;
	buffers_set_style(&m->buffers, opts->auto_close, opts->wrap);
	const struct buffer *first = buffers_of_lang(&m->buffers, m->lang);
	if (!first && !(first = buffers_add(&m->buffers, m->lang)))
		return TRM_ENOMEM;
	buffers_show(&m->buffers, first->id);
	if (outpane_init(&m->out, opts->scrollback_bytes ? opts->scrollback_bytes : OUT_DEFAULT_CAP) < 0)
		return TRM_ENOMEM;
	m->out.has_utf8 = opts->has_utf8;
	m->out.figures.last_picture = opts->pictures;
	m->out.figures.terminal = (struct figure_terminal){
			.is_off = opts->images_off, .look = {.cell_w = opts->cell_w, .cell_h = opts->cell_h}};
	model_relayout(m);
	return 0;
}

void model_finish(struct model *m)
{
	buffers_finish(&m->buffers);
	keymap_finish(&m->keymap);
	finder_finish(&m->finder);
	find_all_finish(&m->find_all);
	clipboard_finish(&m->clipboard);
	outpane_finish(&m->out);
	field_finish(&m->input);
	input_history_finish(&m->input_history);
	dialog_finish(&m->dialog);
	trm_findings_finish(&m->findings);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		variables_finish(&m->variables[i]);
	field_finish(&m->variables_page.filter);
	metrics_finish(&m->metrics);
	sandboxes_finish(&m->sandboxes);
	table_page_finish(&m->table_page);
	variable_tree_finish(&m->variable_tree);
	artifacts_finish(&m->artifacts);
	completion_finish(&m->completion);
	run_history_finish(&m->run_history);
	demo_finish(&m->demo);
	file_picker_finish(&m->file_picker);
	notices_finish(&m->notices);
	memset(m, 0, sizeof *m);
}

/* Programs draw for the width that the sandbox had at its start, so the screen never gets narrower. */
static void size_screen(struct model *m)
{
	struct rect area = m->layout.panes[PANE_OUTPUT];
	struct live_screen *o = &m->out.screen;
	int rows = area.rows > OUTPUT_ROWS_MIN ? area.rows : OUTPUT_ROWS_MIN;
	int cols = area.cols > OUTPUT_COLS_MIN ? area.cols : OUTPUT_COLS_MIN;

	live_screen_size(o, rows > o->want_rows ? rows : o->want_rows,
			cols > o->want_cols ? cols : o->want_cols);
}

void model_relayout(struct model *m)
{
	if (m->tutor.is_on)
		m->foot_rows = tutor_rows(m);
	m->layout = layout_make(m->rows - m->foot_rows, m->cols, m->focus, &m->panes);
	struct rect area = model_editor_area(m);
	if (area.rows > 0)
		buffers_resize(&m->buffers, area.rows, area.cols);
	size_screen(m);
	m->needs_draw = true;
}

void model_focus(struct model *m, enum pane pane)
{
	m->focus = pane;
	complete_close(m);
	if (m->layout.kind == LAYOUT_SINGLE)
		model_relayout(m);
	m->needs_draw = true;
}

void model_say_copied(struct model *m, const char *text, size_t n, const char *of)
{
	size_t lines = 0, characters = 0;

	for (size_t at = 0; at < n; at += cluster_at(text + at, n - at).len) {
		characters++;
		lines += text[at] == '\n';
	}
	bool is_whole = n && text[n - 1] == '\n';
	size_t count = lines ? lines + !is_whole : characters;
	notices_add(&m->notices, m->now_ns, false, "copied %zu %s%s of %s", count,
			lines ? "line" : "character", count == 1 ? "" : "s", of);
}

struct rect model_editor_area(const struct model *m)
{
	struct rect area = m->layout.panes[PANE_EDITOR];
	int bar = finder_rows(&m->finder);

	area.rows -= bar < area.rows ? bar : area.rows - (area.rows > 0);
	return area;
}

struct rect model_output_area(const struct model *m)
{
	struct rect area = m->layout.panes[PANE_OUTPUT];

	area.col++;
	area.cols--;
	if (m->has_input && area.rows > 1)
		area.rows--;
	if (m->out.bar.is_open && area.rows > 1)
		area.rows--;
	return area;
}

struct rect model_metrics_area(const struct model *m)
{
	struct rect area = m->layout.panes[PANE_METRICS];

	if (m->variables_page.is_shown && !variables_is_overlay(m))
		area.rows -= variables_area(m).rows;
	return area;
}

int model_output_cols(const struct model *m)
{
	struct layout_request request = m->panes;
	request.is_zoomed = false;
	struct layout l = layout_make(m->rows - m->foot_rows, m->cols, PANE_OUTPUT, &request);
	return l.kind == LAYOUT_TOO_SMALL ? OUTPUT_COLS_MIN : l.panes[PANE_OUTPUT].cols - 1;
}

/* The shorter of two waits; -1 is never. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

enum { AWAY_MS = 1000 }; /* of a clock that nobody looks at */

int model_tick_ms(const struct model *m)
{
	int wait_ms = sooner(variables_wait_ms(m), output_search_is_busy(m) ? 10 : -1);

	wait_ms = sooner(wait_ms, find_all_is_busy(m) ? 10 : -1);
	wait_ms = sooner(wait_ms, demo_wait_ms(m));
	wait_ms = sooner(wait_ms, which_key_wait_ms(m));

	if (m->replay.is_on) /* the player feeds everything that depends on the time */
		return m->notices.is_shown ? 500 : -1;
	if (m->run.state == RUN_RUNNING || m->run.state == RUN_INTERRUPTING || m->run.state == RUN_KILLING)
		return sooner(wait_ms, m->is_away ? AWAY_MS : 100);
	if (peer_runs_running(m))
		return sooner(wait_ms, m->is_away ? AWAY_MS : 500);
	if (m->is_quitting || m->notices.is_shown)
		return sooner(wait_ms, 500);
	return wait_ms;
}
