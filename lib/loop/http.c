/* SPDX-License-Identifier: MIT */
#include "loop/http.h"

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

/* ---- what curl waits for -------------------------------------------------------------- */

static void on_curl_socket(void *user, int fd, uint32_t events)
{
	struct http *h = user;
	int running, mask = (events & TRM_READ ? CURL_CSELECT_IN : 0)
			    | (events & TRM_WRITE ? CURL_CSELECT_OUT : 0)
			    | (events & TRM_HANGUP ? CURL_CSELECT_ERR : 0);
	h->curl_multi_socket_action(h->multi, fd, mask, &running);
}

static void on_curl_timer(void *user)
{
	struct http *h = user;
	int running;
	h->curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

/* Curl wants to know when `fd` is ready for `what`. If it is for nothing, as for a paused transfer, the watch
 * goes: the loop would report a hangup again and again. */
static int watch_curl_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *known)
{
	struct http *h = user;
	struct trm_watch *watch = known;
	uint32_t events = (what & CURL_POLL_IN ? TRM_READ : 0u) | (what & CURL_POLL_OUT ? TRM_WRITE : 0u);
	(void)easy;
	if (what == CURL_POLL_REMOVE || !events) {
		trm_watch_remove(watch);
		watch = NULL;
	} else if (watch) {
		trm_watch_set_events(watch, events);
	} else if (trm_loop_add_fd(h->loop, fd, events, on_curl_socket, h, &watch, NULL) < 0) {
		return -1;
	}
	h->curl_multi_assign(h->multi, fd, watch);
	return 0;
}

static int set_curl_timer(CURLM *multi, long timeout_ms, void *user)
{
	struct http *h = user;
	(void)multi;
	if (timeout_ms < 0)
		trm_timer_stop(h->timer);
	else
		trm_timer_start(h->timer, (uint64_t)timeout_ms, 0);
	return 0;
}

/* ---- life ------------------------------------------------------------------------------- */

static int open_multi(struct http *h, struct trm_error *reterr)
{
	int r = trm_loop_add_timer(h->loop, on_curl_timer, h, &h->timer, reterr);
	if (r < 0)
		return r;
	if (!(h->multi = h->curl_multi_init()))
		return trm_error_set(reterr, TRM_ENOMEM, "libcurl cannot start");
	h->curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, watch_curl_socket);
	h->curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	h->curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
	h->curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return 0;
}

void http_destroy(struct http *http)
{
	if (!http)
		return;
	if (http->multi)
		http->curl_multi_cleanup(http->multi);
	trm_timer_remove(http->timer);
	free(http);
}

static int http_create(struct trm_loop *loop, struct http **ret, struct trm_error *reterr)
{
	struct http *h = calloc(1, sizeof *h);
	if (!h)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	h->loop = loop;
	int r = load(h, reterr);
	if (r == 0)
		r = open_multi(h, reterr);
	if (r < 0) {
		http_destroy(h);
		return r;
	}
	*ret = h;
	return 0;
}

void *http_multi(struct http *http, trm_http_done_fn *done, void *user)
{
	http->done = done;
	http->user = user;
	return http->multi;
}

int http_of(struct trm_loop *loop, struct http **ret, struct trm_error *reterr)
{
	int r = loop->http ? 0 : http_create(loop, &loop->http, reterr);
	*ret = loop->http;
	return r;
}

int http_drive(struct http *http)
{
	int left, calls = 0;
	CURLMsg *msg;
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
