/* SPDX-License-Identifier: MIT */
/* Copies files into and out of the sandbox in the background. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/app_internal.h"
#include "output/runs.h"
#include "text/format.h"

enum { REFUSED_REPORTED = 5 };

struct app_copier {
	struct app *app;
	struct trm_copy *copy;
	unsigned n_refused;
	uint64_t began_ns;
	bool has_reported; /* that it takes a while */
	char to[PATH_MAX]; /* as the person typed it */
};

static void report_progress(void *user, const struct trm_copy_progress *progress)
{
	struct app_copier *c = user;
	char bytes[24], text[120];

	if (c->has_reported || app_clock_ns() - c->began_ns < 1000000000)
		return;
	c->has_reported = true;
	snprintf(text, sizeof text, "copying: %s so far; its end will be told",
			format_bytes(bytes, progress->bytes));
	app_notify(c->app, MSG_NOTICE, text);
}

static void report_refused(void *user, const struct trm_error *why)
{
	struct app_copier *c = user;

	if (c->n_refused++ < REFUSED_REPORTED)
		app_notify(c->app, MSG_ERROR, why->msg);
}

static void report_end(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct app_copier *c = user;
	char bytes[24], text[sizeof why->msg];

	c->app->copier = NULL;
	if (why->code)
		snprintf(text, sizeof text, "%.400s", why->msg);
	else if (progress->refused)
		snprintf(text, sizeof text, "copied to %.200s: %llu files, %s; %llu not copied", c->to,
				(unsigned long long)progress->files, format_bytes(bytes, progress->bytes),
				(unsigned long long)progress->refused);
	else
		snprintf(text, sizeof text, "copied to %.200s: %llu file%s, %s", c->to,
				(unsigned long long)progress->files, progress->files == 1 ? "" : "s",
				format_bytes(bytes, progress->bytes));
	app_notify(c->app, why->code || progress->refused ? MSG_ERROR : MSG_NOTICE, text);
	free(c);
}

static const struct trm_copy_cb copy_cb = {
		.progress = report_progress, .refused = report_refused, .done = report_end};

/* Write a place as the library expects it: ":" at the start means the sandbox. Other paths must not begin
 * that way. */
static void place_of(const char *path, bool is_inside, char out[PATH_MAX])
{
	char here[PATH_MAX];

	if (is_inside) {
		snprintf(out, PATH_MAX, ":%.*s", PATH_MAX - 2, path);
		return;
	}
	app_expand_path(path, here);
	snprintf(out, PATH_MAX, "%s%.*s", here[0] == '/' || here[0] == '.' ? "" : "./", PATH_MAX - 3, here);
}

/* Would a copy of `from` to `to` replace something on this machine? In an existing folder the copy keeps its
 * own name, except that "DIR/." copies the content of DIR into the folder. */
static bool is_in_the_way(const char *from, const char *to, char path[PATH_MAX], bool *ret_is_folder)
{
	int n = (int)strlen(from), start;
	struct stat st;

	while (n > 1 && from[n - 1] == '/')
		n--;
	for (start = n; start && from[start - 1] != '/'; start--)
		;
	bool has_name = n - start > 2 || (int)strspn(from + start, ".") < n - start;
	if (has_name && stat(to, &st) == 0 && S_ISDIR(st.st_mode))
		snprintf(path, PATH_MAX, "%.*s%s%.*s", PATH_MAX / 2, to, to[strlen(to) - 1] == '/' ? "" : "/",
				n - start, from + start);
	else
		snprintf(path, PATH_MAX, "%s", to);
	bool is_there = lstat(path, &st) == 0;
	*ret_is_folder = is_there && S_ISDIR(st.st_mode);
	return is_there;
}

/* Ask before the copy if necessary: MSG_COPY_EXISTS. */
static bool is_asked(struct app *a, const char *from, const char *typed)
{
	struct msg msg = {.type = MSG_COPY_EXISTS};
	char to[PATH_MAX], path[PATH_MAX];

	app_expand_path(typed, to);
	if (!is_in_the_way(from, to, path, &msg.copy_exists.is_folder))
		return false;
	msg.copy_exists.path = path;
	app_send(a, &msg);
	return true;
}

void app_copy_files(struct app *a, const struct effect *effect)
{
	const char *typed = effect->copy.to;
	struct app_copier *c;
	struct trm_error err = {0};
	char from[PATH_MAX], to[PATH_MAX];
	const char *sources[] = {from, NULL};

	if (effect->type == EFFECT_COPY_CHECKED && is_asked(a, effect->copy.from, typed))
		return;
	c = calloc(1, sizeof *c);
	if (!c || !a->sandbox || a->copier) {
		free(c);
		app_notify(a, MSG_ERROR,
				a->copier ? "another copy is still under way"
					  : "there is no sandbox to copy with");
		return;
	}
	*c = (struct app_copier){.app = a, .began_ns = app_clock_ns()};
	place_of(effect->copy.from, effect->copy.is_out, from);
	snprintf(c->to, sizeof c->to, "%s", typed);
	place_of(typed, !effect->copy.is_out, to);
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = to,
			.own = a->sandbox,
			.in_fd = -1,
			.out_fd = -1};
	a->copier = c;
	if (trm_copy_start(a->loop, &opts, &copy_cb, c, &c->copy, &err) == 0)
		return;
	a->copier = NULL;
	app_notify(a, MSG_ERROR, err.msg);
	free(c);
}

void app_copy_finish(struct app *a)
{
	if (a->copier)
		trm_copy_cancel(a->copier->copy);
	while (a->copier && trm_loop_step(a->loop, 100) >= 0)
		;
}
