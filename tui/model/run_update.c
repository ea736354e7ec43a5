/* SPDX-License-Identifier: MIT */
/* A run, from the key to its result. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cell_runs.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/run_source.h"
#include "model/stopping.h"
#include "model/update.h"
#include "text/text.h"

#define VALUE_SHOWN ((size_t)1 << 20) /* bytes of a value or a traceback that the output pane shows */

/* ---- request and start ---- */

static bool may_run(struct model *m)
{
	char key[KEYMAP_NAME_BYTES];

	if (m->sandbox.state == SANDBOX_DEAD) {
		ask_restart(m);
		return false;
	}
	if (m->run.is_install) {
		notices_add(&m->notices, m->now_ns, false,
				"packages are being installed: %s interrupts the installation",
				key_hint(m, "stop", key));
		return false;
	}
	if (m->n_waiting == MODEL_WAITING) {
		notices_add(&m->notices, m->now_ns, false, "%d runs are already queued: %s cancels them all",
				MODEL_WAITING, key_hint(m, "stop", key));
		return false;
	}
	if (run_source_is_blank(model_editor(m), m->to_run)) {
		notices_add(&m->notices, m->now_ns, false, "there is nothing to run: type some %s first",
				m->lang->name);
		return false;
	}
	return true;
}

static void scan_range(struct model *m, struct editor_run range, struct effects *out)
{
	const struct editor *e = model_editor(m);
	size_t len;
	char *code = run_source_slice(e, range, &len);

	if (code)
		m->n_scans += effect_add(
				out, (struct effect){.type = EFFECT_SCAN,
						     .scan = {run_source_lang(e, range, m->lang),
								     effects_copy(out, code, len), len}});
	free(code);
}

/* For the buffer's language, cells in other languages are comments. */
static void scan_ranges(struct model *m, struct effects *out)
{
	const struct editor *e = model_editor(m);
	struct editor_run cell;

	trm_findings_finish(&m->findings);
	m->findings = (struct trm_findings){0};
	if (!*m->policy)
		return;
	scan_range(m, m->to_run, out);
	bool has_cells = m->to_run.kind == EDITOR_RUN_CELLS;
	for (size_t pos = m->to_run.pos; has_cells && editor_take_cell(e, m->to_run, &pos, &cell);)
		if (editor_cell_foreign(e, cell))
			scan_range(m, cell, out);
}

void run_note(struct model *m, struct editor_run what)
{
	m->to_run = what;
	m->to_run_buffer = buffers_current(&m->buffers)->id;
	m->to_run_version = editor_version(model_editor(m));
}

bool run_is_unchanged(struct model *m)
{
	if (m->to_run_buffer == buffers_current(&m->buffers)->id
			&& m->to_run_version == editor_version(model_editor(m)))
		return true;
	notices_add(&m->notices, m->now_ns, true,
			"nothing was run: the code has changed since it was shown. Run it again");
	return false;
}

void run_ask(struct model *m, struct editor_run what, enum run_then then, struct effects *out)
{
	run_note(m, what);
	m->run_then = then;
	m->needs_draw = true;
	if (!may_run(m) || inspect_is_asked(m, what, out))
		return;
	m->n_scans = 0;
	scan_ranges(m, out);
	if (!m->n_scans)
		run_scanned(m, NULL, out);
}

/* The findings of the worst part count. */
static void keep_findings(struct trm_findings *worst, struct trm_findings *found)
{
	bool is_worse = found->worst > worst->worst || (found->n_refused && !worst->n_refused)
			|| (found->n && !worst->n);
	if (!is_worse)
		return;
	trm_findings_finish(worst);
	*worst = *found;
	*found = (struct trm_findings){0};
}

void run_scanned(struct model *m, struct trm_findings *found, struct effects *out)
{
	if (found)
		keep_findings(&m->findings, found);
	m->n_scans -= m->n_scans > 0;
	m->needs_draw = true;
	if (m->n_scans)
		return;
	if (confirmation_is_wanted(m))
		ask_confirm(m);
	else
		run_start(m, out);
}

static struct run_info *info_of(const struct model *m, uint32_t serial)
{
	return runs_find(&m->out.runs, serial);
}

/* Make this run the current run. */
static void make_run_current(struct model *m, uint32_t serial)
{
	const struct run_info *info = info_of(m, serial);

	m->run = (struct active_run){.state = RUN_QUEUED,
			.serial = serial,
			.lang = info ? info->lang : m->lang,
			.started_ns = m->now_ns};
	outpane_begin(&m->out, serial);
}

bool run_part(struct model *m, struct buffer *b, struct editor_run what, struct effects *out)
{
	const struct trm_lang *lang = run_source_lang(&b->editor, what, m->lang);
	size_t len;
	char *code = run_source_text(&b->editor, what, lang, &len);
	struct run_info *info = code ? runs_add(&m->out.runs, lang, code, len) : NULL;
	bool is_added = info
			&& effect_add(out, (struct effect){.type = EFFECT_RUN,
							   .run = {lang, effects_copy(out, code, len), len,
									   info->serial, b->id}});

	if (is_added) {
		info->buffer = b->id;
		run_history_begin(m, info->serial, code, len);
	}
	free(code);
	m->needs_draw = true;
	if (!is_added) {
		notices_add(&m->notices, m->now_ns, true, "the code was not run: out of memory");
		return false;
	}
	cell_runs_begin(m, b, what, info->serial);
	if (m->run.state == RUN_NONE) {
		make_run_current(m, info->serial);
	} else {
		m->waiting[m->n_waiting++] = info->serial;
		notices_add(&m->notices, m->now_ns, false, "queued behind the current run: %s",
				info->excerpt);
		m->queued_notice = m->notices.n;
	}
	return true;
}

void run_start(struct model *m, struct effects *out)
{
	if (!run_is_unchanged(m))
		return;
	if (m->to_run.kind == EDITOR_RUN_CELLS)
		cell_runs_plan(m, m->to_run, out);
	else if (!run_part(m, buffers_current(&m->buffers), m->to_run, out))
		return;
	if (m->run_then == RUN_THEN_DEMO)
		m->demo.run = m->out.runs.last;
	run_moved_on(m);
	outpane_scroll_end(&m->out);
	m->out.has_selection = false;
	if (m->layout.kind == LAYOUT_SINGLE)
		model_focus(m, PANE_OUTPUT);
}

void run_install(struct model *m, const char *packages, bool is_shared, struct effects *out)
{
	char title[200];
	int n = snprintf(title, sizeof title, "install %s", packages);
	struct run_info *info = runs_add(&m->out.runs, m->lang, title,
			(size_t)n < sizeof title ? (size_t)n : sizeof title - 1);

	if (!info
			|| !effect_add(out,
					(struct effect){.type = EFFECT_INSTALL,
							.install = {m->lang, effects_string(out, packages),
									is_shared, info->serial}}))
		return;
	info->is_install = true;
	make_run_current(m, info->serial);
	m->run.is_install = true;
	outpane_scroll_end(&m->out);
	if (m->layout.kind == LAYOUT_SINGLE)
		model_focus(m, PANE_OUTPUT);
}

void run_pip_line(struct model *m, const char *packages, struct effects *out)
{
	char *code = NULL;
	int n = asprintf(&code, "%%pip install %s\n", packages);
	struct run_info *info = n >= 0 ? runs_add(&m->out.runs, m->lang, code, (size_t)n) : NULL;
	bool is_added = info
			&& effect_add(out,
					(struct effect){.type = EFFECT_RUN,
							.run = {m->lang, effects_copy(out, code, (size_t)n),
									(size_t)n, info->serial, 0}});

	if (n >= 0)
		free(code);
	if (!is_added)
		return;
	make_run_current(m, info->serial);
	outpane_scroll_end(&m->out);
	if (m->layout.kind == LAYOUT_SINGLE)
		model_focus(m, PANE_OUTPUT);
}

/* The waiting runs are stopped as well, because the person does not want the next one to begin. */
void run_stop(struct model *m, struct effects *out)
{
	for (size_t i = 0; i < m->n_waiting; i++)
		effect_serial(out, EFFECT_INTERRUPT, m->waiting[i]);
	stopping_press(m, out);
	m->needs_draw = true;
}

/* ---- output ---- */

static void add_text(struct model *m, enum out_kind kind, uint32_t serial, const char *text, size_t len)
{
	outpane_add(&m->out, kind, serial, text, len > VALUE_SHOWN ? VALUE_SHOWN : len);
}

static void add_note(struct model *m, uint32_t serial, const char *text)
{
	add_text(m, OUT_NOTE, serial, text, strlen(text));
}

/* ---- the end ---- */

static void show_error(struct model *m, uint32_t serial, const struct trm_result *r)
{
	outpane_end_line(&m->out);
	for (char **line = r->traceback; line && *line; line++)
		add_text(m, OUT_TRACE, serial, *line, strlen(*line));
	if (r->error_name && !(r->traceback && r->traceback[0])) {
		const char *message = r->error_message ? r->error_message : "";
		char *text = NULL;
		int n = asprintf(&text, "%s%s%s", r->error_name, *message ? ": " : "", message);
		if (n >= 0)
			add_text(m, OUT_TRACE, serial, text, (size_t)n);
		free(text);
	}
}

static void show_result(struct model *m, uint32_t serial, const struct trm_result *r)
{
	char text[200], lost[64];

	outpane_turn_to(&m->out, serial);
	outpane_end_line(&m->out);
	struct run_info *info = info_of(m, serial);
	bool is_drawn = figures_end_run(m, serial, r);
	if (info)
		info->is_drawn = is_drawn;
	if (!is_drawn && r->value && r->value[0])
		add_text(m, OUT_VALUE, serial, r->value, strlen(r->value));
	show_error(m, serial, r);
	if (r->reason)
		add_note(m, serial, r->reason);
	else if (r->status == TRM_STATUS_INTERRUPTED && !r->state_lost)
		/* Said here, because the header may be far above. */
		add_note(m, serial, run_interrupted_text(r->lang));
	if (r->hint)
		add_note(m, serial, r->hint);
	install_advise(m, r, text, sizeof text);
	if (*text)
		add_note(m, serial, text);
	if (r->state_lost && r->status != TRM_STATUS_LOST) {
		const char *verb = variables_phrase(m, r->lang, lost, sizeof lost);
		snprintf(text, sizeof text, "%s was restarted: %s %s lost, files are kept", r->lang->name,
				lost, verb);
		add_note(m, serial, text);
	}
}

/* The current run has ended. Continue with the next one, if one is waiting. */
static void start_waiting_run(struct model *m)
{
	input_close(m);
	m->run = (struct active_run){.state = RUN_NONE};
	if (m->owes_focus && m->focus == PANE_OUTPUT)
		model_focus(m, m->focus_back);
	m->owes_focus = false;
	if (m->n_waiting == 0)
		return;
	uint32_t next = m->waiting[0];
	memmove(m->waiting, m->waiting + 1, --m->n_waiting * sizeof *m->waiting);
	make_run_current(m, next);
	if (m->n_waiting == 0 && m->queued_notice == m->notices.n)
		m->notices.is_shown = false; /* "queued behind …" is true no longer */
}

void run_show_end(struct model *m, uint32_t serial, const struct trm_result *r)
{
	struct run_info *info = info_of(m, serial);

	if (info)
		run_info_end(info, r, m->now_ns);
	if (info && r->has_mem_peak)
		metric_history_raise(&m->metrics.history, SERIES_MEM, info->began_ns, info->ended_ns,
				(float)((double)r->mem_peak_bytes / 1048576.0));
	show_result(m, serial, r);
}

static void on_run_done(struct model *m, const struct trm_result *r)
{
	memory_run_ended(m);
	run_show_end(m, m->run.serial, r);
	m->has_last = !r->is_wall_unknown;
	m->last_status = r->status;
	m->last_wall_us = r->wall_us;
	if (r->state_lost)
		variables_kernel_gone(m, m->run.lang);
	else
		variables_run_ended(m, m->run.lang);
	start_waiting_run(m);
}

static void on_run_refused(struct model *m, const struct msg *msg)
{
	struct run_info *info = info_of(m, m->run.serial);

	if (info) {
		info->state = RUN_DONE;
		info->status = TRM_STATUS_LOST;
		info->is_wall_unknown = true;
	}
	outpane_turn_to(&m->out, m->run.serial);
	add_note(m, m->run.serial, msg->run.why);
	notices_add(&m->notices, m->now_ns, true, "%s", msg->run.why);
	start_waiting_run(m);
}

static void on_spill(struct model *m, const struct msg *msg)
{
	struct run_info *info = info_of(m, msg->run.serial);

	if (info)
		info->is_spilling = msg->run.spill.goes_on;
	notices_add(&m->notices, m->now_ns, msg->run.spill.has_failed, "%s", msg->run.spill.text);
	if (!msg->run.spill.goes_on)
		outpane_add(&m->out, OUT_NOTE, msg->run.serial, msg->run.spill.text,
				strlen(msg->run.spill.text));
}

/* A message about a waiting run: its number, or that it will not start. */
static void update_waiting(struct model *m, const struct msg *msg)
{
	struct run_info *info = info_of(m, msg->run.serial);

	if (msg->type == MSG_RUN_ACCEPTED && info)
		info->number = msg->run.number;
	if (msg->type != MSG_RUN_DONE && msg->type != MSG_RUN_REFUSED)
		return;
	for (size_t i = 0; i < m->n_waiting; i++) {
		if (m->waiting[i] != msg->run.serial)
			continue;
		memmove(m->waiting + i, m->waiting + i + 1, (--m->n_waiting - i) * sizeof *m->waiting);
		notices_add(&m->notices, m->now_ns, false, "canceled queued run: %s",
				info ? info->excerpt : "");
		return;
	}
}

static void update_current(struct model *m, const struct msg *msg)
{
	struct run_info *info = info_of(m, m->run.serial);

	switch (msg->type) {
	case MSG_RUN_ACCEPTED:
		if (info)
			info->number = msg->run.number;
		break;
	case MSG_RUN_STARTED:
		if (m->run.state == RUN_QUEUED)
			m->run.state = RUN_RUNNING;
		if (info)
			info->state = RUN_RUNNING;
		m->run.started_ns = msg->now_ns;
		if (info)
			info->began_ns = msg->now_ns;
		break;
	case MSG_RUN_OUTPUT:
		outpane_turn_to(&m->out, m->run.serial);
		outpane_print(&m->out, msg->run.output.stream == TRM_STDERR ? OUT_STDERR : OUT_STDOUT,
				m->run.serial, msg->run.output.bytes, msg->run.output.len);
		if (info)
			run_count(info, msg->run.output.len);
		break;
	case MSG_RUN_INPUT: input_ask(m, msg); break;
	case MSG_RUN_STOPPING: stopping_update(m, msg->run.stopping); break;
	case MSG_RUN_DONE: on_run_done(m, msg->run.result); break;
	case MSG_RUN_REFUSED: on_run_refused(m, msg); break;
	default: break;
	}
}

void update_run(struct model *m, const struct msg *msg)
{
	/* A start is shown with the next frame, because a short run ends before that. */
	m->needs_draw |= msg->type != MSG_RUN_STARTED && msg->type != MSG_RUN_ACCEPTED;
	if (msg->type == MSG_SPILL)
		on_spill(m, msg);
	else if (msg->type == MSG_LATE)
		outpane_print(&m->out, OUT_LATE, (uint32_t)msg->late.number, msg->late.bytes, msg->late.len);
	else if (peer_runs_update(m, msg))
		;
	else if (m->run.state != RUN_NONE && msg->run.serial == m->run.serial)
		update_current(m, msg);
	else
		update_waiting(m, msg);
}
