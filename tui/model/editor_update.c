/* SPDX-License-Identifier: MIT */
/* What the pane of the editor does with events. */
#include "cells/event.h"
#include "command/command.h"
#include "command/keymap.h"
#include "model/complete.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/pane.h"
#include "model/update.h"

/* A motion whose key was pressed together with Shift, and which selects. NULL: it is none. */
static const struct command *motion_with_shift(const struct model *m, const struct event *ev)
{
	struct keys keys = {.n = 1, .chords = {{ev->key, (uint8_t)(ev->mods & ~MOD_SHIFT)}}};
	const struct command *c;

	if (!(ev->mods & MOD_SHIFT)
			|| keymap_resolve(&m->keymap, CONTEXT_EDITOR, &keys, &c) != KEYMAP_COMMAND)
		return NULL;
	return c->is_motion ? c : NULL;
}

void editor_done(struct model *m, unsigned bits, struct effects *out)
{
	if (bits & EDITOR_CLIPBOARD)
		effect_text(out, EFFECT_COPY, m->clipboard.text, m->clipboard.len);
	if (bits & EDITOR_NOMEM) {
		notices_add(&m->notices, m->now_ns, true, "out of memory: the text is unchanged");
		m->needs_draw = true;
	}
	if (bits)
		m->needs_editor_draw = true;
	if (bits & EDITOR_HANDLED)
		complete_follow(m, out);
}

void editor_pane_key(struct model *m, const struct event *ev, struct effects *out)
{
	const struct command *motion = motion_with_shift(m, ev);
	char key[KEYMAP_NAME_BYTES];

	if (m->demo.is_on) {
		notices_add(&m->notices, m->now_ns, false, "this is a demo: %s lets you edit the file",
				key_hint(m, "demo-leave", key));
		return;
	}
	if (motion) {
		editor_done(m, editor_command(model_editor(m), motion, true, ev->time_ns), out);
		return;
	}
	unsigned bits = editor_handle(model_editor(m), ev);
	editor_done(m, bits, out);
	if (bits & EDITOR_CHANGED) {
		complete_typed(m, ev->key, out);
		signature_typed(m, ev->key, out);
	}
}

void editor_pane_paste(struct model *m, const struct event *ev, struct effects *out)
{
	editor_done(m, editor_handle(model_editor(m), ev), out);
}

void editor_pane_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct event own = *ev;

	own.row -= m->layout.panes[PANE_EDITOR].row;
	own.col -= m->layout.panes[PANE_EDITOR].col;
	editor_done(m, editor_handle(model_editor(m), &own), out);
}
