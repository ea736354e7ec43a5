/* SPDX-License-Identifier: MIT */
/* The commands and events of the output pane. */
#include "command/command.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/output.h"
#include "model/update.h"

static void scroll(struct model *m, long by)
{
	struct rect area = model_output_area(m);

	outpane_scroll(&m->out, area.rows, area.cols, by);
	m->needs_draw = true;
}

static long page(const struct model *m)
{
	int rows = model_output_area(m).rows;

	return rows > 3 ? rows - 2 : 1; /* the header of a block may cover one row */
}

/* ---- commands ---- */

static void move_output_line(struct model *m, long by)
{
	struct rect area = model_output_area(m);

	m->out.has_selection = false;
	outpane_move(&m->out, area.rows, area.cols, by);
	m->needs_draw = true;
}

static void output_up(struct model *m, struct effects *out)
{
	(void)out;
	move_output_line(m, -1);
}

static void output_down(struct model *m, struct effects *out)
{
	(void)out;
	move_output_line(m, 1);
}

static void output_scroll_up(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, -1);
}

static void output_scroll_down(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, 1);
}

static void output_page_up(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, -page(m));
}

static void output_page_down(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, page(m));
}

static void output_oldest(struct model *m, struct effects *out)
{
	(void)out;
	outpane_scroll_home(&m->out);
}

static void output_newest(struct model *m, struct effects *out)
{
	(void)out;
	outpane_scroll_end(&m->out);
}

static void select_lines(struct model *m, int by)
{
	struct rect area = model_output_area(m);

	outpane_select_lines(&m->out, area.rows, area.cols, by);
}

static void select_up(struct model *m, struct effects *out)
{
	(void)out;
	select_lines(m, -1);
}

static void select_down(struct model *m, struct effects *out)
{
	(void)out;
	select_lines(m, 1);
}

static void select_all(struct model *m, struct effects *out)
{
	(void)out;
	outpane_select_all(&m->out);
}

static void deselect(struct model *m, struct effects *out)
{
	(void)out;
	if (m->out.search.find)
		outsearch_finish(&m->out.search);
	else
		m->out.has_selection = m->out.has_mark = false;
}

static const struct command commands[] = {
		{"output-up", NULL, "move the current line", CONTEXT_OUTPUT, .run = output_up},
		{"output-down", NULL, NULL, CONTEXT_OUTPUT, .run = output_down},
		{"output-scroll-up", NULL, "scroll by a line", CONTEXT_OUTPUT, .run = output_scroll_up},
		{"output-scroll-down", NULL, NULL, CONTEXT_OUTPUT, .run = output_scroll_down},
		{"output-page-up", NULL, "scroll by a page", CONTEXT_OUTPUT, .run = output_page_up},
		{"output-page-down", NULL, NULL, CONTEXT_OUTPUT, .run = output_page_down},
		{"output-oldest", "Oldest output", "go to the oldest output", CONTEXT_OUTPUT,
				.run = output_oldest},
		{"output-newest", "Newest output", "go to the newest output and follow it", CONTEXT_OUTPUT,
				.run = output_newest},
		{"output-select-up", NULL, "select lines (also by mouse)", CONTEXT_OUTPUT, .run = select_up},
		{"output-select-down", NULL, NULL, CONTEXT_OUTPUT, .run = select_down},
		{"output-select-all", "Select all output", "select all", CONTEXT_OUTPUT, .run = select_all},
		{"output-deselect", NULL, "clear the search, the selection and the current line",
				CONTEXT_OUTPUT, .run = deselect},
};
const struct command_table output_commands = COMMAND_TABLE(commands);

/* ---- events ---- */

static bool is_text(const struct event *ev)
{
	return ev->type == EVENT_PASTE
	       || (ev->key >= 0x20 && ev->key < KEYS_BASE && !(ev->mods & (MOD_CTRL | MOD_ALT)));
}

/* While the line is open it gets typed characters, motions and the history. Otherwise it opens with the
 * first character. */
static bool is_for_line(const struct model *m, const struct event *ev)
{
	bool is_arrow = ev->key == K_UP || ev->key == K_DOWN;

	if (ev->key == 'd' && ev->mods == MOD_CTRL)
		return true;
	if (!m->has_input || ev->mods & MOD_ALT || ev->key == K_PAGE_UP || ev->key == K_PAGE_DOWN)
		return is_text(ev);
	return is_arrow ? ev->mods == 0 : !(ev->key == 'f' && ev->mods == MOD_CTRL);
}

bool output_takes_input(const struct model *m, const struct event *ev)
{
	return m->focus == PANE_OUTPUT && m->run.state == RUN_RUNNING
	       && (ev->type == EVENT_PASTE || (ev->type == EVENT_KEY && is_for_line(m, ev)));
}

void output_key(struct model *m, const struct event *ev, struct effects *out)
{
	char key[KEYMAP_NAME_BYTES];

	(void)out;
	if (is_text(ev))
		notices_add(&m->notices, m->now_ns, false, "nothing is reading input: %s goes to the editor",
				key_hint(m, "next-pane", key));
	m->needs_draw = true;
}

static void press_in_output(struct model *m, const struct event *ev, struct out_pos at, struct effects *out)
{
	const struct out_block *block = out_blocks_at(&m->out.blocks, at.line);

	m->out.mark = at.line;
	m->out.has_mark = true;
	m->out.anchor = m->out.cursor = at;
	m->out.has_selection = false;
	m->out.is_dragging = true;
	if (block && block->line == at.line)
		output_fold(m);
	else if (ev->clicks == 2 && !output_jump(m, out))
		outpane_select_word(&m->out, at);
}

static void select_by_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct rect area = model_output_area(m);
	struct out_pos at =
			outpane_hit(&m->out, area.rows, area.cols, ev->row - area.row, ev->col - area.col);

	if (ev->action == MOUSE_PRESS && ev->button == 1) {
		press_in_output(m, ev, at, out);
	} else if (ev->action == MOUSE_DRAG && m->out.is_dragging) {
		if (ev->row < area.row)
			scroll(m, -1);
		else if (ev->row >= area.row + area.rows)
			scroll(m, 1);
		m->out.cursor = at;
		m->out.has_selection = at.line != m->out.anchor.line || at.cell != m->out.anchor.cell;
	} else if (ev->action == MOUSE_RELEASE) {
		m->out.is_dragging = false;
	}
	m->needs_draw = true;
}

void output_tick(struct model *m)
{
	struct run_info *run = runs_find(&m->out.runs, m->run.serial);

	if (run && model_is_running(m))
		run_tick(run, m->now_ns);
	output_search_tick(m);
}

void output_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		scroll(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
	else
		select_by_mouse(m, ev, out);
}
