/* SPDX-License-Identifier: MIT */
/* Images as files: saved to a path that the person chooses, or opened with a program of the desktop. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app_internal.h"

static const struct figure *figure_of(const struct app *a, const struct effect *effect)
{
	return figures_find(&a->model.out.figures, (uint32_t)effect->number);
}

/* 0 or an errno. An incomplete file is removed. */
static int write_file(const char *path, int flags, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	int error = fd < 0 ? errno : 0;

	for (size_t at = 0; error == 0 && at < n;) {
		ssize_t part = write(fd, bytes + at, n - at);
		if (part < 0 && errno != EINTR)
			error = errno;
		at += part > 0 ? (size_t)part : 0;
	}
	if (fd >= 0 && close(fd) < 0 && error == 0)
		error = errno;
	if (fd >= 0 && error && flags & O_EXCL)
		unlink(path);
	return error;
}

void app_save_figure(struct app *a, const struct effect *effect)
{
	const struct figure *fig = figure_of(a, effect);
	bool is_over = effect->type == EFFECT_SAVE_FIGURE_OVER;
	char path[PATH_MAX], why[PATH_MAX + 100];
	struct stat st;

	if (!fig)
		return;
	app_expand_path(effect->text, path);
	struct msg msg = {.type = MSG_FIGURE_SAVED, .number = fig->id, .text = path};
	int error = write_file(path, is_over ? O_TRUNC : O_EXCL, fig->bytes, fig->n);
	msg.flag = error == EEXIST && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	if (error && !msg.flag) {
		snprintf(why, sizeof why, "%s could not be written: %s", path,
				error == EEXIST ? "it exists, and is no file" : strerror(error));
		msg.other = why;
	}
	app_send(a, &msg);
}

/* ---- opening ---- */

/* Create a temporary folder for files that other programs open. It is removed at the end. */
static bool make_folder(struct app *a)
{
	const char *base = getenv("XDG_RUNTIME_DIR");

	if (a->figure_folder[0])
		return true;
	snprintf(a->figure_folder, sizeof a->figure_folder, "%s/terrarium-figures-XXXXXX",
			base && *base == '/' && strlen(base) < 200 ? base : "/tmp");
	if (mkdtemp(a->figure_folder))
		return true;
	a->figure_folder[0] = '\0';
	return false;
}

static bool has_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (n && access(file, X_OK) == 0)
			return true;
	}
	return false;
}

/* Start a detached grandchild in a session of its own, away from this terminal. */
static void start_opener(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null_fd = open("/dev/null", O_RDWR);
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		for (int fd = 0; fd < 3; fd++)
			dup2(null_fd, fd);
		setsid();
		if (fork() == 0)
			execlp("xdg-open", "xdg-open", path, (char *)NULL);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void app_open_figure(struct app *a, const struct effect *effect)
{
	const struct figure *fig = figure_of(a, effect);
	char path[PATH_MAX], name[64], text[PATH_MAX + 100];

	if (!fig)
		return;
	if (!has_program("xdg-open")) {
		app_tell(a, MSG_ERROR,
				"images are opened with xdg-open (package xdg-utils), which is not installed; s saves it");
		return;
	}
	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
		app_tell(a, MSG_ERROR, "there is no desktop here that could open an image; s saves it");
		return;
	}
	figure_file_name(fig, fig->id, name);
	if (!make_folder(a)) {
		app_tell(a, MSG_ERROR, "no folder could be made to open the image from; s saves it");
		return;
	}
	snprintf(path, sizeof path, "%s/%s", a->figure_folder, name);
	int error = write_file(path, O_TRUNC, fig->bytes, fig->n);
	if (error) {
		snprintf(text, sizeof text, "%s could not be written: %s", path, strerror(error));
		app_tell(a, MSG_ERROR, text);
		return;
	}
	start_opener(path);
	app_tell(a, MSG_NOTICE, "opened the image outside");
}

void app_remove_figures(struct app *a)
{
	DIR *folder = a->figure_folder[0] ? opendir(a->figure_folder) : NULL;
	const struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
	closedir(folder);
	rmdir(a->figure_folder);
}
