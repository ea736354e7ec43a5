/* SPDX-License-Identifier: MIT */
#include "text/history.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "text/text.h"

#define NEVER SIZE_MAX

struct edit {
	bool is_insert;
	size_t pos, len, cap;
	char *bytes; /* the inserted or deleted bytes */
};

struct step {
	size_t first_edit; /* its edits end where the next step's begin */
	struct selection before, after;
};

struct history {
	struct text *text;
	struct edit *edits;
	struct step *steps;
	size_t n_edits, cap_edits, n_steps, cap_steps;
	size_t at;               /* applied steps; those after them can be redone */
	size_t saved;            /* the value of `at` when the text was saved, or NEVER */
	size_t saving;           /* the value of `at` when saving began, or NEVER */
	struct selection before; /* of the next step */
	bool is_pinned;          /* it is known before the first edit */
	bool is_open;            /* the next edit belongs to the last step */
	bool gathers;            /* so do all edits */
	history_listener *listener;
	void *listener_user;
};

struct history *history_create(struct text *t)
{
	struct history *h = calloc(1, sizeof(*h));
	if (h) {
		h->text = t;
		h->saving = NEVER;
	}
	return h;
}

static void drop_edits(struct history *h, size_t from)
{
	for (size_t i = from; i < h->n_edits; i++)
		free(h->edits[i].bytes);
	h->n_edits = from;
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	drop_edits(h, 0);
	free(h->edits);
	free(h->steps);
	text_destroy(h->text);
	free(h);
}

struct text *history_text(const struct history *h)
{
	return h->text;
}

void history_listen(struct history *h, history_listener *fn, void *user)
{
	h->listener = fn;
	h->listener_user = user;
}

/* ---- changes of the text, reported to the listener ---- */

static struct text_place place_of(const struct text *t, size_t pos)
{
	size_t line = text_line_of(t, pos);
	return (struct text_place){.line = line, .column = pos - text_line_start(t, line)};
}

size_t text_edit_moved(const struct text_edit *edit, size_t pos)
{
	if (pos < edit->pos || (pos == edit->pos && edit->removed))
		return pos;
	return pos >= edit->pos + edit->removed ? pos - edit->removed + edit->inserted : edit->pos;
}

static int insert_recorded(struct history *h, size_t pos, const char *bytes, size_t n)
{
	if (!h->listener)
		return text_insert(h->text, pos, bytes, n);
	struct text_edit e = {.pos = pos, .inserted = n, .start = place_of(h->text, pos)};
	int r = text_insert(h->text, pos, bytes, n);
	e.old_end = e.start;
	e.new_end = place_of(h->text, pos + n);
	if (r == 0)
		h->listener(h->listener_user, h->text, &e);
	return r;
}

static int delete_recorded(struct history *h, size_t pos, size_t n)
{
	if (!h->listener)
		return text_delete(h->text, pos, n);
	struct text_edit e = {.pos = pos,
			.removed = n,
			.start = place_of(h->text, pos),
			.old_end = place_of(h->text, pos + n)};
	int r = text_delete(h->text, pos, n);
	e.new_end = e.start;
	if (r == 0)
		h->listener(h->listener_user, h->text, &e);
	return r;
}

void history_begin(struct history *h, struct selection before, bool joins)
{
	/* The saved state stays a step of its own, so that undo can return to it. */
	h->is_open = (joins || h->gathers) && h->is_open && h->at > 0 && h->at != h->saved
		     && h->at != h->saving;
	if (!h->is_open && !h->is_pinned)
		h->before = before;
}

void history_pin(struct history *h, struct selection before)
{
	h->is_pinned = !h->is_open;
	h->before = before;
}

void history_gather(struct history *h, bool gathers)
{
	h->gathers = gathers;
	h->is_open = h->is_pinned = false;
}

void history_end(struct history *h, struct selection after)
{
	if (h->is_open)
		h->steps[h->at - 1].after = after;
}

/* Room for one more element of an array that grows by doubling. */
static bool grow_array(void **array, size_t *cap, size_t n, size_t element)
{
	if (n < *cap)
		return true;
	size_t wanted = *cap ? *cap * 2 : 16;
	void *bigger = realloc(*array, wanted * element);
	if (!bigger)
		return false;
	*array = bigger;
	*cap = wanted;
	return true;
}

static bool edit_reserve(struct edit *e, size_t more)
{
	if (more <= e->cap - e->len)
		return true;
	size_t wanted = e->len + more + (e->len ? e->len : 0);
	char *bigger = realloc(e->bytes, wanted);
	if (!bigger)
		return false;
	e->bytes = bigger;
	e->cap = wanted;
	return true;
}

static size_t edits_end(const struct history *h, size_t step)
{
	return step + 1 < h->n_steps ? h->steps[step + 1].first_edit : h->n_edits;
}

/* The edit that receives n more bytes at `pos`: the last one of the open step if they continue it,
 * otherwise a new, empty one. NULL: no memory. */
static struct edit *edit_for(struct history *h, bool is_insert, size_t pos, size_t n)
{
	if (h->is_open && h->n_edits > h->steps[h->at - 1].first_edit) {
		struct edit *last = &h->edits[h->n_edits - 1];
		bool continues = last->is_insert == is_insert
				 && (is_insert ? pos == last->pos + last->len
					       : pos == last->pos || pos + n == last->pos);
		if (continues)
			return edit_reserve(last, n) ? last : NULL;
	}
	if (!grow_array((void **)&h->edits, &h->cap_edits, h->n_edits, sizeof(*h->edits))
			|| !grow_array((void **)&h->steps, &h->cap_steps, h->n_steps, sizeof(*h->steps)))
		return NULL;
	struct edit fresh = {.is_insert = is_insert, .pos = pos};
	if (!edit_reserve(&fresh, n))
		return NULL;
	if (!h->is_open) {
		/* Undone steps can no longer be redone. */
		if (h->saved != NEVER && h->saved > h->at)
			h->saved = NEVER;
		if (h->saving != NEVER && h->saving > h->at)
			h->saving = NEVER;
		drop_edits(h, h->at < h->n_steps ? h->steps[h->at].first_edit : h->n_edits);
		h->steps[h->at] = (struct step){.first_edit = h->n_edits, .before = h->before};
		h->n_steps = ++h->at;
		h->is_open = true;
		h->is_pinned = false;
	}
	h->edits[h->n_edits] = fresh;
	return &h->edits[h->n_edits++];
}

/* Remove an edit that was prepared but did not happen. */
static int give_up(struct history *h, struct edit *e)
{
	if (e->len == 0) {
		free(e->bytes);
		h->n_edits--;
	}
	return TRM_ENOMEM;
}

int history_insert(struct history *h, size_t pos, const char *bytes, size_t n)
{
	if (n == 0)
		return 0;
	struct edit *e = edit_for(h, true, pos, n);
	if (!e)
		return TRM_ENOMEM;
	if (insert_recorded(h, pos, bytes, n) != 0)
		return give_up(h, e);
	memcpy(e->bytes + e->len, bytes, n);
	e->len += n;
	return 0;
}

int history_delete(struct history *h, size_t pos, size_t n)
{
	if (n == 0)
		return 0;
	struct edit *e = edit_for(h, false, pos, n);
	if (!e)
		return TRM_ENOMEM;
	bool goes_before = e->len > 0 && pos != e->pos;
	if (goes_before)
		memmove(e->bytes + n, e->bytes, e->len);
	text_copy(h->text, pos, e->bytes + (goes_before ? 0 : e->len), n);
	if (delete_recorded(h, pos, n) != 0) {
		if (goes_before)
			memmove(e->bytes, e->bytes + n, e->len);
		return give_up(h, e);
	}
	e->pos = pos;
	e->len += n;
	return 0;
}

static int apply(struct history *h, const struct edit *e, bool forward)
{
	return e->is_insert == forward ? insert_recorded(h, e->pos, e->bytes, e->len)
				       : delete_recorded(h, e->pos, e->len);
}

bool history_undo(struct history *h, struct selection *ret)
{
	if (h->at == 0)
		return false;
	struct step *s = &h->steps[h->at - 1];
	size_t end = edits_end(h, h->at - 1);
	for (size_t i = end; i > s->first_edit; i--) {
		if (apply(h, &h->edits[i - 1], false) == 0)
			continue;
		for (; i < end; i++) /* out of memory: as it was */
			apply(h, &h->edits[i], true);
		return false;
	}
	h->at--;
	h->is_open = false;
	*ret = s->before;
	return true;
}

bool history_redo(struct history *h, struct selection *ret)
{
	if (h->at == h->n_steps)
		return false;
	struct step *s = &h->steps[h->at];
	for (size_t i = s->first_edit; i < edits_end(h, h->at); i++) {
		if (apply(h, &h->edits[i], true) == 0)
			continue;
		while (i-- > s->first_edit)
			apply(h, &h->edits[i], false);
		return false;
	}
	h->at++;
	h->is_open = false;
	*ret = s->after;
	return true;
}

struct selection history_before(const struct history *h)
{
	return h->steps[h->at - 1].before;
}

bool history_is_modified(const struct history *h)
{
	return h->at != h->saved;
}

void history_mark_saved(struct history *h)
{
	h->saved = h->at;
	h->is_open = false;
}

void history_mark_saving(struct history *h)
{
	h->saving = h->at;
	h->is_open = false;
}

void history_mark_saved_then(struct history *h)
{
	h->saved = h->saving;
	h->saving = NEVER;
}
