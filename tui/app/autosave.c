/* SPDX-License-Identifier: MIT */
/* Writes unsaved text to files that survive a crash, a moment after typing has paused. Long texts are
 * written in slices, and keys are handled between slices. If the text changes in the meantime, writing
 * starts again. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "text/text.h"

#define QUIET_NS 400000000u /* least pause in the changes before text is written */
/* Additional pause per MiB of a long text, because all of it is written again. */
#define QUIET_PER_MIB_NS 20000000u
#define LONGEST_NS 3000000000u /* longest delay if the person types without a pause … */
/* … for a text of one slice, which takes about half a millisecond. */
#define SLICE_BYTES ((size_t)1 << 20)

void app_place_of(const struct app *a, const struct buffer *b, struct buffer_state *ret)
{
	const struct editor *e = &b->editor;
	char folder[PATH_MAX];

	*ret = (struct buffer_state){.anchor = e->sel.anchor,
			.cursor = e->sel.cursor,
			.top_line = e->top_line,
			.left_col = e->left_col,
			.format = e->format,
			.stamp = e->stamp,
			.is_current = b == buffers_current(&a->model.buffers)};
	snprintf(ret->lang, sizeof ret->lang, "%s", e->lang ? e->lang->name : trm_lang_default()->name);
	if (e->path && e->path[0] == '/')
		snprintf(ret->path, sizeof ret->path, "%s", e->path);
	else if (e->path && getcwd(folder, sizeof folder))
		snprintf(ret->path, sizeof ret->path, "%.2000s/%.2000s", folder, e->path);
}

bool app_text_is_kept(const struct app *a, const struct buffer *b)
{
	for (size_t i = 0; i < a->autosave.n; i++) {
		const struct kept_buffer *k = &a->autosave.buffers[i];
		if (k->id == b->id)
			return k->is_written && k->version == editor_version(&b->editor);
	}
	return false;
}

/* ---- pending work ---- */

static void report_unwritten(struct app *a, int err)
{
	char text[256];

	if (a->autosave.has_failed)
		return;
	a->autosave.has_failed = true;
	snprintf(text, sizeof text, "unsaved text cannot be kept: %s", strerror(-err));
	app_send(a, &(struct msg){.type = MSG_TEXT_UNSAFE,
				    .text_unsafe.why = text,
				    .text_unsafe.is_quitting = a->autosave.is_leaving});
}

static struct kept_buffer *kept_of(struct autosave *k, uint32_t id)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->buffers[i].id == id)
			return &k->buffers[i];
	if (k->n == k->cap) {
		size_t cap = k->cap ? 2 * k->cap : 8;
		struct kept_buffer *more = realloc(k->buffers, cap * sizeof *more);
		if (!more)
			return NULL;
		k->buffers = more;
		k->cap = cap;
	}
	k->buffers[k->n] = (struct kept_buffer){.id = id};
	return &k->buffers[k->n++];
}

/* Remove the stored texts of closed buffers. */
static void forget_closed(struct app *a)
{
	struct autosave *k = &a->autosave;

	for (size_t i = 0; i < k->n;) {
		if (buffers_find(&a->model.buffers, k->buffers[i].id)) {
			i++;
			continue;
		}
		if (k->buffers[i].is_written)
			unsaved_forget(&k->dir, k->buffers[i].id);
		k->buffers[i] = k->buffers[--k->n];
	}
}

/* Find a buffer that has changed since it was last checked. NULL: there is none. */
static struct buffer *changed(struct app *a, struct kept_buffer **ret)
{
	struct buffers *all = &a->model.buffers;

	for (size_t i = 0; i < all->n; i++) {
		struct buffer *b = all->items[i];
		bool is_unsaved = buffer_is_unsaved(b);
		struct kept_buffer *known = kept_of(&a->autosave, b->id);
		if (!known || (!is_unsaved && !known->is_written))
			continue;
		if (is_unsaved == known->is_written && known->version == editor_version(&b->editor))
			continue;
		*ret = known;
		return b;
	}
	return NULL;
}

/* ---- writing ---- */

static int begin_autosave(struct app *a, struct buffer *b)
{
	struct autosave *k = &a->autosave;
	struct buffer_state place;
	int r = k->dir.is_open ? 0 : unsaved_create(&k->dir);

	app_place_of(a, b, &place);
	return r < 0 ? r : unsaved_begin(&k->writer, &k->dir, b->id, &place, b->editor.text);
}

/* Write at most `most` bytes of a buffer. 1: there is more, 0: done, or a negative errno. */
static int write_some(struct app *a, struct buffer *b, struct kept_buffer *known, size_t most)
{
	struct autosave *k = &a->autosave;
	uint64_t version = editor_version(&b->editor);

	if (!buffer_is_unsaved(b)) {
		unsaved_forget(&k->dir, b->id);
		known->is_written = false;
		return 0;
	}
	if (k->writer.is_open && (k->writer.number != b->id || known->version != version))
		unsaved_abort(&k->writer);
	int r = k->writer.is_open ? 0 : begin_autosave(a, b);
	known->version = version;
	if (r == 0)
		r = unsaved_step(&k->writer, most);
	known->is_written = r == 0;
	return r;
}

bool app_autosave_now(struct app *a)
{
	struct kept_buffer *known;
	struct buffer *b;

	forget_closed(a);
	while ((b = changed(a, &known)) != NULL) {
		int r = write_some(a, b, known, SIZE_MAX);
		if (r < 0) {
			report_unwritten(a, r);
			return false;
		}
	}
	for (size_t i = 0; i < a->model.buffers.n; i++) {
		b = a->model.buffers.items[i];
		if (buffer_is_unsaved(b) && !app_text_is_kept(a, b)) { /* there is no memory to note it */
			report_unwritten(a, -ENOMEM);
			return false;
		}
	}
	return true;
}

/* The time in ns until text must be written; 0: now. */
static uint64_t time_left(const struct app *a, uint64_t now)
{
	const struct autosave *k = &a->autosave;
	size_t bytes = text_len(buffers_current(&a->model.buffers)->editor.text);
	uint64_t quiet = QUIET_NS + (bytes >> 20) * QUIET_PER_MIB_NS;

	if (now - k->last_ns >= quiet || (bytes <= SLICE_BYTES && now - k->first_ns >= LONGEST_NS))
		return 0;
	return quiet - (now - k->last_ns);
}

static void on_autosave_timer(void *user)
{
	struct app *a = user;
	struct autosave *k = &a->autosave;
	uint64_t now = app_clock_ns(), left = time_left(a, now);
	struct kept_buffer *known;

	if (left > 0) {
		trm_timer_start(k->timer, left / 1000000 + 1, 0);
		return;
	}
	forget_closed(a);
	app_save_session(a);
	struct buffer *b = changed(a, &known);
	int r = b ? write_some(a, b, known, SLICE_BYTES) : 0;
	if (r < 0)
		report_unwritten(a, r);
	else if (b)
		trm_timer_start(k->timer, 1, 0); /* continue, or start with the next buffer */
	k->first_ns = now;
}

void app_note_changes(struct app *a)
{
	struct autosave *k = &a->autosave;
	const struct buffer *b = buffers_current(&a->model.buffers);
	uint64_t version = editor_version(&b->editor);
	bool is_unsaved = buffer_is_unsaved(b);

	if (!k->timer)
		return; /* a replay stores nothing */
	if (version == k->seen_version && b->id == k->seen_id && a->model.buffers.n == k->seen_n
			&& is_unsaved == k->seen_unsaved)
		return;
	k->seen_version = version;
	k->seen_id = b->id;
	k->seen_n = a->model.buffers.n;
	k->seen_unsaved = is_unsaved;
	k->last_ns = app_clock_ns();
	if (trm_timer_is_running(k->timer))
		return;
	k->first_ns = k->last_ns;
	trm_timer_start(k->timer, QUIET_NS / 1000000, 0);
}

void app_keep_anew(struct app *a, const struct buffer *b)
{
	struct autosave *k = &a->autosave;

	for (size_t i = 0; i < k->n; i++)
		if (k->buffers[i].id == b->id)
			k->buffers[i].version = 0;
	k->seen_version = 0;
}

bool app_text_is_safe(struct app *a)
{
	a->autosave.has_failed = false;
	a->autosave.is_leaving = true;
	bool is_safe = a->model.replay.is_on || app_autosave_now(a);
	a->autosave.is_leaving = false;
	return is_safe;
}

/* ---- start and end ---- */

int app_open_autosave(struct app *a, struct trm_error *reterr)
{
	const struct buffer *b = buffers_current(&a->model.buffers);

	a->autosave.seen_id = b->id;
	a->autosave.seen_version = editor_version(&b->editor);
	a->autosave.seen_n = a->model.buffers.n;
	a->autosave.seen_unsaved = buffer_is_unsaved(b);
	return trm_loop_add_timer(a->loop, on_autosave_timer, a, &a->autosave.timer, reterr);
}

void app_close_autosave(struct app *a)
{
	bool is_kept = !a->discards_text && !a->model.replay.is_on, is_safe = true;
	struct autosave *k = &a->autosave;

	trm_timer_remove(k->timer);
	k->timer = NULL;
	unsaved_abort(&k->writer);
	if (is_kept && a->model.buffers.n > 0)
		is_safe = app_autosave_now(a);
	for (size_t i = 0; i < k->n; i++)
		a->has_kept_text |= is_kept && k->buffers[i].is_written;
	if (a->has_kept_text)
		unsaved_mark(&k->dir);
	app_save_session(a);
	if (a->has_kept_text || (is_kept && !is_safe)) /* an older text is better than none */
		unsaved_close(&k->dir);
	else
		unsaved_remove(&k->dir);
	if (is_safe && !a->model.replay.is_on)
		app_forget_taken(a);
	free(a->taken);
	for (size_t i = 0; i < a->n_found; i++)
		unsaved_close(&a->found[i]);
	free(k->buffers);
	*k = (struct autosave){0};
}
