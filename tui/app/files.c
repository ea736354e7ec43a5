/* SPDX-License-Identifier: MIT */
/* Files and paths. Files are small and local, so they are handled at once instead of in the loop. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_internal.h"

/* Expand "~" and "~/…" to the home directory. */
void app_expand_path(const char *path, char out[PATH_MAX])
{
	const char *home = getenv("HOME");

	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0') && home)
		snprintf(out, PATH_MAX, "%s%s", home, path + 1);
	else
		snprintf(out, PATH_MAX, "%s", path);
}

/* Begin a new file if its folder exists. */
static int begin_file(struct editor *e, const char *path, struct trm_error *reterr)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	struct stat st;

	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return editor_begin(e, path);
	snprintf(reterr->msg, sizeof reterr->msg, "There is no directory %.400s.", dir);
	return reterr->code = TRM_ENOENT;
}

/* The path without links, "." and "..", also of a file that does not exist yet. */
static bool resolve(const char *path, char out[PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char dir[PATH_MAX], folder[PATH_MAX];

	if (realpath(path, out))
		return true;
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
	return realpath(dir, folder) && snprintf(out, PATH_MAX, "%.2000s/%.2000s", folder, name) > 0;
}

bool app_is_same_file(const char *a, const char *b)
{
	struct stat one, other;
	char one_path[PATH_MAX], other_path[PATH_MAX];

	return strcmp(a, b) == 0
	       || (resolve(a, one_path) && resolve(b, other_path) && strcmp(one_path, other_path) == 0)
	       || (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev
			       && one.st_ino == other.st_ino);
}

struct buffer *app_buffer_with(struct app *a, const char *path)
{
	const struct buffers *b = &a->model.buffers;

	for (size_t i = 0; i < b->n; i++) {
		const struct editor *e = &b->items[i]->editor;
		if ((e->path && app_is_same_file(e->path, path))
				|| (e->next_path && app_is_same_file(e->next_path, path)))
			return b->items[i];
	}
	return NULL;
}

/* Open a file, or begin it if it does not exist. */
static int open_into(struct editor *e, const char *path, bool *ret_is_new, struct trm_error *reterr)
{
	int r = editor_open(e, path, reterr);

	*ret_is_new = r == TRM_ENOENT;
	if (!*ret_is_new)
		return r;
	*reterr = (struct trm_error){0};
	return begin_file(e, path, reterr);
}

struct buffer *app_load_file(struct app *a, const struct trm_lang *lang, const char *path, bool *ret_is_new,
		struct trm_error *reterr)
{
	struct buffers *all = &a->model.buffers;
	struct buffer *vacant, *b = app_buffer_with(a, path);

	*ret_is_new = false;
	if (b)
		return b;
	lang = app_notebook_lang(path, lang);
	vacant = buffers_vacant(all, lang);
	b = vacant ? vacant : buffers_add(all, lang);
	if (!b) {
		trm_error_set(reterr, TRM_ENOMEM, "Not enough memory to open %s.", path);
		return NULL;
	}
	if (open_into(&b->editor, path, ret_is_new, reterr) == 0)
		return b;
	if (!vacant)
		buffers_remove(all, b->id);
	return NULL;
}

void app_open_file(struct app *a, const struct trm_lang *lang, const char *typed)
{
	struct trm_error err = {0};
	struct msg msg = {.type = MSG_OPENED};
	char path[PATH_MAX];

	app_expand_path(typed, path);
	if (app_open_old_notebook(a, path))
		return;
	msg.file.path = path;
	if (app_buffer_with(a, path))
		msg.type = MSG_ALREADY_OPEN;
	const struct buffer *b = app_load_file(a, lang, path, &msg.file.is_new, &err);
	if (!b)
		msg.file.error = err.msg[0] ? err.msg : trm_strerror(err.code ? err.code : TRM_ENOMEM);
	msg.file.buffer = b ? b->id : 0;
	if (b && !msg.file.is_new && !a->opts->is_demo)
		app_note_file(path);
	app_send(a, &msg);
	if (b && msg.type == MSG_OPENED && !a->replay && !a->opts->is_demo)
		app_take_file_text(a, b);
}

/* Could a save replace this? For anything else the save fails and says why. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void app_save_file(struct app *a, const struct save_request *request, bool checked)
{
	struct buffer *b = buffers_find(&a->model.buffers, request->buffer);
	struct save_request expanded = *request;
	char path[PATH_MAX] = "";

	if (!b) {
		app_send_file(a, MSG_SAVED, request->buffer, request->path, "the buffer is gone");
		return;
	}
	const struct editor *e = &b->editor;
	if (request->path) {
		app_expand_path(request->path, path);
		expanded.path = path;
	}
	bool is_other = checked && is_file(path) && !(e->path && strcmp(e->path, path) == 0);
	bool is_stale = !is_other && (checked || !request->path) && editor_is_stale(e);
	if (is_other || is_stale)
		app_send(a, &(struct msg){.type = MSG_SAVE_EXISTS,
					    .save_exists.buffer = b->id,
					    .save_exists.path = is_other ? path : e->path,
					    .save_exists.is_changed = is_stale,
					    .save_exists.closes = request->closes});
	else
		app_write_buffer(a, &expanded, false);
}

void app_write_file(struct app *a, const struct effect *effect)
{
	const struct buffer *b = buffers_find(&a->model.buffers, effect->save.buffer);
	bool is_over = effect->type == EFFECT_WRITE_OVER;
	struct save_request request = effect->save;
	char path[PATH_MAX];

	if (!b)
		return;
	const struct editor *e = &b->editor;
	app_expand_path(effect->save.path, path);
	bool is_own = e->path && app_is_same_file(e->path, path);
	request.path = is_own ? NULL : path;
	if (!is_own && !is_over && access(path, F_OK) == 0)
		app_send_file(a, MSG_SAVED, b->id, path, "File exists (add ! to override)");
	else if (is_own && !is_over)
		app_save_file(a, &request, true);
	else
		app_write_buffer(a, &request, !is_own && e->path);
}

bool app_save_files(struct app *a)
{
	const struct buffers *all = &a->model.buffers;

	if (!app_saves_are_done(a, EFFECT_QUIT_SAVING))
		return false;
	for (size_t i = 0; i < all->n; i++) {
		const struct buffer *b = all->items[i];
		const struct save_request request = {.buffer = b->id};
		if (!b->editor.path || !buffer_is_unsaved(b))
			continue;
		if (editor_is_stale(&b->editor)) {
			app_save_file(a, &request, true); /* this asks first */
			return false;
		}
		if (!app_write_buffer(a, &request, false))
			return false;
	}
	return app_saves_are_done(a, EFFECT_QUIT_SAVING);
}

/* ---- completion of paths ---- */

enum { LISTED_NAMES = 500, LISTED_BYTES = 300 };

struct completion {
	char common[NAME_MAX + 2]; /* the prefix that all matching names have in common */
	size_t n, n_listed;
	char *listed[LISTED_NAMES];
};

static void add_path_name(struct completion *c, const char *dir, const struct dirent *entry)
{
	char path[PATH_MAX + NAME_MAX + 1], name[NAME_MAX + 2];
	struct stat st;
	size_t same = 0;

	snprintf(path, sizeof path, "%s%s", dir, entry->d_name);
	bool is_dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	snprintf(name, sizeof name, "%s%s", entry->d_name, is_dir ? "/" : "");
	if (c->n_listed < LISTED_NAMES && (c->listed[c->n_listed] = strdup(name)))
		c->n_listed++;
	if (c->n++ == 0) {
		snprintf(c->common, sizeof c->common, "%s", name);
		return;
	}
	while (c->common[same] && c->common[same] == name[same])
		same++;
	while (same > 0 && ((unsigned char)c->common[same] & 0xc0) == 0x80)
		same--; /* do not cut a character */
	c->common[same] = '\0';
}

static void find_path_names(struct completion *c, const char *dir, const char *begin)
{
	struct dirent *entry;
	DIR *d = opendir(dir[0] ? dir : ".");

	while (d && (entry = readdir(d)) != NULL) {
		bool is_hidden = entry->d_name[0] == '.' && begin[0] != '.';
		if (!is_hidden && strncmp(entry->d_name, begin, strlen(begin)) == 0
				&& strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			add_path_name(c, dir, entry);
	}
	if (d)
		closedir(d);
}

static int compare_path_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* "main.py, notes/ and 17 more". Frees the names. */
static void list_path_names(struct completion *c, char out[LISTED_BYTES + 40])
{
	size_t used = 0, shown = 0;

	out[0] = '\0';
	qsort(c->listed, c->n_listed, sizeof *c->listed, compare_path_names);
	for (; shown < c->n_listed && used + strlen(c->listed[shown]) + 2 < LISTED_BYTES; shown++)
		used += (size_t)sprintf(out + used, "%s%s", shown ? ", " : "", c->listed[shown]);
	if (shown < c->n)
		sprintf(out + used, "%s%zu more", shown ? " and " : "", c->n - shown);
	for (size_t i = 0; i < c->n_listed; i++)
		free(c->listed[i]);
}

void app_complete_path(struct app *a, const char *typed)
{
	const char *slash = strrchr(typed, '/'), *begin = slash ? slash + 1 : typed;
	struct completion c = {.n = 0};
	char dir[PATH_MAX], whole[PATH_MAX], head[PATH_MAX], names[LISTED_BYTES + 40];

	snprintf(head, sizeof head, "%.*s", (int)(begin - typed), typed);
	app_expand_path(head, dir);
	find_path_names(&c, dir, begin);
	list_path_names(&c, names);
	const char *end = c.n ? c.common : begin;
	if ((size_t)snprintf(whole, sizeof whole, "%s%s", head, end) >= sizeof whole)
		return;
	app_send(a, &(struct msg){.type = MSG_PATH,
				    .path.text = whole,
				    .path.names = c.n == 0  ? "no matches"
						  : c.n > 1 ? names
							    : NULL});
}
