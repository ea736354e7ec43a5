/* SPDX-License-Identifier: MIT */
#include "text/mime.h"

#include <stdlib.h>
#include <string.h>

/* Best first. The last one matches everything. */
static const char *const by_rank[] = {"image/png", "image/jpeg", "image/svg+xml", "text/html",
		"text/markdown", "application/pdf", "text/plain", "text/latex", "application/json", "image/",
		"text/", ""};
enum { RANKS = sizeof by_rank / sizeof *by_rank };

static bool text_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

int mime_rank(const char *mime)
{
	int rank = 0;

	while (rank < RANKS - 1 && !text_begins(mime, by_rank[rank]))
		rank++;
	return rank;
}

bool mime_is_plain(const char *mime)
{
	return text_begins(mime, "text/plain");
}

bool mime_is_text(const char *mime)
{
	return text_begins(mime, "text/") || text_begins(mime, "application/json");
}

const char *mime_suffix(const char *mime)
{
	static const struct {
		const char *mime, *suffix;
	} table[] = {{"image/png", "png"}, {"image/jpeg", "jpg"}, {"image/svg+xml", "svg"},
			{"image/gif", "gif"}, {"image/webp", "webp"}, {"application/pdf", "pdf"},
			{"application/json", "json"}, {"text/html", "html"}, {"text/markdown", "md"},
			{"text/csv", "csv"}, {"text/latex", "tex"}, {"text/", "txt"}};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (text_begins(mime, table[i].mime))
			return table[i].suffix;
	return "bin";
}

/* ---- base64 ---- */

static int digit(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+' || c == '-' ? 62
	       : c == '/' || c == '_' ? 63
				      : -1;
}

static uint8_t *from_base64(const char *text, size_t n, size_t *ret_len)
{
	uint8_t *out = malloc(n / 4 * 3 + 4);
	uint32_t bits = 0;
	size_t len = 0, have = 0;

	for (size_t i = 0; out && i < n && text[i] != '='; i++) {
		int d = digit(text[i]);
		if (d < 0 && text[i] && strchr(" \t\r\n", text[i]))
			continue;
		if (d < 0) {
			free(out);
			return NULL;
		}
		bits = bits << 6 | (uint32_t)d;
		if (++have % 4 == 0) {
			out[len++] = (uint8_t)(bits >> 16);
			out[len++] = (uint8_t)(bits >> 8);
			out[len++] = (uint8_t)bits;
		}
	}
	if (out && have % 4 == 3) {
		out[len++] = (uint8_t)(bits >> 10);
		out[len++] = (uint8_t)(bits >> 2);
	} else if (out && have % 4 == 2) {
		out[len++] = (uint8_t)(bits >> 4);
	}
	*ret_len = len;
	return out;
}

uint8_t *mime_bytes(const char *mime, const char *data, size_t n, size_t *ret_len)
{
	if (!mime_is_text(mime) && !text_begins(mime, "image/svg"))
		return from_base64(data, n, ret_len);
	char *copy = malloc(n + 1);
	if (copy) {
		memcpy(copy, data, n);
		copy[n] = '\0';
		*ret_len = n;
	}
	return (uint8_t *)copy;
}
