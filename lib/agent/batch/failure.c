/* SPDX-License-Identifier: MIT */
#include "agent/batch/failure.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/batch/event.h"
#include "base/buf.h"

enum { ROWS = 200 };

/* Rows of text, some left out in the middle if they are many. */
static void put_rows(struct buf *out, const struct buf *rows)
{
	const char *at = buf_at(rows), *end = at + rows->len;
	size_t n = 0, total = 0;
	for (const char *c = at; c < end; c++)
		total += *c == '\n';
	event_add(out, "[");
	for (; at < end; n++) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((line ? line : end) - at);
		char text[4001];
		snprintf(text, sizeof text, "%.*s", (int)(len < 4000 ? len : 4000), at);
		at += len + 1;
		if (total > ROWS && n == ROWS / 2)
			snprintf(text, sizeof text, "  ... %zu lines left out ...", total - ROWS);
		else if (total > ROWS && n > ROWS / 2 && n < total - ROWS / 2)
			continue;
		event_add(out, n ? "," : "");
		event_add_string(out, text);
	}
	event_add(out, "]");
}

void failure_put(struct buf *event, const char *name, const char *message, const struct buf *rows)
{
	event_add(event, ",\"error\":{\"name\":");
	event_add_string(event, name);
	event_add(event, ",\"message\":");
	event_add_string(event, message);
	event_add(event, ",\"traceback\":");
	put_rows(event, rows);
	event_add(event, "}");
}

void failure_say(struct buf *event, const char *name, const char *format, ...)
{
	char text[PATH_MAX + 400];
	struct buf rows = {0};
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	event_add(event, "error\"");
	failure_put(event, name, text, &rows);
}
