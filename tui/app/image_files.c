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
#include "text/bytes.h"

/* False: it is not there any more. */
static bool find_artifact(const struct app *a, uint32_t figure, struct artifact_row *ret)
{
	return artifacts_find(&a->model.artifacts, &a->model.out.figures, figure, ret);
}

void app_save_figure(struct app *a, const struct effect *effect)
{
	struct artifact_row found;
	bool is_over = effect->type == EFFECT_SAVE_FIGURE_OVER;
	char path[PATH_MAX], why[PATH_MAX + 100];
	struct stat st;

	if (!find_artifact(a, effect->save_figure.figure, &found))
		return;
	app_expand_path(effect->save_figure.path, path);
	struct msg msg = {.type = MSG_FIGURE_SAVED, .figure_saved.id = found.id, .figure_saved.path = path};
	int error = -write_file(path, is_over ? O_TRUNC : O_EXCL, found.bytes, found.n);
	msg.figure_saved.exists = error == EEXIST && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	if (error && !msg.figure_saved.exists) {
		snprintf(why, sizeof why, "%s could not be written: %s", path,
				error == EEXIST ? "it exists, and is no file" : strerror(error));
		msg.figure_saved.error = why;
	}
	app_send(a, &msg);
}

/* Beside files that are there already: "a.png", "a-2.png", … Returns 0 or an errno. */
static int write_beside(const char *folder, const struct artifact_row *row)
{
	const char *dot = strrchr(row->name, '.');
	int stem = dot && dot != row->name ? (int)(dot - row->name) : (int)strlen(row->name);
	char path[PATH_MAX + 200];
	int error = EEXIST;

	for (int i = 1; error == EEXIST && i < 1000; i++) {
		if (i == 1)
			snprintf(path, sizeof path, "%s/%s", folder, row->name);
		else
			snprintf(path, sizeof path, "%.4000s/%.*s-%d%s", folder, stem, row->name, i,
					row->name + stem);
		error = -write_file(path, O_EXCL, row->bytes, row->n);
	}
	return error;
}

void app_save_all(struct app *a, const char *typed)
{
	size_t n = artifacts_count(&a->model.artifacts, &a->model.out.figures), n_saved = 0;
	char folder[PATH_MAX], text[PATH_MAX + 100];

	app_expand_path(typed, folder);
	int error = -make_dirs(folder, 0777);
	for (size_t i = 0; i < n && !error; i++) {
		struct artifact_row row = artifacts_row(&a->model.artifacts, &a->model.out.figures, i);
		error = write_beside(folder, &row);
		n_saved += !error;
	}
	if (error)
		snprintf(text, sizeof text, "%zu of %zu files saved in %s, then: %s", n_saved, n, folder,
				strerror(error));
	else
		snprintf(text, sizeof text, "saved %zu file%s in %s", n, n == 1 ? "" : "s", folder);
	app_notify(a, error ? MSG_ERROR : MSG_NOTICE, text);
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

void app_open_figure(struct app *a, uint32_t figure)
{
	struct artifact_row found;
	char path[PATH_MAX], text[PATH_MAX + 100];

	if (!find_artifact(a, figure, &found))
		return;
	if (!has_program("xdg-open")) {
		app_notify(a, MSG_ERROR,
				"files are opened with xdg-open (package xdg-utils), which is not installed; s saves it");
		return;
	}
	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
		app_notify(a, MSG_ERROR, "there is no desktop here that could open it; s saves it");
		return;
	}
	if (!make_folder(a)) {
		app_notify(a, MSG_ERROR, "no folder could be made to open it from; s saves it");
		return;
	}
	snprintf(path, sizeof path, "%s/%s", a->figure_folder, found.name);
	int error = -write_file(path, O_TRUNC, found.bytes, found.n);
	if (error) {
		snprintf(text, sizeof text, "%s could not be written: %s", path, strerror(error));
		app_notify(a, MSG_ERROR, text);
		return;
	}
	start_opener(path);
	app_notify(a, MSG_NOTICE, "opened it outside");
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
