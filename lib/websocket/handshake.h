/* SPDX-License-Identifier: MIT */
#ifndef TRM_WEBSOCKET_HANDSHAKE_H
#define TRM_WEBSOCKET_HANDSHAKE_H

/* The beginning of a WebSocket (RFC 6455, section 4), without I/O, and the heads of HTTP answers. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { HANDSHAKE_HEAD_MAX = 16 << 10, HANDSHAKE_KEY = 25 };

/* Make the letters of a key from 16 random bytes, with a NUL. */
int handshake_key(const unsigned char random[16], char ret[HANDSHAKE_KEY]);
/* Append the request. `target` is a path with its query, and must have no spaces or control characters. */
int handshake_put(
		struct buf *out, const char *host, const char *target, const char *protocol, const char *key);

struct http_answer {
	int status;                    /* such as 200 */
	size_t n;                      /* bytes of the head, with the blank line */
	long long length;              /* of the body; -1: it ends with the connection */
	bool is_upgrade;               /* "Upgrade: websocket" and "Connection: Upgrade" */
	char accept[32], protocol[64]; /* Sec-WebSocket-Accept and -Protocol; "": none */
};

/* Read the head of an answer. Returns 1, 0 (it is not complete), or TRM_EPROTO. */
int http_answer_read(const char *bytes, size_t n, struct http_answer *ret);
/* Whether the answer is the right one to the request with this key and protocol: status 101, and the server
 * has seen the key. */
bool handshake_is_accepted(const struct http_answer *answer, const char *protocol, const char *key);

#endif
