/* SPDX-License-Identifier: MIT */
#include "view/cell_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "editor/editor.h"
#include "text/cluster.h"
#include "text/format.h"
#include "text/text.h"
#include "view/parts.h"

#define NOTE_GAP 2        /* columns between the code and the note after it */
#define NOTE_COLS 12      /* least columns of a note */
#define MOMENT_US 100000u /* a run that has taken less time than this shows no time yet */
#define NOTE_BYTES (2 * CELL_TEXT_BYTES)

static void add_note(struct cell_notes *c, const struct editor *e, int rows, struct line_note note)
{
	if (note.line >= e->top_line && note.line - e->top_line < (size_t)rows && c->n < NOTES_MAX)
		c->items[c->n++] = note;
}

void cell_notes_find(struct cell_notes *c, const struct editor *e, int rows, size_t shown_to)
{
	size_t from = e->marks.n ? text_line_start(e->text, e->top_line) : 0;

	c->n = 0;
	for (size_t i = 0; i < e->marks.n; i++) {
		const struct cell_mark *mark = &e->marks.items[i];
		if (mark->pos <= shown_to && mark->pos + mark->len >= from)
			add_note(c, e, rows, (struct line_note){editor_mark_line(e, mark), mark, false});
		if (mark->has_error_pos)
			add_note(c, e, rows,
					(struct line_note){
							text_line_of(e->text, mark->error_pos), mark, true});
	}
}

const struct line_note *cell_note_of(const struct cell_notes *c, size_t line)
{
	const struct line_note *found = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].line == line && (!found || !found->is_error || c->items[i].is_error))
			found = &c->items[i];
	return found;
}

static const struct {
	const char *sign, *ascii;
	uint16_t role;
} note_looks[] = {
		[CELL_PLANNED] = {"…", ".", ROLE_DIM},
		[CELL_WAITING] = {"…", ".", ROLE_DIM},
		[CELL_RUNNING] = {"⟳", "*", ROLE_WARN},
		[CELL_OK] = {"✓", "+", ROLE_OUT_OK},
		[CELL_FAILED] = {"✗", "x", ROLE_OUT_ERROR},
};

const char *cell_note_sign(const struct cell_mark *mark, bool has_utf8)
{
	if (mark->is_stale && mark->state >= CELL_OK)
		return "~";
	return has_utf8 ? note_looks[mark->state].sign : note_looks[mark->state].ascii;
}

uint16_t cell_note_role(const struct cell_mark *mark)
{
	return mark->is_stale && mark->state >= CELL_OK ? ROLE_DIM : note_looks[mark->state].role;
}

/* " 12 ms"; nothing for a result that only the file knows of. */
static const char *format_time(const struct cell_mark *mark, char out[25])
{
	strcpy(out, mark->is_saved ? "" : " ");
	if (mark->is_saved)
		return out;
	if (mark->state == CELL_RUNNING && mark->wall_us < MOMENT_US)
		strcpy(out, " running");
	else
		format_duration(out + 1, mark->wall_us);
	return out;
}

/* Write a note such as "✓ [3] 12 ms = 42". Returns its length. */
static size_t format_note(const struct cell_mark *mark, bool has_utf8, char out[NOTE_BYTES])
{
	const char *state = mark->is_lost                              ? " lost"
			    : mark->is_stale && mark->state >= CELL_OK ? " edited"
								       : "";
	bool is_value = mark->state == CELL_OK && mark->value[0];
	char number[32] = "", time[25];
	int n;

	if (mark->number)
		snprintf(number, sizeof number, " [%" PRIu64 "]", mark->number);
	if (mark->state < CELL_RUNNING)
		n = snprintf(out, NOTE_BYTES, "%s waiting", cell_note_sign(mark, has_utf8));
	else
		n = snprintf(out, NOTE_BYTES, "%s%s%s%s%s%s", cell_note_sign(mark, has_utf8), number,
				format_time(mark, time), state,
				is_value         ? " = "
				: mark->error[0] ? " "
						 : "",
				is_value ? mark->value : mark->error);
	return n > 0 ? (size_t)n : 0;
}

void cell_note_draw(struct canvas *canvas, struct rect text, const struct line_note *note, int row, int col,
		bool has_utf8)
{
	int right = text.col + text.cols, room = right - col - NOTE_GAP;
	char words[NOTE_BYTES + 4];

	if (!note || room < NOTE_COLS)
		return;
	size_t n = format_note(note->mark, has_utf8, words);
	if (note->is_error)
		n = (size_t)snprintf(words, sizeof words, "%s", note->mark->error);
	if (note->mark->is_cut)
		strcpy(words + n, sign(has_utf8, SIGN_ELLIPSIS));
	int cols = (int)cluster_columns(words, strlen(words));
	int at = note->is_error || cols >= room ? col + NOTE_GAP : right - cols - 1;
	struct rect area = {row, at - 1, 1, right - at + 1};
	canvas_put(canvas, area, row, at - 1, " ", 1, (struct style){.role = ROLE_TEXT});
	draw_cut_text(canvas, has_utf8, area, row, at, cell_note_role(note->mark), words);
	if (at + cols < right)
		canvas_put(canvas, area, row, at + cols, " ", 1, (struct style){.role = ROLE_TEXT});
}
