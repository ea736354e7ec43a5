/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_HTTP_H
#define TRM_LOOP_HTTP_H

/* libcurl's multi interface, loaded on first use. Its descriptors and its timer are the loop's. */

#include <terrarium/loop.h>

struct http;

void http_destroy(struct http *http); /* takes NULL */
/* The HTTP client of the loop, created at the first call. */
int http_of(struct trm_loop *loop, struct http **ret, struct trm_error *reterr);
/* The CURLM handle; `done` becomes the receiver of finished transfers. */
void *http_multi(struct http *http, trm_http_done_fn *done, void *user);
/* Report what the transfers have brought, and finished ones; returns the number of calls. */
int http_drive(struct http *http);

#endif
