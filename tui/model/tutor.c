/* SPDX-License-Identifier: MIT */
#include "model/tutor.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/run_source.h"
#include "model/update.h"
#include "text/cluster.h"
#include "text/text.h"

enum { CODE_LEAST = 6 }; /* least bytes of code for the step "write" */

enum step { STEP_WRITE, STEP_RUN, STEP_SEE, STEP_STOP, STEP_PLOT };

/* The text of a step to type, in the current language. NULL: none. */
static const char *lesson(const struct model *m, size_t n)
{
	const char *const *lessons = m->lang->lessons;

	for (size_t i = 0; i < n && *lessons; i++)
		lessons++;
	return *lessons;
}

enum { LESSON_WRITE, LESSON_ENDLESS, LESSON_PLOT };

const char *tutor_title(int step)
{
	static const char *const titles[TUTOR_STEPS] = {"Write", "Run", "See", "Stop", "Plot"};

	return titles[step];
}

/* The instruction of the current step. */
static void write_instruction(const struct model *m, char out[400])
{
	char key[KEYMAP_NAME_BYTES], other[KEYMAP_NAME_BYTES];
	const char *write = lesson(m, LESSON_WRITE), *endless = lesson(m, LESSON_ENDLESS),
		   *plot = lesson(m, LESSON_PLOT);

	switch (m->tutor.at) {
	case STEP_WRITE: snprintf(out, 400, "Type into the editor: %s", write ? write : "some code"); break;
	case STEP_RUN:
		snprintf(out, 400, "Press %s, then Enter. It runs in a sandbox, apart from your machine.",
				key_hint(m, "run", key));
		break;
	case STEP_SEE:
		snprintf(out, 400, "Press %s: what the run has left behind. %s again closes it.",
				key_hint(m, "variables", key), key_hint(m, "variables", other));
		break;
	case STEP_STOP:
		snprintf(out, 400, "Run %s, and stop it with %s. What you had stays.",
				endless ? endless : "code that does not end", key_hint(m, "stop", key));
		break;
	case STEP_PLOT:
		if (plot)
			snprintf(out, 400, "Run %s", plot);
		else
			snprintf(out, 400,
					"Press %s: the graphs. + and - zoom them; %s goes on to the next pane.",
					key_hint(m, "show-metrics", key), key_hint(m, "next-pane", other));
		break;
	default:
		snprintf(out, 400,
				"That is all you need. %s shows all keys, %s finds every command by its name.",
				key_hint(m, "help", key), key_hint(m, "palette", other));
	}
}

enum { ROWS_FOR_STEPS = 20, COLS_FOR_STEPS = 60 };

void tutor_text(const struct model *m, struct tutor_text *ret)
{
	char words[400];
	size_t n, cols = m->cols > 2 ? (size_t)m->cols - 2 : 1;

	*ret = (struct tutor_text){.has_steps = m->rows >= ROWS_FOR_STEPS && m->cols >= COLS_FOR_STEPS};
	write_instruction(m, words);
	if (ret->has_steps || m->tutor.at == TUTOR_STEPS)
		snprintf(ret->words, sizeof ret->words, "%s", words);
	else
		snprintf(ret->words, sizeof ret->words, "%d/%d %s", m->tutor.at + 1, TUTOR_STEPS, words);
	for (n = strlen(ret->words); ret->n_lines < TUTOR_LINES && ret->at[ret->n_lines] < n;
			ret->n_lines++) {
		size_t at = ret->at[ret->n_lines];
		ret->at[ret->n_lines + 1] = at + cluster_wrap(ret->words + at, n - at, cols);
	}
}

int tutor_rows(const struct model *m)
{
	struct tutor_text text;
	int room = m->rows > LAYOUT_MIN_ROWS ? m->rows - LAYOUT_MIN_ROWS : 0;

	tutor_text(m, &text);
	int rows = text.n_lines + (text.has_steps ? 2 : 0);
	return rows < room ? rows : room;
}

/* ---- completion of a step ---- */

static bool has_code(const struct model *m)
{
	const struct editor *e = model_editor(m);

	return editor_is_modified(e) && !run_source_is_blank(e, editor_run_of(e, EDITOR_RUN_ALL));
}

static bool is_step_done(const struct model *m, const struct msg *msg)
{
	const struct trm_result *r = msg->type == MSG_RUN_DONE ? msg->run.result : NULL;

	switch (m->tutor.at) {
	case STEP_WRITE:
		if (r && r->status == TRM_STATUS_OK && has_code(m))
			return true; /* something shorter, which has even been run */
		return has_code(m) && text_len(model_editor(m)->text) >= CODE_LEAST;
	case STEP_RUN: return r && r->status == TRM_STATUS_OK;
	case STEP_SEE: return m->variables_page.is_shown;
	case STEP_STOP: return r && r->status == TRM_STATUS_INTERRUPTED && !r->state_lost;
	case STEP_PLOT:
		return lesson(m, LESSON_PLOT) ? msg->type == MSG_RUN_DISPLAY : m->focus == PANE_METRICS;
	default: return false;
	}
}

void tutor_update(struct model *m, const struct msg *msg)
{
	struct tutor *t = &m->tutor;

	if (!t->is_on || !is_step_done(m, msg))
		return;
	while (is_step_done(m, msg))
		t->done[t->at++] = true;
	model_relayout(m);
}

/* ---- start and end ---- */

void tutor_begin(struct model *m, struct effects *out)
{
	if (m->replay.is_on || m->demo.is_on)
		return;
	if (text_len(model_editor(m)->text) > 0)
		buffer_new(m, out);
	m->tutor = (struct tutor){.is_on = true};
	model_relayout(m);
}

static void start_tutor(struct model *m, struct effects *out)
{
	tutor_begin(m, out);
}

/* Go to the next step. After the last step, end the tutorial. */
static void tutor_skip(struct model *m, struct effects *out)
{
	(void)out;
	if (!m->tutor.is_on) {
		notices_add(&m->notices, m->now_ns, false, "there is no tutorial: \"Tutorial\" starts it");
		return;
	}
	if (m->tutor.at++ == TUTOR_STEPS) {
		m->tutor = (struct tutor){0};
		m->foot_rows = 0;
	}
	model_relayout(m);
}

static void open_sample(struct model *m, struct effects *out)
{
	const char *text = m->lang->sample;

	if (!*text) {
		notices_add(&m->notices, m->now_ns, false, "there is no sample in %s", m->lang->name);
		return;
	}
	buffer_new(m, out);
	editor_set_text(model_editor(m), text, strlen(text));
	editor_goto_line(model_editor(m), 0);
	model_focus(m, PANE_EDITOR);
}

static const struct command commands[] = {
		{"tutor", "Tutorial", "learn the workbench in five steps: write, run, see, stop, plot",
				CONTEXT_ANY, .run = start_tutor},
		{"tutor-next", "Tutorial: next step",
				"go on to the next step of the tutorial; at the end: close it", CONTEXT_ANY,
				.run = tutor_skip},
		{"sample", "Open a sample program",
				"open a short program in this language to try things with", CONTEXT_ANY,
				.run = open_sample},
};
const struct command_table tutor_commands = COMMAND_TABLE(commands);
