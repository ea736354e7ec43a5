/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_EVENTS_H
#define TRM_RPC_EVENTS_H

/* Server-sent events (text/event-stream; WHATWG HTML, section "Server-sent events"), both ways and without
 * any I/O: the server writes them with event_put(), the client feeds what it has read to an event_reader.
 *
 * An event is a name and a text; ours are JSON on one line (<terrarium/server.h> lists them). */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { EVENT_NAME_MAX = 31 };

/* Append an event. `data` is valid UTF-8 and may have several lines. TRM_ETOOBIG or TRM_ENOMEM as
 * buf_append(); then a part of it may have been appended. */
int event_put(struct buf *out, const char *name, const char *data, size_t n);
/* A comment, which shows that the sender is still there. */
int event_put_beat(struct buf *out);

/* The bytes may come cut anywhere, and are hostile: a line, an event's text and its name have ceilings,
 * and the text must be UTF-8 without NUL bytes. */
struct event_reader {
	struct buf line; /* the beginning of a line whose end has not come yet */
	struct buf data; /* of the event in hand, each of its lines with a newline behind it */
	char name[EVENT_NAME_MAX + 1];
	bool is_line_long; /* longer than can be kept: what is in `line` is its beginning */
	bool is_data_long;
	bool has_begun;  /* the first line was read: no byte order mark is looked for any more */
	bool skips_feed; /* the last byte was a CR: an LF that follows belongs to it */
	int error;       /* of an earlier call */
};

/* One whole event: `data` is NUL-terminated, n bytes without that, and borrowed during the call. NULL: there
 * was more of it than may be kept, and it was thrown away. Without a name in the stream it is "message". A
 * value < 0 ends the reading. The reader must not be finished from inside. */
typedef int event_fn(void *user, const char *name, const char *data, size_t n);

/* `data_max`: bytes of an event's text. */
void event_reader_init(struct event_reader *reader, size_t data_max);
void event_reader_finish(struct event_reader *reader); /* takes a zeroed object */
/* 0; TRM_EPROTO what came is no event stream; TRM_ENOMEM; or what `fn` said. After an error nothing is read
 * any more, and the same error comes again. */
int event_reader_feed(struct event_reader *reader, const char *bytes, size_t n, event_fn *fn, void *user);
/* No event has been begun: a stream that ends here is whole. */
bool event_reader_is_between(const struct event_reader *reader);

#endif
