/* SPDX-License-Identifier: MIT */
/* The escape sequences of a picture. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/picture.h"
#include "text/bytes.h"

/* Collects bytes, to call the writer less often. */
struct out {
	picture_write_fn *write;
	void *user;
	size_t n;
	char bytes[8192];
};

static void flush_escape(struct out *o)
{
	if (o->n)
		o->write(o->user, o->bytes, o->n);
	o->n = 0;
}

static void put_escape_bytes(struct out *o, const char *bytes, size_t n)
{
	if (n > sizeof o->bytes - o->n)
		flush_escape(o);
	memcpy(o->bytes + o->n, bytes, n);
	o->n += n;
}

__attribute__((format(printf, 2, 3))) static void put_format(struct out *o, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n > 0)
		put_escape_bytes(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* ---- sixel ---- */

enum { BAND = 6 }; /* rows of pixels that one line of sixels holds */

/* The same sixel `count` times. */
static void put_sixels(struct out *o, int sixel, int count)
{
	char c = (char)('?' + sixel);

	if (count > 3)
		put_format(o, "!%d%c", count, c);
	else
		while (count-- > 0)
			put_escape_bytes(o, &c, 1);
}

/* The pixels of one color in a band of `height` rows. */
static void put_color(
		struct out *o, const struct picture *p, const uint8_t *band, int height, int width, int color)
{
	int last = 0, count = 0;

	put_format(o, "#%d", color);
	for (int x = 0; x < width; x++) {
		int sixel = 0;
		for (int y = 0; y < height; y++)
			sixel |= (band[(size_t)y * (size_t)p->width + (size_t)x] == color) << y;
		if (sixel != last) {
			put_sixels(o, last, count);
			last = sixel;
			count = 0;
		}
		count++;
	}
	if (last) /* omit empty sixels at the end */
		put_sixels(o, last, count);
	put_escape_bytes(o, "$", 1);
}

static void put_band(struct out *o, const struct picture *p, const uint8_t *band, int height, int width)
{
	bool has[PICTURE_COLORS] = {false};

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			has[band[(size_t)y * (size_t)p->width + (size_t)x]] = true;
	for (size_t color = 0; color < p->n_colors; color++)
		if (has[color])
			put_color(o, p, band, height, width, (int)color);
	put_escape_bytes(o, "-", 1);
}

static int percent(uint8_t part)
{
	return (part * 100 + 127) / 255;
}

void picture_sixel(
		const struct picture *p, int first, int rows, int cols, picture_write_fn *write, void *user)
{
	struct out o = {.write = write, .user = user};
	int top = first * p->look.cell_h, height = rows * p->look.cell_h, width = cols * p->look.cell_w;

	if (p->look.kind != PICTURE_SIXEL || top < 0 || top >= p->height)
		return;
	height = height < p->height - top ? height : p->height - top;
	width = width < p->width ? width : p->width;
	put_format(&o, "\033P0;1;0q\"1;1;%d;%d", width, height); /* 1: unset pixels stay unchanged */
	for (size_t i = 0; i < p->n_colors; i++)
		put_format(&o, "#%zu;2;%d;%d;%d", i, percent(p->palette[i][0]), percent(p->palette[i][1]),
				percent(p->palette[i][2]));
	for (int y = 0; y < height; y += BAND)
		put_band(&o, p, p->bytes + (size_t)(top + y) * (size_t)p->width,
				height - y < BAND ? height - y : BAND, width);
	put_format(&o, "\033\\");
	flush_escape(&o);
}

/* ---- kitty ---- */

enum { CHUNK = 3072 }; /* 3072 bytes become 4096 of base64, the most that one command may carry */

/* q=2: the terminal sends no answer. */
void picture_kitty_send(const struct picture *p, picture_write_fn *write, void *user)
{
	struct out o = {.write = write, .user = user};
	char digits[CHUNK / 3 * 4];

	for (size_t at = 0; at < p->n; at += CHUNK) {
		size_t part = p->n - at < CHUNK ? p->n - at : CHUNK;
		int has_more = at + part < p->n;
		if (at == 0)
			put_format(&o, "\033_Ga=t,i=%" PRIu32 ",f=24,s=%d,v=%d%s,q=2,m=%d;", p->id, p->width,
					p->height, p->is_deflated ? ",o=z" : "", has_more);
		else
			put_format(&o, "\033_Gq=2,m=%d;", has_more);
		put_escape_bytes(&o, digits, base64_digits(digits, p->bytes + at, part));
		put_format(&o, "\033\\");
	}
	flush_escape(&o);
}

/* C=1: the cursor does not move. */
void picture_kitty_place(const struct picture *p, uint32_t place, int first, int rows, int cols,
		picture_write_fn *write, void *user)
{
	struct out o = {.write = write, .user = user};
	int top = (int)((int64_t)p->height * first / p->look.rows);
	int bottom = (int)((int64_t)p->height * (first + rows) / p->look.rows);
	int width = (int)((int64_t)p->width * cols / p->look.cols);

	put_format(&o, "\033_Ga=p,i=%" PRIu32 ",p=%" PRIu32 ",x=0,y=%d,w=%d,h=%d,c=%d,r=%d,C=1,q=2;\033\\",
			p->id, place, top, width > 0 ? width : 1, bottom > top ? bottom - top : 1, cols,
			rows);
	flush_escape(&o);
}

void picture_kitty_remove(uint32_t id, uint32_t place, picture_write_fn *write, void *user)
{
	struct out o = {.write = write, .user = user};

	if (place)
		put_format(&o, "\033_Ga=d,d=i,i=%" PRIu32 ",p=%" PRIu32 ",q=2;\033\\", id, place);
	else
		put_format(&o, "\033_Ga=d,d=I,i=%" PRIu32 ",q=2;\033\\", id);
	flush_escape(&o);
}
