/* SPDX-License-Identifier: MIT */
/* The question for a machine without isolation: run code anyway? */
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_isolation(struct model *m, int answer, struct effects *out);

enum answer { ANSWER_RUN = 1, ANSWER_ALWAYS, ANSWER_QUIT };

/* A line for each reason and each cure. */
static void add_reasons(struct dialog *d, const char *words)
{
	for (size_t n; *words; words += n + (words[n] == '\n')) {
		n = strcspn(words, "\n");
		dialog_add(d, *words == ' ' ? ROLE_DIALOG : ROLE_DIALOG_DIM, "%.*s", (int)n, words);
	}
}

void ask_isolation(struct model *m, const char *why)
{
	static const struct dialog_button buttons[] = {{"Run this session", "This session", 'r', ANSWER_RUN},
			{"Always on this machine", "Always", 'a', ANSWER_ALWAYS},
			{"Quit to mend it", "Quit", 'q', ANSWER_QUIT}};
	struct dialog *d = &m->dialog;

	dialog_begin(d, "No isolation: run without it?", answer_isolation);
	dialog_add(d, ROLE_DIALOG_WARN, "This machine offers no isolation: code runs with all your rights.");
	dialog_add(d, ROLE_DIALOG, "If this container is your sandbox, that may be what you want.");
	dialog_add(d, ROLE_DIALOG, "%s", "");
	add_reasons(d, why);
	dialog_set_buttons(d, buttons, COUNT(buttons));
	d->focus = COUNT(buttons) - 1;
	m->needs_draw = true;
}

/* Esc postpones the question until F5 asks it again. */
static void answer_isolation(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == ANSWER_QUIT)
		effect_plain(out, EFFECT_QUIT);
	else if (answer == ANSWER_RUN || answer == ANSWER_ALWAYS)
		effect_add(out, (struct effect){.type = EFFECT_GO_WITHOUT,
						.is_always = answer == ANSWER_ALWAYS});
}
