/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_PROXY_HEAD_H
#define TRM_BASE_PROXY_HEAD_H

/* What a client says to an HTTP proxy before bytes flow (RFC 9110, 9112): "CONNECT host:port HTTP/1.1", or a
 * request with an absolute address, "GET http://host/path HTTP/1.1". It comes from code in a sandbox, so it
 * is read strictly: whatever two programs might read differently is refused. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hostlist.h"

enum { PROXY_HEAD_MAX = 16 << 10, PROXY_FIELDS_MAX = 128 };

enum proxy_ask {
	PROXY_MORE,    /* the head is not complete */
	PROXY_CONNECT, /* a tunnel */
	PROXY_FORWARD, /* one request */
	PROXY_BAD,     /* refused: `why` */
};

struct proxy_head {
	struct host host;
	uint16_t port;
	size_t n;        /* bytes of the head, with the blank line */
	bool has_length; /* the body has `length` bytes; without both there is none */
	bool is_chunked;
	uint64_t length;
	size_t path, path_n; /* where the path lies in the head */
	const char *why;     /* a sentence */
};

enum proxy_ask proxy_head_read(const char *bytes, size_t n, struct proxy_head *ret);
/* Append the request as the server is to get it: with the path alone, the host of the address as its only
 * Host, without what concerns the proxy, and as the only one of its connection. */
int proxy_head_rewrite(const char *bytes, const struct proxy_head *head, struct buf *out);

#endif
