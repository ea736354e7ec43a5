/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "base/clock.h"
#include "server/http/listener.h"

/* ---- beginning and end ---- */

/* Copy as much as fits into a zeroed buffer. */
static void copy(char *out, size_t cap, const char *text)
{
	memcpy(out, text, strnlen(text, cap - 1));
}

static struct request *request_create(struct listener *listener, struct MHD_Connection *connection,
		const char *path, const char *method)
{
	struct request *r = malloc(sizeof *r);
	if (!r)
		return NULL;
	*r = (struct request){.base.body = "",
			.listener = listener,
			.connection = connection,
			.since_ns = clock_ns(),
			.link = {listener->requests.previous, &listener->requests}};
	copy(r->base.method, sizeof r->base.method, method);
	copy(r->base.path, sizeof r->base.path, path);
	buf_init(&r->body, HTTP_BODY_MAX + 1);
	buf_init(&r->queue, HTTP_QUEUE_MAX);
	listener->requests.previous->next = &r->link;
	listener->requests.previous = &r->link;
	listener->n_requests++;
	return r;
}

static void request_destroy(struct request *r)
{
	r->peer->request = NULL;
	if (r->response)
		r->listener->mhd.destroy_response(r->response);
	r->listener->body_bytes -= r->body.cap;
	r->listener->reply_bytes -= r->reply_len;
	buf_finish(&r->body);
	buf_finish(&r->queue);
	r->link.previous->next = r->link.next;
	r->link.next->previous = r->link.previous;
	r->listener->n_requests--;
	free(r);
}

static struct request *request_at(struct link *link)
{
	return (struct request *)(void *)((char *)link - offsetof(struct request, link));
}

static bool is_answered(const struct request *r)
{
	return r->is_streaming ? r->is_ended : r->status != 0;
}

void request_completed(void *user, struct MHD_Connection *connection, void **request, int how)
{
	struct listener *listener = user;
	struct request *r = *request;
	(void)connection;
	if (!r)
		return;
	*request = NULL;
	r->is_aborted = true;
	bool is_served = is_answered(r) && how == MHD_REQUEST_TERMINATED_COMPLETED_OK;
	if (!is_answered(r) && r->base.on_gone)
		r->base.on_gone(&r->base, r->base.user);
	if (listener->opts.over)
		listener->opts.over(listener->opts.user, &r->base, is_served ? r->status : 0,
				clock_ns() - r->since_ns);
	if (!r->peer->is_shut)
		peer_enter(r->peer, &listener->waiting);
	listener->has_returned |= r->was_suspended;
	request_destroy(r);
}

/* ---- waiting for the answer ---- */

void request_abort(struct request *r)
{
	r->is_aborted = true;
	request_resume(r);
}

/* If the client is gone completely, it answers the interim reply with a reset. If it has only closed its
 * sending side, it ignores the reply. */
void request_left(struct request *r, bool is_gone)
{
	static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
	if (!r->is_suspended)
		return; /* the library notices it, or we do at the next suspension */
	if (is_gone || r->is_streaming || r->is_old
			|| send(r->peer->fd, interim, sizeof interim - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		request_abort(r);
}

void request_suspend(struct request *r)
{
	r->is_suspended = r->was_suspended = true;
	r->listener->mhd.suspend(r->connection);
	/* From now on the library does not watch the connection. */
	if (r->peer->has_left)
		request_left(r, !r->peer->watch);
}

void request_resume(struct request *r)
{
	if (!r->is_suspended)
		return;
	r->is_suspended = false;
	r->listener->mhd.resume(r->connection);
	listener_wake(r->listener);
}

void requests_abort(struct listener *listener)
{
	for (struct link *at = listener->requests.next; at && at != &listener->requests; at = at->next) {
		request_abort(request_at(at));
	}
}

/* ---- replies ---- */

static bool add_headers(const struct request *r, struct MHD_Response *response, const char *content_type,
		const char *const *headers)
{
	const char *const close[] = {"Connection", "close", NULL}, *const type[] = {"Content-Type",
										   content_type, NULL};
	const char *const *lists[] = {content_type ? type : NULL, r->listener->opts.headers, headers,
			r->listener->is_closing || r->is_last ? close : NULL};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (const char *const *at = lists[i]; at && at[0]; at += 2)
			if (r->listener->mhd.add_header(response, at[0], at[1]) != MHD_YES)
				return false;
	return true;
}

void request_take_response(struct request *r, struct MHD_Response *response, const char *content_type,
		const char *const *headers)
{
	if (response && add_headers(r, response, content_type, headers)) {
		r->response = response;
		return;
	}
	if (response)
		r->listener->mhd.destroy_response(response);
	r->is_aborted = true;
}

/* If replies take too much memory, close the request that got its reply first and has not read it. */
static void limit_replies(struct listener *listener)
{
	uint64_t held = listener->reply_bytes;
	for (struct link *at = listener->requests.next;
			at != &listener->requests && held > LISTENER_REPLIES_MAX; at = at->next) {
		struct request *r = request_at(at);
		if (!r->reply_len || r->response)
			continue;
		held -= r->reply_len;
		if (!r->peer->is_shut)
			peer_shut(r->peer);
	}
}

void http_reply(struct http_request *base, int status, const char *content_type, const char *const *headers,
		char *body, size_t n)
{
	if (base->answer) {
		base->answer(base, status, body, n);
		return;
	}
	struct request *r = request_of(base);
	r->status = status;
	r->reply_len = n;
	r->listener->reply_bytes += n;
	struct MHD_Response *response = r->listener->mhd.response_from_buffer(
			n, body, body ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	if (!response)
		free(body);
	request_take_response(r, response, content_type, headers);
	limit_replies(r->listener);
	request_resume(r);
}

const char *http_header(const struct http_request *base, const char *name)
{
	const struct request *r = (const struct request *)(const void *)base;
	if (base->answer)
		return NULL;
	return r->listener->mhd.lookup(r->connection, MHD_HEADER_KIND, name);
}

static int send_reply(struct request *r)
{
	if (r->is_aborted)
		return MHD_NO;
	int is_queued = r->listener->mhd.queue_response(r->connection, (unsigned)r->status, r->response);
	r->listener->mhd.destroy_response(r->response); /* the library has its own reference */
	r->response = NULL;
	return is_queued;
}

/* ---- what the library tells ---- */

static uint64_t announced_length(const struct request *r)
{
	const char *length = http_header(&r->base, "Content-Length");
	return length ? strtoull(length, NULL, 10) : 0;
}

/* Read a refused body so that the client gets to read the reply, but not if it is very long or the client
 * asks first. */
static bool is_worth_reading(const struct request *r)
{
	return announced_length(r) <= LISTENER_PAST_MAX && !http_header(&r->base, "Expect");
}

static int refuse_framing(struct request *r, const char *fault)
{
	r->is_last = true;
	http_reply(&r->base, 400, "text/plain; charset=utf-8", NULL, strdup(fault), strlen(fault));
	return send_reply(r);
}

/* A client that takes us for a proxy, or a proxy that forwards unchanged, sends an absolute URL. */
static const char *path_of(const char *url)
{
	size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
			: strncasecmp(url, "https://", 8) == 0 ? 8
							       : 0;
	const char *path = scheme ? strchr(url + scheme, '/') : url;
	return path ? path : "/";
}

static int begin(struct listener *listener, struct MHD_Connection *connection, const char *url,
		const char *method, const char *version, void **request)
{
	const union mhd_info *info =
			listener->mhd.connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct peer *peer = info->socket_context;
	struct request *r = peer ? request_create(listener, connection, path_of(url), method) : NULL;
	if (!r)
		return MHD_NO;
	*request = r;
	r->peer = peer;
	peer->request = r;
	r->is_old = !strcmp(version, "HTTP/1.0");
	r->base.is_too_big = announced_length(r) > HTTP_BODY_MAX;
	peer_enter(r->peer, &listener->reading);
	listener->has_returned = false;
	const char *fault = request_framing_fault(r);
	if (fault)
		return refuse_framing(r, fault);
	listener->opts.look(listener->opts.user, &r->base);
	return r->response && !is_worth_reading(r) ? send_reply(r) : MHD_YES;
}

static int snapshot_body(struct request *r, const char *bytes, size_t n)
{
	size_t cap = r->body.cap;
	int e = buf_append(&r->body, bytes, n);
	r->listener->body_bytes += r->body.cap - cap;
	return e;
}

static int take_body(struct request *r, const char *bytes, size_t n)
{
	r->seen_bytes += n;
	if (r->seen_bytes > LISTENER_PAST_MAX)
		return MHD_NO;
	r->base.is_too_big |= r->seen_bytes > HTTP_BODY_MAX;
	if (r->base.is_too_big || r->base.is_refused || r->response)
		return MHD_YES;
	r->base.is_refused =
			r->listener->body_bytes + n > LISTENER_BODIES_MAX || snapshot_body(r, bytes, n) < 0;
	return MHD_YES;
}

static int handle(struct request *r)
{
	r->is_handled = true;
	peer_enter(r->peer, NULL);
	r->base.body_len = r->body.len;
	if (r->body.len && snapshot_body(r, "", 1) == 0)
		r->base.body = buf_at(&r->body);
	else if (r->body.len)
		r->base.is_refused = true;
	r->listener->opts.handle(r->listener->opts.user, &r->base);
	if (r->response || r->is_aborted)
		return send_reply(r);
	request_suspend(r);
	return MHD_YES;
}

int request_access(void *user, struct MHD_Connection *connection, const char *url, const char *method,
		const char *version, const char *upload, size_t *upload_len, void **request)
{
	struct request *r = *request;
	if (!r)
		return begin(user, connection, url, method, version, request);
	if (*upload_len) {
		int go_on = take_body(r, upload, *upload_len);
		*upload_len = 0;
		return go_on;
	}
	if (r->is_aborted)
		return MHD_NO;
	if (r->response)
		return send_reply(r);
	return r->is_handled ? MHD_YES : handle(r);
}
