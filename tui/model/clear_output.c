/* SPDX-License-Identifier: MIT */
/* Deleting all output. This cannot be undone, so the workbench asks first. */
#include <stdio.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_clear(struct model *m, int answer, struct effects *out);

enum { BUTTON_CLEAR = 1 };

static void ask_clear(struct model *m, struct effects *out)
{
	static const struct dialog_button buttons[] = {
			{"Clear", NULL, 'c', BUTTON_CLEAR}, {"Keep", NULL, 'k', ANSWER_CANCEL}};
	const struct scrollback *store = &m->out.store;
	size_t lines = scrollback_end(store) - scrollback_first(store);

	(void)out;
	m->needs_draw = true;
	if (!lines) {
		notices_add(&m->notices, m->now_ns, false, "there is no output to clear");
		return;
	}
	dialog_begin(&m->dialog, "Clear the output?", answer_clear);
	dialog_add(&m->dialog, ROLE_DIALOG, "%zu line%s of output and all images are deleted for good.",
			lines, lines == 1 ? "" : "s");
	dialog_add(&m->dialog, ROLE_DIALOG, "Variables, files and the history stay.");
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
	m->dialog.focus = 1; /* who goes on typing deletes nothing */
}

static void answer_clear(struct model *m, int answer, struct effects *out)
{
	(void)out;
	dialog_close(m);
	if (answer == BUTTON_CLEAR)
		outpane_clear(&m->out);
}

static const struct command commands[] = {
		{"clear-output", "Clear the output…", "delete all output, after a question", CONTEXT_ANY,
				.run = ask_clear},
};
const struct command_table clear_commands = COMMAND_TABLE(commands);
