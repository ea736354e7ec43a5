/* SPDX-License-Identifier: MIT */
#include "stream/displays.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/artifact.h>
#include <terrarium/error.h>
#include <terrarium/result.h>

#include "image/image.h"
#include "stream/tty.h"
#include "text/bytes.h"
#include "text/mime.h"
#include "text/rich.h"

void displays_finish(struct displays *d)
{
	free(d->mime);
	free(d->data);
	d->mime = d->data = NULL;
}

/* 0 or an errno. The folder is made if it is missing. An incomplete image is removed. */
static int save_display_file(const char *dir, const char *path, const uint8_t *bytes, size_t n)
{
	int error = -make_dirs(dir, 0777);
	if (error)
		return error;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	error = -write_fully(fd, bytes, n);
	if (close(fd) < 0 && !error)
		error = errno;
	if (error)
		unlink(path);
	return error;
}

/* The run in "fig-RUN-N.SUFFIX"; 0: the file has another name. */
static uint64_t run_of_name(const char *name)
{
	char *end;
	if (strncmp(name, "fig-", 4) || !isdigit((unsigned char)name[4]))
		return 0;
	uint64_t run = strtoull(name + 4, &end, 10);
	if (*end != '-' || !isdigit((unsigned char)end[1]))
		return 0;
	strtoull(end + 1, &end, 10);
	return *end == '.' ? run : 0;
}

/* Numbers continue after those of existing files, unless these files are removed. */
static void choose_first_number(struct displays *d)
{
	DIR *dir = d->has_offset ? NULL : opendir(d->dir);
	const struct dirent *entry;
	uint64_t highest = 0;

	d->has_offset = true;
	while (dir && (entry = readdir(dir))) {
		uint64_t run = run_of_name(entry->d_name);
		if (run && d->clears)
			unlinkat(dirfd(dir), entry->d_name, 0);
		else if (run > highest && run < UINT32_MAX)
			highest = run;
	}
	if (dir)
		closedir(dir);
	if (highest >= d->run)
		d->offset = highest - d->run + 1;
}

/* "image/png 640x480", or how many bytes it has. */
static void describe_image(
		const struct displays *d, size_t n, const struct image_info *info, char *out, size_t cap)
{
	if (info->type)
		snprintf(out, cap, "%s %dx%d", image_mime(info->type), info->width, info->height);
	else
		snprintf(out, cap, "%.60s, %zu bytes", d->mime, n);
}

/* Says what has become of it; gives whether it is there now. */
static bool save_display(struct displays *d, const uint8_t *bytes, size_t n, const struct image_info *info,
		char *path, size_t cap, const struct displays_out *out, void *user)
{
	char what[160], text[4400];
	describe_image(d, n, info, what, sizeof what);
	choose_first_number(d);
	snprintf(path, cap, "%s/fig-%llu-%u.%s", d->dir, (unsigned long long)(d->run + d->offset),
			d->n_images, mime_suffix(info->type ? image_mime(info->type) : d->mime));
	int error = save_display_file(d->dir, path, bytes, n);
	if (error)
		snprintf(text, sizeof text, "[%s] could not be saved as %.4000s: %s", what, path,
				strerror(error));
	else
		snprintf(text, sizeof text, "[%s] saved as %.4000s", what, path);
	out->note(user, text);
	return !error;
}

static void show_figure(struct displays *d, const struct displays_out *out, void *user)
{
	char what[160], path[4096], text[4400];
	struct image_info info;
	size_t n;
	uint8_t *bytes = mime_bytes(d->mime, d->data, d->n, &n);

	if (!bytes) {
		snprintf(text, sizeof text, "[%.60s: its data is broken]", d->mime);
		out->note(user, text);
		return;
	}
	d->n_images++;
	if (image_probe(bytes, n, &info, NULL) < 0)
		info = (struct image_info){0};
	if (d->dir) {
		save_display(d, bytes, n, &info, path, sizeof path, out, user);
	} else if (!info.type || !out->image || !out->image(user, bytes, n, &info)) {
		describe_image(d, n, &info, what, sizeof what);
		snprintf(text, sizeof text, "[%s] (--save-figures DIR keeps it)", what);
		out->note(user, text);
	}
	free(bytes);
}

/* 0: the output is not a terminal. */
static size_t terminal_cols(void)
{
	struct winsize size;

	tty_size(&size);
	return isatty(STDOUT_FILENO) ? size.ws_col : 0;
}

static bool is_figure_form(const char *mime, const char *data)
{
	return !mime_is_text(mime)
	       || trm_display_is_figure(&(struct trm_display){.mime = (char *)mime, .data = (char *)data});
}

static bool is_saved_form(const struct displays *d, const char *mime, const char *data)
{
	return d->dir && (is_figure_form(mime, data) || (d->saves_all && !mime_is_plain(mime)));
}

static void show_display(struct displays *d, const struct displays_out *out, void *user)
{
	size_t n;
	char *rich = NULL;

	if (!d->mime)
		return;
	if (strcmp(d->mime, "text/html") == 0)
		rich = rich_from_html(d->data, d->n, terminal_cols(), &n);
	else if (strcmp(d->mime, "text/markdown") == 0)
		rich = rich_from_markdown(d->data, d->n, &n);
	if (rich && (d->is_plain || !isatty(STDOUT_FILENO)))
		rich_strip(rich);
	bool is_figure = is_figure_form(d->mime, d->data), is_saved = is_saved_form(d, d->mime, d->data);
	if (is_figure || is_saved)
		show_figure(d, out, user);
	if (d->is_collected && d->n && d->data[d->n - 1] == '\n')
		d->data[d->n - 1] = '\0';
	if (!is_figure && !(is_saved && d->is_collected))
		out->text(user, rich ? rich : d->data);
	free(rich);
	displays_finish(d);
}

void displays_add(struct displays *d, uint64_t run, const struct trm_display *display,
		const struct displays_out *out, void *user)
{
	if (d->run != run)
		d->n_images = 0;
	d->run = run;
	if (d->mime && d->bundle != display->bundle)
		show_display(d, out, user);
	if (!d->mime || mime_rank(display->mime) < mime_rank(d->mime)) {
		displays_finish(d);
		d->mime = strdup(display->mime);
		d->data = strdup(display->data);
		d->n = display->n;
		d->bundle = display->bundle;
		d->is_collected = display->source == TRM_DISPLAY_COLLECTED;
		if (!d->mime || !d->data)
			displays_finish(d);
	}
	if (display->more == 0)
		show_display(d, out, user);
}

void displays_save_all(struct displays *d, struct trm_display *displays, size_t n,
		const struct displays_out *out, void *user)
{
	char path[4096];
	for (size_t i = 0; i < n; i++) {
		struct image_info info = {0};
		size_t len;
		if (d->run != displays[i].run)
			d->n_images = 0;
		d->run = displays[i].run;
		if (!is_saved_form(d, displays[i].mime, displays[i].data))
			continue;
		uint8_t *bytes = mime_bytes(displays[i].mime, displays[i].data, displays[i].n, &len);
		struct displays one = *d;
		one.n_images = ++d->n_images;
		one.mime = displays[i].mime;
		if (bytes && image_probe(bytes, len, &info, NULL) < 0)
			info = (struct image_info){0};
		choose_first_number(d);
		one.offset = d->offset;
		one.has_offset = true;
		if (bytes && save_display(&one, bytes, len, &info, path, sizeof path, out, user))
			displays[i].path = strdup(path);
		free(bytes);
	}
}

void displays_end(struct displays *d, const struct displays_out *out, void *user)
{
	show_display(d, out, user);
}

bool displays_have_value(const struct trm_result *result)
{
	const struct trm_display *last = NULL;
	for (size_t i = result->n_displays; result->value && i-- > 0;) {
		const struct trm_display *form = &result->displays[i];
		if (form->source == TRM_DISPLAY_COLLECTED) /* they come behind what the code has shown */
			continue;
		last = last ? last : form;
		if (form->bundle != last->bundle)
			break;
		if (form->mime && strcmp(form->mime, "text/plain") == 0
				&& strcmp(form->data, result->value) == 0)
			return true;
	}
	return false;
}
