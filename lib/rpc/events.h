/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_EVENTS_H
#define TRM_RPC_EVENTS_H

/* Server-sent events (text/event-stream; WHATWG HTML, section "Server-sent events") without any I/O. The
 * server writes them with event_put(). The client feeds the bytes that it reads to an event_reader.
 *
 * An event is a name and a text. Our texts are JSON on one line (<terrarium/server.h> lists them). */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { EVENT_NAME_MAX = 31 };

/* Append an event. `data` is valid UTF-8 and may have several lines. Fails with TRM_ETOOBIG or TRM_ENOMEM
 * as buf_append() does; a part of the event may have been appended then. */
int event_put(struct buf *out, const char *name, const char *data, size_t n);

/* Input is hostile and may be split anywhere. Lines, texts and names of events have a maximum length, and
 * texts must be UTF-8 without NUL bytes. */
struct event_reader {
	struct buf line; /* the beginning of an unfinished line */
	struct buf data; /* of the current event; each line ends with a newline */
	char name[EVENT_NAME_MAX + 1];
	bool is_line_long; /* the line is too long, and `line` holds only its beginning */
	bool is_data_long;
	bool has_begun;  /* the first line was read, so there is no byte order mark any more */
	bool skips_feed; /* the last byte was a CR, so a following LF belongs to it */
	int error;       /* of an earlier call */
};

/* Receives one complete event. `data` is NUL-terminated, has n bytes without the NUL and is borrowed during
 * the call. NULL: the event was too long and was dropped. The name is "message" if the stream names none. A
 * return value < 0 ends the reading. The callback must not finish the reader. */
typedef int event_fn(void *user, const char *name, const char *data, size_t n);

/* `data_max` is the longest text of an event. */
void event_reader_init(struct event_reader *reader, size_t data_max);
void event_reader_finish(struct event_reader *reader); /* accepts a zeroed object */
/* Returns 0, TRM_EPROTO if the input is no event stream, TRM_ENOMEM, or the error that `fn` returned. After
 * an error nothing more is read, and each call returns the same error. */
int event_reader_feed(struct event_reader *reader, const char *bytes, size_t n, event_fn *fn, void *user);
/* True between two events: a stream that ends here is complete. */
bool event_reader_is_between(const struct event_reader *reader);

#endif
