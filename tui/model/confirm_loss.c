/* SPDX-License-Identifier: MIT */
#include "model/confirm_loss.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "command/command.h"
#include "model/detach.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/run_source.h"
#include "model/update.h"
#include "text/format.h"

enum { BUTTON_DO = 1, BUTTON_SAVE, BUTTON_DISCARD, BUTTON_STOP };
enum { NAMES_COLUMNS = 200 }; /* columns for names of variables */

static const struct {
	const char *title;
	struct dialog_button buttons[3]; /* buttons with a label */
} questions[] = {
		[LOSS_WORKBENCH] = {"Quit? You will lose:",
				{{"Quit", NULL, 'q', BUTTON_DO}, {"Stay", NULL, 's', ANSWER_CANCEL}}},
		[LOSS_NONE_OF_IT] = {"Detach? The sandbox keeps running with:",
				{{"Detach", NULL, 'd', BUTTON_DO}, {"Stop it", "Stop", 't', BUTTON_STOP},
						{"Cancel", NULL, 'c', ANSWER_CANCEL}}},
		[LOSS_LATER] = {"Detach? The sandbox ends with its owner:",
				{{"Detach", NULL, 'd', BUTTON_DO}, {"Stop it", "Stop", 't', BUTTON_STOP},
						{"Cancel", NULL, 'c', ANSWER_CANCEL}}},
		[LOSS_SANDBOX] = {"Start a new sandbox? You will lose:",
				{{"New sandbox", "New", 'n', BUTTON_DO},
						{"Cancel", NULL, 'c', ANSWER_CANCEL}}},
		[LOSS_KERNEL] = {"Restart the interpreter? You will lose:",
				{{"Restart", NULL, 'r', BUTTON_DO}, {"Cancel", NULL, 'c', ANSWER_CANCEL}}},
		[LOSS_VARIABLES] = {"Forget all variables? You will lose:",
				{{"Forget", NULL, 'f', BUTTON_DO}, {"Cancel", NULL, 'c', ANSWER_CANCEL}}},
};

/* The text of buffers is kept unless the person discards it. Only files can be saved without asking for a
 * name. */
static const struct dialog_button unsaved_buttons[] = {
		{"Quit, keep text", "Quit", 'q', BUTTON_DO},
		{"Discard text", "Discard", 'd', BUTTON_DISCARD},
		{"Stay", NULL, 's', ANSWER_CANCEL},
};

static const struct dialog_button unsaved_file_buttons[] = {
		{"Quit, keep text", "Quit", 'q', BUTTON_DO},
		{"Save files", "Save", 'a', BUTTON_SAVE},
		{"Discard text", "Discard", 'd', BUTTON_DISCARD},
		{"Stay", NULL, 's', ANSWER_CANCEL},
};

static bool is_detaching(const struct loss_question *l)
{
	return l->what == LOSS_NONE_OF_IT || l->what == LOSS_LATER;
}

static bool is_leaving(const struct loss_question *l)
{
	return l->what == LOSS_WORKBENCH || is_detaching(l);
}

static bool is_of_sandbox(const struct loss_question *l)
{
	return is_leaving(l) || l->what == LOSS_SANDBOX;
}

/* ---- text of the question ---- */

static void describe_run(const struct model *m, struct dialog *d)
{
	const struct run_info *info = runs_find(&m->out.runs, m->run.serial);
	char ran[24];

	if (!model_is_running(m)
			|| (!is_of_sandbox(&m->loss_question) && m->run.lang != m->loss_question.lang))
		return;
	format_duration(ran, (m->now_ns - m->run.started_ns) / 1000000000u * 1000000u);
	dialog_add_labeled(d, "Run", ROLE_DIALOG_WARN, "%s, for %s: %s", m->run.lang->name, ran,
			info ? info->excerpt : "");
	if (m->n_waiting)
		dialog_add_labeled(d, "", ROLE_DIALOG_WARN, "and %zu queued run%s", m->n_waiting,
				m->n_waiting == 1 ? "s" : "");
}

/* "a, b, c and 4 more" */
static void join_names(const struct variables *v, char *out, size_t cap)
{
	size_t used = 0, i = 0;

	out[0] = '\0';
	for (; i < v->n && used < NAMES_COLUMNS; i++) {
		int n = snprintf(out + used, cap - used, "%s%s", i ? ", " : "", v->rows[i].name);
		if (n < 0 || used + (size_t)n >= cap)
			break;
		used += (size_t)n;
	}
	if (i < v->n)
		snprintf(out + used, cap - used, " and %zu more", v->n - i);
}

/* Returns whether there is something to say about this kernel. */
static bool describe_variables(
		const struct model *m, struct dialog *d, const struct trm_lang *lang, bool is_first)
{
	const struct variables *v = &m->variables[lang->index];
	const char *label = is_first ? "Variables" : "";
	const bool is_old = v->is_stale || v->is_awaited;
	char names[512];

	if (v->is_known && !is_old && v->n == 0)
		return false;
	if (v->is_untold) {
		dialog_add_labeled(d, label, ROLE_DIALOG, "of %s", lang->name);
		return true;
	}
	if (!v->is_known || (is_old && v->n == 0)) {
		dialog_add_labeled(d, label, ROLE_DIALOG, "%s: %s", lang->name,
				kernel_query_can(m, lang) ? "asking ..." : "of the current run");
		return true;
	}
	join_names(v, names, sizeof names);
	dialog_add_labeled(d, label, ROLE_DIALOG, "%zu of %s%s: %s", v->n, lang->name,
			is_old ? " before this run" : "", names);
	return true;
}

static void describe_all_variables(const struct model *m, struct dialog *d)
{
	bool any = false;

	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (is_of_sandbox(&m->loss_question) || m->loss_question.lang == trm_lang_at(i))
			any |= describe_variables(m, d, trm_lang_at(i), !any);
	if (!any && !is_leaving(&m->loss_question))
		dialog_add_labeled(d, "Variables", ROLE_DIALOG, "none");
}

static void describe_files(const struct model *m, struct dialog *d)
{
	const struct loss_question *l = &m->loss_question;
	char size[24];

	if (l->files == FILES_ASKED)
		dialog_add_labeled(d, "Files", ROLE_DIALOG, "looking ...");
	else if (l->files == FILES_UNKNOWN)
		dialog_add_labeled(d, "Files", ROLE_DIALOG, "in /workspace");
	else if (l->n_files == 0 && is_leaving(l))
		return;
	else if (l->n_files == 0)
		dialog_add_labeled(d, "Files", ROLE_DIALOG, "none in /workspace");
	else
		dialog_add_labeled(d, "Files", ROLE_DIALOG, "%s%zu in /workspace, %s: %s",
				l->has_more ? "more than " : "", l->n_files,
				format_bytes(size, l->file_bytes), l->names);
}

static void describe_uptime(const struct model *m, struct dialog *d)
{
	char up[24];

	if (m->metrics.has_sample && m->metrics.sample.known & TRM_METRIC_UPTIME)
		dialog_add_labeled(d, "Sandbox", ROLE_DIALOG, "%s, up %s", m->sandbox.name,
				format_uptime(up, m->metrics.sample.uptime_ms));
}

/* Other programs in the sandbox. They lose it when it ends here. */
static void describe_clients(const struct model *m, struct dialog *d)
{
	const bool stays = is_detaching(&m->loss_question);
	char names[320];
	unsigned n = m->peer_runs.n_clients;

	if (n < 2)
		return;
	peer_runs_others(&m->peer_runs, names, sizeof names);
	dialog_add_labeled(d, "Attached", stays ? ROLE_DIALOG : ROLE_DIALOG_WARN, "%u other client%s%s%s%s",
			n - 1, n == 2 ? "" : "s",
			stays    ? ""
			: n == 2 ? " loses it, too"
				 : " lose it, too",
			*names ? ": " : "", names);
}

static bool has_unsaved(const struct model *m, bool only_files)
{
	for (size_t i = 0; i < m->buffers.n; i++)
		if (buffer_is_unsaved(m->buffers.items[i])
				&& (!only_files || m->buffers.items[i]->editor.path))
			return true;
	return false;
}

/* Text that is kept stands below its own heading where the title announces a loss. */
static void describe_unsaved(const struct model *m, struct dialog *d)
{
	const bool has_heading = !m->text_is_unsafe && d->n_lines > 0 && has_unsaved(m, false);
	const char *label = m->text_is_unsafe ? "Unsaved" : has_heading ? "Text" : "Kept";
	uint16_t role = m->text_is_unsafe ? ROLE_DIALOG_WARN : ROLE_DIALOG;
	char name[64];

	if (has_heading)
		dialog_add(d, ROLE_DIALOG, "%s", "");
	if (has_heading)
		dialog_add(d, ROLE_DIALOG_TITLE, "You keep:");
	for (size_t i = 0; i < m->buffers.n; i++) {
		const struct buffer *b = m->buffers.items[i];
		size_t lines = run_source_lines(&b->editor);
		if (!buffer_is_unsaved(b))
			continue;
		if (b->editor.path)
			dialog_add_labeled(d, label, role, "unsaved changes of %s", b->editor.path);
		else
			dialog_add_labeled(d, label, role, "%s, never saved (%zu line%s)",
					buffer_name(b, name, sizeof name), lines, lines == 1 ? "" : "s");
		label = "";
	}
}

void loss_refresh(struct model *m)
{
	static const char *const kept[] = {[LOSS_SANDBOX] = "buffers and output",
			[LOSS_KERNEL] = "files, buffers, output, the other interpreters",
			[LOSS_VARIABLES] = "files, buffers, output, the other interpreters"};
	struct dialog *d = &m->dialog;

	if (d->answer != answer_loss)
		return;
	if (is_detaching(&m->loss_question)) /* whoever owns it may keep it meanwhile, or no longer */
		m->loss_question.what = detach_loses_later(m) ? LOSS_LATER : LOSS_NONE_OF_IT;
	dialog_clear_lines(d);
	snprintf(d->title, sizeof d->title, "%s", questions[m->loss_question.what].title);
	describe_run(m, d);
	if (m->sandbox.state != SANDBOX_DEAD)
		describe_all_variables(m, d);
	if (is_of_sandbox(&m->loss_question) && m->sandbox.state != SANDBOX_DEAD) {
		describe_files(m, d);
		describe_clients(m, d);
		if (d->n_lines == 0 && m->loss_question.what == LOSS_WORKBENCH && !m->text_is_unsafe)
			snprintf(d->title, sizeof d->title, "Quit?");
		describe_uptime(m, d);
	}
	if (is_detaching(&m->loss_question)) {
		dialog_add_labeled(d, "Come back", ROLE_DIALOG_DIM, "terrarium attach %s%s",
				m->sandbox.remote_options, m->sandbox.name);
	}
	if (is_leaving(&m->loss_question))
		describe_unsaved(m, d);
	if (!is_leaving(&m->loss_question))
		dialog_add_labeled(d, "Kept", ROLE_DIALOG_DIM, "%s", kept[m->loss_question.what]);
	m->needs_draw = true;
}

/* ---- asking ---- */

/* The metrics show, roughly, whether anything was written. */
static bool has_files(const struct model *m)
{
	return m->metrics.has_sample && m->metrics.sample.known & TRM_METRIC_DISK
	       && m->metrics.sample.disk_bytes > m->first_disk_bytes;
}

bool loss_is_worth_asking(const struct model *m)
{
	bool any = model_is_running(m) || has_unsaved(m, !m->text_is_unsafe)
		   || (m->sandbox.state != SANDBOX_DEAD && m->peer_runs.n_clients > 1)
		   || (m->sandbox.state == SANDBOX_READY && has_files(m));

	for (unsigned i = 0; i < trm_lang_count() && m->sandbox.state == SANDBOX_READY; i++)
		any = any || m->variables[i].n > 0 || m->variables[i].is_stale || m->variables[i].is_awaited
		      || m->variables[i].is_untold;
	return any;
}

bool loss_is_leaving(const struct model *m)
{
	return m->dialog.answer == answer_loss && is_leaving(&m->loss_question);
}

void loss_ask(struct model *m, enum loss what, struct effects *out)
{
	dialog_begin(&m->dialog, questions[what].title, answer_loss);
	m->loss_question = (struct loss_question){.what = what, .lang = m->lang};
	if (is_of_sandbox(&m->loss_question) && m->sandbox.state == SANDBOX_READY) {
		m->loss_question.files = FILES_ASKED;
		effect_plain(out, EFFECT_LIST_FILES);
	}
	if (what == LOSS_WORKBENCH && has_unsaved(m, true))
		dialog_set_buttons(&m->dialog, unsaved_file_buttons, COUNT(unsaved_file_buttons));
	else if (what == LOSS_WORKBENCH && has_unsaved(m, false))
		dialog_set_buttons(&m->dialog, unsaved_buttons, COUNT(unsaved_buttons));
	else
		dialog_set_buttons(&m->dialog, questions[what].buttons,
				COUNT(questions[what].buttons) - !questions[what].buttons[2].label);
	/* Keeping the text has failed: it can be tried again, but Enter stays. */
	if (what == LOSS_WORKBENCH && has_unsaved(m, false) && m->text_is_unsafe)
		m->dialog.focus = m->dialog.n_buttons - 1;
	m->variables_due_ns = 0; /* ask for unknown variables now */
	variables_tick(m, out);
	loss_refresh(m);
}

static void perform_loss(struct model *m, struct effects *out)
{
	const struct trm_lang *lang = m->loss_question.lang;

	switch (m->loss_question.what) {
	case LOSS_WORKBENCH: effect_plain(out, EFFECT_QUIT); break;
	case LOSS_NONE_OF_IT:
	case LOSS_LATER: effect_plain(out, EFFECT_DETACH); break;
	case LOSS_SANDBOX: effect_plain(out, EFFECT_RESTART_SANDBOX); break;
	case LOSS_KERNEL:
		effect_lang(out, EFFECT_RESTART_KERNEL, lang);
		variables_kernel_gone(m, lang);
		notices_add(&m->notices, m->now_ns, false, "%s was restarted; its variables are gone",
				lang->name);
		break;
	case LOSS_VARIABLES: kernel_query_send(m, ASK_RESET, TRM_ASK_RESET, lang, NULL, 0, 0, out); break;
	case LOSS_NOTHING: break;
	}
}

void answer_loss(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_DO)
		perform_loss(m, out);
	else if (answer == BUTTON_SAVE)
		effect_plain(out, EFFECT_QUIT_SAVING);
	else if (answer == BUTTON_DISCARD)
		effect_plain(out, EFFECT_QUIT_DISCARDING);
	else if (answer == BUTTON_STOP)
		effect_plain(out, EFFECT_QUIT_STOPPING);
	m->loss_question.what = LOSS_NOTHING;
}

void loss_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct trm_lang *lang = m->kernel_queries.items[ASK_RESET].lang;

	(void)out;
	m->needs_draw = true;
	if (!msg->answer.json) {
		notices_add(&m->notices, m->now_ns, true, "%s",
				msg->answer.why ? msg->answer.why : "nothing was forgotten");
		return;
	}
	variables_kernel_gone(m, lang);
	notices_add(&m->notices, m->now_ns, false, "%s has forgotten its variables", lang->name);
}

/* Read lines of "SIZE\tNAME". The names come from the sandbox. */
void loss_take_files(struct model *m, const struct msg *msg)
{
	struct loss_question *l = &m->loss_question;
	size_t used = 0;

	if (m->sandbox.is_attached)
		m->sandbox.is_kept = msg->files.is_kept;
	l->files = msg->files.lines ? FILES_KNOWN : FILES_UNKNOWN;
	l->n_files = 0;
	l->file_bytes = 0;
	l->has_more = msg->files.has_more;
	l->names[0] = '\0';
	for (const char *p = msg->files.lines; p && *p;) {
		size_t n = strcspn(p, "\n"), size_len = strcspn(p, "\t\n");
		char name[80];
		if (p[n] == '\0' && msg->files.has_more)
			break; /* the line is incomplete */
		l->file_bytes += strtoull(p, NULL, 10);
		l->n_files++;
		if (used < NAMES_COLUMNS && size_len < n) {
			trm_text_clean_line(name, sizeof name, p + size_len + 1, n - size_len - 1);
			used += (size_t)snprintf(l->names + used, sizeof l->names - used, "%s%s",
					used ? ", " : "", name);
		}
		p += n + (p[n] == '\n');
	}
	loss_refresh(m);
}

/* ---- commands ---- */

static void restart_kernel(struct model *m, struct effects *out)
{
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else
		loss_ask(m, LOSS_KERNEL, out);
}

static void reset_variables(struct model *m, struct effects *out)
{
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else if (kernel_query_can(m, m->lang))
		loss_ask(m, LOSS_VARIABLES, out);
	else
		notices_add(&m->notices, m->now_ns, false,
				"%s is busy: stop it first, or restart its interpreter", m->lang->name);
}

static void restart_sandbox(struct model *m, struct effects *out)
{
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else
		loss_ask(m, LOSS_SANDBOX, out);
}

static const struct command commands[] = {
		{"restart-kernel", "Restart the interpreter…",
				"restart this language's interpreter: variables are lost, files are kept",
				CONTEXT_ANY, .run = restart_kernel, .words = "kernel"},
		{"reset-variables", "Forget all variables…", "forget the variables of this language",
				CONTEXT_ANY, .run = reset_variables},
		{"restart-sandbox", "New sandbox…",
				"end this sandbox with everything in it, and start another", CONTEXT_ANY,
				.run = restart_sandbox},
};
const struct command_table loss_commands = COMMAND_TABLE(commands);
