/* SPDX-License-Identifier: MIT */
/* Copying files into and out of the sandbox. The workbench asks for the source and the target, and asks
 * again before it replaces something on this machine. */
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

static bool is_out(const struct model *m)
{
	return m->dialog.kind == DIALOG_COPY_OUT_FROM || m->dialog.kind == DIALOG_COPY_OUT_TO;
}

static void ask_copy_path(struct model *m, enum dialog_kind kind, const char *title, const char *label,
		const char *path)
{
	struct dialog *d = &m->dialog;
	bool is_last = kind == DIALOG_COPY_IN_TO || kind == DIALOG_COPY_OUT_TO;
	bool is_here = kind == DIALOG_COPY_IN_FROM || kind == DIALOG_COPY_OUT_TO;

	dialog_begin(d, kind, title);
	dialog_add(d, ROLE_DIALOG_DIM, "Enter: %s%s   Esc: cancel", is_last ? "copy" : "go on",
			is_here ? "   Tab: complete" : "");
	d->has_field = true;
	d->field_label = label;
	if (path)
		field_set(&d->field, path);
	m->needs_draw = true;
}

static void begin_copy_question(struct model *m, enum dialog_kind kind, const char *title, const char *label)
{
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else
		ask_copy_path(m, kind, title, label, NULL);
}

static void copy_in(struct model *m, struct effects *out)
{
	(void)out;
	begin_copy_question(m, DIALOG_COPY_IN_FROM, "Copy into the sandbox: which file or folder?", "Here");
}

static void copy_out(struct model *m, struct effects *out)
{
	(void)out;
	begin_copy_question(m, DIALOG_COPY_OUT_FROM, "Copy out of the sandbox: which file or folder?",
			"In the sandbox");
}

/* The last name of a path such as "DIR/name" or "name/", as a suggestion for the target. */
static void last_name(const char *path, char *out, size_t cap)
{
	size_t n = strlen(path), start;

	while (n > 1 && path[n - 1] == '/')
		n--;
	for (start = n; start && path[start - 1] != '/'; start--)
		;
	snprintf(out, cap, "%.*s", (int)(n - start), path + start);
}

static void ask_where_to(struct model *m, const char *from)
{
	char title[sizeof m->dialog.title], name[256];

	snprintf(m->pending_path, sizeof m->pending_path, "%s", from);
	last_name(m->pending_path, name, sizeof name);
	snprintf(title, sizeof title, "Copy %.50s %s the sandbox: where to?", name,
			is_out(m) ? "out of" : "into");
	if (is_out(m))
		ask_copy_path(m, DIALOG_COPY_OUT_TO, title, "Here", name);
	else
		ask_copy_path(m, DIALOG_COPY_IN_TO, title, "In the sandbox", "/workspace");
}

/* Start the copy. The source is in m->pending_path. The target is stored after it until it is clear whether
 * a question is needed. */
static void start_copy(struct model *m, const char *to, struct effects *out)
{
	char *both = m->pending_path;
	size_t from_len = strlen(both), to_len = strlen(to), n = from_len + 1 + to_len;

	if (n >= sizeof m->pending_path) {
		notices_add(&m->notices, m->now_ns, true, "the paths are too long");
		return;
	}
	memcpy(both + from_len + 1, to, to_len + 1);
	if (effect_add(out, is_out(m) ? EFFECT_COPY_CHECKED : EFFECT_COPY_FILES, NULL, both, n, 0))
		out->items[out->n - 1].flag = is_out(m);
}

void answer_copy_files(struct model *m, int answer, struct effects *out)
{
	const char *text = field_text(&m->dialog.field);
	bool is_first = m->dialog.kind == DIALOG_COPY_IN_FROM || m->dialog.kind == DIALOG_COPY_OUT_FROM;
	bool is_here = is_first != is_out(m);

	if (answer == ANSWER_MOVED)
		return;
	if (answer == ANSWER_TAB) {
		if (is_here)
			effect_text(out, EFFECT_COMPLETE_PATH, NULL, text);
	} else if (answer == ANSWER_ENTER && *text && is_first) {
		ask_where_to(m, text);
	} else {
		if (answer == ANSWER_ENTER && *text)
			start_copy(m, text, out);
		dialog_close(m);
	}
}

/* ---- an existing target ---- */

enum { BUTTON_REPLACE = 1 };

void ask_copy_over(struct model *m, const struct msg *msg)
{
	static const struct dialog_button buttons[] = {
			{"Replace", NULL, 'r', BUTTON_REPLACE}, {"Cancel", NULL, 'c', ANSWER_CANCEL}};
	struct dialog *d = &m->dialog;

	dialog_begin(d, DIALOG_COPY_OVER, msg->flag ? "The folder exists" : "The file exists");
	dialog_add(d, ROLE_DIALOG,
			msg->flag ? "%s already exists. Replace files of the same names in it?"
				  : "%s already exists. Replace it?",
			msg->text);
	dialog_set_buttons(d, buttons, COUNT(buttons));
}

void answer_copy_over(struct model *m, int answer, struct effects *out)
{
	const char *both = m->pending_path, *to = both + strlen(both) + 1;

	dialog_close(m);
	if (answer == BUTTON_REPLACE
			&& effect_add(out, EFFECT_COPY_FILES, NULL, both, (size_t)(to - both) + strlen(to),
					0))
		out->items[out->n - 1].flag = true;
}

/* ---- commands ---- */

static const struct command commands[] = {
		{"copy-in", "Copy files into the sandbox…",
				"copy a file or folder of this machine into the sandbox", CONTEXT_ANY,
				copy_in, NULL, 0, false},
		{"copy-out", "Copy files out of the sandbox…",
				"copy a file or folder of the sandbox to this machine", CONTEXT_ANY, copy_out,
				NULL, 0, false},
};
const struct command_table copier_commands = COMMAND_TABLE(commands);
