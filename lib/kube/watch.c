/* SPDX-License-Identifier: MIT */
#include "kube/watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kube/request.h"

enum { WATCH_LINE_MAX = 2 << 20, WATCH_PIECE = 16 << 10, HTTP_OK = 200 };

bool watch_begin(struct watch *w, const struct proxy_use *use, const char *path)
{
	int status = 0;
	*w = (struct watch){.fd = -1};
	buf_init(&w->in, WATCH_LINE_MAX);
	w->fd = request_begin(use, path, &status, &w->in);
	return w->fd >= 0 && status == HTTP_OK;
}

/* Whether the line is an event. An error, or what is no event, ends the watch. */
static bool read_event(const char *line, size_t n, struct json_value *ret_type, struct json_value *ret_object)
{
	struct json_value event;
	return json_scan(line, n, &event) && json_member(event, "type", ret_type)
	       && !json_is(*ret_type, "ERROR") && json_member(event, "object", ret_object);
}

static void stop_watch(struct watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

bool watch_next(struct watch *w, struct json_value *ret_type, struct json_value *ret_object)
{
	buf_take(&w->in, w->n_taken);
	w->n_taken = 0;
	while (w->fd >= 0 && w->in.len) {
		const char *line = buf_at(&w->in), *newline = memchr(line, '\n', w->in.len);
		if (!newline)
			return false;
		w->n_taken = (size_t)(newline - line) + 1;
		if (!read_event(line, w->n_taken, ret_type, ret_object))
			break;
		if (!json_is(*ret_type, "BOOKMARK"))
			return true;
		buf_take(&w->in, w->n_taken);
		w->n_taken = 0;
	}
	if (w->n_taken)
		stop_watch(w);
	return false;
}

bool watch_read(struct watch *w)
{
	char bytes[WATCH_PIECE];
	ssize_t n;
	do
		n = w->fd < 0 ? 0 : read(w->fd, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	if (n > 0 && buf_append(&w->in, bytes, (size_t)n) == 0)
		return true;
	stop_watch(w);
	return false;
}

void watch_end(struct watch *w)
{
	stop_watch(w);
	buf_finish(&w->in);
}
