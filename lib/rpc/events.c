/* SPDX-License-Identifier: MIT */
#include "rpc/events.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/utf8.h"

/* ---- writing ---- */

static int put_line(struct buf *out, const char *field, const char *value, size_t n)
{
	int r = buf_append(out, field, strlen(field));
	if (!r)
		r = buf_append(out, value, n);
	return r ? r : buf_append(out, "\n", 1);
}

int event_put(struct buf *out, const char *name, const char *data, size_t n)
{
	int r = put_line(out, "event: ", name, strlen(name));
	const char *newline;
	while (!r && (newline = memchr(data, '\n', n))) {
		size_t len = (size_t)(newline - data);
		r = put_line(out, "data: ", data, len);
		data += len + 1;
		n -= len + 1;
	}
	if (!r)
		r = put_line(out, "data: ", data, n);
	return r ? r : buf_append(out, "\n", 1);
}

/* ---- reading ---- */

/* A line holds the longest text or the longest event name, with the name of the field before it. */
enum { FIELD_ROOM = EVENT_NAME_MAX + 17 };

void event_reader_init(struct event_reader *reader, size_t data_max)
{
	*reader = (struct event_reader){0};
	buf_init(&reader->line, data_max + FIELD_ROOM);
	buf_init(&reader->data, data_max + 1); /* the NUL replaces the last newline */
}

void event_reader_finish(struct event_reader *reader)
{
	buf_finish(&reader->line);
	buf_finish(&reader->data);
}

bool event_reader_is_between(const struct event_reader *reader)
{
	return !reader->line.len && !reader->data.len && !reader->is_data_long && !reader->name[0];
}

static int take_name(struct event_reader *reader, const char *value, size_t n)
{
	if (n > EVENT_NAME_MAX || memchr(value, '\0', n) || !utf8_is_valid(value, n))
		return TRM_EPROTO;
	memcpy(reader->name, value, n);
	reader->name[n] = '\0';
	return 0;
}

static int take_data(struct event_reader *reader, const char *value, size_t n)
{
	struct buf *data = &reader->data;
	reader->is_data_long |= reader->is_line_long || n >= data->max - data->len;
	if (reader->is_data_long) {
		buf_clear(data);
		return 0;
	}
	int r = buf_append(data, value, n);
	return r ? r : buf_append(data, "\n", 1);
}

/* Called at an empty line, which completes the event. An event without data is ignored. */
static int deliver(struct event_reader *reader, event_fn *fn, void *user)
{
	struct buf *data = &reader->data;
	char name[EVENT_NAME_MAX + 1];
	snprintf(name, sizeof name, "%s", reader->name[0] ? reader->name : "message");
	reader->name[0] = '\0';
	if (reader->is_data_long) {
		reader->is_data_long = false;
		return fn(user, name, NULL, 0);
	}
	if (!data->len)
		return 0;
	char *text = buf_at(data);
	size_t n = data->len - 1;
	text[n] = '\0'; /* replaces the last newline */
	int r = memchr(text, '\0', n) || !utf8_is_valid(text, n) ? TRM_EPROTO : fn(user, name, text, n);
	buf_clear(data);
	return r;
}

static bool is_field(const char *line, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(line, name, n) == 0;
}

/* Handle one line without its end. Comments and unknown fields are ignored. */
static int handle_line(struct event_reader *reader, const char *line, size_t n, event_fn *fn, void *user)
{
	if (!reader->has_begun && n >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
		line += 3;
		n -= 3;
	}
	reader->has_begun = true;
	if (!n)
		return deliver(reader, fn, user);
	const char *colon = memchr(line, ':', n);
	size_t field = colon ? (size_t)(colon - line) : n;
	size_t from = colon ? field + 1 : n;
	if (from < n && line[from] == ' ')
		from++;
	if (is_field(line, field, "data"))
		return take_data(reader, line + from, n - from);
	if (is_field(line, field, "event"))
		return take_name(reader, line + from, n - from);
	return 0;
}

/* Returns the first CR or LF, or NULL. */
static const char *line_end(const char *bytes, size_t n)
{
	const char *feed = memchr(bytes, '\n', n);
	const char *back = memchr(bytes, '\r', feed ? (size_t)(feed - bytes) : n);
	return back ? back : feed;
}

/* Keep a part of a line, up to the limit. */
static int keep_line(struct event_reader *reader, const char *bytes, size_t n)
{
	struct buf *line = &reader->line;
	if (n > line->max - line->len) {
		n = line->max - line->len;
		reader->is_line_long = true;
	}
	return buf_append(line, bytes, n);
}

/* The line is complete: `bytes` hold its end, and the buffer its beginning, if any. */
static int end_line(struct event_reader *reader, const char *bytes, size_t n, event_fn *fn, void *user)
{
	if (!reader->line.len && n <= reader->line.max)
		return handle_line(reader, bytes, n, fn, user);
	int r = keep_line(reader, bytes, n);
	if (!r)
		r = handle_line(reader, buf_at(&reader->line), reader->line.len, fn, user);
	buf_clear(&reader->line);
	reader->is_line_long = false;
	return r;
}

int event_reader_feed(struct event_reader *reader, const char *bytes, size_t n, event_fn *fn, void *user)
{
	const char *end;
	if (reader->error || !n)
		return reader->error;
	if (reader->skips_feed && bytes[0] == '\n') {
		bytes++;
		n--;
	}
	reader->skips_feed = false;
	while (!reader->error && (end = line_end(bytes, n))) {
		size_t len = (size_t)(end - bytes);
		reader->error = end_line(reader, bytes, len, fn, user);
		bool is_return = *end == '\r';
		bytes += len + 1;
		n -= len + 1;
		reader->skips_feed = is_return && !n;
		if (is_return && n && *bytes == '\n') {
			bytes++;
			n--;
		}
	}
	if (!reader->error)
		reader->error = keep_line(reader, bytes, n);
	return reader->error;
}
