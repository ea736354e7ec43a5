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

static void answer_copy_in_from(struct model *m, int answer, struct effects *out);
static void answer_copy_in_to(struct model *m, int answer, struct effects *out);
static void answer_copy_out_from(struct model *m, int answer, struct effects *out);
static void answer_copy_out_to(struct model *m, int answer, struct effects *out);

/* The path of this machine can be completed. */
static void ask_copy_path(struct model *m, const char *title,
		void (*answer)(struct model *m, int answer, struct effects *out), const char *path)
{
	struct dialog *d = &m->dialog;
	bool is_last = answer == answer_copy_in_to || answer == answer_copy_out_to;
	bool is_here = answer == answer_copy_in_from || answer == answer_copy_out_to;

	dialog_begin(d, title, answer);
	dialog_add(d, ROLE_DIALOG_DIM, "Enter: %s%s   Esc: cancel", is_last ? "copy" : "go on",
			is_here ? "   Tab: complete" : "");
	d->has_field = true;
	d->field_label = is_here ? "Here" : "In the sandbox";
	if (path)
		field_set(&d->field, path);
	m->needs_draw = true;
}

static void copy_in(struct model *m, struct effects *out)
{
	(void)out;
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else
		ask_copy_path(m, "Copy into the sandbox: which file or folder?", answer_copy_in_from, NULL);
}

static void copy_out(struct model *m, struct effects *out)
{
	(void)out;
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else
		ask_copy_path(m, "Copy out of the sandbox: which file or folder?", answer_copy_out_from,
				NULL);
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

static void ask_where_to(struct model *m, bool is_out)
{
	char title[sizeof m->dialog.title], name[256];

	snprintf(m->pending_path, sizeof m->pending_path, "%s", field_text(&m->dialog.field));
	last_name(m->pending_path, name, sizeof name);
	snprintf(title, sizeof title, "Copy %.50s %s the sandbox: where to?", name,
			is_out ? "out of" : "into");
	if (is_out)
		ask_copy_path(m, title, answer_copy_out_to, name);
	else
		ask_copy_path(m, title, answer_copy_in_to, "/workspace");
}

/* `both`: the source, NUL, the target. */
static void add_copy(const char *both, enum effect_type type, bool is_out, struct effects *out)
{
	effect_add(out, (struct effect){.type = type,
					.copy = {effects_string(out, both),
							effects_string(out, both + strlen(both) + 1),
							is_out}});
}

/* Start the copy. The source is in m->pending_path. The target is stored after it until it is clear whether
 * a question is needed. */
static void start_copy(struct model *m, bool is_out, struct effects *out)
{
	const char *to = field_text(&m->dialog.field);
	char *both = m->pending_path;
	size_t from_len = strlen(both), to_len = strlen(to), n = from_len + 1 + to_len;

	if (n >= sizeof m->pending_path) {
		notices_add(&m->notices, m->now_ns, true, "the paths are too long");
		return;
	}
	memcpy(both + from_len + 1, to, to_len + 1);
	add_copy(both, is_out ? EFFECT_COPY_CHECKED : EFFECT_COPY_FILES, is_out, out);
}

/* True: a path was entered. Any other answer is dealt with here. */
static bool take_copy_path(struct model *m, int answer, bool is_here, struct effects *out)
{
	const char *text = field_text(&m->dialog.field);

	if (answer == ANSWER_ENTER && *text)
		return true;
	if (answer == ANSWER_TAB && is_here)
		effect_path(out, EFFECT_COMPLETE_PATH, text);
	else if (answer != ANSWER_TAB && answer != ANSWER_MOVED)
		dialog_close(m);
	return false;
}

static void answer_copy_in_from(struct model *m, int answer, struct effects *out)
{
	if (take_copy_path(m, answer, true, out))
		ask_where_to(m, false);
}

static void answer_copy_out_from(struct model *m, int answer, struct effects *out)
{
	if (take_copy_path(m, answer, false, out))
		ask_where_to(m, true);
}

static void answer_copy_in_to(struct model *m, int answer, struct effects *out)
{
	if (!take_copy_path(m, answer, false, out))
		return;
	start_copy(m, false, out);
	dialog_close(m);
}

static void answer_copy_out_to(struct model *m, int answer, struct effects *out)
{
	if (!take_copy_path(m, answer, true, out))
		return;
	start_copy(m, true, out);
	dialog_close(m);
}

/* ---- an existing target ---- */

enum { BUTTON_REPLACE = 1 };

static void answer_copy_over(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_REPLACE)
		add_copy(m->pending_path, EFFECT_COPY_FILES, true, out);
}

void ask_copy_over(struct model *m, const struct msg *msg)
{
	static const struct dialog_button buttons[] = {
			{"Replace", NULL, 'r', BUTTON_REPLACE}, {"Cancel", NULL, 'c', ANSWER_CANCEL}};
	struct dialog *d = &m->dialog;

	dialog_begin(d, msg->copy_exists.is_folder ? "The folder exists" : "The file exists",
			answer_copy_over);
	dialog_add(d, ROLE_DIALOG,
			msg->copy_exists.is_folder
					? "%s already exists. Replace files of the same names in it?"
					: "%s already exists. Replace it?",
			msg->copy_exists.path);
	dialog_set_buttons(d, buttons, COUNT(buttons));
}

/* ---- commands ---- */

static const struct command commands[] = {
		{"copy-in", "Copy files into the sandbox…",
				"copy a file or folder of this machine into the sandbox", CONTEXT_ANY,
				.run = copy_in},
		{"copy-out", "Copy files out of the sandbox…",
				"copy a file or folder of the sandbox to this machine", CONTEXT_ANY,
				.run = copy_out},
};
const struct command_table copier_commands = COMMAND_TABLE(commands);
