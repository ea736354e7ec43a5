/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_WATCH_H
#define TRM_KUBE_WATCH_H

/* A watch of the API: a request whose answer is a line of JSON for each event. */

#include <stdbool.h>

#include "base/buf.h"
#include "base/json_scan.h"
#include "kube/proxy.h"

struct watch {
	int fd; /* readable when more has come; -1: it has not begun, or has ended */
	struct buf in;
	size_t n_taken; /* bytes of the event that was returned last */
};

/* Begin to watch. `path` has the whole query. Returns false if the API refuses; end it in both cases. */
bool watch_begin(struct watch *w, const struct proxy_use *use, const char *path);
/* The next event that has come as a whole; its values are valid until the next call. Returns false if there
 * is none yet. */
bool watch_next(struct watch *w, struct json_value *ret_type, struct json_value *ret_object);
/* Wait for more bytes. Returns false when the API has ended the watch. */
bool watch_read(struct watch *w);
void watch_end(struct watch *w);

#endif
