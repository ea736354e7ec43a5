/* SPDX-License-Identifier: MIT */
#include "record/writer.h"
#include "text/bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

void writer_init(struct writer *w, size_t max)
{
	*w = (struct writer){.max = max};
}

void writer_finish(struct writer *w)
{
	free(w->bytes);
	*w = (struct writer){0};
}

void writer_clear(struct writer *w)
{
	w->n = 0;
	w->error = 0;
}

/* Make room for n more bytes and a NUL. */
static bool reserve_writer(struct writer *w, size_t n)
{
	if (w->error)
		return false;
	if (n > w->max || w->n > w->max - n) {
		w->error = TRM_ETOOBIG;
		return false;
	}
	if (w->n + n < w->cap)
		return true;
	size_t cap = w->cap ? w->cap : 256;
	while (cap <= w->n + n)
		cap *= 2;
	char *bytes = realloc(w->bytes, cap);
	if (!bytes) {
		w->error = TRM_ENOMEM;
		return false;
	}
	w->bytes = bytes;
	w->cap = cap;
	return true;
}

void writer_put(struct writer *w, const char *bytes, size_t n)
{
	if (!reserve_writer(w, n))
		return;
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
	w->bytes[w->n] = '\0';
}

void writer_text(struct writer *w, const char *text)
{
	writer_put(w, text, strlen(text));
}

void writer_print(struct writer *w, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0) {
		w->error = w->error ? w->error : TRM_ENOMEM;
		return;
	}
	writer_put(w, text, (size_t)n);
	free(text);
}

/* Uses integers, because printf's "%f" follows the locale. */
void writer_decimal(struct writer *w, double v, int decimals)
{
	static const double scales[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6};
	double scale = scales[decimals];

	if (!isfinite(v) || fabs(v) > 9e12)
		v = 0;
	double scaled = floor(fabs(v) * scale + 0.5);
	uint64_t whole = (uint64_t)(scaled / scale), rest = (uint64_t)(scaled - (double)whole * scale);
	writer_print(w, "%s%llu", v < 0 && scaled > 0 ? "-" : "", (unsigned long long)whole);
	if (decimals)
		writer_print(w, ".%0*llu", decimals, (unsigned long long)rest);
}

/* ---- JSON ---- */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_code_point(struct writer *w, uint32_t cp)
{
	static const char letters[] = "\"\"\\\\\nn\rr\tt\bb\ff";
	char text[8];

	for (const char *p = letters; *p; p += 2)
		if ((unsigned char)*p == cp) {
			snprintf(text, sizeof text, "\\%c", p[1]);
			writer_put(w, text, 2);
			return;
		}
	if (cp < 0x20 || cp == 0x7f || (cp < 0x10000 && trm_text_is_deceptive(cp))) {
		snprintf(text, sizeof text, "\\u%04x", (unsigned)(cp & 0xffff));
		writer_put(w, text, 6);
		return;
	}
	writer_put(w, text, trm_utf8_encode(cp, text));
}

void writer_json(struct writer *w, const char *s, size_t n)
{
	writer_put(w, "\"", 1);
	for (size_t i = 0; i < n && !w->error;) {
		size_t run = i;
		uint32_t cp;
		while (run < n && is_plain((unsigned char)s[run]))
			run++;
		if (run > i) {
			writer_put(w, s + i, run - i);
			i = run;
			continue;
		}
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		put_code_point(w, cp);
	}
	writer_put(w, "\"", 1);
}

void writer_json_text(struct writer *w, const char *text)
{
	if (text)
		writer_json(w, text, strlen(text));
	else
		writer_text(w, "null");
}

bool text_is_exact(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		bool is_valid;
		i += trm_utf8_decode(s + i, n - i, &cp, &is_valid);
		if (!is_valid || cp == 0)
			return false;
	}
	return true;
}

/* ---- base64 (RFC 4648) ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void writer_base64(struct writer *w, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	char out[4];

	for (size_t i = 0; i < n; i += 3)
		writer_put(w, out, base64_digits(out, p + i, n - i < 3 ? n - i : 3));
}

static int digit_value(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

char *base64_read(const char *text, size_t n, size_t *ret_n)
{
	unsigned char *out = malloc(n / 4 * 3 + 4);
	uint32_t v = 0;
	size_t used = 0, have = 0, pads = 0;

	for (size_t i = 0; out && i < n; i++) {
		char c = text[i];
		int digit = c == '=' ? 0 : digit_value(c);
		if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
			continue;
		if (digit < 0 || (pads && c != '=')) {
			free(out);
			return NULL;
		}
		pads += c == '=';
		v = v << 6 | (uint32_t)digit;
		if (++have % 4)
			continue;
		out[used++] = (unsigned char)(v >> 16);
		out[used++] = (unsigned char)(v >> 8);
		out[used++] = (unsigned char)v;
	}
	if (!out || have % 4 || pads > 2 || pads > used) {
		free(out);
		return NULL;
	}
	used -= pads;
	out[used] = '\0';
	*ret_n = used;
	return (char *)out;
}
