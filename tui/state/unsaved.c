/* SPDX-License-Identifier: MIT */
#include "state/unsaved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "text/bytes.h"
#include "text/file.h"
#include "text/text.h"

/* The path of a file in the folder. */
static bool file_path(const struct unsaved_dir *d, const char *name, char out[STATE_PATH])
{
	int n = snprintf(out, STATE_PATH, "%s/%s", d->path, name);
	return n > 0 && n < STATE_PATH;
}

static bool text_path(const struct unsaved_dir *d, unsigned number, const char *end, char out[STATE_PATH])
{
	char name[32];

	snprintf(name, sizeof name, "%u%s", number, end);
	return file_path(d, name, out);
}

/* ---- folders ---- */

static int take_lock(struct unsaved_dir *d)
{
	char lock[STATE_PATH];

	if (!file_path(d, "lock", lock))
		return -ENAMETOOLONG;
	d->lock = state_lock(lock);
	d->is_open = d->lock >= 0;
	return d->is_open ? 0 : d->lock;
}

static void note_working_dir(const struct unsaved_dir *d)
{
	char path[STATE_PATH], working_dir[STATE_PATH];

	if (file_path(d, "folder", path) && getcwd(working_dir, sizeof working_dir))
		state_write(path, working_dir, strlen(working_dir));
}

int unsaved_create(struct unsaved_dir *d)
{
	char name[64];
	unsigned long long random = 0;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random = (unsigned long long)(uintptr_t)d;
	snprintf(name, sizeof name, "unsaved/%ld-%08llx", (long)getpid(), random & 0xFFFFFFFFu);
	*d = (struct unsaved_dir){0};
	if (!state_path(name, d->path))
		return -ENOENT;
	int r = state_make_dir(d->path);
	if (r == 0 && (r = take_lock(d)) == 0)
		note_working_dir(d);
	return r;
}

static bool is_text_name(const char *name)
{
	size_t n = strspn(name, "0123456789");
	return n > 0 && n < 8 && name[n] == '\0' && name[0] != '0';
}

static bool has_texts(const struct unsaved_dir *d)
{
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	bool is_found = !dir && errno != ENOENT; /* for all that is known */

	while (dir && !is_found && (entry = readdir(dir)) != NULL)
		is_found = is_text_name(entry->d_name);
	if (dir)
		closedir(dir);
	return is_found;
}

void unsaved_close(struct unsaved_dir *d)
{
	if (!d->is_open)
		return;
	if (!has_texts(d))
		state_remove_dir(d->path); /* while the lock keeps others out of the folder */
	close(d->lock);
	*d = (struct unsaved_dir){0};
}

void unsaved_remove(struct unsaved_dir *d)
{
	if (!d->is_open)
		return;
	state_remove_dir(d->path);
	close(d->lock);
	*d = (struct unsaved_dir){0};
}

bool unsaved_take(struct unsaved_dir *d, const char *name)
{
	char below[STATE_PATH];
	struct stat st;

	*d = (struct unsaved_dir){0};
	if (strchr(name, '/') || name[0] == '.')
		return false;
	snprintf(below, sizeof below, "unsaved/%.255s", name);
	if (!state_path(below, d->path) || lstat(d->path, &st) < 0 || !S_ISDIR(st.st_mode)
			|| take_lock(d) < 0)
		return false;
	/* The previous owner may have removed the folder before this lock was taken. */
	if (access(d->path, F_OK) == 0 && has_texts(d))
		return true;
	unsaved_remove(d);
	return false;
}

size_t unsaved_names(char (**ret)[64])
{
	char all[STATE_PATH], (*names)[64] = NULL, (*more)[64];
	DIR *dir = state_path("unsaved", all) ? opendir(all) : NULL;
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof names[n])
			continue;
		if (!(more = realloc(names, (n + 1) * sizeof *names)))
			break;
		names = more;
		strcpy(names[n++], entry->d_name);
	}
	if (dir)
		closedir(dir);
	*ret = names;
	return n;
}

void unsaved_mark(const struct unsaved_dir *d)
{
	char from[STATE_PATH], to[STATE_PATH];

	if (file_path(d, "folder", from) && file_path(d, "left", to))
		rename(from, to);
}

/* The working directory of a marked folder, malloc'd. NULL: it is not marked. */
static char *marked_working_dir(const struct unsaved_dir *d)
{
	char path[STATE_PATH];
	size_t n;

	return file_path(d, "left", path) ? state_read(path, STATE_PATH, &n) : NULL;
}

bool unsaved_is_marked(const struct unsaved_dir *d)
{
	char *marked = marked_working_dir(d);
	bool is_there = marked && access(marked, F_OK) == 0;

	free(marked);
	return is_there;
}

bool unsaved_is_left_in(const struct unsaved_dir *d, const char *working_dir)
{
	char *marked = marked_working_dir(d);
	bool is_left = marked && strcmp(marked, working_dir) == 0;

	free(marked);
	return is_left;
}

const char *unsaved_name(const struct unsaved_dir *d)
{
	const char *slash = strrchr(d->path, '/');
	return slash ? slash + 1 : d->path;
}

/* ---- writing ---- */

int unsaved_begin(struct unsaved_writer *w, const struct unsaved_dir *d, unsigned number,
		const struct buffer_state *p, const struct text *t)
{
	char path[STATE_PATH], place[BUFFER_STATE_BYTES];

	*w = (struct unsaved_writer){.dir = d, .number = number, .text = t};
	if (!text_path(d, number, ".new", path))
		return -ENAMETOOLONG;
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0)
		return -errno;
	w->is_open = true;
	int r = write_fully(w->fd, place, buffer_state_write(p, place));
	if (r < 0)
		unsaved_abort(w);
	return r;
}

void unsaved_abort(struct unsaved_writer *w)
{
	char path[STATE_PATH];

	if (!w->is_open)
		return;
	close(w->fd);
	if (text_path(w->dir, w->number, ".new", path))
		unlink(path);
	w->is_open = false;
}

static int complete_unsaved(struct unsaved_writer *w)
{
	char from[STATE_PATH], to[STATE_PATH];

	if (close(w->fd) < 0 || !text_path(w->dir, w->number, ".new", from)
			|| !text_path(w->dir, w->number, "", to) || rename(from, to) < 0) {
		int err = errno;
		w->is_open = false;
		return -err;
	}
	w->is_open = false;
	return 0;
}

int unsaved_step(struct unsaved_writer *w, size_t most)
{
	size_t len = text_len(w->text), end = len - w->pos < most ? len : w->pos + most, run;

	while (w->pos < end) {
		const char *bytes = text_peek(w->text, w->pos, &run);
		run = run < end - w->pos ? run : end - w->pos;
		int r = write_fully(w->fd, bytes, run);
		if (r < 0) {
			unsaved_abort(w);
			return r;
		}
		w->pos += run;
	}
	return w->pos < len ? 1 : complete_unsaved(w);
}

void unsaved_forget(const struct unsaved_dir *d, unsigned number)
{
	char path[STATE_PATH];

	if (text_path(d, number, "", path))
		unlink(path);
}

/* ---- reading ---- */

static bool read_head(const struct unsaved_dir *d, unsigned number, struct unsaved_item *item)
{
	char path[STATE_PATH], head[BUFFER_STATE_BYTES];
	struct stat st;

	*item = (struct unsaved_item){.dir = d, .number = number};
	int fd = text_path(d, number, "", path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
						: -1;
	if (fd < 0)
		return false;
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof head) : -1;
	close(fd);
	if (n <= 0 || buffer_state_read(head, (size_t)n, &item->place) == 0)
		return false;
	item->written_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return true;
}

bool unsaved_load(struct unsaved_item *item)
{
	struct buffer_state ignored;
	char path[STATE_PATH];
	size_t n;
	char *bytes = text_path(item->dir, item->number, "", path)
				      ? state_read(path, FILE_MAX_BYTES + BUFFER_STATE_BYTES, &n)
				      : NULL;
	size_t head = bytes ? buffer_state_read(bytes, n, &ignored) : 0;

	if (head == 0) {
		free(bytes);
		return false;
	}
	memmove(bytes, bytes + head, n - head + 1);
	item->text = bytes;
	item->len = n - head;
	return true;
}

void unsaved_unload(struct unsaved_item *item)
{
	free(item->text);
	item->text = NULL;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = ((const struct unsaved_item *)a)->number, y = ((const struct unsaved_item *)b)->number;
	return x < y ? -1 : x > y;
}

void unsaved_list(const struct unsaved_dir *d, struct unsaved_items *items)
{
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	struct unsaved_item *more;
	size_t before = items->n;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (!is_text_name(entry->d_name))
			continue;
		if (!(more = realloc(items->all, (items->n + 1) * sizeof *more)))
			break;
		items->all = more;
		items->n += read_head(d, (unsigned)atoi(entry->d_name), &more[items->n]);
	}
	if (dir)
		closedir(dir);
	if (items->n > before)
		qsort(items->all + before, items->n - before, sizeof *items->all, by_number);
}

void unsaved_items_finish(struct unsaved_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		free(items->all[i].text);
	free(items->all);
	*items = (struct unsaved_items){0};
}
