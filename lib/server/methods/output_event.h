/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_OUTPUT_EVENT_H
#define TRM_SERVER_METHODS_OUTPUT_EVENT_H

/* Output as events (<terrarium/server.h>): raw bytes in, {"stream":…,"text":…} out. A character that is cut
 * waits for its end; bytes that are no UTF-8, or hold a NUL, go as {"stream":…,"base64":…}. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* What waits of stdout and stderr. Zeroed at first. */
struct output_tails {
	struct {
		char bytes[4];
		uint8_t n;
	} of[2];
};

/* The most bytes that n bytes of output become as an event's text: each may be written as \uXXXX. */
#define OUTPUT_EVENT_ROOM(n) (6 * ((n) + 4) + 64)

/* Append the JSON of one event for bytes of TRM_STDOUT or TRM_STDERR; nothing when all of them wait.
 * TRM_ETOOBIG or TRM_ENOMEM as buf_append. */
int output_event_put(struct buf *out, struct output_tails *tails, int stream, const char *bytes, size_t n);
/* … for what waits of a stream, when there comes no more. */
int output_event_end(struct buf *out, struct output_tails *tails, int stream);

#endif
