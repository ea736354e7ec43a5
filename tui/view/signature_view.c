/* SPDX-License-Identifier: MIT */
/* The signature of the call that is being typed, beside the cursor. */
#include <string.h>

#include "model/inspect.h"
#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

bool signature_is_beside(const struct model *m)
{
	return *signature_text(m) && m->focus == PANE_EDITOR && !dialog_is_open(&m->dialog)
	       && model_editor_area(m).rows >= 3;
}

/* The bytes of the parameter with this number, from 0. False: there is none. */
static bool find_parameter(const char *text, unsigned number, size_t *ret_from, size_t *ret_to)
{
	const char *open = strchr(text, '(');
	int depth = 0;
	unsigned at = 0;

	if (!open)
		return false;
	*ret_from = (size_t)(open - text) + 1;
	for (const char *p = open + 1; *p; p++) {
		bool is_end = depth == 0 && (*p == ',' || *p == ')');
		if (is_end && at == number) {
			*ret_to = (size_t)(p - text);
			*ret_from += strspn(text + *ret_from, " ");
			return *ret_from < *ret_to;
		}
		if (is_end && *p == ')')
			return false;
		if (is_end) {
			*ret_from = (size_t)(p - text) + 1;
			at++;
		}
		depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
	}
	return false;
}

/* Above the line of the cursor, or below it in the first row of the pane; it begins where the call does, as
 * far as there is room. */
void draw_signature(const struct model *m, struct canvas *c)
{
	const char *text = signature_text(m);
	struct rect area = model_editor_area(m);
	const struct editor *e = model_editor(m);
	int cols = (int)cluster_columns(text, strlen(text)) + 2, most = area.cols - editor_gutter(e);
	size_t from, to;

	if (c->cursor_row < 0)
		return;
	cols = cols > most ? most : cols;
	int col = c->cursor_col - (int)(e->sel.cursor - m->signature.pos) - 1,
	    right = area.col + area.cols - cols;
	col = col > right ? right : col;
	col = col < area.col + editor_gutter(e) ? area.col + editor_gutter(e) : col;
	int row = c->cursor_row > area.row ? c->cursor_row - 1 : c->cursor_row + 1;
	struct rect box = {row, col, 1, cols}, inside = {row, col + 1, 1, cols - 1};
	canvas_fill(c, box, " ", style_of(ROLE_POPUP));
	int end = draw_text(c, inside, row, inside.col, ROLE_POPUP, text);
	if (find_parameter(text, signature_argument(m), &from, &to)) {
		int at = inside.col + (int)cluster_columns(text, from);
		canvas_put(c, inside, row, at, text + from, to - from,
				style_with(ROLE_POPUP_MATCH, ATTR_BOLD));
	}
	if (end > col + cols)
		draw_text(c, box, row, col + cols - (m->has_utf8 ? 1 : 3), ROLE_POPUP_DIM,
				sign(m->has_utf8, SIGN_ELLIPSIS));
}
