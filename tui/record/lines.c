/* SPDX-License-Identifier: MIT */
#include "record/lines.h"

#include <string.h>

#include "output/outline.h"
#include "output/outscreen.h"
#include "output/outstore.h"

/* Of the terminal that progress displays of several lines are drawn on. */
enum { SCREEN_ROWS = 50, SCREEN_COLS = 120 };

static size_t without_blanks(const struct outline *l)
{
	size_t n = l->n;

	while (n && strcmp(l->cells[n - 1].text, " ") == 0 && l->cells[n - 1].style.bg == COLOR_NONE
			&& !(l->cells[n - 1].style.attrs & (ATTR_REVERSE | ATTR_UNDERLINE)))
		n--;
	return n;
}

void lines_read(const char *bytes, size_t n, lines_fn *fn, void *user)
{
	struct outscreen screen = {0};
	struct outstore s;
	struct out_reader r;
	struct outline l = {0};

	if (outstore_init(&s, 2 * n + ((size_t)1 << 20)) < 0)
		return;
	outscreen_size(&screen, SCREEN_ROWS, SCREEN_COLS);
	outscreen_feed(&screen, &s, OUT_STDOUT, 1, bytes, n);
	outscreen_settle(&screen, &s);
	out_reader_seek(&r, &s, outstore_first(&s));
	while (outline_read(&l, &r))
		fn(user, l.cells, without_blanks(&l));
	outscreen_finish(&screen);
	outline_finish(&l);
	outstore_finish(&s);
}
