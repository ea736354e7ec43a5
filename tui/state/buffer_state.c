/* SPDX-License-Identifier: MIT */
#include "state/buffer_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
	char *bytes;
	size_t n;
};

static void put_state(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_state(struct out *o, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(o->bytes + o->n, BUFFER_STATE_BYTES - o->n, fmt, args);
	va_end(args);
	if (n > 0 && (size_t)n < BUFFER_STATE_BYTES - o->n)
		o->n += (size_t)n;
}

static void put_text(struct out *o, const char *key, const char *value)
{
	put_state(o, "%s ", key);
	for (; *value && o->n + 3 < BUFFER_STATE_BYTES; value++) {
		if (*value == '\n' || *value == '\\') {
			o->bytes[o->n++] = '\\';
			o->bytes[o->n++] = *value == '\n' ? 'n' : '\\';
		} else {
			o->bytes[o->n++] = *value;
		}
	}
	put_state(o, "\n");
}

size_t buffer_state_write(const struct buffer_state *p, char out[BUFFER_STATE_BYTES])
{
	struct out o = {.bytes = out};

	put_text(&o, "lang", p->lang);
	if (p->path[0])
		put_text(&o, "path", p->path);
	put_state(&o, "anchor %zu\ncursor %zu\ntop %zu\nleft %zu\n", p->anchor, p->cursor, p->top_line,
			p->left_col);
	if (p->format.has_crlf)
		put_state(&o, "crlf 1\n");
	if (p->stamp.exists)
		put_state(&o, "mtime %" PRId64 "\nbytes %" PRIu64 "\n", p->stamp.mtime_ns, p->stamp.bytes);
	if (p->is_current)
		put_state(&o, "current 1\n");
	if (p->is_current && p->pane[0])
		put_text(&o, "pane", p->pane);
	if (p->text)
		put_state(&o, "text %u\n", p->text);
	put_state(&o, "\n");
	return o.n;
}

static void take_text(const char *value, size_t n, char *out, size_t cap)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len + 1 < cap; i++) {
		bool is_escape = value[i] == '\\' && i + 1 < n;
		i += is_escape;
		out[len++] = is_escape && value[i] == 'n' ? '\n' : value[i];
	}
	out[len] = '\0';
}

static void take_state_value(
		struct buffer_state *p, const char *key, size_t key_len, const char *value, size_t n)
{
	char number[24];
	struct {
		const char *key;
		size_t *field;
	} sizes[] = {{"anchor", &p->anchor}, {"cursor", &p->cursor}, {"top", &p->top_line},
			{"left", &p->left_col}};
#define IS(name) (key_len == sizeof(name) - 1 && memcmp(key, name, key_len) == 0)

	take_text(value, n, number, sizeof number);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (strlen(sizes[i].key) == key_len && memcmp(sizes[i].key, key, key_len) == 0)
			*sizes[i].field = strtoull(number, NULL, 10);
	if (IS("path"))
		take_text(value, n, p->path, sizeof p->path);
	else if (IS("lang"))
		take_text(value, n, p->lang, sizeof p->lang);
	else if (IS("pane"))
		take_text(value, n, p->pane, sizeof p->pane);
	else if (IS("crlf"))
		p->format.has_crlf = number[0] == '1';
	else if (IS("current"))
		p->is_current = number[0] == '1';
	else if (IS("text"))
		p->text = (unsigned)strtoul(number, NULL, 10);
	else if (IS("mtime"))
		p->stamp = (struct file_stamp){true, strtoll(number, NULL, 10), p->stamp.bytes};
	else if (IS("bytes"))
		p->stamp.bytes = strtoull(number, NULL, 10);
#undef IS
}

size_t buffer_state_read(const char *bytes, size_t n, struct buffer_state *ret)
{
	size_t at = 0;

	*ret = (struct buffer_state){0};
	while (at < n) {
		const char *line = bytes + at, *end = memchr(line, '\n', n - at);
		if (!end)
			return 0; /* incomplete */
		at = (size_t)(end - bytes) + 1;
		if (end == line)
			return ret->lang[0] ? at : 0;
		const char *blank = memchr(line, ' ', (size_t)(end - line));
		if (blank)
			take_state_value(ret, line, (size_t)(blank - line), blank + 1,
					(size_t)(end - blank - 1));
	}
	return 0;
}
