/* SPDX-License-Identifier: MIT */
#include "model/pane.h"

#include "model/model.h"
#include "model/page.h"
#include "model/update.h"

const struct pane_ops pane_ops[PANE_COUNT] = {
		[PANE_EDITOR] = {CONTEXT_EDITOR, editor_pane_key, editor_pane_paste, editor_pane_mouse},
		[PANE_OUTPUT] = {CONTEXT_OUTPUT, output_key, NULL, output_mouse},
		[PANE_METRICS] = {CONTEXT_METRICS, NULL, NULL, metrics_mouse},
};

enum key_context context_of_keys(const struct model *m)
{
	return page_is_shown(m)         ? page_context(m)
	       : variables_has_focus(m) ? CONTEXT_VARIABLES
					: pane_ops[m->focus].key_context;
}

bool pane_has_keys(const struct model *m)
{
	return !page_is_shown(m) && !variables_is_overlay(m);
}

void pane_focus_for(struct model *m, enum key_context key_context)
{
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		if (pane_ops[pane].key_context != key_context)
			continue;
		if (variables_is_overlay(m))
			m->variables_page.is_shown = false;
		if (pane != (int)m->focus)
			model_focus(m, (enum pane)pane);
	}
}
