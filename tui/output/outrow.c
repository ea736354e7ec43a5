/* SPDX-License-Identifier: MIT */
#include "output/outrow.h"

#include <terrarium/text.h>

#include "cells/canvas.h"

static uint32_t color_of(const VTermColor *c, bool is_default)
{
	if (is_default)
		return COLOR_NONE;
	if (VTERM_COLOR_IS_INDEXED(c))
		return COLOR_INDEX(c->indexed.idx);
	return COLOR_RGB((uint32_t)c->rgb.red << 16 | (uint32_t)c->rgb.green << 8 | c->rgb.blue);
}

struct outrow_pen outrow_pen(const VTermScreenCell *c)
{
	const VTermScreenCellAttrs *a = &c->attrs;
	struct outrow_pen pen = {0};

	pen.attrs = (uint16_t)((a->bold ? ATTR_BOLD : 0) | (a->italic ? ATTR_ITALIC : 0)
			       | (a->underline ? ATTR_UNDERLINE : 0) | (a->reverse ? ATTR_REVERSE : 0)
			       | (a->strike ? ATTR_STRIKE : 0) | (a->font & OUTROW_DIM ? ATTR_DIM : 0));
	pen.fg = color_of(&c->fg, VTERM_COLOR_IS_DEFAULT_FG(&c->fg));
	pen.bg = color_of(&c->bg, VTERM_COLOR_IS_DEFAULT_BG(&c->bg));
	pen.kind = a->font & OUTROW_STDERR ? OUT_STDERR : a->font & OUTROW_INPUT ? OUT_INPUT : OUT_STDOUT;
	return pen;
}

static bool same_pen(const struct outrow_pen *a, const struct outrow_pen *b)
{
	return a->attrs == b->attrs && a->fg == b->fg && a->bg == b->bg;
}

/* ---- rows ---- */

static bool is_blank(const VTermScreenCell *c)
{
	struct outrow_pen pen = outrow_pen(c);

	return (c->chars[0] == 0 || c->chars[0] == ' ') && pen.bg == COLOR_NONE
	       && !(pen.attrs & (ATTR_UNDERLINE | ATTR_REVERSE | ATTR_STRIKE));
}

int outrow_length(const VTermScreenCell *cells, int n)
{
	while (n > 0 && is_blank(&cells[n - 1]))
		n--;
	return n;
}

size_t outrow_text(const VTermScreenCell *c, char *out)
{
	size_t n = 0;

	if (c->chars[0] == (uint32_t)-1)
		return 0; /* the right half of a wide character */
	if (c->chars[0] == 0)
		out[n++] = ' ';
	for (unsigned i = 0; i < VTERM_MAX_CHARS_PER_CELL && c->chars[i]; i++)
		n += trm_utf8_encode(c->chars[i], out + n);
	return n;
}

/* Bytes of one kind that will be appended to the store. */
struct row_text {
	uint32_t run;
	struct scrollback *store;
	enum out_kind kind;
	size_t n;
	char bytes[2048];
};

static void flush_row_text(struct row_text *t)
{
	scrollback_append(t->store, t->kind, t->run, t->bytes, t->n);
	t->n = 0;
}

static void add_pen(struct row_text *t, const struct outrow_pen *pen)
{
	t->n += ansi_sgr(pen->attrs, pen->fg, pen->bg, t->bytes + t->n);
}

void outrow_keep(
		struct scrollback *s, uint32_t run, const VTermScreenCell *cells, int n, unsigned *stale_pens)
{
	static const struct outrow_pen plain;
	struct row_text t = {.run = run, .store = s, .kind = OUT_STDOUT};
	struct outrow_pen last = plain;

	for (int i = 0; i <= n; i++) {
		struct outrow_pen pen = i < n ? outrow_pen(&cells[i]) : (struct outrow_pen){.kind = t.kind};
		unsigned stream = scrollback_stream(pen.kind);
		if (pen.kind != t.kind || t.n > sizeof t.bytes - 2 * ANSI_SGR_BYTES) {
			if (pen.kind != t.kind && !same_pen(&last, &plain))
				add_pen(&t, &plain);
			last = pen.kind != t.kind ? plain : last;
			flush_row_text(&t);
			t.kind = pen.kind;
		}
		if (!same_pen(&pen, &last) || *stale_pens >> stream & 1)
			add_pen(&t, &pen);
		*stale_pens &= ~(1u << stream);
		last = pen;
		if (i < n)
			t.n += outrow_text(&cells[i], t.bytes + t.n);
	}
	t.bytes[t.n++] = '\n';
	flush_row_text(&t);
}
