/* SPDX-License-Identifier: MIT */
/* Buffers and files: what became of opening and saving. */
#include <stdio.h>
#include <string.h>

#include "model/code.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

void language_set(struct model *m, const struct trm_lang *lang, struct effects *out)
{
	if (m->lang == lang)
		return;
	m->lang = lang;
	if (m->sandbox.state != SANDBOX_DEAD)
		effect_add(out, EFFECT_WARM, lang, NULL, 0, 0);
	m->needs_draw = true;
}

static void on_opened(struct model *m, const struct msg *msg, struct effects *out)
{
	size_t lines = code_lines(&m->editors[msg->lang->id]);

	if (msg->other) {
		notices_add(&m->notices, m->now_ns, true, "%s", msg->other);
		return;
	}
	language_set(m, msg->lang, out);
	model_focus(m, PANE_EDITOR);
	if (msg->flag)
		notices_add(&m->notices, m->now_ns, false, "%s does not exist yet: saving will make it",
				msg->text);
	else
		notices_add(&m->notices, m->now_ns, false, "opened %s, %zu line%s", msg->text, lines,
				lines == 1 ? "" : "s");
}

void update_file(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw = true;
	switch (msg->type) {
	case MSG_OPENED: on_opened(m, msg, out); break;
	case MSG_SAVED:
		if (msg->other)
			notices_add(&m->notices, m->now_ns, true, "%s", msg->other);
		else
			notices_add(&m->notices, m->now_ns, false, "saved %s", msg->text);
		break;
	default: break;
	}
}
