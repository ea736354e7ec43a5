/* SPDX-License-Identifier: MIT */
#include "agent/batch/trace.h"

#include <string.h>

#include "agent/batch/command.h"
#include "agent/batch/event.h"
#include "agent/batch/source.h"
#include "base/buf.h"

enum { FRAMES_AT_ONCE = 48 };

#define TEXT_MAX (1u << 20)

/* One frame, of which addr2line gives function and place. */
static void put_frame(const struct source *s, struct buf *rows, char *function, char *place)
{
	struct buf row;
	char *label = strrchr(function, '.'); /* f.3: see source_c.h */
	if (s->is_c && label)
		*label = '\0';
	bool is_ours = strstr(function, "trm_") || !strncmp(function, "_", 1) || *function == '?';
	char *more = strstr(place, " (discriminator");
	if (more)
		*more = '\0';
	if (strncmp(place, s->folder, strlen(s->folder)) != 0)
		return;
	buf_init(&row, TEXT_MAX);
	event_add(&row, "  at ");
	event_add(&row, is_ours ? "" : function);
	event_add(&row, is_ours ? "" : " (");
	event_add(&row, place);
	event_add(&row, is_ours ? "\n" : ")\n");
	source_rename(s, buf_at(&row), row.len, rows);
	buf_finish(&row);
}

/* Ask binutils, which compilers need as well, for frames of one object. */
static void put_frames(const struct source *s, struct buf *rows, char *object, char *offsets[], size_t n)
{
	const char *argv[FRAMES_AT_ONCE + 8] = {"addr2line", "-f", "-i", "-C", "-e", object};
	struct buf said;
	int status;
	memcpy(argv + 6, offsets, n * sizeof *offsets);
	buf_init(&said, TEXT_MAX);
	bool is_known = step_listen((char **)argv, &said, &status) == 0;
	buf_append(&said, "", 1);
	char *rest, *function = is_known ? strtok_r(buf_at(&said), "\n", &rest) : NULL;
	for (char *place; function && (place = strtok_r(NULL, "\n", &rest));
			function = strtok_r(NULL, "\n", &rest))
		put_frame(s, rows, function, place);
	buf_finish(&said);
}

void trace_put(const struct source *s, struct buf *frames, struct buf *rows)
{
	char *offsets[FRAMES_AT_ONCE], *object = NULL, *rest;
	size_t n = 0;
	buf_append(frames, "", 1);
	for (char *line = strtok_r(buf_at(frames), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *space = strchr(line, ' ');
		if (!space)
			continue;
		*space++ = '\0';
		if (n && (n == FRAMES_AT_ONCE || strcmp(space, object))) {
			put_frames(s, rows, object, offsets, n);
			n = 0;
		}
		object = space;
		offsets[n++] = line;
	}
	if (n)
		put_frames(s, rows, object, offsets, n);
}
