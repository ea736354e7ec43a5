/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_REQUEST_H
#define TRM_KUBE_REQUEST_H

/* Requests to the API over a proxy. They wait: whoever makes them is a process of its own and has nothing
 * else to do. HTTP 1.0 is enough, as each request has a connection of its own, and its answer then has no
 * chunks. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_scan.h"
#include "kube/proxy.h"

enum { REQUEST_MS = 30 * 1000, ANSWER_MAX = 32 << 20 };

struct request_answer {
	int status;
	struct buf body; /* finish it */
};

/* Make a request and read the whole answer. `body` may be empty. 0, or a negative code. TRM_ENOENT: nothing
 * was sent, so that it may be tried in another way. */
int request_make(const struct proxy_use *use, const char *method, const char *path, struct json_value body,
		struct request_answer *ret);

/* List objects without their contents: each of our ConfigMaps holds the agent's program. */
int request_metadata(const struct proxy_use *use, const char *path, struct request_answer *ret);

/* Whether the answer has a Status object, which only the API sends: a proxy's own errors are plain text. */
bool request_is_refused(const struct request_answer *answer, struct json_value *ret_status);

/* Begin a request whose answer has no end. Returns the connection, with the bytes of the body that have come
 * already in `ret_rest`, or a negative code. */
int request_begin(const struct proxy_use *use, const char *path, int *ret_status, struct buf *ret_rest);

/* Write all bytes to a blocking descriptor. 0 or -errno. */
int request_write(int fd, const void *bytes, size_t n);

#endif
