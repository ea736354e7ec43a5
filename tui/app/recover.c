/* SPDX-License-Identifier: MIT */
/* Unsaved texts of other workbenches. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "model/update.h"
#include "text/text.h"

#define EXCERPT 40
#define COMPARED_BYTES ((size_t)4 << 20) /* a longer file is described by its first line */

static const struct trm_lang *lang_of(const char *name)
{
	const struct trm_lang *lang;

	return trm_lang_find(name, &lang, NULL) == 0 ? lang : trm_lang_default();
}

/* ---- restoring ---- */

static bool is_text(const struct editor *e, const char *text, size_t len)
{
	if (text_len(e->text) != len)
		return false;
	for (size_t at = 0, n; at < len; at += n) {
		const char *bytes = text_peek(e->text, at, &n);
		if (memcmp(bytes, text + at, n) != 0)
			return false;
	}
	return true;
}

static void when(int64_t written_ns, char out[40])
{
	long long seconds = (long long)time(NULL) - written_ns / 1000000000;

	if (seconds < 90)
		snprintf(out, 40, "just now");
	else if (seconds < 5400)
		snprintf(out, 40, "%lld min ago", (seconds + 30) / 60);
	else if (seconds < 172800)
		snprintf(out, 40, "%lld h ago", (seconds + 1800) / 3600);
	else
		snprintf(out, 40, "%lld days ago", seconds / 86400);
}

struct buffer *app_open_place(struct app *a, const struct buffer_state *place)
{
	struct trm_error ignored = {0};
	bool is_new;
	struct buffer *b = app_load_file(a, lang_of(place->lang), place->path, &is_new, &ignored);

	if (b)
		editor_put_back(&b->editor, place->anchor, place->cursor, place->top_line, place->left_col);
	return b;
}

/* The buffer of the text's file. NULL and a reason: the file cannot be opened, or its buffer has another text
 * that is not saved. */
static struct buffer *file_buffer(struct app *a, const struct unsaved_item *item, char why[NOTICE_BYTES])
{
	const struct buffer_state *place = &item->place;
	struct trm_error err = {0};
	bool is_new;
	struct buffer *b = app_load_file(a, lang_of(place->lang), place->path, &is_new, &err);

	if (b && (!buffer_is_unsaved(b) || is_text(&b->editor, item->text, item->len)))
		return b;
	snprintf(why, NOTICE_BYTES, "%s", b ? "the file has another one" : err.msg);
	return NULL;
}

static struct buffer *unnamed_buffer(struct app *a, const struct trm_lang *lang)
{
	struct buffer *vacant = buffers_vacant(&a->model.buffers, lang);

	return vacant ? vacant : buffers_add(&a->model.buffers, lang);
}

/* The content of the file is one step of undo away. */
static bool fill_buffer(struct buffer *b, const struct unsaved_item *item)
{
	const struct buffer_state *place = &item->place;

	if (!is_text(&b->editor, item->text, item->len)) {
		if (editor_set_text(&b->editor, item->text, item->len) < 0)
			return false;
		b->editor.format = place->format;
		if (place->stamp.exists)
			b->editor.stamp = place->stamp;
	}
	editor_put_back(&b->editor, place->anchor, place->cursor, place->top_line, place->left_col);
	return true;
}

enum { ITEM_NAME_BYTES = sizeof(((struct unsaved_item *)0)->place.path) + 16 };

static const char *item_name(const struct unsaved_item *item, char out[ITEM_NAME_BYTES])
{
	if (item->place.path[0])
		snprintf(out, ITEM_NAME_BYTES, "%s", item->place.path);
	else
		snprintf(out, ITEM_NAME_BYTES, "the %s buffer", item->place.lang);
	return out;
}

static void report_aside(
		struct app *a, const struct buffer *b, const struct unsaved_item *item, const char *why)
{
	const char *slash = strrchr(item->place.path, '/');
	char text[NOTICE_BYTES], name[96], ago[40], whose[ITEM_NAME_BYTES];

	when(item->written_ns, ago);
	snprintf(text, sizeof text, "unsaved text of %.80s (%s) is in %s: %.300s",
			slash ? slash + 1 : item_name(item, whose), ago,
			b ? buffer_name(b, name, sizeof name) : "no buffer, and stays kept", why);
	app_notify(a, MSG_ERROR, text);
}

struct buffer *app_take_back(struct app *a, struct unsaved_item *item, bool *ret_is_aside)
{
	char why[NOTICE_BYTES] = "";
	struct buffer *b = NULL;

	if (unsaved_load(item)) {
		b = item->place.path[0] ? file_buffer(a, item, why) : NULL;
		b = b ? b : unnamed_buffer(a, lang_of(item->place.lang));
	}
	item->is_taken = b && fill_buffer(b, item);
	unsaved_unload(item);
	if (!item->is_taken || why[0]) {
		*ret_is_aside = true;
		report_aside(a, item->is_taken ? b : NULL, item,
				item->is_taken ? why : "it cannot be read, or there is not enough memory");
	}
	return item->is_taken ? b : NULL;
}

static void note_taken(struct app *a, const struct unsaved_item *item)
{
	struct taken_text *more = realloc(a->taken, (a->n_taken + 1) * sizeof *more);

	if (!more)
		return;
	a->taken = more;
	snprintf(more[a->n_taken].dir, sizeof more->dir, "%s", unsaved_name(item->dir));
	more[a->n_taken++].number = item->number;
}

static bool was_taken(const struct app *a, const struct unsaved_item *item)
{
	size_t i = 0;

	while (i < a->n_taken
			&& (a->taken[i].number != item->number
					|| strcmp(a->taken[i].dir, unsaved_name(item->dir)) != 0))
		i++;
	return i < a->n_taken;
}

void app_finish_taking(struct app *a, struct unsaved_items *items)
{
	bool is_safe = items->n > 0 && app_autosave_now(a);

	for (size_t i = 0; i < items->n; i++) {
		if (items->all[i].is_taken && is_safe)
			unsaved_forget(items->all[i].dir, items->all[i].number);
		else if (items->all[i].is_taken)
			note_taken(a, &items->all[i]);
	}
	unsaved_items_finish(items);
}

void app_forget_taken(struct app *a)
{
	struct unsaved_dir d;

	for (size_t i = 0; i < a->n_taken; i++) {
		if (!unsaved_take(&d, a->taken[i].dir))
			continue;
		unsaved_forget(&d, a->taken[i].number);
		unsaved_close(&d);
	}
}

/* ---- describing ---- */

/* The line that describes a text: the first one that differs from the file. */
static const char *telling_line(const struct unsaved_item *item)
{
	size_t n = 0, same = 0;
	char *old = item->place.path[0] ? state_read(item->place.path, COMPARED_BYTES, &n) : NULL;

	while (old && same < n && same < item->len && old[same] == item->text[same])
		same++;
	free(old);
	while (same > 0 && item->text[same - 1] != '\n')
		same--;
	return item->text + same + strspn(item->text + same, " \t\r\n");
}

/* "the python buffer, 3 lines, 5 min ago: import os" */
static void describe_item(const struct unsaved_item *item, FILE *out)
{
	const char *first = telling_line(item);
	size_t lines = 1;
	char name[ITEM_NAME_BYTES], ago[40];

	for (size_t i = 0; i + 1 < item->len; i++)
		lines += item->text[i] == '\n';
	when(item->written_ns, ago);
	fprintf(out, "%.200s, %zu line%s, %s: %.*s\n", item_name(item, name), lines, lines == 1 ? "" : "s",
			ago, (int)(strcspn(first, "\n") < EXCERPT ? strcspn(first, "\n") : EXCERPT), first);
}

/* Returns the number of texts. */
static size_t describe_dir(const struct unsaved_dir *d, FILE *out)
{
	struct unsaved_items items = {0};
	size_t n = 0;

	unsaved_list(d, &items);
	for (size_t i = 0; i < items.n; i++) {
		if (!unsaved_load(&items.all[i]))
			continue;
		describe_item(&items.all[i], out);
		unsaved_unload(&items.all[i]);
		n++;
	}
	unsaved_items_finish(&items);
	return n;
}

/* ---- texts that were left on purpose ---- */

/* Which texts are wanted: those of a file that was opened, or what the start of a workbench takes. */
struct wanted {
	const struct buffer *file; /* NULL: the workbench starts */
	bool has_session; /* it also takes the texts of files: those of this folder, and of open files */
};

void app_report_kept(struct app *a)
{
	const struct buffer *last = buffers_find(&a->model.buffers, a->back.last),
			    *stale = buffers_find(&a->model.buffers, a->back.stale);
	char text[300], name[96];

	if (a->back.n > 1 && stale)
		snprintf(text, sizeof text,
				"%zu unsaved texts are back; %s has changed since (undo shows the file)",
				a->back.n, buffer_name(stale, name, sizeof name));
	else if (a->back.n > 1)
		snprintf(text, sizeof text, "%zu unsaved texts are back, each in a buffer of its own",
				a->back.n);
	else if (last)
		snprintf(text, sizeof text, "%s: your unsaved text is back%s%s",
				buffer_name(last, name, sizeof name),
				stale ? "; the file has changed since" : "",
				last->editor.path ? " (undo shows the file)" : "");
	/* Errors stay in sight. */
	if (a->back.n && !a->back.is_aside && (a->loop || !a->autosave.has_failed))
		app_notify(a, MSG_NOTICE, text);
	a->back = (struct texts_back){0};
}

/* With --restore off nothing comes back by itself, and nothing is lost either. */
static void report_left(struct app *a)
{
	app_notify(a, MSG_NOTICE, "unsaved changes of this file are kept: --restore on brings them back");
}

static bool is_wanted(
		struct app *a, const struct wanted *w, const struct buffer_state *place, bool is_left_here)
{
	if (!place->path[0])
		return !w->file && is_left_here;
	if (w->file)
		return app_is_same_file(place->path, w->file->editor.path);
	return w->has_session && (is_left_here || app_buffer_with(a, place->path));
}

/* Of several texts of one file the newest comes into its buffer. Texts without a name keep their order. */
static int by_turn(const void *a, const void *b)
{
	const struct unsaved_item *x = a, *y = b;
	bool x_is_named = x->place.path[0], y_is_named = y->place.path[0];

	if (x_is_named != y_is_named)
		return x_is_named ? 1 : -1;
	if (x_is_named && x->written_ns != y->written_ns)
		return x->written_ns > y->written_ns ? -1 : 1;
	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void sort_items(struct unsaved_items *items)
{
	if (items->n > 1)
		qsort(items->all, items->n, sizeof *items->all, by_turn);
}

static void put_back(struct app *a, struct unsaved_items *items, const struct wanted *w)
{
	struct texts_back *back = &a->back;

	sort_items(items);
	for (size_t i = 0; i < items->n; i++) {
		struct unsaved_item *item = &items->all[i];
		struct buffer *b = app_take_back(a, item, &back->is_aside);
		if (!b)
			continue;
		if (w->has_session && item->place.is_current)
			buffer_show(&a->model, b, &a->effects);
		back->last = b->id;
		back->stale = editor_is_stale(&b->editor) ? b->id : back->stale;
		back->n++;
	}
	if (a->loop) /* the start takes the texts of the file and of the folder, and reports both at once */
		app_report_kept(a);
}

/* List the wanted texts of a folder. Without any it is closed, because others may want it meanwhile. */
static void list_wanted(struct app *a, struct unsaved_dir *d, const struct wanted *w, bool is_left_here,
		struct unsaved_items *items)
{
	size_t n = items->n, before = n;

	unsaved_list(d, items);
	for (size_t i = before; i < items->n; i++) {
		struct unsaved_item *item = &items->all[i];
		item->place.is_current &= is_left_here; /* what comes from elsewhere stays behind */
		if (!was_taken(a, item) && is_wanted(a, w, &item->place, is_left_here))
			items->all[n++] = *item;
	}
	items->n = n;
	if (n == before)
		unsaved_close(d);
}

static void take_left(struct app *a, const struct wanted *w)
{
	char(*names)[64] = NULL, folder[PATH_MAX];
	size_t n = getcwd(folder, sizeof folder) ? unsaved_names(&names) : 0;
	struct unsaved_dir *dirs = n ? calloc(n, sizeof *dirs) : NULL;
	struct unsaved_items items = {0};

	for (size_t i = 0; i < n && dirs; i++) {
		if (!unsaved_take(&dirs[i], names[i]))
			continue;
		if (unsaved_is_marked(&dirs[i]))
			list_wanted(a, &dirs[i], w, unsaved_is_left_in(&dirs[i], folder), &items);
		else
			unsaved_close(&dirs[i]);
	}
	if (a->opts->restore)
		put_back(a, &items, w);
	else if (items.n > 0)
		report_left(a);
	app_finish_taking(a, &items);
	for (size_t i = 0; i < n && dirs; i++)
		unsaved_close(&dirs[i]);
	free(dirs);
	free(names);
}

void app_take_folder_texts(struct app *a, bool has_session)
{
	if (a->opts->restore)
		take_left(a, &(struct wanted){.has_session = has_session});
}

void app_take_file_text(struct app *a, const struct buffer *b)
{
	if (b->editor.path)
		take_left(a, &(struct wanted){.file = b});
}

/* ---- texts that a crash has left ---- */

void app_find_unsaved(struct app *a)
{
	char(*names)[64] = NULL, *reported = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&reported, &len);
	size_t n = out ? unsaved_names(&names) : 0;

	for (size_t i = 0; i < n && a->n_found < APP_FOUND; i++) {
		struct unsaved_dir *d = &a->found[a->n_found];
		if (!unsaved_take(d, names[i]))
			continue;
		if (!unsaved_is_marked(d) && describe_dir(d, out) > 0)
			a->n_found++;
		else
			unsaved_close(d);
	}
	if (out && fclose(out) == 0 && a->n_found > 0)
		app_notify(a, MSG_FOUND, reported);
	free(names);
	free(reported);
}

/* ---- the answer ---- */

static void restore_all(struct app *a)
{
	struct unsaved_items items = {0};
	struct buffer *current = NULL;
	bool is_aside = false;
	char text[96];
	size_t n = 0;

	for (size_t i = 0; i < a->n_found; i++)
		unsaved_list(&a->found[i], &items);
	sort_items(&items);
	for (size_t i = 0; i < items.n; i++) {
		struct buffer *b = app_take_back(a, &items.all[i], &is_aside);
		n += b != NULL;
		if (b && (items.all[i].place.is_current || !current))
			current = b;
	}
	if (a->linear)
		app_linear_begin(a);
	else if (current)
		buffer_show(&a->model, current, &a->effects);
	app_finish_taking(a, &items);
	snprintf(text, sizeof text, "restored %zu unsaved buffer%s (not saved yet)", n, n == 1 ? "" : "s");
	if (!is_aside) /* otherwise the word about that text stays in sight */
		app_notify(a, MSG_NOTICE, text);
}

void app_recover(struct app *a, enum recover_answer answer)
{
	if (answer == RECOVER_RESTORE)
		restore_all(a);
	for (size_t i = 0; i < a->n_found; i++) {
		if (answer == RECOVER_LATER)
			unsaved_mark(&a->found[i]); /* it comes back in its own folder */
		if (answer == RECOVER_DISCARD)
			unsaved_remove(&a->found[i]);
		else
			unsaved_close(&a->found[i]);
	}
	a->n_found = 0;
}
