/* SPDX-License-Identifier: MIT */
/* Recording the session, and exporting it to other formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

enum { BUTTON_YES = 1 };

static const struct dialog_button replace_buttons[] = {
		{"Replace", NULL, 'r', BUTTON_YES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

/* ---- questions ---- */

static void ask_record_path(
		struct model *m, enum dialog_kind kind, const char *title, const char *path, const char *why)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, kind, title);
	if (kind == DIALOG_EXPORT)
		dialog_add(d, ROLE_DIALOG,
				"Writes all runs of this session with their output. The file "
				"name ending chooses the format: .ipynb Jupyter notebook, .md "
				"Markdown, .html web page, .py .js .sh script.");
	else
		dialog_add(d, ROLE_DIALOG,
				"Records code, input, output with its times, and metrics to "
				"this file, from now on. \"terrarium replay\" plays it. Input "
				"without an echo, such as passwords, is not recorded.");
	dialog_add(d, ROLE_DIM, "Enter: %s   Tab: complete   Esc: cancel",
			kind == DIALOG_EXPORT ? "export" : "record");
	if (why)
		dialog_add(d, ROLE_STATUS_ERROR, "%s", why);
	d->has_field = true;
	d->field_label = "Path";
	field_set(&d->field, path);
	m->needs_draw = true;
}

void answer_record(struct model *m, int answer, struct effects *out)
{
	const char *path = field_text(&m->dialog.field);
	enum effect_type effect = m->dialog.kind == DIALOG_EXPORT ? EFFECT_EXPORT : EFFECT_RECORD;

	if (answer == ANSWER_TAB)
		effect_text(out, EFFECT_COMPLETE_PATH, NULL, path);
	else if (answer == ANSWER_ENTER && *path)
		effect_text(out, effect, NULL, path); /* the dialog stays open until the result is known */
	else
		dialog_close(m);
}

void answer_export(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_text(out, EFFECT_EXPORT_OVER, NULL, m->pending_path);
}

/* ---- messages ---- */

static void close_if(struct model *m, enum dialog_kind kind)
{
	if (m->dialog.kind == kind)
		dialog_close(m);
}

static void report_record_failure(struct model *m, enum dialog_kind kind, const char *why)
{
	struct dialog *d = &m->dialog;
	char title[sizeof d->title], *path;

	if (d->kind != kind) {
		notices_add(&m->notices, m->now_ns, true, "%s", why);
		return;
	}
	/* The typed text stays, so that the person can correct it. */
	path = strdup(field_text(&d->field));
	memcpy(title, d->title, sizeof title);
	ask_record_path(m, kind, title, path ? path : "", why);
	free(path);
}

static void on_recording(struct model *m, const struct msg *msg)
{
	if (msg->other) {
		m->is_recording = msg->flag;
		report_record_failure(m, DIALOG_RECORD, msg->other);
		return;
	}
	close_if(m, DIALOG_RECORD);
	m->is_recording = msg->flag;
	notices_add(&m->notices, m->now_ns, false, msg->flag ? "recording to %s" : "recorded to %s",
			msg->text);
}

static void on_exported(struct model *m, const struct msg *msg)
{
	if (msg->other) {
		report_record_failure(m, DIALOG_EXPORT, msg->other);
		return;
	}
	close_if(m, DIALOG_EXPORT);
	if (!msg->flag) {
		notices_add(&m->notices, m->now_ns, false, "exported %llu run%s to %s",
				(unsigned long long)msg->number, msg->number == 1 ? "" : "s", msg->text);
		return;
	}
	snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->text);
	dialog_begin(&m->dialog, DIALOG_EXPORT_OVER, "The file exists");
	dialog_add(&m->dialog, ROLE_DIALOG, "%s already exists. Replace it?", msg->text);
	dialog_set_buttons(&m->dialog, replace_buttons, COUNT(replace_buttons));
}

void update_record(struct model *m, const struct msg *msg)
{
	m->needs_draw = true;
	if (msg->type == MSG_RECORDING)
		on_recording(m, msg);
	else
		on_exported(m, msg);
}

/* ---- commands ---- */

static void start_recording(struct model *m, struct effects *out)
{
	(void)out;
	if (m->is_recording)
		notices_add(&m->notices, m->now_ns, false, "already recording");
	else
		ask_record_path(m, DIALOG_RECORD, "Record", "session.trec", NULL);
}

static void stop_recording(struct model *m, struct effects *out)
{
	if (m->is_recording)
		effect_plain(out, EFFECT_RECORD_STOP);
	else
		notices_add(&m->notices, m->now_ns, false, "not recording");
}

static void toggle_recording(struct model *m, struct effects *out)
{
	if (m->is_recording)
		stop_recording(m, out);
	else
		start_recording(m, out);
}

static void export_notebook(struct model *m, struct effects *out)
{
	(void)out;
	ask_record_path(m, DIALOG_EXPORT, "Export as a notebook", "session.ipynb", NULL);
}

static void export_markdown(struct model *m, struct effects *out)
{
	(void)out;
	ask_record_path(m, DIALOG_EXPORT, "Export as Markdown", "session.md", NULL);
}

static void export_html(struct model *m, struct effects *out)
{
	(void)out;
	ask_record_path(m, DIALOG_EXPORT, "Export as a web page", "session.html", NULL);
}

static void export_script(struct model *m, struct effects *out)
{
	char path[64];

	(void)out;
	snprintf(path, sizeof path, "session%s", m->lang->suffixes[0]);
	ask_record_path(m, DIALOG_EXPORT, "Export as a script", path, NULL);
}

static const struct command commands[] = {
		{"export-notebook", "Export the session as a Jupyter notebook…",
				"write all runs with their output as a Jupyter notebook", CONTEXT_ANY,
				export_notebook, NULL, 0, false},
		{"export-markdown", "Export the session as Markdown…", "write all runs as Markdown",
				CONTEXT_ANY, export_markdown, NULL, 0, false},
		{"export-html", "Export the session as a web page…", "write all runs as a web page",
				CONTEXT_ANY, export_html, NULL, 0, false},
		{"export-script", "Export the session as a script…",
				"write the code of all runs as a script with cells", CONTEXT_ANY,
				export_script, NULL, 0, false},
		{"record", "Start or stop recording", "start or stop recording, for \"terrarium replay\"",
				CONTEXT_ANY, toggle_recording, NULL, 0, false},
		{"start-recording", "Record to a file…", "start recording", CONTEXT_ANY, start_recording,
				NULL, 0, false},
		{"stop-recording", "Stop recording", "stop recording", CONTEXT_ANY, stop_recording, NULL, 0,
				false},
};
const struct command_table record_commands = COMMAND_TABLE(commands);
