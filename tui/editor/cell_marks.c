/* SPDX-License-Identifier: MIT */
#include "editor/cell_marks.h"

#include <stdlib.h>
#include <string.h>

#include "text/cluster.h"
#include "text/history.h"
#include "text/text.h"

#define HASH_START 0xcbf29ce484222325u /* FNV-1a */
#define HASH_PRIME 0x100000001b3u

void cell_marks_finish(struct cell_marks *c)
{
	free(c->items);
	memset(c, 0, sizeof *c);
}

/* White space before and after the code does not count. */
static uint64_t code_hash(const struct text *t, size_t pos, size_t len)
{
	uint64_t hash = HASH_START, at_last = HASH_START;
	bool has_begun = false;
	size_t n;

	while (len > 0) {
		const char *bytes = text_peek(t, pos, &n);
		if (n == 0)
			break;
		n = n < len ? n : len;
		for (size_t i = 0; i < n; i++) {
			bool is_blank = bytes[i] == ' ' || bytes[i] == '\n' || bytes[i] == '\t'
					|| bytes[i] == '\r';
			if (is_blank && !has_begun)
				continue;
			has_begun = true;
			hash = (hash ^ (unsigned char)bytes[i]) * HASH_PRIME;
			at_last = is_blank ? at_last : hash;
		}
		pos += n;
		len -= n;
	}
	return at_last;
}

static void remove_mark(struct cell_marks *c, size_t i)
{
	memmove(c->items + i, c->items + i + 1, (--c->n - i) * sizeof *c->items);
	c->version++;
}

/* A new run replaces the marks that lie inside of its bytes. */
static void cover_marks(struct cell_marks *c, size_t pos, size_t len)
{
	for (size_t i = c->n; i-- > 0;) {
		struct cell_mark *m = &c->items[i];
		if (m->has_error_pos && m->error_pos >= pos && m->error_pos < pos + len)
			m->has_error_pos = false;
		if (m->pos >= pos && m->pos + m->len <= pos + len)
			remove_mark(c, i);
	}
}

static bool marks_make_room(struct cell_marks *c)
{
	size_t cap = c->cap ? c->cap * 2 : 8;

	if (c->n == CELL_MARKS_MAX)
		remove_mark(c, 0);
	if (c->n < c->cap)
		return true;
	struct cell_mark *items = realloc(c->items, cap * sizeof *items);
	if (!items)
		return false;
	c->items = items;
	c->cap = cap;
	return true;
}

struct cell_mark *cell_marks_add(struct cell_marks *c, const struct text *t, size_t pos, size_t len)
{
	cover_marks(c, pos, len);
	if (!marks_make_room(c))
		return NULL;
	struct cell_mark *m = &c->items[c->n++];
	*m = (struct cell_mark){.pos = pos, .len = len};
	m->code = len > CELL_CODE_MAX ? 0 : code_hash(t, pos, len);
	c->version++;
	return m;
}

struct cell_mark *cell_marks_find(const struct cell_marks *c, uint32_t serial)
{
	for (size_t i = c->n; i-- > 0 && serial;)
		if (c->items[i].serial == serial)
			return &c->items[i];
	return NULL;
}

struct cell_mark *cell_marks_planned(const struct cell_marks *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].state == CELL_PLANNED)
			return &c->items[i];
	return NULL;
}

size_t cell_marks_unplan(struct cell_marks *c)
{
	size_t n = 0;

	for (size_t i = c->n; i-- > 0;) {
		if (c->items[i].state != CELL_PLANNED)
			continue;
		remove_mark(c, i);
		n++;
	}
	return n;
}

void cell_marks_kernel_gone(struct cell_marks *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cell_mark *m = &c->items[i];
		bool is_lost = !m->is_saved && (m->state == CELL_OK || m->state == CELL_FAILED);
		m->is_lost |= is_lost;
		m->is_stale |= is_lost;
	}
	c->version++;
}

void cell_marks_drop_saved(struct cell_marks *c)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->items[i].is_saved)
			remove_mark(c, i);
}

/* ---- edits ---- */

/* Is this an insertion at the end of the mark that starts another line? */
static bool is_below(const struct cell_mark *m, const struct text *after, const struct text_edit *edit)
{
	char first = '\0';

	return m->ends_with_line && edit->pos == m->pos + m->len && edit->inserted
	       && text_copy(after, edit->pos, &first, 1) == 1 && first == '\n';
}

/* Returns false if the edit did not change the bytes of the mark. */
static bool move_mark(struct cell_mark *m, const struct text *after, const struct text_edit *edit)
{
	size_t end = m->pos + m->len, cut = edit->pos + edit->removed;

	if (edit->pos > end || is_below(m, after, edit) || (edit->pos == end && edit->removed))
		return false;
	if (cut < m->pos || (cut == m->pos && edit->pos < m->pos)) {
		m->pos += edit->inserted - edit->removed;
		return false;
	}
	if (edit->pos < m->pos) { /* its start was removed */
		m->pos = edit->pos + edit->inserted;
		m->len = end - cut;
	} else {
		m->len = cut > end ? edit->pos - m->pos : m->len + edit->inserted - edit->removed;
	}
	return true;
}

/* Was all of the mark's code removed? */
static bool is_swallowed(const struct cell_mark *m, const struct text_edit *edit)
{
	return edit->removed && edit->pos <= m->pos && edit->pos + edit->removed >= m->pos + m->len;
}

static void compare_code(struct cell_marks *c, struct cell_mark *m, const struct text *after)
{
	bool is_stale = m->is_lost || m->len > CELL_CODE_MAX || code_hash(after, m->pos, m->len) != m->code;

	c->version += is_stale != m->is_stale;
	m->is_stale = is_stale;
}

void cell_marks_edited(struct cell_marks *c, const struct text *after, const struct text_edit *edit)
{
	for (size_t i = c->n; i-- > 0;) {
		struct cell_mark *m = &c->items[i];
		if (is_swallowed(m, edit)) {
			remove_mark(c, i);
			continue;
		}
		if (m->has_error_pos)
			m->error_pos = text_edit_moved(edit, m->error_pos);
		if (move_mark(m, after, edit))
			compare_code(c, m, after);
	}
}

/* ---- texts ---- */

bool cell_mark_take_text(char out[CELL_TEXT_BYTES], const char *text)
{
	size_t used = 0, at = 0, len = strlen(text += strspn(text, " \t\r\n"));

	while (at < len && text[at] != '\n') {
		struct cluster c = cluster_at(text + at, len - at);
		bool is_text = c.kind == CLUSTER_TEXT;
		if (used + c.len >= CELL_TEXT_BYTES)
			break;
		memcpy(out + used, is_text ? text + at : " ", is_text ? c.len : 1);
		used += is_text ? c.len : 1;
		at += c.len;
	}
	out[used] = '\0';
	return text[at + strspn(text + at, " \t\r\n")] != '\0';
}
