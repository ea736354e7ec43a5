/* SPDX-License-Identifier: MIT */
/* Restores the buffers that were last open in a folder. A workbench that was started with a file, or
 * with the tutorial, neither restores nor stores a session. Of several workbenches in one folder, only the
 * first one uses the session.
 *
 * The file has a line with the name of the folder of its unsaved texts, or "-", then a line for each buffer
 * in the order of the tabs. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "command/command.h"
#include "model/pane.h"
#include "model/update.h"

#define SESSION_BYTES ((size_t)4 << 20)

/* FNV-1a, to name a session file after its folder. */
static uint64_t hash_folder(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

static bool find_file(struct session_file *f)
{
	char folder[PATH_MAX], name[64];

	if (!getcwd(folder, sizeof folder))
		return false;
	snprintf(name, sizeof name, "sessions/%016" PRIx64, hash_folder(folder));
	return state_path(name, f->path);
}

static const char *pane_name(enum pane pane)
{
	return contexts[pane_ops[pane].key_context].name;
}

/* ---- restoring ---- */

static void take_up_focus(struct app *a, const char *name)
{
	for (size_t i = 0; i < PANE_COUNT; i++)
		if (strcmp(pane_name((enum pane)i), name) == 0)
			model_focus(&a->model, (enum pane)i);
}

static struct unsaved_item *item_of(const struct unsaved_items *items, unsigned number)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->all[i].number == number && !items->all[i].is_taken)
			return &items->all[i];
	return NULL;
}

/* NULL: the file was deleted, or another workbench has the text. */
static struct buffer *restore_session_buffer(struct app *a, const struct buffer_state *place,
		struct unsaved_item *item, bool *ret_is_aside)
{
	if (!item)
		return place->path[0] && access(place->path, F_OK) == 0 ? app_open_place(a, place) : NULL;
	item->place = *place; /* the cursor may have moved since the text was stored */
	return app_take_back(a, item, ret_is_aside);
}

static void restore_session_buffers(
		struct app *a, const char *bytes, size_t n, const struct unsaved_items *items)
{
	struct buffer *current = NULL;
	struct buffer_state place;
	size_t used, restored = 0;
	bool is_aside = false;
	char text[96];

	for (; (used = buffer_state_read(bytes, n, &place)) > 0; bytes += used, n -= used) {
		struct buffer *b = restore_session_buffer(a, &place, item_of(items, place.text), &is_aside);
		restored += b != NULL;
		if (b && place.is_current) {
			current = b;
			take_up_focus(a, place.pane);
		}
	}
	if (current && !a->opts->lang)
		buffer_show(&a->model, current, &a->effects);
	effects_clear(&a->effects); /* there is no sandbox for these effects yet */
	if (restored == 0 || is_aside)
		return; /* the word about that text stays in sight */
	snprintf(text, sizeof text, "restored your last session here (%zu buffer%s)", restored,
			restored == 1 ? "" : "s");
	app_notify(a, MSG_NOTICE, text);
}

static void read_session(struct app *a)
{
	struct unsaved_items items = {0};
	struct unsaved_dir left = {0};
	char name[64] = "";
	size_t n;
	char *bytes = state_read(a->session_file.path, SESSION_BYTES, &n);
	char *newline = bytes ? memchr(bytes, '\n', n) : NULL;

	if (newline && (size_t)(newline - bytes) < sizeof name) {
		memcpy(name, bytes, (size_t)(newline - bytes));
		if (strcmp(name, "-") != 0 && unsaved_take(&left, name))
			unsaved_list(&left, &items);
		restore_session_buffers(a, newline + 1, n - (size_t)(newline + 1 - bytes), &items);
		app_finish_taking(a, &items);
		unsaved_close(&left);
	}
	free(bytes);
}

void app_open_session(struct app *a)
{
	struct session_file *f = &a->session_file;
	char lock[STATE_PATH + 8], folder[STATE_PATH];

	if (!a->opts->restore || !find_file(f))
		return;
	snprintf(lock, sizeof lock, "%s.lock", f->path);
	f->lock = state_path("sessions", folder) && state_make_dir(folder) == 0 ? state_lock(lock) : -1;
	if (f->lock < 0)
		f->path[0] = '\0'; /* another workbench uses it, or there is no place for it */
	else
		read_session(a);
}

/* ---- storing ---- */

void app_save_session(struct app *a)
{
	const struct buffers *all = &a->model.buffers;
	bool is_kept = a->is_done && a->has_kept_text;
	struct buffer_state place;
	size_t n = 0, places = 0;
	char *bytes;

	if (!a->session_file.path[0] || all->n == 0 || !(bytes = malloc(128 + all->n * BUFFER_STATE_BYTES)))
		return;
	n += (size_t)sprintf(bytes, "%s\n", is_kept ? unsaved_name(&a->autosave.dir) : "-");
	for (size_t i = 0; i < all->n; i++) {
		bool is_text_kept = is_kept && app_text_is_kept(a, all->items[i]);
		if (!all->items[i]->editor.path && !is_text_kept)
			continue; /* there is nothing to restore */
		app_place_of(a, all->items[i], &place);
		if (place.is_current)
			snprintf(place.pane, sizeof place.pane, "%s", pane_name(a->model.focus));
		place.text = is_text_kept ? all->items[i]->id : 0;
		n += buffer_state_write(&place, bytes + n);
		places++;
	}
	if (places > 0)
		state_write(a->session_file.path, bytes, n);
	else
		unlink(a->session_file.path);
	free(bytes);
}

void app_close_session(struct app *a)
{
	struct session_file *f = &a->session_file;
	char lock[STATE_PATH + 8];

	if (!f->path[0])
		return;
	/* Remove the lock of a session that was not stored. */
	snprintf(lock, sizeof lock, "%s.lock", f->path);
	if (access(f->path, F_OK) < 0)
		unlink(lock);
	close(f->lock);
	a->session_file.path[0] = '\0';
}
