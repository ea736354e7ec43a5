/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_HTTP_H
#define TRM_LOOP_HTTP_H

/* libcurl's multi interface, loaded on first use. */

#include <terrarium/loop.h>

struct http;

int http_create(struct http **ret, struct trm_error *reterr);
void http_destroy(struct http *http); /* takes NULL */
/* The HTTP client of the loop, created at the first call. */
int http_of(struct trm_loop *loop, struct http **ret, struct trm_error *reterr);
/* The CURLM handle; `done` becomes the receiver of finished transfers. */
void *http_multi(struct http *http, trm_http_done_fn *done, void *user);
/* Wait in curl_multi_poll until a transfer or `fd` (readable) is ready, or the time is over. */
void http_wait(struct http *http, int fd, int timeout_ms);
/* Let the transfers go on and report finished ones; returns the number of calls. */
int http_drive(struct http *http);

#endif
