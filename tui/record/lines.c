/* SPDX-License-Identifier: MIT */
#include "record/lines.h"

#include <string.h>

#include "output/live_screen.h"
#include "output/output_line.h"
#include "output/scrollback.h"

/* Size of the terminal for progress displays of several lines. */
enum { SCREEN_ROWS = 50, SCREEN_COLS = 120 };

static size_t without_blanks(const struct output_line *l)
{
	size_t n = l->n;

	while (n && strcmp(l->cells[n - 1].text, " ") == 0 && l->cells[n - 1].style.bg == COLOR_NONE
			&& !(l->cells[n - 1].style.attrs & (ATTR_REVERSE | ATTR_UNDERLINE)))
		n--;
	return n;
}

void lines_read(const char *bytes, size_t n, lines_fn *fn, void *user)
{
	struct live_screen screen = {0};
	struct scrollback s;
	struct out_reader r;
	struct output_line l = {0};

	if (scrollback_init(&s, 2 * n + ((size_t)1 << 20)) < 0)
		return;
	live_screen_size(&screen, SCREEN_ROWS, SCREEN_COLS);
	live_screen_feed(&screen, &s, OUT_STDOUT, 1, bytes, n);
	live_screen_commit(&screen, &s);
	out_reader_seek(&r, &s, scrollback_first(&s));
	while (output_line_read(&l, &r))
		fn(user, l.cells, without_blanks(&l));
	live_screen_finish(&screen);
	output_line_finish(&l);
	scrollback_finish(&s);
}
