/* SPDX-License-Identifier: MIT */
/* What a display's own bytes say of it. */
#include <terrarium/artifact.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/result.h>

#include "base/base64.h"

enum { HEAD_BYTES = 256 << 10, SVG_HEAD_BYTES = 4096, SIDE_MAX = 1 << 30 };

static const struct {
	const char *mime, *format;
} formats[] = {
		{"image/png", "png"},
		{"image/jpeg", "jpeg"},
		{"image/svg+xml", "svg"},
		{"image/gif", "gif"},
		{"image/webp", "webp"},
		{"application/pdf", "pdf"},
		{"application/json", "json"},
		{"text/html", "html"},
		{"text/csv", "csv"},
		{"text/markdown", "md"},
		{"text/latex", "tex"},
		{"text/plain", "txt"},
};

static const char *format_of(const char *mime)
{
	size_t n = strcspn(mime, "; ");
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strlen(formats[i].mime) == n && !strncasecmp(formats[i].mime, mime, n))
			return formats[i].format;
	return NULL;
}

static uint32_t big_endian(const unsigned char *at, size_t n)
{
	uint32_t value = 0;
	for (size_t i = 0; i < n; i++)
		value = value << 8 | at[i];
	return value;
}

static void set_size(struct trm_display *d, double width, double height)
{
	if (width < 0.5 || height < 0.5 || width > SIDE_MAX || height > SIDE_MAX)
		return;
	d->has_size = true;
	d->width = (uint32_t)(width + 0.5);
	d->height = (uint32_t)(height + 0.5);
}

static void set_dpi(struct trm_display *d, double dpi)
{
	d->has_dpi = dpi > 0 && dpi < 1e6;
	d->dpi = d->has_dpi ? dpi : 0;
}

/* The header, and of the chunks before the data that of the size of a pixel. */
static void measure_png(struct trm_display *d, const unsigned char *b, size_t n)
{
	static const unsigned char magic[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	if (n < 33 || memcmp(b, magic, 16))
		return;
	set_size(d, big_endian(b + 16, 4), big_endian(b + 20, 4));
	for (size_t at = 33; at + 21 <= n && memcmp(b + at + 4, "IDAT", 4);) {
		size_t len = big_endian(b + at, 4);
		/* 1: per meter; two decimals are what was meant */
		if (len == 9 && !memcmp(b + at + 4, "pHYs", 4) && b[at + 16] == 1)
			set_dpi(d, (double)(uint64_t)(big_endian(b + at + 8, 4) * 2.54 + 0.5) / 100);
		if (len > n)
			return;
		at += len + 12;
	}
}

static void measure_jpeg(struct trm_display *d, const unsigned char *b, size_t n)
{
	if (n < 4 || b[0] != 0xFF || b[1] != 0xD8)
		return;
	for (size_t at = 2; at + 9 <= n && b[at] == 0xFF;) {
		unsigned marker = b[at + 1];
		size_t len = big_endian(b + at + 2, 2);
		if (marker == 0xE0 && at + 14 <= n && len >= 14 && !memcmp(b + at + 4, "JFIF", 5)
				&& (b[at + 11] == 1 || b[at + 11] == 2))
			set_dpi(d, big_endian(b + at + 12, 2) * (b[at + 11] == 2 ? 2.54 : 1));
		/* frames of all kinds, but not tables (C4, CC) and extensions (C8) */
		if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
			set_size(d, big_endian(b + at + 7, 2), big_endian(b + at + 5, 2));
			return;
		}
		at += len + 2;
	}
}

static void measure_gif(struct trm_display *d, const unsigned char *b, size_t n)
{
	if (n >= 10 && (!memcmp(b, "GIF87a", 6) || !memcmp(b, "GIF89a", 6)))
		set_size(d, b[6] | b[7] << 8, b[8] | b[9] << 8);
}

/* A length in pixels; 0: it is none, or relative. */
static double svg_length(const char *tag, const char *name)
{
	static const struct {
		const char *unit;
		double px;
	} units[] = {{"px", 1}, {"pt", 96.0 / 72}, {"pc", 16}, {"in", 96}, {"cm", 96 / 2.54},
			{"mm", 96 / 25.4}};
	const char *at = tag;
	char *end;
	size_t n = strlen(name);
	do
		at = strstr(at + 1, name);
	while (at && (!strchr(" \t\n\r", at[-1]) || at[n] != '=' || !strchr("\"'", at[n + 1])));
	if (!at || !at[n + 1] || strchr("+- \tiInN", at[n + 2])) /* no infinities */
		return 0;
	double value = strtod(at + n + 2, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strncmp(end, units[i].unit, 2))
			return value * units[i].px;
	return *end == '"' || *end == '\'' ? value : 0;
}

static void measure_svg(struct trm_display *d)
{
	char head[SVG_HEAD_BYTES + 1];
	snprintf(head, sizeof head, "%.*s", SVG_HEAD_BYTES, d->data);
	char *tag = strstr(head, "<svg"), *end = tag ? strchr(tag, '>') : NULL;
	if (!end)
		return;
	*end = '\0';
	set_size(d, svg_length(tag, "width"), svg_length(tag, "height"));
}

void trm_display_measure(struct trm_display *d)
{
	static const struct {
		const char *format;
		void (*measure)(struct trm_display *d, const unsigned char *bytes, size_t n);
	} images[] = {{"png", measure_png}, {"jpeg", measure_jpeg}, {"gif", measure_gif}};
	d->format = format_of(d->mime);
	if (d->format && !strcmp(d->format, "svg"))
		measure_svg(d);
	for (size_t i = 0; d->format && i < sizeof images / sizeof *images; i++) {
		size_t n, letters = d->n < HEAD_BYTES ? d->n : HEAD_BYTES;
		if (strcmp(d->format, images[i].format))
			continue;
		char *bytes = base64_decode(d->data, letters - (d->n > letters ? letters % 4 : 0), &n);
		if (bytes)
			images[i].measure(d, (const unsigned char *)bytes, n);
		free(bytes);
	}
}
