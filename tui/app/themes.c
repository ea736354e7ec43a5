/* SPDX-License-Identifier: MIT */
/* Themes, whose files may change while they are in use. Folders are watched instead of files, because
 * editors replace files. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "app/app_internal.h"

#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR)

/* ---- loading ---- */

static void on_themes_fault(void *user, const char *sentence)
{
	struct app *a = user;

	if (a->theme_faults++ == 0)
		snprintf(a->theme_fault, sizeof a->theme_fault, "%s", sentence);
}

/* Load a theme and store its errors. */
static int load_app_theme(struct app *a, const char *name, struct trm_error *reterr)
{
	const struct theme_faults faults = {on_themes_fault, a};
	struct theme fresh;

	a->theme_faults = 0;
	a->theme_fault[0] = '\0';
	int r = theme_load_most(name, &faults, &fresh, reterr);
	if (r == 0)
		a->theme = fresh;
	else if (a->theme_faults == 0)
		on_themes_fault(a, reterr->msg);
	return r;
}

/* `then` says what the screen shows now. */
static void report_theme_faults(struct app *a, const char *then)
{
	char text[NOTICE_BYTES];

	if (a->theme_faults == 0)
		return;
	if (a->theme_faults > 1)
		snprintf(text, sizeof text, "%.320s (and %zu more, see `terrarium check themes`). %s",
				a->theme_fault, a->theme_faults - 1, then);
	else
		snprintf(text, sizeof text, "%.400s %s", a->theme_fault, then);
	app_notify(a, MSG_ERROR, text);
}

int app_first_theme(struct app *a, const char *name, struct trm_error *reterr)
{
	struct trm_error why = {0};
	int r = load_app_theme(a, name, &why);

	if (r == TRM_EINVAL || r == TRM_ETOOBIG)
		return theme_load("dark", &a->theme, reterr);
	if (r < 0 && reterr)
		*reterr = why;
	return r;
}

void app_report_theme(struct app *a)
{
	bool is_other = strcmp(a->theme.name, "dark") == 0 && a->opts->theme
			&& strcmp(a->opts->theme, "dark") != 0;

	report_theme_faults(a, is_other ? "The theme \"dark\" stands in."
					: "What is wrong looks as if it were left out.");
	a->theme_faults = 0;
}

void app_set_theme(struct app *a, const char *name)
{
	struct trm_error why = {0};
	int r = load_app_theme(a, name, &why);

	report_theme_faults(a, r < 0 ? "The colors stay as they were."
				     : "What is wrong looks as if it were left out.");
	a->model.needs_draw = true;
}

void app_list_themes(struct app *a)
{
	struct theme_list list = {0};

	if (theme_list_init(&list) < 0) {
		app_notify(a, MSG_ERROR, "the themes cannot be listed: out of memory");
		return;
	}
	app_send(a, &(struct msg){.type = MSG_THEMES,
				    .themes.names = (const char(*)[64])list.names,
				    .themes.n = list.n});
	theme_list_finish(&list);
}

/* ---- watching ---- */

static void watch_folder_of(struct app *a, const char *file)
{
	const char *slash = strrchr(file, '/');
	char dir[PATH_MAX];

	if (!slash || (size_t)(slash - file) >= sizeof dir)
		return;
	snprintf(dir, sizeof dir, "%.*s", slash > file ? (int)(slash - file) : 1, file);
	inotify_add_watch(a->theme_inotify, dir, CHANGES);
}

/* Watch the folder of the theme, the folder of the file that it may be a link to, and the person's own
 * folder, which has the themes that it inherits from. Watching a folder twice does no harm. */
static void watch_folders(struct app *a)
{
	char own[PATH_MAX], real[PATH_MAX];

	if (theme_own_dir(own, sizeof own))
		inotify_add_watch(a->theme_inotify, own, CHANGES);
	watch_folder_of(a, a->theme.path);
	if (a->theme.path[0] && realpath(a->theme.path, real))
		watch_folder_of(a, real);
}

/* A file in one of the folders has changed, so load the theme again. An incomplete or missing file changes
 * nothing. */
static void read_again(struct app *a)
{
	struct trm_error why = {0};
	char path[sizeof a->theme.path];
	struct theme before = a->theme;

	snprintf(path, sizeof path, "%s", a->theme.path);
	if (!path[0] || access(path, R_OK) < 0)
		return;
	int r = load_app_theme(a, path, &why);
	bool is_new = r < 0 || memcmp(before.looks, a->theme.looks, sizeof before.looks) != 0;
	report_theme_faults(a, r < 0 ? "The colors stay as they were."
				     : "What is wrong looks as if it were left out.");
	if (r == 0 && is_new && a->theme_faults == 0)
		app_notify(a, MSG_NOTICE, "the theme has changed on the disk and was read again");
	a->model.needs_draw = true;
}

static bool is_theme(const struct inotify_event *event)
{
	size_t n = event->len ? strlen(event->name) : 0;

	return n > 5 && strcmp(event->name + n - 5, ".json") == 0;
}

static void on_change(void *user, int fd, uint32_t events)
{
	struct app *a = user;
	_Alignas(struct inotify_event) char bytes[4096];
	bool has_theme = false;
	ssize_t n;

	(void)events;
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		for (char *at = bytes; at < bytes + n;) {
			const struct inotify_event *event = (const struct inotify_event *)(void *)at;
			has_theme = has_theme || is_theme(event);
			at += sizeof *event + event->len;
		}
	if (has_theme)
		read_again(a);
	watch_folders(a);
}

int app_watch_themes(struct app *a, struct trm_error *reterr)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return 0; /* changes then apply when the theme is chosen again */
	a->theme_inotify = fd;
	watch_folders(a);
	return trm_loop_add_fd(a->loop, fd, TRM_READ, on_change, a, &a->theme_watch, reterr);
}

void app_close_themes(struct app *a)
{
	trm_watch_remove(a->theme_watch);
	if (a->theme_inotify > 0)
		close(a->theme_inotify);
}
