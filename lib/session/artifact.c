/* SPDX-License-Identifier: MIT */
#include <terrarium/artifact.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/result.h>

#include "base/base64.h"
#include "base/err.h"
#include "base/utf8.h"

static const char binary[] = "application/octet-stream";

static bool begins_with(const char *mime, const char *with)
{
	return !strncasecmp(mime, with, strlen(with));
}

bool trm_display_is_figure(const struct trm_display *d)
{
	return begins_with(d->mime, "image/") || begins_with(d->mime, "application/pdf")
	       || (begins_with(d->mime, "text/html") && strstr(d->data, "<script"));
}

const char *trm_mime_guess(const char *filename)
{
	static const struct {
		const char *ending, *mime;
	} endings[] = {{"png", "image/png"}, {"jpg", "image/jpeg"}, {"jpeg", "image/jpeg"},
			{"svg", "image/svg+xml"}, {"gif", "image/gif"}, {"webp", "image/webp"},
			{"pdf", "application/pdf"}, {"json", "application/json"}, {"csv", "text/csv"},
			{"html", "text/html"}, {"htm", "text/html"}, {"md", "text/markdown"},
			{"txt", "text/plain"}, {"log", "text/plain"}};
	const char *dot = strrchr(filename, '.');
	for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
		if (!strcasecmp(dot + 1, endings[i].ending))
			return endings[i].mime;
	return binary;
}

static bool is_textual(const char *mime)
{
	return begins_with(mime, "text/") || begins_with(mime, "image/svg")
	       || begins_with(mime, "application/json");
}

static char *letters_of(const void *bytes, size_t n)
{
	struct buf out;
	buf_init(&out, BASE64_LEN(n) + 1);
	int r = base64_put(&out, bytes, n);
	char *letters = r == 0 ? strndup(out.len ? buf_at(&out) : "", out.len) : NULL;
	buf_finish(&out);
	return letters;
}

int trm_display_of_file(const char *name, const void *bytes, size_t n, struct trm_display *ret)
{
	const char *mime = trm_mime_guess(name);
	bool is_text = is_textual(mime) && utf8_is_valid(bytes, n) && (!n || !memchr(bytes, '\0', n));
	if (is_textual(mime) && !is_text)
		mime = binary;
	struct trm_display d = {.mime = strdup(mime),
			.data = is_text ? strndup(n ? bytes : "", n) : letters_of(bytes, n),
			.title = strdup(name),
			.source = TRM_DISPLAY_COLLECTED};
	if (!d.mime || !d.data || !d.title) {
		free(d.mime);
		free(d.data);
		free(d.title);
		return TRM_ENOMEM;
	}
	d.n = strlen(d.data);
	trm_display_measure(&d);
	*ret = d;
	return 0;
}
