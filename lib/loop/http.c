/* SPDX-License-Identifier: MIT */
#include "loop/http.h"

#include <limits.h>
#include <stdlib.h>

#include <terrarium/dynlib.h>

#include "base/err.h"
#include "loop/http_internal.h"
#include "loop/loop.h"

static int load(struct http *h, struct trm_error *reterr)
{
#define X(function) #function,
	static const char *const SYMBOLS[] = {CURL_FUNCTIONS(X)};
#undef X
	static const struct trm_dynlib LIBRARY = {
			"libcurl.so.4", "libcurl4", "HTTP needs", SYMBOLS, N_CURL_FUNCTIONS};
	return trm_dynlib_load(&LIBRARY, h->functions, reterr);
}

int http_create(struct http **ret, struct trm_error *reterr)
{
	struct http *h = calloc(1, sizeof *h);
	if (!h)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	int r = load(h, reterr);
	if (r == 0 && !(h->multi = h->curl_multi_init()))
		r = trm_error_set(reterr, TRM_ENOMEM, "libcurl cannot start");
	if (r < 0) {
		http_destroy(h);
		return r;
	}
	*ret = h;
	return 0;
}

void http_destroy(struct http *http)
{
	if (!http)
		return;
	if (http->multi)
		http->curl_multi_cleanup(http->multi);
	free(http);
}

void *http_multi(struct http *http, trm_http_done_fn *done, void *user)
{
	http->done = done;
	http->user = user;
	return http->multi;
}

int http_of(struct trm_loop *loop, struct http **ret, struct trm_error *reterr)
{
	int r = loop->http ? 0 : http_create(&loop->http, reterr);
	*ret = loop->http;
	return r;
}

void http_wait(struct http *http, int fd, int timeout_ms)
{
	struct curl_waitfd extra = {.fd = fd, .events = CURL_WAIT_POLLIN};
	/* curl cannot wait without a limit. It shortens the wait when a transfer needs that. */
	http->curl_multi_poll(http->multi, &extra, 1, timeout_ms < 0 ? INT_MAX : timeout_ms, NULL);
}

int http_drive(struct http *http)
{
	int running, left, calls = 0;
	CURLMsg *msg;
	http->curl_multi_perform(http->multi, &running);
	while ((msg = http->curl_multi_info_read(http->multi, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		CURL *easy = msg->easy_handle;
		CURLcode code = msg->data.result;
		http->curl_multi_remove_handle(http->multi, easy);
		if (requests_note_end(http, easy, code))
			continue;
		if (http->done)
			http->done(http->user, easy, (int)code);
		calls++;
	}
	return calls + requests_deliver(http);
}
