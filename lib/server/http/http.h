/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_HTTP_H
#define TRM_SERVER_HTTP_H

/* HTTP requests and their replies. Everything happens in turns of the loop, in one thread.
 *
 * A request is first shown when its headers have arrived. If it can be answered then, its body is read and
 * thrown away. Otherwise it is shown again with its body, and is answered then or later, exactly once, by
 * http_reply() or by a stream. After that it must not be used. If the client leaves before the answer,
 * on_gone reports it, and the request is freed afterwards. */

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
	char method[HTTP_METHOD_MAX]; /* "POST"; a longer one is cut, and then matches no known method */
	char path[HTTP_PATH_MAX];     /* without query, percent-decoded, may be cut */
	const char *body;             /* NUL-terminated, may be "" */
	size_t body_len;
	bool is_too_big;          /* the body is longer than HTTP_BODY_MAX; it is thrown away */
	bool is_refused;          /* there were too many bodies at once; it was thrown away */
	char note[HTTP_NOTE_MAX]; /* for logs, set by the handler */
	/* Of a request that came another way than by HTTP: takes the answer, and frees `body` and the
	 * request. It has no headers and no streams. NULL: it came by HTTP. */
	void (*answer)(struct http_request *request, int status, char *body, size_t n);
	/* Set by the handler; both may be NULL. */
	void (*on_gone)(struct http_request *request, void *user);
	void (*on_room)(struct http_request *request,
			void *user); /* of a stream: half of its queue is free again */
	void *user;
};

/* A header of the request, or NULL. Valid as long as the request. The case of names is ignored. */
const char *http_header(const struct http_request *request, const char *name);

/* Answer the request. `body` is malloc'd and taken over (NULL: empty). `headers` are pairs of name and
 * value, ended by NULL (may be NULL); the headers of all replies are added. */
void http_reply(struct http_request *request, int status, const char *content_type,
		const char *const *headers, char *body, size_t n);

/* Answer with a stream. Writes are queued up to HTTP_QUEUE_MAX bytes. A write that does not fit is refused
 * as a whole with TRM_ETOOBIG, and on_room says when to try again. TRM_ENOMEM breaks the stream off, and
 * on_gone follows. Do not write after the end. */
void http_stream_begin(struct http_request *request, int status, const char *content_type,
		const char *const *headers);
int http_stream_write(struct http_request *request, const void *bytes, size_t n);
size_t http_stream_room(const struct http_request *request);
/* The queue is still sent. The request must not be used from here on. */
void http_stream_end(struct http_request *request);

#endif
