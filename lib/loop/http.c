/* SPDX-License-Identifier: MIT */
#include "loop/http.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "loop/http_inside.h"
#include "loop/loop.h"

static void *symbol(struct http *h, const char *name, struct trm_error *reterr)
{
	void *at = dlsym(h->library, name);
	if (!at)
		trm_error_set(reterr, TRM_ENOTSUP, "the installed libcurl is too old: it has no %s", name);
	return at;
}

int http_create(struct http **ret, struct trm_error *reterr)
{
	struct http *h = calloc(1, sizeof *h);
	int r = 0;
	if (!h)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	/* It stays: a thread of its own may still be resolving a name when we have lost interest. */
	h->library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!h->library)
		r = trm_error_set(reterr, TRM_ENOTSUP,
				"HTTP needs libcurl, which is not installed (apt install libcurl4)");
#define X(function) \
	if (r == 0 && !(h->function = (__typeof__(h->function))symbol(h, #function, reterr))) \
		r = TRM_ENOTSUP;
	CURL_FUNCTIONS(X)
#undef X
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
	if (http->library)
		dlclose(http->library);
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
	/* curl knows no "for ever"; it shortens the wait by itself when a transfer needs it. */
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
