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

/* ---- questions ---- */

/* These dialogs stay open until the result is known. */
static void answer_record(struct model *m, int answer, struct effects *out)
{
	if (dialog_takes_path(m, answer, out))
		effect_path(out, EFFECT_RECORD, field_text(&m->dialog.field));
}

static void answer_export(struct model *m, int answer, struct effects *out)
{
	if (dialog_takes_path(m, answer, out))
		effect_path(out, EFFECT_EXPORT, field_text(&m->dialog.field));
}

static void answer_export_over(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_REPLACE)
		effect_path(out, EFFECT_EXPORT_OVER, m->pending_path);
}

static void ask_record_path(
		struct model *m, bool is_export, const char *title, const char *path, const char *why)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, title, is_export ? answer_export : answer_record);
	if (is_export)
		dialog_add(d, ROLE_DIALOG,
				"Writes all runs of this session with their output. The file "
				"name ending chooses the format: .ipynb Jupyter notebook, .md "
				"Markdown, .html web page, .py .js .sh script.");
	else
		dialog_add(d, ROLE_DIALOG,
				"Records code, input, output with its times, and metrics to "
				"this file, from now on. \"terrarium replay\" plays it. Input "
				"without an echo, such as passwords, is not recorded.");
	dialog_add(d, ROLE_DIM, "Enter: %s   Tab: complete   Esc: cancel", is_export ? "export" : "record");
	if (why)
		dialog_add(d, ROLE_STATUS_ERROR, "%s", why);
	dialog_set_field(d, "Path", path, why != NULL);
	m->needs_draw = true;
}

/* ---- messages ---- */

static void report_record_failure(struct model *m, bool is_export, const char *why)
{
	struct dialog *d = &m->dialog;
	char title[sizeof d->title], *path;

	if (d->answer != (is_export ? answer_export : answer_record)) {
		notices_add(&m->notices, m->now_ns, true, "%s", why);
		return;
	}
	/* The typed text stays, so that the person can correct it. */
	path = strdup(field_text(&d->field));
	memcpy(title, d->title, sizeof title);
	ask_record_path(m, is_export, title, path ? path : "", why);
	free(path);
}

static void on_recording(struct model *m, const struct msg *msg)
{
	if (msg->recording.error) {
		m->is_recording = msg->recording.goes_on;
		report_record_failure(m, false, msg->recording.error);
		return;
	}
	if (m->dialog.answer == answer_record)
		dialog_close(m);
	m->is_recording = msg->recording.goes_on;
	notices_add(&m->notices, m->now_ns, false,
			msg->recording.goes_on ? "recording to %s" : "recorded to %s", msg->recording.path);
}

static void on_exported(struct model *m, const struct msg *msg)
{
	if (msg->exported.error) {
		report_record_failure(m, true, msg->exported.error);
		return;
	}
	if (m->dialog.answer == answer_export)
		dialog_close(m);
	if (!msg->exported.exists) {
		notices_add(&m->notices, m->now_ns, false, "exported %llu run%s to %s",
				(unsigned long long)msg->exported.n_runs,
				msg->exported.n_runs == 1 ? "" : "s", msg->exported.path);
		return;
	}
	snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->exported.path);
	dialog_ask_over(m, "The file exists", m->pending_path, "already exists. Replace it?",
			answer_export_over);
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
		ask_record_path(m, false, "Record", "session.trec", NULL);
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
	ask_record_path(m, true, "Export as a notebook", "session.ipynb", NULL);
}

static void export_markdown(struct model *m, struct effects *out)
{
	(void)out;
	ask_record_path(m, true, "Export as Markdown", "session.md", NULL);
}

static void export_html(struct model *m, struct effects *out)
{
	(void)out;
	ask_record_path(m, true, "Export as a web page", "session.html", NULL);
}

static void export_script(struct model *m, struct effects *out)
{
	char path[64];

	(void)out;
	snprintf(path, sizeof path, "session%s", m->lang->suffixes[0]);
	ask_record_path(m, true, "Export as a script", path, NULL);
}

static const struct command commands[] = {
		{"export-notebook", "Export the session as a Jupyter notebook…",
				"write all runs with their output as a Jupyter notebook", CONTEXT_ANY,
				.run = export_notebook},
		{"export-markdown", "Export the session as Markdown…", "write all runs as Markdown",
				CONTEXT_ANY, .run = export_markdown},
		{"export-html", "Export the session as a web page…", "write all runs as a web page",
				CONTEXT_ANY, .run = export_html},
		{"export-script", "Export the session as a script…",
				"write the code of all runs as a script with cells", CONTEXT_ANY,
				.run = export_script},
		{"record", "Start or stop recording", "start or stop recording, for \"terrarium replay\"",
				CONTEXT_ANY, .run = toggle_recording},
		{"start-recording", "Record to a file…", "start recording", CONTEXT_ANY,
				.run = start_recording},
		{"stop-recording", "Stop recording", "stop recording", CONTEXT_ANY, .run = stop_recording},
};
const struct command_table record_commands = COMMAND_TABLE(commands);
