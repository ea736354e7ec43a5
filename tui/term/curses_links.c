/* SPDX-License-Identifier: MIT */
#include "term/curses_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "term/curses_links.h"
#include "term/term_internal.h"

_Static_assert(LINK_NUMBERS < LINK_AWAITED, "no link has this number");

bool links_in_row(const struct cell *row, int cols)
{
	for (int i = 0; i < cols; i++)
		if (row[i].link)
			return true;
	return false;
}

void links_spoil(struct term *t)
{
	for (int i = 0; i < t->last.rows * t->last.cols; i++)
		if (t->last.cells[i].link)
			t->last.cells[i].link = LINK_AWAITED;
}

bool links_renumbered(struct term *t, const struct canvas *c)
{
	struct canvas_links *was = t->last.links;
	bool is_other = false;

	for (size_t i = 0; c->links && i < c->links->n; i++) {
		const char *url = canvas_link_url(&t->last, c->links->numbers[i]);
		is_other |= url && strcmp(url, c->links->urls[i]) != 0;
	}
	canvas_forget_links(&t->last);
	if (canvas_has_links(c) && !was)
		was = t->last.links = calloc(1, sizeof *was);
	for (size_t i = 0; was && c->links && i < c->links->n; i++, was->n++) {
		was->numbers[i] = c->links->numbers[i];
		strcpy(was->urls[i], c->links->urls[i]);
	}
	return is_other;
}

static void put_cell(struct term *t, const struct canvas *c, int row, int col)
{
	size_t at = (size_t)row * (size_t)c->cols + (size_t)col;
	cchar_t cells[2];

	if (c->cells[at].width > 0)
		mvadd_wchnstr(row, col, cells, (int)curses_cell(term_look(t), t, &c->cells[at], cells));
	t->last.cells[at] = c->cells[at];
}

static bool is_awaited(const struct term *t, const struct canvas *c, int row, int col, bool is_link)
{
	size_t at = (size_t)row * (size_t)c->cols + (size_t)col;

	return t->last.cells[at].link == LINK_AWAITED && (c->cells[at].link != 0) == is_link;
}

/* On the way of the cursor curses may write cells that stand there already. So it is moved to the link before
 * that is opened, and behind the last cell at its end. Returns the column behind the link. */
static int paint_link(struct term *t, const struct canvas *c, int row, int col)
{
	uint16_t number = c->cells[(size_t)row * (size_t)c->cols + (size_t)col].link;
	const char *url = canvas_link_url(c, number);
	char open[LINK_BYTES + 32];
	int n = snprintf(open, sizeof open, "\033]8;id=t%x;%s\033\\", number, url ? url : "");

	move(row, col);
	refresh();
	term_write(open, (size_t)n);
	for (; col < c->cols && is_awaited(t, c, row, col, true)
			&& c->cells[(size_t)row * (size_t)c->cols + (size_t)col].link == number;
			col++)
		put_cell(t, c, row, col);
	move(row, col < c->cols ? col : 0);
	refresh();
	term_write("\033]8;;\033\\", 7);
	return col;
}

void links_paint(struct term *t, const struct canvas *c)
{
	for (int row = 0; row < c->rows; row++)
		for (int col = 0; col < c->cols; col++)
			if (is_awaited(t, c, row, col, false))
				put_cell(t, c, row, col);
	refresh();
	for (int row = 0; row < c->rows; row++)
		for (int col = 0; col < c->cols;)
			col = is_awaited(t, c, row, col, true) ? paint_link(t, c, row, col) : col + 1;
}
