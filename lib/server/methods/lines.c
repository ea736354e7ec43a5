/* SPDX-License-Identifier: MIT */
#include "server/methods/lines.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/process.h>
#include <terrarium/result.h>

#include "base/json.h"
#include "base/utf8.h"

enum {
	RESERVE = 4 << 20, /* for the text after the output, … */
	LAST = 4096        /* … and for the note that something is left out */
};

void lines_init(struct lines *lines)
{
	*lines = (struct lines){.max = LINES_MAX_BYTES};
	buf_init(&lines->json, LINES_MAX_BYTES + RESERVE);
	buf_init(&lines->partial[0], LINES_MAX_BYTES);
	buf_init(&lines->partial[1], LINES_MAX_BYTES);
}

void lines_finish(struct lines *lines)
{
	buf_finish(&lines->json);
	buf_finish(&lines->partial[0]);
	buf_finish(&lines->partial[1]);
}

/* A NUL would end the text for clients in C. */
static int put_text(struct buf *json, const char *s, size_t n)
{
	size_t repaired_len;
	if (!n || !memchr(s, '\0', n))
		return json_put_string(json, s, n);
	char *repaired = utf8_repair(s, n, &repaired_len);
	int r = repaired ? json_put_string(json, repaired, repaired_len) : -1;
	free(repaired);
	return r;
}

static int put_line(struct buf *json, bool is_first, int stream, const char *s, size_t n)
{
	const char *head = stream == TRM_STDERR ? "{\"stream\":\"stderr\",\"text\":"
						: "{\"stream\":\"stdout\",\"text\":";
	int r = buf_append(json, is_first ? "[" : ",", 1);
	if (r == 0)
		r = buf_append(json, head, strlen(head));
	if (r == 0)
		r = put_text(json, s, n);
	return r < 0 ? r : buf_append(json, "}", 1);
}

static void end_line(struct lines *lines, int stream, const char *s, size_t n)
{
	struct buf *json = &lines->json;
	size_t before = json->len;
	if (n && s[n - 1] == '\r')
		n--;
	if (before + n < lines->max && put_line(json, !lines->n_lines, stream, s, n) == 0
			&& json->len <= lines->max) {
		lines->n_lines++;
		return;
	}
	json->len = before;
	lines->left_out++;
}

static void flush(struct lines *lines, int stream)
{
	struct buf *partial = &lines->partial[stream == TRM_STDERR];
	if (partial->len)
		end_line(lines, stream, buf_at(partial), partial->len);
	buf_clear(partial);
}

void lines_feed(struct lines *lines, int stream, const char *bytes, size_t n)
{
	struct buf *partial = &lines->partial[stream == TRM_STDERR];
	while (n) {
		const char *newline = memchr(bytes, '\n', n);
		size_t len = newline ? (size_t)(newline - bytes) : n;
		if (newline && !partial->len) {
			end_line(lines, stream, bytes, len);
		} else if (buf_append(partial, bytes, len) < 0) {
			flush(lines, stream);
			lines->left_out++;
		} else if (newline && !partial->len) {
			end_line(lines, stream, "", 0);
		} else if (newline) {
			flush(lines, stream);
		}
		len += newline != NULL;
		bytes += len;
		n -= len;
	}
}

void lines_add(struct lines *lines, int stream, const char *text)
{
	size_t n = strlen(text);
	flush(lines, stream);
	lines->max = LINES_MAX_BYTES + RESERVE - LAST;
	if (n && !memchr(text, '\n', n)) {
		end_line(lines, stream, text, n);
	} else {
		lines_feed(lines, stream, text, n);
		flush(lines, stream);
	}
	lines->max = LINES_MAX_BYTES;
}

void lines_add_format(struct lines *lines, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	lines_add(lines, TRM_STDERR, text);
}

static void add_gap(struct lines *lines, const struct trm_result *result)
{
	flush(lines, 0);
	lines_add_format(lines,
			"[terrarium: %" PRIu64
			" bytes of output are left out here: of one run, %zu are kept, the first "
			"half and the last]",
			result->dropped_bytes, result->output_len);
}

void lines_feed_kept(struct lines *lines, const struct trm_result *result)
{
	size_t gap = result->dropped_bytes ? result->output_len / 2 : SIZE_MAX; /* the place of the gap */
	for (size_t i = 0; i < result->n_chunks; i++) {
		const struct trm_chunk *chunk = &result->chunks[i];
		const char *bytes = result->output + chunk->offset;
		size_t before = gap > chunk->offset ? gap - chunk->offset : 0;
		if (before > chunk->n || gap == SIZE_MAX)
			before = chunk->n;
		lines_feed(lines, chunk->stream, bytes, before);
		if (before == chunk->n)
			continue;
		add_gap(lines, result);
		gap = SIZE_MAX;
		lines_feed(lines, chunk->stream, bytes + before, chunk->n - before);
	}
	if (gap != SIZE_MAX) /* otherwise nothing at all was kept */
		add_gap(lines, result);
	flush(lines, 0);
	flush(lines, 1);
}

/* The limit holds for output. This note always fits. */
static int add_left_out(struct lines *lines)
{
	char text[160];
	int n = snprintf(text, sizeof text,
			"[terrarium: %" PRIu64
			" more lines of output are left out: a reply holds at most %d MiB of them]",
			lines->left_out, LINES_MAX_BYTES >> 20);
	return put_line(&lines->json, !lines->n_lines, 1, text, (size_t)n);
}

cJSON *lines_end(struct lines *lines)
{
	flush(lines, 0);
	flush(lines, 1);
	if (lines->left_out && add_left_out(lines) < 0)
		return NULL;
	const char *end = lines->json.len ? "]" : "[]";
	if (buf_append(&lines->json, end, strlen(end) + 1) < 0)
		return NULL;
	return cJSON_CreateRaw(buf_at(&lines->json));
}

cJSON *lines_end_in(struct lines *lines, cJSON *json)
{
	cJSON *output = lines_end(lines);
	lines_finish(lines);
	if (output && json && cJSON_AddItemToObject(json, "output", output))
		return json;
	cJSON_Delete(output);
	cJSON_Delete(json);
	return NULL;
}
