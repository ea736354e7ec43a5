/* SPDX-License-Identifier: MIT */
#include "model/cell_runs.h"

#include <stdio.h>

#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/output.h"
#include "model/run_source.h"
#include "model/update.h"
#include "text/text.h"

/* The mark of a run, and its buffer. NULL: no open buffer has a mark of this run. */
static struct cell_mark *mark_of_run(const struct model *m, uint32_t serial, struct buffer **ret)
{
	const struct run_info *info = runs_find(&m->out.runs, serial);

	*ret = info ? buffers_find(&m->buffers, info->buffer) : NULL;
	return *ret ? cell_marks_find(&(*ret)->editor.marks, serial) : NULL;
}

void cell_runs_begin(struct model *m, struct buffer *b, struct editor_run what, uint32_t serial)
{
	struct cell_mark *mark = cell_marks_add(&b->editor.marks, b->editor.text, what.pos, what.len);

	m->needs_draw = true;
	if (!mark)
		return;
	mark->serial = serial;
	mark->state = CELL_WAITING;
	mark->ends_with_line = what.kind == EDITOR_RUN_LINE || what.kind == EDITOR_RUN_SELECTION;
}

/* ---- one cell after the other ---- */

static struct buffer *planned_buffer(const struct model *m)
{
	for (size_t i = 0; i < m->buffers.n; i++)
		if (cell_marks_planned(&m->buffers.items[i]->editor.marks))
			return m->buffers.items[i];
	return NULL;
}

static void cancel_plan(struct model *m, const char *why)
{
	struct buffer *b = planned_buffer(m);
	size_t n = b ? cell_marks_unplan(&b->editor.marks) : 0;

	if (n)
		notices_add(&m->notices, m->now_ns, false, "%s: %zu cell%s not run", why, n,
				n == 1 ? " was" : "s were");
	m->needs_draw = true;
}

/* Start the next planned cell. Its code is that of the time of planning, because the person saw that code. */
static void begin_planned(struct model *m, struct effects *out)
{
	struct buffer *b = planned_buffer(m);
	struct cell_mark *mark = b ? cell_marks_planned(&b->editor.marks) : NULL;

	if (!mark)
		return;
	if (mark->is_stale) {
		cancel_plan(m, "a cell was edited before its turn");
		return;
	}
	run_part(m, b,
			(struct editor_run){.kind = EDITOR_RUN_CELL,
					.pos = mark->pos,
					.len = mark->len,
					.first_line = text_line_of(b->editor.text, mark->pos)},
			out);
}

void cell_runs_plan(struct model *m, struct editor_run cells, struct effects *out)
{
	struct buffer *b = buffers_current(&m->buffers);
	struct editor_run cell;
	size_t pos = cells.pos, n = 0;

	cancel_plan(m, "other cells are run instead");
	while (n < CELL_MARKS_MAX && editor_take_cell(&b->editor, cells, &pos, &cell)) {
		if (run_source_is_blank(&b->editor, cell) || editor_is_text_cell(&b->editor, cell))
			continue;
		cell_marks_add(&b->editor.marks, b->editor.text, cell.pos, cell.len);
		n++;
	}
	if (m->run.state == RUN_NONE)
		begin_planned(m, out);
}

/* ---- results ---- */

static void name_end(const struct trm_result *r, struct cell_mark *mark)
{
	char text[CELL_TEXT_BYTES * 2];
	const char *message = r->error_message ? r->error_message : "";

	/* The error of an interrupt would hide that it was the time limit, or a kill. */
	if (r->status == TRM_STATUS_TIMEOUT || r->state_lost)
		snprintf(text, sizeof text, "%s",
				r->status == TRM_STATUS_INTERRUPTED ? "killed" : trm_status_name(r->status));
	else if (r->error_name)
		snprintf(text, sizeof text, "%s%s%.200s", r->error_name, *message ? ": " : "", message);
	else if (r->status == TRM_STATUS_ERROR)
		snprintf(text, sizeof text, "exit %d", r->exit_code);
	else
		snprintf(text, sizeof text, "%s", trm_status_name(r->status));
	mark->is_cut = cell_mark_take_text(mark->error, text);
}

static void mark_error_line(struct model *m, uint32_t serial, struct buffer *b, struct cell_mark *mark)
{
	size_t line;

	if (!output_error_line(m, serial, b->id, &line))
		return;
	mark->has_error_pos = true;
	mark->error_pos = text_line_start(b->editor.text, line);
}

static void end_mark(struct model *m, const struct msg *msg)
{
	const struct trm_result *r = msg->type == MSG_RUN_DONE ? msg->run.result : NULL;
	struct buffer *b;
	struct cell_mark *mark = mark_of_run(m, msg->run.serial, &b);

	if (!mark)
		return;
	mark->state = r && r->status == TRM_STATUS_OK ? CELL_OK : CELL_FAILED;
	mark->number = r ? r->number : 0;
	mark->wall_us = r ? r->wall_us : 0;
	const struct run_info *info = runs_find(&m->out.runs, msg->run.serial);
	if (r && r->value && !(info && info->is_drawn))
		mark->is_cut = cell_mark_take_text(mark->value, r->value);
	if (mark->state == CELL_FAILED && r)
		name_end(r, mark);
	else if (!r)
		mark->is_cut = cell_mark_take_text(mark->error, msg->run.why);
	if (r && r->status == TRM_STATUS_ERROR)
		mark_error_line(m, msg->run.serial, b, mark);
	b->editor.marks.version++;
}

static void start_mark(struct model *m, uint32_t serial)
{
	struct buffer *b;
	struct cell_mark *mark = mark_of_run(m, serial, &b);

	if (!mark)
		return;
	mark->state = CELL_RUNNING;
	b->editor.marks.version++;
}

void cell_runs_update(struct model *m, const struct msg *msg, struct effects *out)
{
	bool has_ended = msg->type == MSG_RUN_DONE || msg->type == MSG_RUN_REFUSED;
	struct buffer *b;

	if (msg->type == MSG_RUN_STARTED)
		start_mark(m, msg->run.serial);
	if (!has_ended)
		return;
	bool has_failed = mark_of_run(m, msg->run.serial, &b)
			  && (msg->type == MSG_RUN_REFUSED || msg->run.result->status != TRM_STATUS_OK);
	end_mark(m, msg);
	if (has_failed)
		cancel_plan(m, "stopped");
	else if (m->run.state == RUN_NONE)
		begin_planned(m, out);
}

void cell_runs_tick(struct model *m)
{
	struct buffer *b;
	struct cell_mark *mark = model_is_running(m) ? mark_of_run(m, m->run.serial, &b) : NULL;

	if (mark && mark->state == CELL_RUNNING)
		mark->wall_us = (m->now_ns - m->run.started_ns) / 1000;
}

void cell_runs_kernel_gone(struct model *m, const struct trm_lang *lang)
{
	for (size_t i = 0; i < m->buffers.n; i++)
		if (m->buffers.items[i]->editor.lang == lang)
			cell_marks_kernel_gone(&m->buffers.items[i]->editor.marks);
	m->needs_draw = true;
}
