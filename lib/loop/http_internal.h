/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_HTTP_INTERNAL_H
#define TRM_LOOP_HTTP_INTERNAL_H

/* Internals of HTTP, for http.c and request.c. */

#include <stdbool.h>

#include "loop/curl.h"
#include "loop/http.h"

/* clang-format off */
#define CURL_FUNCTIONS(X) \
	X(curl_multi_init) X(curl_multi_cleanup) X(curl_multi_setopt) X(curl_multi_socket_action) X(curl_multi_assign) \
	X(curl_multi_info_read) X(curl_multi_remove_handle) X(curl_multi_add_handle) \
	X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_setopt) X(curl_easy_getinfo) X(curl_easy_pause) \
	X(curl_easy_strerror) X(curl_slist_append) X(curl_slist_free_all)
/* clang-format on */

#define X(name) +1
enum { N_CURL_FUNCTIONS = CURL_FUNCTIONS(X) };
#undef X

struct http_request;

struct http {
	struct trm_loop *loop;
	CURLM *multi;
	struct trm_timer *timer; /* curl wants to be called when it is over */
	trm_http_done_fn *done;  /* for transfers that are not requests of this room */
	void *user;
	struct http_request *requests;
	bool is_delivering; /* requests that end during delivery are freed after it */
	union {
		void *functions[N_CURL_FUNCTIONS];
		struct {
#define X(name) __typeof__(name) *name;
			CURL_FUNCTIONS(X)
#undef X
		};
	};
};

/* If the transfer belongs to a request, record the end of the transfer and return true. */
bool requests_note_end(struct http *http, CURL *easy, CURLcode code);
/* Make the callbacks for everything that has arrived; returns the number of calls. */
int requests_deliver(struct http *http);

#endif
