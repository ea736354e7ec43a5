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
	dialog_set_field(d, is_here ? "Here" : "In the sandbox", path, false);
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

/* Paths in the sandbox are not completed. */
static bool takes_inside(struct model *m, int answer, struct effects *out)
{
	return answer != ANSWER_TAB && dialog_takes_path(m, answer, out);
}

static void answer_copy_in_from(struct model *m, int answer, struct effects *out)
{
	if (dialog_takes_path(m, answer, out))
		ask_where_to(m, false);
}

static void answer_copy_out_from(struct model *m, int answer, struct effects *out)
{
	if (takes_inside(m, answer, out))
		ask_where_to(m, true);
}

static void answer_copy_in_to(struct model *m, int answer, struct effects *out)
{
	if (!takes_inside(m, answer, out))
		return;
	start_copy(m, false, out);
	dialog_close(m);
}

static void answer_copy_out_to(struct model *m, int answer, struct effects *out)
{
	if (!dialog_takes_path(m, answer, out))
		return;
	start_copy(m, true, out);
	dialog_close(m);
}

/* ---- an existing target ---- */

static void answer_copy_over(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_REPLACE)
		add_copy(m->pending_path, EFFECT_COPY_FILES, true, out);
}

void ask_copy_over(struct model *m, const struct msg *msg)
{
	bool is_folder = msg->copy_exists.is_folder;

	dialog_ask_over(m, is_folder ? "The folder exists" : "The file exists", msg->copy_exists.path,
			is_folder ? "already exists. Replace files of the same names in it?"
				  : "already exists. Replace it?",
			answer_copy_over);
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
