/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/source_ref.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/output.h"
#include "output/weblink.h"
#include "text/cluster.h"
#include "view/parts.h"

enum { LINKS_MAX = 32 };   /* links to the web in one line */
enum { MATCHES_MAX = 64 }; /* matches of a search that are shown in one line */

/* ---- rows ---- */

/* The decoration of a line. */
struct look {
	bool is_mark;              /* the current line */
	size_t link_from, link_to; /* cells of a link to a place in the code */
	struct out_match matches[MATCHES_MAX];
	size_t n_matches;
	struct {
		size_t from, to;
		uint16_t number;
	} links[LINKS_MAX]; /* to the web */
	size_t n_links;
};

static size_t cell_of_byte(const struct output_line *l, size_t byte)
{
	size_t cell = l->n_prefix;

	for (size_t at = 0; cell < l->n && at + strlen(l->cells[cell].text) <= byte; cell++)
		at += strlen(l->cells[cell].text);
	return cell;
}

static void find_links(const struct output_line *l, struct canvas *c, struct look *look)
{
	struct weblink link;

	for (size_t at = 0; look->n_links < LINKS_MAX && weblink_find(l, at, &link); at = link.to) {
		look->links[look->n_links].from = link.from;
		look->links[look->n_links].to = link.to;
		look->links[look->n_links++].number = canvas_link(c, link.url);
	}
}

static uint16_t link_at(const struct look *look, size_t cell)
{
	for (size_t i = 0; i < look->n_links; i++)
		if (cell >= look->links[i].from && cell < look->links[i].to)
			return look->links[i].number;
	return 0;
}

static void decorate_line(const struct model *m, const struct output_line *l, uint64_t line, struct canvas *c,
		struct look *look)
{
	char text[OUTPUT_LINE_BYTES];
	struct source_ref ref;

	*look = (struct look){.is_mark = m->out.has_mark && m->out.mark == line && m->focus == PANE_OUTPUT};
	if (output_place(m, l, text, &ref)) {
		look->link_from = cell_of_byte(l, ref.from);
		look->link_to = cell_of_byte(l, ref.to);
	}
	look->n_matches = outsearch_in_line(&m->out.search, l, look->matches, MATCHES_MAX);
	if (m->shows_links && l->kind != OUT_HEADER && l->kind != OUT_FIGURE)
		find_links(l, c, look);
}

static struct style style_at(const struct model *m, const struct output_line *l, uint64_t line, size_t i,
		const struct look *look)
{
	struct style style = l->cells[i].style;

	if (outpane_is_selected(&m->out, (struct out_pos){line, i}))
		return style_of(ROLE_SELECTION);
	for (size_t k = 0; k < look->n_matches; k++)
		if (i >= look->matches[k].from && i < look->matches[k].to)
			return style_of(look->is_mark ? ROLE_SEARCH_CURRENT : ROLE_SEARCH_MATCH);
	if (i >= look->link_from && i < look->link_to)
		style = style_with(ROLE_OUT_LINK, ATTR_UNDERLINE);
	if (look->is_mark && style.role == ROLE_OUT_HEADER)
		style.role = ROLE_OUT_HEADER_CURRENT;
	else if (look->is_mark)
		style.ground = ROLE_LINE_CURRENT;
	return style;
}

/* Draw one row of a line, made of the line's cells [from, to). Where a long line is cut, a sign says that
 * there is more. */
static void draw_output_row(const struct model *m, struct canvas *c, int row, struct rect area,
		const struct output_line *l, uint64_t line, size_t from, size_t to, const struct look *look)
{
	struct cell *cells = c->cells + (size_t)row * (size_t)c->cols + (size_t)area.col;
	bool is_fixed = l->kind == OUT_HEADER || l->kind == OUT_FIGURE || !m->out.is_cut;
	size_t left = is_fixed ? from : from + m->out.left;

	if (look->is_mark && l->kind != OUT_HEADER)
		canvas_fill(c, (struct rect){row, area.col, 1, area.cols}, " ",
				(struct style){.role = ROLE_TEXT, .ground = ROLE_LINE_CURRENT});
	for (size_t i = left; i < to && (int)(i - left) < area.cols; i++) {
		cells[i - left] = l->cells[i];
		cells[i - left].style = style_at(m, l, line, i, look);
		cells[i - left].link = link_at(look, i);
	}
	if (left > from && to > from && left < to && cells[0].width == 0)
		cells[0] = (struct cell){.text = " ", .width = 1, .style = cells[0].style};
	if (l->kind != OUT_FIGURE && to > left && to - left > (size_t)area.cols)
		draw_text(c, area, row, area.col + area.cols - (m->has_utf8 ? 1 : 3), ROLE_DIM,
				sign(m->has_utf8, SIGN_ELLIPSIS));
}

static bool is_failure(const struct model *m, const struct output_line *l)
{
	const struct run_info *run = l->kind == OUT_HEADER ? runs_find(&m->out.runs, l->run) : NULL;

	return l->kind == OUT_TRACE || (run && run->state == RUN_DONE && run->status != TRM_STATUS_OK);
}

/* The column left of the text. It highlights errors, the current block and the current line. */
static void draw_margin(const struct model *m, struct canvas *c, int row, struct rect area,
		const struct output_line *l, uint64_t line, bool is_current)
{
	const struct out_block *block =
			m->out.has_mark && m->focus == PANE_OUTPUT ? outpane_block(&m->out) : NULL;
	struct rect margin = {row, area.col - 1, 1, 1};

	if (is_current && l->kind != OUT_HEADER)
		draw_text(c, margin, row, margin.col, is_failure(m, l) ? ROLE_OUT_ERROR : ROLE_BORDER_FOCUS,
				sign(m->has_utf8, SIGN_CURRENT));
	else if (is_failure(m, l))
		draw_text(c, margin, row, margin.col, ROLE_OUT_ERROR, m->has_utf8 ? "▌" : "!");
	else if (block && out_blocks_at(&m->out.blocks, line) == block)
		draw_text(c, margin, row, margin.col, ROLE_BORDER_FOCUS, m->has_utf8 ? "▏" : "|");
}

/* Draw the header of a block whose first line has been scrolled out of view. */
static void draw_sticky(
		const struct model *m, struct canvas *c, struct rect area, const struct out_block *block)
{
	struct output_line l = {0};
	struct look look = {
			.is_mark = m->out.has_mark && m->out.mark == block->line && m->focus == PANE_OUTPUT};

	output_line_begin(&l, OUT_HEADER, block->serial);
	outpane_write_header(&m->out, &l);
	canvas_fill(c, (struct rect){area.row, area.col - 1, 1, area.cols + 1}, " ",
			style_of(ROLE_OUT_HEADER));
	draw_output_row(m, c, area.row, area, &l, block->line, 0, l.n, &look);
	draw_margin(m, c, area.row, area, &l, block->line, look.is_mark);
	output_line_finish(&l);
}

static void draw_lines(const struct model *m, struct canvas *c, struct rect area)
{
	struct out_pos top = outpane_top(&m->out, area.rows, area.cols);
	const struct out_block *sticky = outpane_sticky(&m->out, top, area.rows);
	struct outwalk w;
	struct output_line l = {0};
	struct look look;
	int row = area.row;
	size_t from = top.cell, end;

	outwalk_start(&w, &m->out, top.line);
	while (row < area.row + area.rows && outwalk_next(&w, &l)) {
		decorate_line(m, &l, w.line, c, &look);
		do {
			end = outpane_row_end(&m->out, &l, from, (size_t)area.cols);
			draw_output_row(m, c, row, area, &l, w.line, from, end, &look);
			draw_margin(m, c, row, area, &l, w.line, look.is_mark && from == 0);
			if (l.kind == OUT_FIGURE)
				draw_figure_row(m, c, row, area, &l);
			row++;
			from = end;
		} while (end < l.n && row < area.row + area.rows);
		from = 0;
	}
	if (sticky)
		draw_sticky(m, c, area, sticky);
	output_line_finish(&l);
}

/* ---- bars ---- */

/* The search bar, below the text and above the line for stdin. */
static void draw_search(const struct model *m, struct canvas *c, struct rect area)
{
	const struct outbar *bar = &m->out.bar;
	struct rect clip = {area.row + area.rows, area.col - 1, 1, area.cols + 1};
	int said = (int)cluster_columns(bar->said, strlen(bar->said));

	canvas_fill(c, clip, " ", style_of(ROLE_DIALOG_FIELD));
	int col = draw_text(c, clip, clip.row, clip.col, ROLE_KEY, bar->is_regex ? " Find regex " : " Find ");
	said = said > clip.cols / 2 ? clip.cols / 2 : said;
	int room = clip.col + clip.cols - col - said - 3;
	if (room < 1)
		return;
	int cursor = draw_field(c, (struct rect){clip.row, col, 1, room}, &bar->what);
	const char *hint = clip.cols > 60 ? "Enter next  Alt-X regex  Esc close" : "Enter next  Esc close";
	bool has_hint = !bar->said[0] && !bar->what.len && clip.cols > 36;
	draw_text(c, clip, clip.row, clip.col + clip.cols - (has_hint ? (int)strlen(hint) : said) - 1,
			has_hint        ? ROLE_DIALOG_DIM
			: bar->is_wrong ? ROLE_STATUS_ERROR
					: ROLE_STATUS_OK,
			has_hint ? hint : bar->said);
	if (m->focus == PANE_OUTPUT && !dialog_is_open(&m->dialog)) {
		c->cursor_row = clip.row;
		c->cursor_col = cursor;
	}
}

/* The line for stdin, at the bottom of the pane. */
static void draw_input(const struct model *m, struct canvas *c, struct rect pane)
{
	struct rect clip = {pane.row + pane.rows - 1, pane.col, 1, pane.cols};
	/* The prompt is not repeated if the output already ends with it. */
	bool is_shown = m->run.prompt[0] && pane.rows > 1 && outpane_ends_with(&m->out, m->run.prompt);
	const char *text = field_text(&m->input);
	const char *prompt = is_shown ? "input" : m->run.prompt[0] ? m->run.prompt : "stdin";
	size_t before = cluster_columns(text, m->input.cursor);

	canvas_fill(c, clip, " ", style_of(ROLE_OUT_INPUT));
	int col = draw_text(c, clip, clip.row, clip.col + 1, ROLE_OUT_INPUT, prompt);
	if (prompt[strlen(prompt) - 1] != ' ')
		col = draw_format(c, clip, clip.row, col, ROLE_OUT_INPUT, "%s ",
				m->run.prompt[0] && !is_shown ? "" : sign(m->has_utf8, SIGN_PROMPT));
	int room = clip.col + clip.cols - col - 1;
	int shift = (int)before > room ? (int)before - room : 0;
	struct rect field = {clip.row, col, 1, room + 1};
	if (!m->run.is_secret)
		canvas_put(c, field, clip.row, col - shift, text, m->input.len, style_of(ROLE_OUT_INPUT));
	if (m->focus == PANE_OUTPUT && !dialog_is_open(&m->dialog) && room >= 0 && !m->out.bar.is_open) {
		c->cursor_row = clip.row;
		c->cursor_col = m->run.is_secret ? col : col + (int)before - shift;
	}
}

static void draw_hint(const struct model *m, struct canvas *c, struct rect area)
{
	char run[KEYMAP_NAME_BYTES], other[KEYMAP_NAME_BYTES];
	char words[3][160] = {"Output appears here."};
	int row = area.row, n = m->tutor.is_on ? 2 : 3;

	snprintf(words[1], sizeof words[1], "Write some code, then press %s to run it. %s shows all keys.",
			key_hint(m, "run", run), key_hint(m, "help", other));
	snprintf(words[2], sizeof words[2], "New here? Type \"tutorial\" into the list of commands (%s).",
			key_hint(m, "palette", other));

	for (int i = 0; i < n; i++)
		for (size_t at = 0, len; words[i][at] && row < area.row + area.rows; at += len, row++) {
			len = cluster_wrap(words[i] + at, strlen(words[i] + at), (size_t)area.cols);
			canvas_put(c, area, row, area.col, words[i] + at, len, style_of(ROLE_DIM));
		}
}

void draw_output(const struct model *m, struct canvas *c)
{
	struct rect area = model_output_area(m);

	canvas_forget_links(c); /* there are no others */
	if (outpane_end(&m->out) == outpane_first(&m->out))
		draw_hint(m, c, area);
	else
		draw_lines(m, c, area);
	if (m->out.bar.is_open && m->layout.panes[PANE_OUTPUT].rows > 1)
		draw_search(m, c, area);
	if (m->has_input)
		draw_input(m, c, m->layout.panes[PANE_OUTPUT]);
}
