/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_HTTP_H
#define TRM_SERVER_HTTP_H

/* HTTP requests, and how they are answered. Everything happens in turns of the loop, by one thread.
 *
 * A request is first seen with its head only: who knows already how to answer does so, and the body is read
 * past. Else it comes again with its body, and is answered then or later, exactly once: by http_reply() or by
 * a stream. After that it may not be touched. A client that goes away before its answer is told of by
 * on_gone, after which the request is gone as well. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listener;

enum {
	HTTP_PATH_MAX = 256,
	HTTP_METHOD_MAX = 16,
	HTTP_NOTE_MAX = 192,
	HTTP_BODY_MAX = 2 << 20,
	HTTP_QUEUE_MAX = 1 << 20
};

struct http_request {
	char method[HTTP_METHOD_MAX]; /* "POST"; what is longer is cut, and then no method that we know */
	char path[HTTP_PATH_MAX];     /* without query, percent-decoded; cut likewise */
	const char *body;             /* NUL-terminated besides; may be "" */
	size_t body_len;
	bool is_too_big;          /* the body is, or was, longer than HTTP_BODY_MAX; it is thrown away */
	bool is_refused;          /* too many bodies at once: it has been thrown away */
	char note[HTTP_NOTE_MAX]; /* for logs, by who knows what the request is about */
	/* To be set by who answers; both may be NULL. */
	void (*on_gone)(struct http_request *request, void *user);
	void (*on_room)(struct http_request *request,
			void *user); /* of a stream: half of its queue is free again */
	void *user;
};

/* A header of the request, NULL if it is not there; valid as long as the request. Names in any case. */
const char *http_header(const struct http_request *request, const char *name);

/* Answer. `body` is malloc'd, and owned from now on (NULL: empty); `headers` are pairs of name and value,
 * ended by NULL (may be NULL), beside those that all replies of a server have. */
void http_reply(struct http_request *request, int status, const char *content_type,
		const char *const *headers, char *body, size_t n);

/* Answer by and by. What is written is queued up to HTTP_QUEUE_MAX bytes; what does not fit is refused as a
 * whole with TRM_ETOOBIG, and on_room tells when to come back; TRM_ENOMEM breaks the stream off, and on_gone
 * follows. Write nothing after the end. */
void http_stream_begin(struct http_request *request, int status, const char *content_type,
		const char *const *headers);
int http_stream_write(struct http_request *request, const void *bytes, size_t n);
size_t http_stream_room(const struct http_request *request);
/* What is queued is still sent. The request may not be touched from here on. */
void http_stream_end(struct http_request *request);

#endif
