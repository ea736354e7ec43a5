/* SPDX-License-Identifier: MIT */
#include "agent/batch/event.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/batch/order.h"
#include "base/buf.h"
#include "base/json.h"

enum { EVENTS = 4 };

#define REPLY_MAX (1u << 20)

void event_say(const struct buf *event)
{
	const char *at = buf_at(event);
	for (size_t left = event->len; left;) {
		ssize_t n = write(EVENTS, at, left);
		if (n < 0 && errno != EINTR)
			return;
		at += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
}

void event_add(struct buf *out, const char *text)
{
	buf_append(out, text, strlen(text));
}

void event_add_string(struct buf *out, const char *text)
{
	json_put_string(out, text, strlen(text));
}

void event_add_error(struct buf *out, const char *name, const char *message)
{
	event_add(out, ",\"error\":{\"name\":");
	event_add_string(out, name);
	event_add(out, ",\"message\":");
	event_add_string(out, message);
	event_add(out, ",\"traceback\":[]}");
}

void event_reply(const struct order *o, const char *data)
{
	struct buf event;
	buf_init(&event, REPLY_MAX);
	event_add(&event, "{\"ev\":\"reply\",\"id\":");
	event_add_string(&event, o->id);
	event_add(&event, ",\"data\":");
	event_add(&event, data);
	event_add(&event, "}\n");
	event_say(&event);
	buf_finish(&event);
}

static void say_of(const struct order *o, const char *start, const char *end)
{
	struct buf event;
	buf_init(&event, REPLY_MAX);
	event_add(&event, start);
	event_add_string(&event, o->id);
	event_add(&event, end);
	event_say(&event);
	buf_finish(&event);
}

void event_compiled(const struct order *o)
{
	say_of(o, "{\"ev\":\"compiled\",\"id\":", "}\n");
}

void event_input(void *order)
{
	say_of(order, "{\"ev\":\"input\",\"id\":", ",\"prompt\":\"\",\"secret\":false}\n");
}
