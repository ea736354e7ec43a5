/* SPDX-License-Identifier: MIT */
/* Reads a text. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "text/chunk.h"

typedef unsigned char lanes __attribute__((vector_size(16)));

uint32_t chunk_newlines(const char *s, size_t n)
{
	const lanes newline = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
	uint32_t count = 0;

	while (n >= sizeof(lanes)) {
		lanes sums = {0}, at;
		/* A lane counts up to 255. */
		for (int i = 0; i < 255 && n >= sizeof at; i++, s += sizeof at, n -= sizeof at) {
			memcpy(&at, s, sizeof at);
			sums -= (lanes)(at == newline);
		}
		for (size_t i = 0; i < sizeof sums; i++)
			count += sums[i];
	}
	while (n-- > 0)
		count += *s++ == '\n';
	return count;
}

size_t text_len(const struct text *t)
{
	return bytes_of(t->root);
}

size_t text_lines(const struct text *t)
{
	return lines_of(t->root) + 1;
}

/* The position after the nth newline (n from 1) of a chunk. */
static size_t behind_newline(const struct chunk *c, size_t nth)
{
	enum { BLOCK = 256 };
	const char *p = c->data;
	/* Count blocks without the nth newline, which is faster than stopping at each newline. */
	for (size_t n; c->data + c->len - p > BLOCK && (n = chunk_newlines(p, BLOCK)) < nth; p += BLOCK)
		nth -= n;
	while (nth-- > 0)
		p = (const char *)memchr(p, '\n', (size_t)(c->data + c->len - p)) + 1;
	return (size_t)(p - c->data);
}

size_t text_line_start(const struct text *t, size_t line)
{
	const struct chunk *c = t->root;
	size_t pos = 0;
	if (line > lines_of(c))
		line = lines_of(c);
	while (c && line > 0) {
		size_t before = lines_of(c->left);
		if (line <= before) {
			c = c->left;
			continue;
		}
		line -= before;
		pos += bytes_of(c->left);
		if (line <= c->newlines)
			return pos + behind_newline(c, line);
		line -= c->newlines;
		pos += c->len;
		c = c->right;
	}
	return pos;
}

size_t text_line_end(const struct text *t, size_t line)
{
	return line < lines_of(t->root) ? text_line_start(t, line + 1) - 1 : text_len(t);
}

size_t text_line_end_from(const struct text *t, size_t line, size_t start)
{
	enum { SHORT = 256 };
	size_t n;
	const char *bytes = text_peek(t, start, &n);
	const char *newline = memchr(bytes, '\n', n < SHORT ? n : SHORT);
	return newline ? start + (size_t)(newline - bytes) : text_line_end(t, line);
}

size_t text_line_of(const struct text *t, size_t pos)
{
	const struct chunk *c = t->root;
	size_t line = 0;
	while (c) {
		size_t before = bytes_of(c->left);
		if (pos < before) {
			c = c->left;
			continue;
		}
		pos -= before;
		line += lines_of(c->left);
		if (pos < c->len)
			return line + chunk_newlines(c->data, pos);
		pos -= c->len;
		line += c->newlines;
		c = c->right;
	}
	return line;
}

const char *text_peek(const struct text *t, size_t pos, size_t *ret_len)
{
	const struct chunk *c = t->root;
	while (c) {
		size_t before = bytes_of(c->left);
		if (pos < before) {
			c = c->left;
		} else if (pos - before < c->len) {
			*ret_len = c->len - (pos - before);
			return c->data + (pos - before);
		} else {
			pos -= before + c->len;
			c = c->right;
		}
	}
	*ret_len = 0;
	return "";
}

size_t text_copy(const struct text *t, size_t pos, char *out, size_t n)
{
	size_t done = 0;
	while (done < n) {
		size_t run;
		const char *bytes = text_peek(t, pos + done, &run);
		if (run == 0)
			break;
		run = run < n - done ? run : n - done;
		memcpy(out + done, bytes, run);
		done += run;
	}
	return done;
}

char *text_slice(const struct text *t, size_t pos, size_t n)
{
	size_t len = text_len(t);
	pos = pos < len ? pos : len;
	n = n < len - pos ? n : len - pos;
	char *out = malloc(n + 1);
	if (out)
		out[text_copy(t, pos, out, n)] = '\0';
	return out;
}

/* The length of the code point at `pos`, of which `run` bytes are contiguous. False: the byte is broken. */
static bool is_whole(const struct text *t, size_t pos, const char *bytes, size_t run, size_t *ret_len)
{
	bool is_valid;
	uint32_t cp;
	char copy[4];

	if (run < sizeof copy) {
		run = text_copy(t, pos, copy, sizeof copy);
		bytes = copy;
	}
	*ret_len = trm_utf8_decode(bytes, run, &cp, &is_valid);
	return is_valid;
}

/* The length of what is ASCII at the front; eight bytes are tried at once. */
static size_t skip_ascii(const char *bytes, size_t n)
{
	size_t i = 0;
	uint64_t word;

	for (; i + sizeof word <= n; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		if (word & 0x8080808080808080u)
			break;
	}
	while (i < n && !(bytes[i] & 0x80))
		i++;
	return i;
}

size_t text_broken_bytes(const struct text *t, size_t *ret_first)
{
	size_t len = text_len(t), broken = 0, run, n;

	for (size_t at = 0; at < len;) {
		const char *bytes = text_peek(t, at, &run);
		size_t i = skip_ascii(bytes, run);
		while (i < run) {
			if (!is_whole(t, at + i, bytes + i, run - i, &n) && broken++ == 0)
				*ret_first = at + i;
			i += n;
			i += i < run ? skip_ascii(bytes + i, run - i) : 0;
		}
		at += i;
	}
	return broken;
}
