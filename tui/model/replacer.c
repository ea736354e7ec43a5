/* SPDX-License-Identifier: MIT */
/* Replacing from match to match. */
#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "editor/editor_internal.h"
#include "model/finder.h"
#include "model/model.h"
#include "model/update.h"
#include "text/text.h"

void replacer_end(struct model *m)
{
	size_t n = m->finder.replaced;
	const char *gap = finder_gap(m->finder.find);

	finder_close(m);
	m->finder.is_marking = false;
	if (n)
		notices_add(&m->notices, m->now_ns, false, "replaced %zu match%s%s", n, n == 1 ? "" : "es",
				gap);
	else
		notices_add(&m->notices, m->now_ns, false, "nothing was replaced%s", gap);
}

/* Show the next match after `from`, or end. */
static void ask_next(struct model *m, size_t from)
{
	struct finder *f = &m->finder;
	struct editor *e = model_editor(m);
	bool is_found = find_next(f->find, e->text, from, f->to, &f->match);
	size_t n;

	if (!is_found && f->wraps_to > 0) {
		f->to = f->wraps_to;
		f->wraps_to = 0;
		finder_say(f, false, "wrapped");
		is_found = find_next(f->find, e->text, 0, f->to, &f->match);
	}
	free(f->preview);
	f->preview = is_found ? find_replacement(f->find, e->text, f->match, field_text(&f->by), &n) : NULL;
	if (!f->preview) {
		replacer_end(m);
		return;
	}
	f->state = FINDER_ASKING;
	finder_note_text(m);
	finder_show(m, f->match);
}

void replacer_begin(struct model *m)
{
	struct finder *f = &m->finder;
	struct selection s = f->origin;
	const struct text *t = model_editor(m)->text;

	if (!finder_compile(f)) {
		f->state = FINDER_WHAT;
		return;
	}
	/* Replace in the selected lines. Without selected lines replace everywhere, from the cursor on and
	 * then from the top. */
	bool in_selection = text_line_of(t, s.anchor) != text_line_of(t, s.cursor);
	f->replaced = 0;
	f->to = in_selection ? s.cursor : SIZE_MAX;
	f->wraps_to = in_selection ? 0 : s.anchor;
	ask_next(m, s.anchor);
	if (f->state != FINDER_ASKING)
		finder_say_none(f);
}

static void replace_one(struct model *m, struct effects *out)
{
	struct finder *f = &m->finder;
	struct selection s = model_editor(m)->sel;
	size_t n = strlen(f->preview), pos = f->match.pos;

	if (s.anchor != pos || s.cursor != pos + f->match.len) {
		replacer_end(m); /* the mouse may have moved the cursor */
		return;
	}
	editor_done(m, editor_replace(model_editor(m), pos, f->match.len, f->preview, n, BURST_NONE), out);
	if (f->to != SIZE_MAX)
		f->to += n - f->match.len;
	f->replaced++;
	ask_next(m, pos + n + (f->match.len == 0));
}

static void replace_rest(struct model *m, struct effects *out)
{
	struct finder *f = &m->finder;
	struct editor *e = model_editor(m);
	const struct editor_range ranges[] = {{f->match.pos, f->to}, {0, f->wraps_to}};
	size_t n = 0;

	editor_done(m, editor_replace_all(e, f->find, field_text(&f->by), ranges, 2, &n), out);
	f->replaced += n;
	replacer_end(m);
}

void replacer_answer(struct model *m, const struct event *ev, struct effects *out)
{
	if (!finder_has_text(m)) { /* a reload, or another buffer */
		replacer_end(m);
		return;
	}
	switch (ev->key) {
	case 'y':
	case ' ': /* Emacs' keys, too */
	case K_ENTER: replace_one(m, out); break;
	case 'n':
	case K_DOWN:
		ask_next(m, m->finder.match.pos + (m->finder.match.len ? m->finder.match.len : 1));
		break;
	case 'a':
	case '!': replace_rest(m, out); break;
	case 'q':
	case K_ESCAPE: replacer_end(m); break;
	}
}
