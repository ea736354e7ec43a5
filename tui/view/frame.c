/* SPDX-License-Identifier: MIT */
/* Everything around the panes: borders, title, tabs, status line, key bar. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/keymap.h"
#include "model/inspect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/page.h"
#include "model/stopping.h"
#include "text/cluster.h"
#include "text/format.h"
#include "view/parts.h"

/* ---- borders ---- */

/* Draw the border of the focused pane brighter. */
static void focus_border(const struct model *m, struct canvas *c)
{
	const struct layout *l = &m->layout;
	struct rect p = l->panes[m->focus];
	bool u = m->has_utf8;
	int top = m->focus == PANE_OUTPUT ? l->divider_row : l->title_row;
	int bottom = m->focus == PANE_EDITOR ? l->divider_row : l->status_row;

	draw_vertical(c, u, top + 1, p.col - 1, bottom - top - 1, ROLE_BORDER_FOCUS);
	draw_vertical(c, u, top + 1, p.col + p.cols, bottom - top - 1, ROLE_BORDER_FOCUS);
	draw_horizontal(c, u, top, p.col, p.cols, ROLE_BORDER_FOCUS);
	draw_horizontal(c, u, bottom, p.col, p.cols, ROLE_BORDER_FOCUS);
}

static void borders(const struct model *m, struct canvas *c)
{
	const struct layout *l = &m->layout;
	struct rect box = {l->title_row, 0, l->status_row - l->title_row + 1, m->cols};
	bool u = m->has_utf8;

	draw_box(c, u, box, ROLE_BORDER);
	draw_horizontal(c, u, l->divider_row, 1, m->layout.panes[PANE_EDITOR].cols, ROLE_BORDER);
	if (l->divider_col >= 0)
		draw_vertical(c, u, 1, l->divider_col, box.rows - 2, ROLE_BORDER);
	if (l->panes[m->focus].rows > 0)
		focus_border(m, c);
	draw_sign(c, u, l->divider_row, 0, SIGN_TEE_RIGHT, ROLE_BORDER);
	draw_sign(c, u, l->divider_row, l->divider_col >= 0 ? l->divider_col : m->cols - 1, SIGN_TEE_LEFT,
			ROLE_BORDER);
	if (l->divider_col >= 0) {
		draw_sign(c, u, 0, l->divider_col, SIGN_TEE_DOWN, ROLE_BORDER);
		draw_sign(c, u, l->status_row, l->divider_col, SIGN_TEE_UP, ROLE_BORDER);
	}
}

/* ---- title ---- */

static const char *state_text(const struct model *m, char out[96], uint16_t *role)
{
	char text[24];
	uint64_t ran_us = (m->now_ns - m->run.started_ns) / 100000000u * 100000u;

	*role = ROLE_STATUS_BUSY;
	switch (m->run.state) {
	case RUN_INTERRUPTING:
		return m->run.ladder.step == TRM_STOP_TERMINATE ? "terminating" : "interrupting";
	case RUN_KILLING: return "killing";
	case RUN_RUNNING:
		if (m->run.paused_ns) {
			*role = ROLE_STATUS_ERROR;
			return "paused";
		}
		if (m->run.reads_line)
			return "waiting for input";
		if (ran_us < 100000)
			return "running";
		snprintf(out, 96, "running %s", format_duration(text, ran_us < 1000000 ? 1000000 : ran_us));
		if (ran_us < 1000000)
			snprintf(out, 96, "running 0.%" PRIu64 " s", ran_us / 100000);
		return out;
	case RUN_QUEUED: return m->sandbox.state == SANDBOX_STARTING ? "starting" : "waiting";
	case RUN_NONE:
	case RUN_DONE: break;
	}
	if (m->sandbox.state == SANDBOX_STARTING)
		return "starting";
	if (peer_runs_running(m))
		return "running (other client)";
	*role = m->sandbox.state == SANDBOX_DEAD ? ROLE_STATUS_ERROR : ROLE_STATUS_OK;
	return m->sandbox.state != SANDBOX_DEAD ? "idle" : m->sandbox.was_ready ? "ended" : "not started";
}

/* Does the title stand alone, without a border? A page covers the frame. */
static bool is_title_alone(const struct model *m)
{
	return m->layout.kind == LAYOUT_SINGLE || page_is_shown(m);
}

/* Leave a gap between two pieces of the title, in which the border shows. */
static int title_gap(const struct model *m, struct canvas *c, struct rect clip, int col)
{
	if (is_title_alone(m))
		return draw_text(c, clip, 0, col, ROLE_DIM, " ");
	return col + 2;
}

enum { BRIEF_COLS = 60 }; /* narrower: show only what is essential */

/* The columns of what title_state() writes. Where there is little room, the time of the last run is left out.
 */
static int state_cols(const struct model *m, bool is_brief)
{
	char text[96];
	uint16_t role;
	int cols = (int)strlen(state_text(m, text, &role)) + 9;

	if (!is_brief && m->run.state == RUN_NONE && !peer_runs_running(m))
		cols += 12;
	if (!is_brief && m->panes.is_zoomed)
		cols += 16;
	if (m->is_recording)
		cols += 9;
	if (m->sandbox.limits.net)
		cols += 7;
	if (m->sandbox.is_open)
		cols += is_brief ? 8 : 16;
	if (m->peer_runs.n_clients > 1)
		cols += is_brief ? 8 : 14;
	return cols;
}

/* The state: without isolation, idle, running, recording, network on, and the time of the last run. The first
 * is never cut off. */
static int title_state(const struct model *m, struct canvas *c, struct rect clip, int col, bool is_brief)
{
	char text[96], last[24], key[KEYMAP_NAME_BYTES];
	uint16_t role;
	const char *state = state_text(m, text, &role);

	if (m->sandbox.is_open && m->sandbox.state != SANDBOX_DEAD)
		col = title_gap(m, c, clip,
				draw_text(c, clip, 0, col, ROLE_STATUS_ERROR,
						is_brief ? " OPEN " : " NO ISOLATION "));
	col = draw_format(c, clip, 0, col, role, " %s %s ", sign(m->has_utf8, SIGN_DOT), state);
	if (m->is_recording) {
		col = title_gap(m, c, clip, col);
		col = draw_format(
				c, clip, 0, col, ROLE_STATUS_ERROR, " %s REC ", sign(m->has_utf8, SIGN_DOT));
	}
	if (m->peer_runs.n_clients > 1 && m->sandbox.state != SANDBOX_DEAD) {
		col = title_gap(m, c, clip, col);
		col = draw_format(c, clip, 0, col, ROLE_WARN, is_brief ? " %u cl " : " %u clients ",
				m->peer_runs.n_clients);
	}
	if (m->sandbox.limits.net && m->sandbox.state != SANDBOX_DEAD) {
		col = title_gap(m, c, clip, col);
		col = draw_text(c, clip, 0, col, ROLE_WARN, " NET ");
	}
	format_duration(last, m->last_wall_us);
	int rest = clip.col + clip.cols - col - (int)cluster_columns(last, strlen(last)) - 4;
	if (m->has_last && m->run.state == RUN_NONE && !peer_runs_running(m) && rest >= 0) {
		col = title_gap(m, c, clip, col);
		col = draw_format(c, clip, 0, col,
				m->last_status == TRM_STATUS_OK ? ROLE_TEXT : ROLE_OUT_ERROR, " %s ", last);
	}
	if (m->panes.is_zoomed && !is_brief) {
		col = title_gap(m, c, clip, col);
		col = draw_format(c, clip, 0, col, ROLE_WARN, " zoomed (%s) ", key_hint(m, "zoom", key));
	}
	return col;
}

/* The language. If no tabs are shown, name the buffer, too, because there may be several. */
static int title_language(const struct model *m, struct canvas *c, struct rect clip, int col)
{
	const struct buffer *b = buffers_current(&m->buffers);
	bool has_name = m->layout.tabs.rows == 0 && (b->editor.path || b->number > 1);
	struct rect part = clip;
	char label[BUFFER_LABEL];

	if (!has_name)
		return draw_format(c, clip, 0, col, ROLE_TITLE, " %s %s ", m->lang->name,
				sign(m->has_utf8, SIGN_MENU));
	buffer_label(b, label);
	part.cols = part.cols * 3 / 5;
	col = draw_text(c, part, 0, col, ROLE_TITLE, label);
	return draw_format(c, clip, 0, col, ROLE_TITLE, "%s ", sign(m->has_utf8, SIGN_MENU));
}

/* The sandbox. If there is little room, its name is more important than its backend and than long words for
 * its state. */
static int title_sandbox(const struct model *m, struct canvas *c, struct rect clip, int col, bool *is_brief)
{
	const struct sandbox_info *s = &m->sandbox;
	const char *kept = s->is_kept && s->state != SANDBOX_DEAD ? " kept" : "";
	char forms[3][128];
	enum { FORMS = sizeof forms / sizeof *forms };

	snprintf(forms[0], sizeof forms[0], "%s/%s%s", s->backend, s->name, kept);
	snprintf(forms[1], sizeof forms[1], "%s%s", s->name, kept);
	snprintf(forms[2], sizeof forms[2], "%s", s->name);
	for (size_t i = 0; i < 2 * FORMS && s->name[0]; i++) {
		const char *form = forms[i % FORMS];
		if (col + (int)strlen(form) + state_cols(m, i >= FORMS) > clip.col + clip.cols)
			continue;
		*is_brief = i >= FORMS;
		return title_gap(m, c, clip, draw_format(c, clip, 0, col, ROLE_TEXT, " %s ", form));
	}
	return col;
}

static void title(const struct model *m, struct canvas *c)
{
	bool single = is_title_alone(m), is_brief = m->cols < BRIEF_COLS;
	struct rect clip = {0, single ? 0 : 2, 1, m->cols - (single ? 0 : 4)};
	int col = clip.col;

	if (!is_brief)
		col = title_gap(m, c, clip, draw_text(c, clip, 0, col, ROLE_TITLE, " terrarium "));
	col = title_language(m, c, clip, col);
	col = title_gap(m, c, clip, col);
	if (!is_brief)
		col = title_sandbox(m, c, clip, col, &is_brief);
	title_state(m, c, clip, col, is_brief);
}

/* ---- tabs ---- */

static void tabs(const struct model *m, struct canvas *c)
{
	struct rect clip = m->layout.tabs;
	const struct buffer *current = buffers_current(&m->buffers);
	struct tab shown[TABS_MAX];
	size_t n = buffers_tabs(&m->buffers, clip.cols, shown);
	char label[BUFFER_LABEL];

	for (size_t i = 0; i < n; i++) {
		const struct tab *tab = &shown[i];
		struct rect area = {clip.row, clip.col + tab->col, 1, tab->cols};
		uint16_t role = tab->buffer == current ? ROLE_TAB_ACTIVE : ROLE_TAB;
		if (tab->buffer)
			buffer_label(tab->buffer, label);
		draw_text(c, area, area.row, area.col, role, tab->buffer ? label : tab->by < 0 ? "<" : ">");
	}
}

/* ---- the line between editor and output ---- */

/* The line shows the title of the output on the left and the position of the editor's cursor on the right.
 * It is drawn below the editor so that a typed character reaches the terminal before the new position does.
 */
static void divider(const struct model *m, struct canvas *c)
{
	struct rect clip = {m->layout.divider_row, 1, 1, m->layout.panes[PANE_OUTPUT].cols};
	const struct scrollback *s = &m->out.store;
	char position[64], count[32], text[200];
	int n = snprintf(position, sizeof position, *vi_mode_name(&m->vi) ? " %s %zu:%zu " : "%s %zu:%zu ",
			vi_mode_name(&m->vi), editor_line(model_editor(m)) + 1,
			editor_column(model_editor(m)) + 1);
	struct rect left = {clip.row, clip.col, 1, clip.cols - n - 2};
	int col = draw_text(c, clip, clip.row, clip.col + 1, m->focus == PANE_OUTPUT ? ROLE_TITLE : ROLE_DIM,
			" output ");

	struct rect area = model_output_area(m);
	if (area.rows > 0 && outpane_has_more(&m->out, area.rows, area.cols))
		col = draw_format(c, clip, clip.row, col + 2, ROLE_WARN, " %s more below ",
				sign(m->has_utf8, SIGN_MORE));
	if (s->dropped_lines) {
		snprintf(text, sizeof text, " %s lines dropped ", format_count(count, s->dropped_lines, ','));
		col = draw_cut_text(c, m->has_utf8, left, clip.row, col + 2, ROLE_WARN, text);
	}
	if (m->out.search.find && !m->out.bar.is_open) {
		snprintf(text, sizeof text, " %s ", m->out.bar.said);
		draw_cut_text(c, m->has_utf8, left, clip.row, col + 2, ROLE_DIM, text);
	}
	draw_text(c, clip, clip.row, clip.col + clip.cols - n - 1,
			m->focus == PANE_EDITOR ? ROLE_TITLE : ROLE_DIM, position);
}

/* ---- status and keys ---- */

enum { TOAST_ROWS = 3 };

/* The text of the status line: an activity that must not be missed, else the newest notice, else who else is
 * there. That stays, so it covers no row of the panes. */
static const char *status_text(const struct model *m, char *out, size_t cap, uint16_t *role, int *ret_rows)
{
	const struct notice *notice = notices_at(&m->notices, 0);

	*ret_rows = TOAST_ROWS;
	*role = ROLE_WARN;
	if (m->is_quitting)
		return m->is_slow_to_quit ? "stopping the sandbox ..." : "";
	if (m->leaving[0]) {
		const char *slash = strrchr(m->leaving, '/');
		snprintf(out, cap, "saving %.120s: quits when it is on the disk (^C or Esc: stay)",
				slash ? slash + 1 : m->leaving);
		return out;
	}
	if (m->sandbox.state == SANDBOX_STARTING && m->sandbox.doing[0])
		return m->sandbox.doing;
	stopping_text(m, out, cap);
	if (*out)
		return out;
	*role = ROLE_NOTICE_ERROR;
	if (*memory_text(m, out, cap))
		return out;
	*role = ROLE_WARN;
	if (*time_limit_text(m, out, cap))
		return out;
	*role = notice && notice->is_error ? ROLE_NOTICE_ERROR : ROLE_NOTICE;
	if (m->notices.is_shown && notice)
		return notice->text;
	*role = ROLE_STATUS;
	if (*signature_text(m) && !signature_is_beside(m))
		return signature_text(m);
	peer_runs_text(m, out, cap);
	*ret_rows = 1;
	/* In the layout with one pane the text would hide the metrics. */
	if (*out && (peer_runs_running(m) || m->layout.kind != LAYOUT_SINGLE))
		return out;
	*role = ROLE_STATUS_ERROR;
	if (m->sandbox.state != SANDBOX_DEAD || m->is_quitting || m->replay.is_on)
		return "";
	char key[KEYMAP_NAME_BYTES];
	snprintf(out, cap, "there is no sandbox: %s starts a new one", key_hint(m, "run", key));
	return out;
}

/* Does the person type into the row above the status line? */
static bool types_above_status(const struct model *m)
{
	return m->has_input || m->out.bar.is_open
	       || (m->layout.kind == LAYOUT_SINGLE && finder_rows(&m->finder) > 0);
}

/* A sentence that does not fit into one line extends upwards over the bottom of the panes, to `most` rows,
 * but not over what the person types. If it does not fit, the message list has all of it. */
static void toast(const struct model *m, struct canvas *c, struct rect line, uint16_t role, const char *text,
		int most)
{
	size_t at[TOAST_ROWS + 1] = {0}, n = strlen(text);
	int rows = 0, cols = line.cols - 2;

	most = m->rows < 16 || types_above_status(m) ? 1 : most;
	if (most == 1 && (int)cluster_columns(text, n) > cols) {
		canvas_fill(c, line, " ", style_of(role));
		draw_cut_text(c, m->has_utf8, line, line.row, line.col + 1, role, text);
		return;
	}
	while (rows < most && at[rows] < n) {
		at[rows + 1] = at[rows] + cluster_wrap(text + at[rows], n - at[rows], (size_t)cols);
		rows++;
	}
	for (int i = 0; i < rows; i++) {
		struct rect row = {line.row - rows + 1 + i, line.col, 1, line.cols};
		size_t len = at[i + 1] - at[i];
		int used = (int)cluster_columns(text + at[i], len) + 2;
		if (rows == 1)
			row.cols = used < row.cols ? used : row.cols;
		canvas_fill(c, row, " ", style_of(role));
		canvas_put(c, row, row.row, row.col + 1, text + at[i], len, style_of(role));
	}
	if (rows > 0 && at[rows] < n)
		draw_text(c, line, line.row, line.col + line.cols - (m->has_utf8 ? 1 : 3), role,
				sign(m->has_utf8, SIGN_ELLIPSIS));
}

void draw_status(const struct model *m, struct canvas *c)
{
	bool single = m->layout.kind == LAYOUT_SINGLE;
	int row = m->layout.status_row;
	struct rect clip = {row, single ? 0 : 2, 1, m->cols - (single ? 0 : 4)};
	char buffer[256];
	uint16_t role;
	int rows;
	const char *text = status_text(m, buffer, sizeof buffer, &role, &rows);

	if (text[0])
		toast(m, c, clip, role, text, rows);
	else if (single && m->focus != PANE_METRICS)
		draw_strip(m, c, clip);
}

static void keys(const struct model *m, struct canvas *c)
{
	struct rect clip = {m->layout.keys_row, 0, 1, m->cols};
	struct keybar_item items[KEYBAR_MAX];
	int n = keybar_make(m, m->cols, items);

	canvas_fill(c, clip, " ", style_of(ROLE_KEY_LABEL));
	for (int i = 0; i < n; i++) {
		int col = draw_format(c, clip, clip.row, items[i].col, ROLE_KEY, " %s", items[i].keys);
		draw_format(c, clip, clip.row, col, ROLE_KEY_LABEL, " %s ", items[i].label);
	}
}

/* With one pane there is no divider, so the row of tabs shows the position of the cursor at its end. */
static void tabs_of_one(const struct model *m, struct canvas *c)
{
	struct rect clip = m->layout.tabs;
	char position[64];

	if (clip.rows == 0)
		return;
	canvas_fill(c, clip, " ", style_of(ROLE_TEXT));
	tabs(m, c);
	int n = snprintf(position, sizeof position, *vi_mode_name(&m->vi) ? " %s %zu:%zu " : "%s %zu:%zu ",
			vi_mode_name(&m->vi), editor_line(model_editor(m)) + 1,
			editor_column(model_editor(m)) + 1);
	draw_text(c, clip, clip.row, clip.col + clip.cols - n - 1, ROLE_TITLE, position);
}

void draw_editor_frame(const struct model *m, struct canvas *c)
{
	if (m->layout.kind == LAYOUT_SINGLE) {
		tabs_of_one(m, c);
		return;
	}
	canvas_fill(c, m->layout.tabs, " ", style_of(ROLE_TEXT));
	tabs(m, c);
	draw_horizontal(c, m->has_utf8, m->layout.divider_row, 1, m->layout.panes[PANE_OUTPUT].cols,
			m->focus == PANE_METRICS ? ROLE_BORDER : ROLE_BORDER_FOCUS);
	divider(m, c);
}

void draw_frame(const struct model *m, struct canvas *c)
{
	if (m->layout.kind == LAYOUT_SINGLE) {
		tabs_of_one(m, c);
	} else {
		borders(m, c);
		divider(m, c);
		tabs(m, c);
	}
	if (is_title_alone(m))
		canvas_fill(c, (struct rect){0, 0, 1, m->cols}, " ", style_of(ROLE_TITLE));
	title(m, c);
	keys(m, c);
}
