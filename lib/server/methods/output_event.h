/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_OUTPUT_EVENT_H
#define TRM_SERVER_METHODS_OUTPUT_EVENT_H

/* Converts output to events (<terrarium/server.h>), {"stream":…,"text":…}. An incomplete character waits
 * for its remaining bytes. Bytes that are not UTF-8 or hold a NUL become {"stream":…,"base64":…}. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The incomplete characters of stdout and stderr. Zero before use. */
struct output_tails {
	struct {
		char bytes[4];
		uint8_t n;
	} of[2];
};

/* The longest text of an event for n bytes of output: each byte may become \uXXXX. */
#define OUTPUT_EVENT_ROOM(n) (6 * ((n) + 4) + 64)

/* Append the JSON of one event for bytes of TRM_STDOUT or TRM_STDERR, or nothing if all of them wait for
 * more. Fails with TRM_ETOOBIG or TRM_ENOMEM as buf_append() does. */
int output_event_put(struct buf *out, struct output_tails *tails, int stream, const char *bytes, size_t n);
/* The same for the waiting bytes of a stream that has ended. */
int output_event_end(struct buf *out, struct output_tails *tails, int stream);

#endif
