/* SPDX-License-Identifier: MIT */
/* Going to a line by its number. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/dialog_dispatch.h"
#include "model/model.h"
#include "text/text.h"
#include "text/walk.h"

static void answer_goto(struct model *m, int answer, struct effects *out);

static void go_to_line(struct model *m, struct effects *out)
{
	struct dialog *d = &m->dialog;

	(void)out;
	model_focus(m, PANE_EDITOR);
	dialog_begin(d, "Go to line", answer_goto);
	dialog_add(d, ROLE_DIALOG_DIM, "LINE or LINE:COLUMN, 1 to %zu; +N and -N count from here",
			text_lines(model_editor(m)->text));
	dialog_set_field(d, "Line", NULL, false);
	m->needs_draw = true;
}

/* A number from 1. 0: there is none. */
static size_t read_goto_number(const char **p)
{
	char *end;

	if (**p < '0' || **p > '9')
		return 0;
	unsigned long long n = strtoull(*p, &end, 10);
	*p = end;
	return (size_t)n;
}

unsigned editor_goto(struct editor *e, const char *where)
{
	const char *p = where + strspn(where, " ");
	char sign = *p == '+' || *p == '-' ? *p++ : '\0';
	size_t line = read_goto_number(&p), here = editor_line(e), lines = text_lines(e->text), column = 0;

	if (*p == ':' || *p == ',') {
		p++;
		column = read_goto_number(&p);
	}
	if (*(p + strspn(p, " ")) || (line == 0 && column == 0 && !sign))
		return 0;
	if (sign == '-')
		line = line < here ? here - line : 0;
	else if (sign == '+')
		line = line < lines - here ? here + line : lines - 1;
	else
		line = line ? line - 1 : here;
	line = line < lines ? line : lines - 1;
	size_t pos = walk_position(
			e->text, text_line_start(e->text, line), column ? column - 1 : 0, e->tab_width);
	editor_select(e, pos, pos);
	editor_center(e);
	return DONE;
}

static void answer_goto(struct model *m, int answer, struct effects *out)
{
	const char *where = field_text(&m->dialog.field);

	(void)out;
	if (answer == ANSWER_TAB || answer == ANSWER_MOVED)
		return;
	if (answer == ANSWER_ENTER && *where && !editor_goto(model_editor(m), where))
		notices_add(&m->notices, m->now_ns, true, "\"%.40s\" is not a line: try 12, 12:5 or +10",
				where);
	dialog_close(m);
}

static const struct command commands[] = {
		{"go-to-line", "Go to line…", "go to a line: 12, 12:5 (line and column), +10, -10",
				CONTEXT_EDITOR, .run = go_to_line, .words = "jump"},
};
const struct command_table goto_commands = COMMAND_TABLE(commands);
