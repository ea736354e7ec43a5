/* SPDX-License-Identifier: MIT */
#include "editor/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "editor/editor_internal.h"
#include "text/cluster.h"
#include "text/text.h"

int buffers_init(struct buffers *b, struct clipboard *clipboard)
{
	*b = (struct buffers){.clipboard = clipboard};
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (trm_lang_at(i)->has_tab && !buffers_add(b, trm_lang_at(i)))
			return TRM_ENOMEM;
	return 0;
}

static void buffer_destroy(struct buffer *b)
{
	editor_finish(&b->editor);
	free(b);
}

void buffers_finish(struct buffers *b)
{
	for (size_t i = 0; i < b->n; i++)
		buffer_destroy(b->items[i]);
	free(b->items);
	*b = (struct buffers){0};
}

/* ---- the current buffer ---- */

struct buffer *buffers_current(const struct buffers *b)
{
	return b->items[b->current];
}

static size_t index_of(const struct buffers *b, uint32_t id)
{
	size_t i = 0;

	while (i < b->n && b->items[i]->id != id)
		i++;
	return i;
}

struct buffer *buffers_find(const struct buffers *b, uint32_t id)
{
	size_t i = index_of(b, id);
	return i < b->n ? b->items[i] : NULL;
}

struct buffer *buffers_of_lang(const struct buffers *b, const struct trm_lang *lang)
{
	struct buffer *best = NULL;

	for (size_t i = 0; i < b->n; i++)
		if (b->items[i]->editor.lang == lang && (!best || b->items[i]->shown > best->shown))
			best = b->items[i];
	return best;
}

static bool is_vacant(const struct buffer *b)
{
	return !b->editor.path && !editor_is_modified(&b->editor) && text_len(b->editor.text) == 0;
}

struct buffer *buffers_vacant(const struct buffers *b, const struct trm_lang *lang)
{
	struct buffer *best = NULL;

	for (size_t i = 0; i < b->n; i++) {
		struct buffer *one = b->items[i];
		if (one->editor.lang == lang && is_vacant(one) && (!best || one->shown > best->shown))
			best = one;
	}
	return best;
}

struct buffer *buffers_beside(const struct buffers *b, int by)
{
	long n = (long)b->n, to = ((long)b->current + by) % n;
	return b->items[to < 0 ? to + n : to];
}

/* ---- adding and removing ---- */

/* The lowest number that no unnamed buffer of this language has. */
static unsigned free_number(const struct buffers *b, const struct trm_lang *lang)
{
	unsigned number = 1;

	for (size_t i = 0; i < b->n; i++) {
		const struct buffer *one = b->items[i];
		if (one->editor.lang != lang || one->editor.path || one->number != number)
			continue;
		number++;
		i = (size_t)-1; /* the buffers have no particular order, so the search starts again */
	}
	return number;
}

struct buffer *buffers_add(struct buffers *b, const struct trm_lang *lang)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 8;
		struct buffer **items = realloc(b->items, cap * sizeof *items);
		if (!items)
			return NULL;
		b->items = items;
		b->cap = cap;
	}
	struct buffer *added = calloc(1, sizeof *added);
	if (!added || editor_init(&added->editor, lang, b->clipboard) < 0) {
		free(added);
		return NULL;
	}
	added->editor.grammars = b->grammars;
	added->editor.closes_pairs = b->closes_pairs;
	added->editor.wraps = b->wraps;
	added->id = ++b->last_id;
	added->number = free_number(b, lang);
	if (b->n > 0)
		editor_resize(&added->editor, b->items[0]->editor.rows, b->items[0]->editor.cols);
	b->items[b->n++] = added;
	return added;
}

void buffers_set_style(struct buffers *b, bool closes_pairs, bool wraps)
{
	b->closes_pairs = closes_pairs;
	b->wraps = wraps;
	for (size_t i = 0; i < b->n; i++) {
		struct editor *e = &b->items[i]->editor;
		e->closes_pairs = closes_pairs;
		e->wraps = wraps;
		e->top_row = 0;
		editor_show_cursor(e);
	}
}

void buffers_set_grammars(struct buffers *b, struct grammars *grammars)
{
	b->grammars = grammars;
	for (size_t i = 0; i < b->n; i++)
		b->items[i]->editor.grammars = grammars;
}

static size_t shown_last(const struct buffers *b)
{
	size_t best = 0;

	for (size_t i = 1; i < b->n; i++)
		if (b->items[i]->shown > b->items[best]->shown)
			best = i;
	return best;
}

void buffers_remove(struct buffers *b, uint32_t id)
{
	size_t i = index_of(b, id);
	bool was_current = i == b->current;

	if (i == b->n || b->n == 1)
		return;
	buffer_destroy(b->items[i]);
	memmove(b->items + i, b->items + i + 1, (--b->n - i) * sizeof *b->items);
	if (was_current)
		b->current = shown_last(b);
	else if (b->current > i)
		b->current--;
}

void buffers_show(struct buffers *b, uint32_t id)
{
	size_t i = index_of(b, id);

	if (i == b->n)
		return;
	b->current = i;
	b->items[i]->shown = ++b->clock;
}

void buffers_resize(struct buffers *b, int rows, int cols)
{
	for (size_t i = 0; i < b->n; i++)
		editor_resize(&b->items[i]->editor, rows, cols);
}

/* ---- names ---- */

bool buffer_is_unsaved(const struct buffer *b)
{
	return editor_is_modified(&b->editor) && (b->editor.path || text_len(b->editor.text) > 0);
}

/* The language, plus a number if several buffers of this language have no name. */
static int lang_name(const struct buffer *b, char *out, size_t cap)
{
	const char *name = b->editor.lang ? b->editor.lang->name : "text";

	if (b->number > 1)
		return snprintf(out, cap, "%s %u", name, b->number);
	return snprintf(out, cap, "%s", name);
}

char *buffer_name(const struct buffer *b, char *out, size_t cap)
{
	char lang[40];

	lang_name(b, lang, sizeof lang);
	if (b->editor.path)
		snprintf(out, cap, "%s", b->editor.path);
	else
		snprintf(out, cap, "the %s buffer", lang);
	return out;
}

char *buffer_short_name(const struct buffer *b, char *out, size_t cap)
{
	const char *path = b->editor.path, *slash = path ? strrchr(path, '/') : NULL;

	if (path)
		snprintf(out, cap, "%s", slash ? slash + 1 : path);
	else
		lang_name(b, out, cap);
	return out;
}

int buffer_label(const struct buffer *b, char out[BUFFER_LABEL])
{
	const char *star = editor_is_modified(&b->editor) ? "*" : "";
	char name[256];

	buffer_short_name(b, name, sizeof name);
	if (b->editor.path)
		return snprintf(out, BUFFER_LABEL, " %s: %.60s%s ",
				b->editor.lang ? b->editor.lang->name : "text", name, star);
	return snprintf(out, BUFFER_LABEL, " %s%s ", name, star);
}

/* ---- tabs ---- */

static int label_cols(const struct buffer *b)
{
	char label[BUFFER_LABEL];

	buffer_label(b, label);
	return (int)cluster_columns(label, strlen(label));
}

/* The first tab to show, so that as many tabs as possible fit left of the current one. */
static size_t first_tab(const struct buffers *b, int room)
{
	size_t first = b->current;
	int used = label_cols(b->items[first]);

	while (first > 0 && (used += label_cols(b->items[first - 1])) <= room
			&& b->current - first + 1 < TABS_MAX - 2)
		first--;
	return first;
}

size_t buffers_tabs(const struct buffers *b, int cols, struct tab tabs[TABS_MAX])
{
	int total = 0, col = 0;
	size_t n = 0, first = 0;

	for (size_t i = 0; i < b->n; i++)
		total += label_cols(b->items[i]);
	bool is_cut = total > cols || b->n > TABS_MAX;
	int room = is_cut ? cols - 2 : cols; /* each mark takes one column */
	if (is_cut)
		first = first_tab(b, room);
	if (first > 0)
		tabs[n++] = (struct tab){.by = -1, .col = 0, .cols = 1};
	col = is_cut ? 1 : 0;
	for (size_t i = first; i < b->n && n < TABS_MAX - 1; i++) {
		int left = room + (is_cut ? 1 : 0) - col, wanted = label_cols(b->items[i]);
		if (left < wanted && i != b->current) {
			tabs[n++] = (struct tab){.by = 1, .col = cols - 1, .cols = 1};
			break;
		}
		tabs[n++] = (struct tab){
				.buffer = b->items[i], .col = col, .cols = wanted < left ? wanted : left};
		col += wanted;
	}
	return n;
}
