/* SPDX-License-Identifier: MIT */
#ifndef TRM_WEBSOCKET_WEBSOCKET_H
#define TRM_WEBSOCKET_WEBSOCKET_H

/* The frames of a WebSocket client (RFC 6455), without I/O. The reader keeps no message: data is handed on in
 * pieces as it arrives, so that a frame of any size takes no memory. What the server sends is checked as
 * strictly as the RFC allows; only the text of text messages is not checked for UTF-8. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum websocket_opcode {
	WEBSOCKET_CONTINUATION = 0,
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10
};

enum {
	WEBSOCKET_CONTROL_MAX = 125,    /* bytes in a control frame */
	WEBSOCKET_HEADER_MAX = 14,      /* bytes of a header, with its mask */
	WEBSOCKET_MESSAGE_MAX = 1 << 30 /* bytes of a message with all its fragments */
};

struct websocket_reader {
	uint8_t head[10];
	size_t n_head;      /* bytes of the header so far */
	bool is_in_payload; /* the header is complete */
	uint64_t left;      /* bytes of the payload that have not come yet */
	uint64_t message_n; /* bytes of the message, as its headers announce them */
	bool is_in_message; /* a fragment has come, and the last one has not */
	bool is_start;      /* nothing of the message has been handed on */
	bool is_closed;     /* CLOSE has come: nothing may follow */
	uint8_t opcode;     /* of the frame */
	bool is_last;       /* the frame ends its message */
	uint8_t control[WEBSOCKET_CONTROL_MAX];
	size_t n_control;
};

/* One thing that was read. `bytes` are borrowed: from the input if it is data, else from the reader. */
struct websocket_event {
	enum {
		WEBSOCKET_NOTHING, /* more input is needed */
		WEBSOCKET_DATA,    /* a piece of a message, perhaps an empty one at its start or end */
		WEBSOCKET_PINGED,  /* answer with a PONG of the same bytes */
		WEBSOCKET_PONGED,
		WEBSOCKET_CLOSED
	} type;
	const char *bytes;
	size_t n;
	bool is_start, is_end; /* of the message */
	uint16_t code;         /* of CLOSED; 0: none was given. `bytes` are the reason. */
};

void websocket_reader_init(struct websocket_reader *r);
/* Read from the front of the input, up to one event. Returns 0 with the number of bytes that it took, or
 * TRM_EPROTO: the server breaks the protocol, and the connection is of no use any more. Call it again with
 * the rest of the input until it returns WEBSOCKET_NOTHING. */
int websocket_read(struct websocket_reader *r, const void *bytes, size_t n, size_t *ret_taken,
		struct websocket_event *ret);

struct websocket_part {
	const void *bytes;
	size_t n;
};

/* Append a frame that is a whole message, masked. The parts follow each other in its payload. `mask` must be
 * new and random for each frame. 0, TRM_ETOOBIG, TRM_ENOMEM; TRM_EINVAL: too much for a control frame. */
int websocket_put(struct buf *out, enum websocket_opcode opcode, const uint8_t mask[4],
		const struct websocket_part *parts, size_t n_parts);

#endif
