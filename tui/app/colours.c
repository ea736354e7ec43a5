/* SPDX-License-Identifier: MIT */
/* Finding out what the text in the editor is: in slices so short that no key waits for one, and only when
 * there is nothing to be painted. */
#include <terrarium/lang.h>

#include "app/inside.h"
#include "syntax/syntax.h"
#include "text/text.h"

#define SLICE_US 250

/* Load the grammar of the buffer's language when it is first seen; what is wrong is told once. */
static void set_language(struct app *a, struct editor *e)
{
	struct trm_error err = {0};
	const struct syntax_language *l = e->lang ? grammars_get(a->grammars, e->lang->name, &err) : NULL;

	if (err.code)
		app_tell(a, MSG_NOTICE, err.msg);
	syntax_set_language(e->syntax, l);
}

bool app_work_on_colours(struct app *a)
{
	struct editor *e = model_editor(&a->model);
	size_t rows = (size_t)e->rows;

	if (a->model.layout.panes[PANE_EDITOR].rows <= 0)
		return false;
	set_language(a, e);
	/* A page on both sides as well, so that scrolling finds it done. */
	size_t from = text_line_start(e->text, e->top_line > rows ? e->top_line - rows : 0);
	size_t to = text_line_start(e->text, e->top_line + 2 * rows);
	if (syntax_work(e->syntax, e->text, from, to, SLICE_US))
		a->model.needs_editor_draw = true;
	return a->model.needs_editor_draw || syntax_is_behind(e->syntax, e->text, from, to);
}
