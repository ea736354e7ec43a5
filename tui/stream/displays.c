/* SPDX-License-Identifier: MIT */
#include "stream/displays.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/result.h>

#include "image/image.h"
#include "stream/tty.h"
#include "text/mime.h"
#include "text/rich.h"

void displays_finish(struct displays *d)
{
	free(d->mime);
	free(d->data);
	d->mime = d->data = NULL;
}

/* 0 or an errno. The folder is made if it is missing. An incomplete image is removed. */
static int save(const char *dir, const char *path, const uint8_t *bytes, size_t n)
{
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return errno;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error = fd < 0 ? errno : 0;
	for (size_t at = 0; !error && at < n;) {
		ssize_t part = write(fd, bytes + at, n - at);
		if (part < 0 && errno != EINTR)
			error = errno;
		at += part > 0 ? (size_t)part : 0;
	}
	if (fd >= 0 && close(fd) < 0 && !error)
		error = errno;
	if (fd >= 0 && error)
		unlink(path);
	return error;
}

static void show_image(struct displays *d, const struct displays_out *out, void *user)
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
	bool is_known = image_probe(bytes, n, &info, NULL) == 0;
	if (is_known && !d->dir && out->image && out->image(user, bytes, n, &info)) {
		free(bytes);
		return;
	}
	if (is_known)
		snprintf(what, sizeof what, "%s %dx%d", image_mime(info.type), info.width, info.height);
	else
		snprintf(what, sizeof what, "%.60s, %zu bytes", d->mime, n);
	if (!d->dir) {
		snprintf(text, sizeof text, "[%s] (--save-figures DIR keeps it)", what);
	} else {
		snprintf(path, sizeof path, "%s/fig-%u-%u.%s", d->dir, (unsigned)d->run, d->n_images,
				mime_suffix(info.type ? image_mime(info.type) : d->mime));
		int error = save(d->dir, path, bytes, n);
		if (error)
			snprintf(text, sizeof text, "[%s] could not be saved as %s: %s", what, path,
					strerror(error));
		else
			snprintf(text, sizeof text, "[%s] saved as %s", what, path);
	}
	out->note(user, text);
	free(bytes);
}

/* 0: the output is not a terminal. */
static size_t terminal_cols(void)
{
	struct winsize size;

	tty_size(&size);
	return isatty(STDOUT_FILENO) ? size.ws_col : 0;
}

static void show(struct displays *d, const struct displays_out *out, void *user)
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
	if (rich || mime_is_text(d->mime))
		out->text(user, rich ? rich : d->data);
	else
		show_image(d, out, user);
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
		show(d, out, user);
	if (!d->mime || mime_rank(display->mime) < mime_rank(d->mime)) {
		displays_finish(d);
		d->mime = strdup(display->mime);
		d->data = strdup(display->data);
		d->n = display->n;
		d->bundle = display->bundle;
		if (!d->mime || !d->data)
			displays_finish(d);
	}
	if (display->more == 0)
		show(d, out, user);
}

void displays_end(struct displays *d, const struct displays_out *out, void *user)
{
	show(d, out, user);
}

bool displays_have_value(const struct trm_result *result)
{
	const struct trm_display *last =
			result->n_displays ? &result->displays[result->n_displays - 1] : NULL;
	for (size_t i = result->n_displays; result->value && i-- > 0;) {
		const struct trm_display *form = &result->displays[i];
		if (form->bundle != last->bundle)
			break;
		if (form->mime && strcmp(form->mime, "text/plain") == 0
				&& strcmp(form->data, result->value) == 0)
			return true;
	}
	return false;
}
