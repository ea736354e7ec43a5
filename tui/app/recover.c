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

#define REPORTED_BYTES 8192
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

struct buffer *app_put_back(struct app *a, const struct buffer_state *place, const char *text, size_t len)
{
	const struct trm_lang *lang = lang_of(place->lang);
	struct buffers *all = &a->model.buffers;
	struct trm_error err = {0};
	struct buffer *b;
	bool is_new;

	if (place->path[0]) {
		b = app_load_file(a, lang, place->path, &is_new, &err);
		if (b && is_new && !text)
			b->editor.stamp = (struct file_stamp){0};
	} else {
		b = buffers_vacant(all, lang);
		b = b ? b : buffers_add(all, lang);
	}
	if (!b)
		return NULL;
	/* The content of the file is one step of undo away. */
	if (text && !is_text(&b->editor, text, len)) {
		if (editor_set_text(&b->editor, text, len) < 0)
			return NULL;
		b->editor.format = place->format;
		if (place->stamp.exists)
			b->editor.stamp = place->stamp;
	}
	editor_put_back(&b->editor, place->anchor, place->cursor, place->top_line, place->left_col);
	return b;
}

/* ---- describing ---- */

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
static size_t describe_item(const struct unsaved_item *item, char *out, size_t cap)
{
	const char *first = telling_line(item);
	size_t lines = 1;
	char name[sizeof item->place.path + 16], ago[40];

	for (size_t i = 0; i + 1 < item->len; i++)
		lines += item->text[i] == '\n';
	if (item->place.path[0])
		snprintf(name, sizeof name, "%s", item->place.path);
	else
		snprintf(name, sizeof name, "the %s buffer", item->place.lang);
	when(item->written_ns, ago);
	int n = snprintf(out, cap, "%.200s, %zu line%s, %s: %.*s\n", name, lines, lines == 1 ? "" : "s", ago,
			(int)(strcspn(first, "\n") < EXCERPT ? strcspn(first, "\n") : EXCERPT), first);
	return n > 0 && (size_t)n < cap ? (size_t)n : 0;
}

static size_t describe_dir(const struct unsaved_dir *d, char *out, size_t cap)
{
	struct unsaved_item items[UNSAVED_MAX];
	size_t n = unsaved_read(d, items, UNSAVED_MAX), used = 0;

	for (size_t i = 0; i < n; i++) {
		used += describe_item(&items[i], out + used, cap - used);
		free(items[i].text);
	}
	return used;
}

/* ---- texts that were left on purpose ---- */

enum wanted { WANTED_ALL, WANTED_UNNAMED, WANTED_FILE };

static void report_kept(struct app *a, const struct buffer *b)
{
	char text[160], name[96];

	snprintf(text, sizeof text, "%s: your unsaved text is back%s", buffer_name(b, name, sizeof name),
			b->editor.path ? " (undo shows the file)" : "");
	app_notify(a, MSG_NOTICE, text);
}

/* With --restore off nothing comes back by itself, and nothing is lost either. */
static void report_left(struct app *a)
{
	app_notify(a, MSG_NOTICE, "unsaved changes of this file are kept: --restore on brings them back");
}

static bool is_wanted(enum wanted wanted, const struct buffer_state *place, const struct buffer_state *own)
{
	return wanted == WANTED_ALL || (wanted == WANTED_UNNAMED && !place->path[0])
	       || (wanted == WANTED_FILE && place->path[0] && app_is_same_file(place->path, own->path));
}

/* Put back the texts of a marked folder. `file`: that they belong to, for WANTED_FILE. */
static void take_marked(struct app *a, struct unsaved_dir *d, enum wanted wanted, const struct buffer *file)
{
	struct unsaved_item items[UNSAVED_MAX];
	size_t n = unsaved_read(d, items, UNSAVED_MAX);
	struct buffer_state own = {0};
	struct buffer *b;

	if (file)
		app_place_of(a, file, &own);
	for (size_t i = 0; i < n; i++) {
		bool comes = is_wanted(wanted, &items[i].place, &own);
		if (comes && !a->opts->restore)
			report_left(a);
		comes = comes && a->opts->restore;
		b = comes ? app_put_back(a, &items[i].place, items[i].text, items[i].len) : NULL;
		free(items[i].text);
		if (!b)
			continue;
		if (wanted == WANTED_ALL && items[i].place.is_current)
			buffer_show(&a->model, b, &a->effects);
		report_kept(a, b);
		/* Remove the old text only after the new copy is stored. */
		if (app_autosave_now(a))
			unsaved_forget(d, items[i].number);
	}
}

static void take_left(struct app *a, enum wanted wanted, const struct buffer *file)
{
	char names[64][64], folder[PATH_MAX];
	size_t n = getcwd(folder, sizeof folder) ? unsaved_names(names, 64) : 0;
	struct unsaved_dir d;

	for (size_t i = 0; i < n; i++) {
		if (!unsaved_take(&d, names[i]))
			continue;
		if (file ? unsaved_is_marked(&d) : unsaved_is_left_in(&d, folder))
			take_marked(a, &d, wanted, file);
		unsaved_close(&d);
	}
}

void app_take_folder_texts(struct app *a, bool has_session)
{
	if (!a->opts->restore)
		return;
	take_left(a, has_session ? WANTED_ALL : WANTED_UNNAMED, NULL);
}

void app_take_file_text(struct app *a, const struct buffer *b)
{
	if (b->editor.path)
		take_left(a, WANTED_FILE, b);
}

/* ---- texts that a crash has left ---- */

void app_find_unsaved(struct app *a)
{
	char names[64][64], *reported = calloc(1, REPORTED_BYTES);
	size_t n = unsaved_names(names, 64), used = 0;

	for (size_t i = 0; i < n && a->n_found < APP_FOUND && reported; i++) {
		struct unsaved_dir *d = &a->found[a->n_found];
		if (!unsaved_take(d, names[i]))
			continue;
		size_t more = unsaved_is_marked(d) ? 0
						   : describe_dir(d, reported + used, REPORTED_BYTES - used);
		if (more > 0)
			a->n_found++;
		else
			unsaved_close(d);
		used += more;
	}
	if (used > 0)
		app_notify(a, MSG_FOUND, reported);
	free(reported);
}

/* ---- the answer ---- */

static size_t restore(struct app *a, const struct unsaved_dir *d, struct buffer **ret_current)
{
	struct unsaved_item items[UNSAVED_MAX];
	size_t n = unsaved_read(d, items, UNSAVED_MAX), done = 0;

	for (size_t i = 0; i < n; i++) {
		struct buffer *b = app_put_back(a, &items[i].place, items[i].text, items[i].len);
		free(items[i].text);
		if (!b)
			continue;
		done++;
		if (items[i].place.is_current || !*ret_current)
			*ret_current = b;
	}
	return done;
}

static void restore_all(struct app *a)
{
	struct buffer *current = NULL;
	char text[96];
	size_t n = 0;

	for (size_t i = 0; i < a->n_found; i++)
		n += restore(a, &a->found[i], &current);
	if (a->linear)
		app_linear_begin(a);
	else if (current)
		buffer_show(&a->model, current, &a->effects);
	snprintf(text, sizeof text, "restored %zu unsaved buffer%s (not saved yet)", n, n == 1 ? "" : "s");
	/* Remove the old text only after the new copy is stored. */
	bool is_safe = app_autosave_now(a);
	for (size_t i = 0; i < a->n_found; i++) {
		if (is_safe)
			unsaved_remove(&a->found[i]);
		else
			unsaved_close(&a->found[i]);
	}
	app_notify(a, MSG_NOTICE, text);
}

void app_recover(struct app *a, enum recover_answer answer)
{
	if (answer == RECOVER_RESTORE)
		restore_all(a);
	for (size_t i = 0; i < a->n_found && answer != RECOVER_RESTORE; i++) {
		if (answer == RECOVER_LATER)
			unsaved_mark(&a->found[i]); /* it comes back in its own folder */
		if (answer == RECOVER_DISCARD)
			unsaved_remove(&a->found[i]);
		else
			unsaved_close(&a->found[i]);
	}
	a->n_found = 0;
}
