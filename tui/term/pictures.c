/* SPDX-License-Identifier: MIT */
#include "term/pictures.h"

#include <string.h>

/* ---- visible parts ---- */

static bool is_whole_row(const struct canvas *c, const struct canvas_picture *p, size_t index, int row)
{
	const struct cell *cells = c->cells + (size_t)row * (size_t)c->cols + (size_t)p->col;

	for (int i = 0; i < p->cols; i++)
		if (cells[i].picture != index + 1)
			return false;
	return true;
}

static void add_part(struct pictures *p, const struct canvas_picture *from, int begin, int end)
{
	if (begin == end || p->n_next == PICTURES_SHOWN)
		return;
	p->next[p->n_next++] = (struct picture_part){.kind = from->picture->look.kind,
			.id = from->picture->id,
			.row = from->row + begin,
			.col = from->col,
			.first = from->first + begin,
			.rows = end - begin,
			.cols = from->cols,
			.picture = from->picture};
}

static bool is_same(const struct picture_part *a, const struct picture_part *b)
{
	return a->id == b->id && a->row == b->row && a->col == b->col && a->first == b->first
	       && a->rows == b->rows && a->cols == b->cols;
}

bool pictures_compare(struct pictures *p, const struct canvas *c)
{
	p->n_next = 0;
	for (size_t i = 0; i < c->n_pictures; i++) {
		const struct canvas_picture *from = &c->pictures[i];
		int begin = 0;
		for (int row = 0; row < from->rows; row++)
			if (!is_whole_row(c, from, i, from->row + row)) {
				add_part(p, from, begin, row);
				begin = row + 1;
			}
		add_part(p, from, begin, from->rows);
	}
	if (p->n_next != p->n_shown)
		return true;
	for (size_t i = 0; i < p->n_next; i++)
		if (!is_same(&p->next[i], &p->shown[i]))
			return true;
	return false;
}

static bool has_part(const struct picture_part *parts, size_t n, const struct picture_part *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (is_same(&parts[i], wanted))
			return true;
	return false;
}

void pictures_before(struct pictures *p, void (*redraw)(int row, int rows))
{
	for (size_t i = 0; i < p->n_shown; i++)
		if (p->shown[i].kind == PICTURE_SIXEL && !has_part(p->next, p->n_next, &p->shown[i]))
			redraw(p->shown[i].row, p->shown[i].rows);
}

/* ---- kitty ---- */

static bool is_shown_next(const struct pictures *p, uint32_t id)
{
	for (size_t i = 0; i < p->n_next; i++)
		if (p->next[i].id == id)
			return true;
	return false;
}

/* Remove the picture that was sent first and is not shown, to make room. */
static void forget_oldest(struct pictures *p, picture_write_fn *write, void *user)
{
	size_t i = 0;

	while (i + 1 < p->n_sent && is_shown_next(p, p->sent[i]))
		i++;
	picture_kitty_remove(p->sent[i], 0, write, user);
	memmove(p->sent + i, p->sent + i + 1, (p->n_sent - i - 1) * sizeof *p->sent);
	p->n_sent--;
}

static void send_once(struct pictures *p, const struct picture *picture, picture_write_fn *write, void *user)
{
	for (size_t i = 0; i < p->n_sent; i++)
		if (p->sent[i] == picture->id)
			return;
	if (p->n_sent == PICTURES_SENT)
		forget_oldest(p, write, user);
	p->sent[p->n_sent++] = picture->id;
	picture_kitty_send(picture, write, user);
}

/* The number of a placement is its index in the list, so an image that moves keeps its placement. */
static void remove_places(struct pictures *p, picture_write_fn *write, void *user)
{
	for (size_t i = 0; i < p->n_shown; i++) {
		const struct picture_part *old = &p->shown[i];
		bool is_kept = i < p->n_next && p->next[i].id == old->id;
		if (old->kind == PICTURE_KITTY && !is_kept)
			picture_kitty_remove(old->id, (uint32_t)i + 1, write, user);
	}
}

/* ---- */

void pictures_after(struct pictures *p, void (*move)(int row, int col), picture_write_fn *write, void *user)
{
	remove_places(p, write, user);
	for (size_t i = 0; i < p->n_next; i++) {
		const struct picture_part *part = &p->next[i];
		bool is_kitty = part->kind == PICTURE_KITTY;
		bool stands = is_kitty ? i < p->n_shown && is_same(part, &p->shown[i])
				       : has_part(p->shown, p->n_shown, part);
		if (stands)
			continue;
		if (is_kitty)
			send_once(p, part->picture, write, user);
		move(part->row, part->col);
		if (is_kitty)
			picture_kitty_place(part->picture, (uint32_t)i + 1, part->first, part->rows,
					part->cols, write, user);
		else
			picture_sixel(part->picture, part->first, part->rows, part->cols, write, user);
	}
	memcpy(p->shown, p->next, p->n_next * sizeof *p->next);
	p->n_shown = p->n_next;
}

void pictures_cleared(struct pictures *p)
{
	p->n_shown = 0;
}

void pictures_end(struct pictures *p, picture_write_fn *write, void *user)
{
	for (size_t i = 0; i < p->n_sent; i++)
		picture_kitty_remove(p->sent[i], 0, write, user);
	p->n_sent = p->n_shown = 0;
}
