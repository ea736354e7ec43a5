/* SPDX-License-Identifier: MIT */
#include "output/outpane.h"
#include "text/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int outpane_init(struct outpane *p, size_t cap_bytes)
{
	memset(p, 0, sizeof *p);
	return scrollback_init(&p->store, cap_bytes);
}

void outpane_finish(struct outpane *p)
{
	scrollback_finish(&p->store);
	live_screen_finish(&p->screen);
	out_blocks_finish(&p->blocks);
	runs_finish(&p->runs);
	outsearch_finish(&p->search);
	field_finish(&p->bar.what);
	figures_finish(&p->figures);
	memset(p, 0, sizeof *p);
}

void outpane_clear(struct outpane *p)
{
	live_screen_drop(&p->screen);
	scrollback_clear(&p->store);
	out_blocks_finish(&p->blocks);
	outsearch_finish(&p->search);
	figures_clear(&p->figures);
	p->is_scrolled = p->has_selection = p->is_dragging = p->has_mark = false;
	p->left = 0;
}

/* ---- adding output ---- */

static void move_line(uint64_t *line, struct out_shift shift)
{
	if (*line < shift.before)
		*line += shift.by;
	else if (*line < shift.before + shift.by)
		*line = shift.before + shift.by;
}

/* Adapt to lines that the store has dropped. */
static void follow_store(struct outpane *p)
{
	struct out_shift shift = scrollback_take_shift(&p->store);

	if (shift.by) {
		out_blocks_shift(&p->blocks, shift.before, shift.by);
		outsearch_shift(&p->search, shift.before, shift.by);
		move_line(&p->top.line, shift);
		move_line(&p->mark, shift);
		move_line(&p->anchor.line, shift);
		move_line(&p->cursor.line, shift);
	}
	p->blocks.first = outpane_first(p);
}

void outpane_end_line(struct outpane *p)
{
	live_screen_commit(&p->screen, &p->store);
	scrollback_end_line(&p->store);
}

void outpane_begin(struct outpane *p, uint32_t serial)
{
	outpane_end_line(p);
	out_blocks_add(&p->blocks, scrollback_end(&p->store), serial, scrollback_first(&p->store));
	scrollback_header(&p->store, serial);
	follow_store(p);
}

void outpane_turn_to(struct outpane *p, uint32_t serial)
{
	if (!p->blocks.n || p->blocks.items[p->blocks.n - 1].serial != serial)
		outpane_begin(p, serial);
}

void outpane_print(struct outpane *p, enum out_kind kind, uint32_t serial, const void *bytes, size_t n)
{
	if (kind == OUT_LATE) /* late output goes above the live screen */
		scrollback_append(&p->store, kind, serial, bytes, n);
	else
		live_screen_feed(&p->screen, &p->store, kind, serial, bytes, n);
	follow_store(p);
}

void outpane_add(struct outpane *p, enum out_kind kind, uint32_t serial, const char *text, size_t n)
{
	outpane_end_line(p);
	scrollback_append(&p->store, kind, serial, text, n);
	scrollback_end_line(&p->store);
	follow_store(p);
}

bool outpane_ends_with(const struct outpane *p, const char *text)
{
	return p->screen.is_live ? live_screen_ends_with(&p->screen, text)
				 : scrollback_ends_with(&p->store, text);
}

/* ---- reading ---- */

uint64_t outpane_first(const struct outpane *p)
{
	return scrollback_first(&p->store) - (p->store.front_lines > 0);
}

uint64_t outpane_end(const struct outpane *p)
{
	return scrollback_end(&p->store) + (uint64_t)live_screen_lines(&p->screen);
}

/* The lines of a folded block; -1: it is not folded. */
static int64_t folded_lines(const struct outpane *p, const struct out_block *block)
{
	if (!block || !block->is_folded)
		return -1;
	return (int64_t)(out_blocks_end(&p->blocks, block, outpane_end(p))
			 - out_blocks_head(&p->blocks, block) - 1);
}

/* The line in place of dropped output. If the header of a run was dropped, too, the line is its header. */
static void read_dropped(const struct outpane *p, struct output_line *line)
{
	const struct out_block *block = out_blocks_at(&p->blocks, outpane_first(p));
	const struct run_info *run = block ? runs_find(&p->runs, block->serial) : NULL;
	char text[64], bytes[24], count[32];
	uint64_t n = p->store.front_lines;
	int len = snprintf(text, sizeof text, "%.24s older line%s dropped (%s)", format_count(count, n, ','),
			n == 1 ? "" : "s", format_bytes(bytes, p->store.front_bytes));

	if (run) {
		struct run_info dropped = *run;
		snprintf(dropped.excerpt, sizeof dropped.excerpt, "%s", text);
		dropped.is_excerpt_cut = false;
		output_line_begin(line, OUT_HEADER, block->serial);
		run_header(line, &dropped, p->has_utf8, p->now_ns, folded_lines(p, block));
		return;
	}
	output_line_begin(line, OUT_NOTE, 0);
	output_line_put(line, text, (size_t)len, (struct style){.role = ROLE_WARN});
}

void outpane_write_header(const struct outpane *p, struct output_line *line)
{
	const struct out_block *block = out_blocks_of(&p->blocks, line->run);

	run_header(line, runs_find(&p->runs, line->run), p->has_utf8, p->now_ns, folded_lines(p, block));
}

void outwalk_start(struct outwalk *w, const struct outpane *p, uint64_t line)
{
	*w = (struct outwalk){.p = p};
	if (line < outpane_first(p))
		line = outpane_first(p);
	w->next = out_blocks_shown(&p->blocks, line, outpane_end(p));
}

/* Read a line of the store. The reader may already be at that line. */
static bool read_stored(struct outwalk *w, struct output_line *line)
{
	if (!w->has_reader || w->r.line != w->line)
		out_reader_seek(&w->r, &w->p->store, w->line);
	w->has_reader = true;
	if (!output_line_read(line, &w->r))
		return false;
	if (line->kind == OUT_HEADER && !w->counts_rows)
		outpane_write_header(w->p, line);
	if (line->kind == OUT_FIGURE)
		figures_fill(&w->p->figures, line, w->p->has_utf8);
	return true;
}

bool outwalk_next(struct outwalk *w, struct output_line *line)
{
	const struct outpane *p = w->p;
	uint64_t live = scrollback_end(&p->store), end = outpane_end(p);

	if (w->next >= end)
		return false;
	w->line = w->next;
	w->next = out_blocks_shown(&p->blocks, w->line + 1, end);
	if (w->line < scrollback_first(&p->store))
		read_dropped(p, line);
	else if (w->line >= live)
		live_screen_read(&p->screen, (int)(w->line - live), line);
	else
		return read_stored(w, line);
	return true;
}

bool outpane_read(const struct outpane *p, uint64_t number, struct output_line *line)
{
	struct outwalk w;

	outwalk_start(&w, p, number);
	w.next = number;
	return number >= outpane_first(p) && outwalk_next(&w, line);
}
