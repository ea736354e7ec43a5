/* SPDX-License-Identifier: MIT */
/* The question for a machine without isolation: run code anyway? */
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_isolation(struct model *m, int answer, struct effects *out);

enum answer { ANSWER_RUN = 1, ANSWER_ALWAYS, ANSWER_QUIT };

/* The middle part of the library's message. The dialog says the rest itself. */
static const char *find_reason(const char *why, int *ret_len)
{
	const char *start = strstr(why, ": "), *end = strstr(why, ". ");
	start = start ? start + 2 : why;
	*ret_len = end && end > start ? (int)(end - start) : (int)strlen(start);
	return start;
}

void ask_isolation(struct model *m, const char *why)
{
	static const struct dialog_button buttons[] = {
			{"Run without isolation in this session", "This session", 'r', ANSWER_RUN},
			{"Always on this machine", "Always", 'a', ANSWER_ALWAYS},
			{"Quit and how to mend it", "Quit", 'q', ANSWER_QUIT}};
	struct dialog *d = &m->dialog;
	int len;
	const char *reason = find_reason(why, &len);

	dialog_begin(d, "No isolation", answer_isolation);
	dialog_add(d, ROLE_DIALOG_WARN, "This machine offers no isolation: code runs with all your rights.");
	dialog_add(d, ROLE_DIALOG, "If this container is your sandbox, that may be what you want.");
	dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG_DIM, "%.*s", len, reason);
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
