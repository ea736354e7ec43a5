/* SPDX-License-Identifier: MIT */
#include "model/sandbox_peek.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/result.h>
#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "model/model.h"
#include "model/msg.h"

#define LOG_BYTES ((size_t)4 << 20)

void peek_begin(struct peek_log *log, bool has_utf8)
{
	bool is_wanted = log->is_wanted;

	peek_finish(log);
	log->is_wanted = is_wanted;
	log->is_open = outpane_init(&log->out, LOG_BYTES) == 0;
	log->out.has_utf8 = has_utf8;
	/* Programs that draw on a screen get one of the usual size. */
	live_screen_size(&log->out.screen, OUTPUT_ROWS_MIN, OUTPUT_COLS_MIN);
}

void peek_finish(struct peek_log *log)
{
	if (log->is_open)
		outpane_finish(&log->out);
	*log = (struct peek_log){0};
}

/* ---- messages ---- */

static void begin_peeked_run(struct outpane *p, const struct msg *msg)
{
	struct run_info *info =
			runs_add(&p->runs, msg->run.joined.lang, msg->run.joined.code, msg->run.joined.len);

	if (!info)
		return;
	info->number = msg->run.joined.number;
	info->state = RUN_RUNNING;
	info->began_ms = msg->run.joined.began_ms;
	info->began_ns = msg->now_ns;
	trm_text_clean_line(info->by, sizeof info->by, msg->run.joined.by, strlen(msg->run.joined.by));
	outpane_begin(p, info->serial);
}

static void add_log_text(struct outpane *p, enum out_kind kind, uint32_t serial, const char *text)
{
	if (text && *text)
		outpane_add(p, kind, serial, text, strlen(text));
}

static void end_peeked_run(struct outpane *p, struct run_info *info, const struct trm_result *r)
{
	outpane_turn_to(p, info->serial);
	add_log_text(p, OUT_VALUE, info->serial, r->value);
	for (char **line = r->traceback; line && *line; line++)
		add_log_text(p, OUT_TRACE, info->serial, *line);
	if (!(r->traceback && *r->traceback))
		add_log_text(p, OUT_TRACE, info->serial, r->error_message);
	add_log_text(p, OUT_NOTE, info->serial, r->reason);
	run_info_end(info, r, p->now_ns);
}

void peek_update(struct model *m, const struct msg *msg)
{
	struct peek_log *log = &m->sandboxes.log;
	bool is_run = msg->type != MSG_INSIDE_CAUGHT_UP;
	struct run_info *info = log->is_open && is_run ? runs_find(&log->out.runs, msg->run.serial) : NULL;

	if (!m->sandboxes.is_inside || !log->is_open)
		return;
	log->out.now_ns = msg->now_ns;
	m->needs_draw = true;
	if (msg->type == MSG_INSIDE_CAUGHT_UP) {
		outpane_sort(&log->out);
	} else if (msg->type == MSG_INSIDE_JOINED) {
		begin_peeked_run(&log->out, msg);
	} else if (info && msg->type == MSG_INSIDE_DONE) {
		end_peeked_run(&log->out, info, msg->run.result);
	} else if (info && msg->type == MSG_INSIDE_OUTPUT) {
		outpane_turn_to(&log->out, msg->run.serial);
		outpane_print(&log->out, msg->run.output.stream == TRM_STDERR ? OUT_STDERR : OUT_STDOUT,
				msg->run.serial, msg->run.output.bytes, msg->run.output.len);
		run_count(info, msg->run.output.len);
	}
}

/* ---- layout ---- */

struct peek_layout peek_layout(const struct model *m)
{
	struct rect area = sandboxes_layout(m).inner;
	struct peek_layout l = {.log = area, .figures = area, .divider_col = -1};

	if (area.cols < PEEK_BOTH_COLS) {
		*(m->sandboxes.log.is_wanted ? &l.figures : &l.log) = (struct rect){0};
		return l;
	}
	l.log.cols = area.cols * 55 / 100;
	l.divider_col = area.col + l.log.cols;
	l.figures.col = l.divider_col + 1;
	l.figures.cols = area.cols - l.log.cols - 1;
	return l;
}

void peek_scroll(struct model *m, long pages)
{
	struct rect area = peek_layout(m).log;

	if (area.rows > 0 && m->sandboxes.log.is_open)
		outpane_scroll(&m->sandboxes.log.out, area.rows, area.cols - 2, pages * (area.rows - 1));
}
