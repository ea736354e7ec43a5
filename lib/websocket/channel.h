/* SPDX-License-Identifier: MIT */
#ifndef TRM_WEBSOCKET_CHANNEL_H
#define TRM_WEBSOCKET_CHANNEL_H

/* Kubernetes' streams over a WebSocket, protocol "v5.channel.k8s.io": the first byte of each message names a
 * channel. Without I/O. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "websocket/websocket.h"

#define CHANNEL_PROTOCOL "v5.channel.k8s.io"

enum channel {
	CHANNEL_STDIN = 0,
	CHANNEL_STDOUT = 1,
	CHANNEL_STDERR = 2,
	CHANNEL_STATUS = 3, /* at the end: a Status object as JSON */
	CHANNEL_END = 255   /* its one byte names the channel that ends */
};

enum { CHANNEL_STATUS_MAX = 8 << 10 };

struct channel_reader {
	struct websocket_reader websocket;
	int channel; /* of the current message; -1: its first byte has not come */
	char status[CHANNEL_STATUS_MAX];
	size_t n_status; /* what is longer is cut off */
};

struct channel_event {
	enum { CHANNEL_NOTHING, CHANNEL_OUT, CHANNEL_ERR, CHANNEL_PINGED, CHANNEL_CLOSED } type;
	const char *bytes; /* as in websocket_event */
	size_t n;
};

void channel_reader_init(struct channel_reader *r);
/* As websocket_read(). The status is collected; it is complete with CHANNEL_CLOSED. */
int channel_read(struct channel_reader *r, const void *bytes, size_t n, size_t *ret_taken,
		struct channel_event *ret);

/* Append bytes for standard input. */
int channel_put_input(struct buf *out, const uint8_t mask[4], const void *bytes, size_t n);
/* Append the end of standard input. */
int channel_put_end(struct buf *out, const uint8_t mask[4]);

#endif
