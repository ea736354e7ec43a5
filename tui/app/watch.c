/* SPDX-License-Identifier: MIT */
/* Watches open files for changes by other programs. Folders are watched instead of files, because many
 * programs replace files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "app/app_internal.h"

#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)
#define PAUSE_MS 50 /* a file that is written in several steps is read once */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_open_here(const struct app *a, const char *name)
{
	const struct buffers *all = &a->model.buffers;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->editor.path && strcmp(base_of(all->items[i]->editor.path), name) == 0)
			return true;
	return false;
}

/* Is one of the changed files open here? */
static bool concerns_us(struct app *a)
{
	_Alignas(struct inotify_event) char bytes[16384];
	bool does = false;
	ssize_t n;

	while ((n = read(a->files_inotify, bytes, sizeof bytes)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const struct inotify_event *)(bytes + at);
			does = does || e->mask & IN_Q_OVERFLOW || (e->len > 0 && is_open_here(a, e->name));
			at += (ssize_t)(sizeof *e + e->len);
		}
	}
	return does;
}

static bool is_same(struct file_stamp a, struct file_stamp b)
{
	return a.exists == b.exists && a.mtime_ns == b.mtime_ns && a.bytes == b.bytes;
}

void app_check_files(struct app *a)
{
	struct buffers *all = &a->model.buffers;

	for (size_t i = 0; i < all->n; i++) {
		struct buffer *b = all->items[i];
		if (!b->editor.path || !b->editor.stamp.exists || b->editor.is_saving)
			continue;
		struct file_stamp now = file_stamp(b->editor.path);
		bool is_news = !is_same(now, b->editor.stamp) && !is_same(now, b->reported);
		b->reported = now;
		if (is_news)
			app_send(a, &(struct msg){.type = MSG_FILE_CHANGED,
						    .file_changed.buffer = b->id,
						    .file_changed.path = b->editor.path,
						    .file_changed.is_deleted = !now.exists});
	}
}

static void on_pause(void *user)
{
	app_check_files(user);
}

static void on_events(void *user, int fd, uint32_t events)
{
	struct app *a = user;

	(void)fd;
	(void)events;
	if (concerns_us(a))
		trm_timer_start(a->files_timer, PAUSE_MS, 0);
}

void app_watch_files(struct app *a)
{
	const struct buffers *all = &a->model.buffers;
	char folder[PATH_MAX];

	for (size_t i = 0; i < all->n && a->files_inotify > 0; i++) {
		const char *path = all->items[i]->editor.path;
		if (!path)
			continue;
		int n = (int)(base_of(path) - path);
		snprintf(folder, sizeof folder, "%.*s", n ? n : 1, n ? path : ".");
		/* Has no effect on a folder that is watched already. */
		inotify_add_watch(a->files_inotify, folder, CHANGES);
	}
}

int app_open_watch(struct app *a, struct trm_error *reterr)
{
	int r = trm_loop_add_timer(a->loop, on_pause, a, &a->files_timer, reterr);

	/* Without inotify, saving still checks the file. */
	a->files_inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (r == 0 && a->files_inotify > 0)
		r = trm_loop_add_fd(
				a->loop, a->files_inotify, TRM_READ, on_events, a, &a->files_watch, reterr);
	app_watch_files(a);
	return r;
}

void app_close_watch(struct app *a)
{
	trm_timer_remove(a->files_timer);
	trm_watch_remove(a->files_watch);
	if (a->files_inotify > 0)
		close(a->files_inotify);
}

void app_reload(struct app *a, uint32_t buffer)
{
	struct buffer *b = buffers_find(&a->model.buffers, buffer);
	struct trm_error err = {0};

	if (!b || !b->editor.path)
		return;
	int r = editor_reload(&b->editor, &err);
	b->reported = b->editor.stamp;
	app_send_file(a, MSG_RELOADED, buffer, b->editor.path, r == 0 ? NULL : err.msg);
}
