/* SPDX-License-Identifier: MIT */
/* Finds the syntax kinds of the editor's text. The work is done in slices that are too short to delay a key,
 * and only while there is no frame to paint. */
#include <terrarium/lang.h>

#include "app/app_internal.h"
#include "syntax/syntax.h"
#include "text/text.h"

#define SLICE_US 250
#define CHEAP_NS 1500000u /* limit for work that is done at once */
#define PAUSE_NS 30000000u

/* The note about a missing grammar waits, so that it does not replace what the person has yet to read. */
static void tell_no_colors(struct app *a)
{
	const struct model *m = &a->model;

	if (!a->no_colors.code || m->notices.is_shown || m->sandbox.state == SANDBOX_STARTING)
		return;
	app_notify(a, MSG_NOTICE, a->no_colors.msg);
	a->no_colors.code = TRM_OK;
}

/* Load the grammar of the buffer's language on first use. An error is reported once. */
static void set_language(struct app *a, struct editor *e)
{
	struct trm_error err = {0};
	const struct syntax_language *l = e->lang ? grammars_get(a->grammars, e->lang->grammar, &err) : NULL;

	if (err.code)
		a->no_colors = err;
	tell_no_colors(a);
	syntax_set_language(e->syntax, l);
}

/* If the last pass took long, wait for a pause in the typing, because each key starts the pass again, and
 * its slices are not as short as they should be. */
static uint64_t rest_ns(const struct app *a, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - a->painted_ns;

	return a->colors_cost_ns < CHEAP_NS || since_ns >= PAUSE_NS ? 0 : PAUSE_NS - since_ns;
}

int app_work_on_colors(struct app *a)
{
	struct editor *e = model_editor(&a->model);
	size_t rows = (size_t)e->rows;

	if (a->model.layout.panes[PANE_EDITOR].rows <= 0)
		return -1;
	set_language(a, e);
	/* Include a page above and below, so that scrolling finds the kinds ready. */
	size_t from = text_line_start(e->text, e->top_line > rows ? e->top_line - rows : 0);
	size_t below = e->top_line + 2 * rows;
	size_t to = below < text_lines(e->text) ? text_line_start(e->text, below) : text_len(e->text);
	if (syntax_is_beyond(e->syntax, from)) {
		if (!a->has_reported_beyond)
			app_notify(a, MSG_NOTICE,
					"no colors so far down in a file: finding them out takes too long");
		a->has_reported_beyond = true;
		return -1;
	}
	if (!syntax_is_behind(e->syntax, e->text, from, to)) {
		if (a->colors_spent_ns)
			a->colors_cost_ns = a->colors_spent_ns;
		a->colors_spent_ns = 0;
		return -1;
	}
	uint64_t start_ns = app_clock_ns(), wait_ns = rest_ns(a, start_ns);
	if (wait_ns)
		return (int)(wait_ns / 1000000u) + 1;
	if (syntax_work(e->syntax, e->text, from, to, SLICE_US))
		a->model.needs_editor_draw = true;
	a->colors_spent_ns += app_clock_ns() - start_ns;
	if (a->colors_cost_ns < a->colors_spent_ns)
		a->colors_cost_ns = a->colors_spent_ns;
	return 0;
}
