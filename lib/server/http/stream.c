/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>

#include "server/http/listener.h"

enum { BLOCK = 16 << 10 };

static ssize_t read_queue(void *user, uint64_t at, char *out, size_t max)
{
	struct request *r = user;
	size_t n = r->queue.len < max ? r->queue.len : max;
	(void)at;
	if (r->is_aborted)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (!n) {
		if (r->is_ended)
			return MHD_CONTENT_READER_END_OF_STREAM;
		request_suspend(r);
		return 0;
	}
	memcpy(out, buf_at(&r->queue), n);
	buf_take(&r->queue, n);
	if (r->wants_room && r->queue.len <= HTTP_QUEUE_MAX / 2) {
		r->wants_room = false;
		if (r->base.on_room && !r->is_ended)
			r->base.on_room(&r->base, r->base.user);
	}
	return (ssize_t)n;
}

void http_stream_begin(
		struct http_request *base, int status, const char *content_type, const char *const *headers)
{
	struct request *r = request_of(base);
	r->status = status;
	r->is_streaming = true;
	request_take_response(r,
			r->listener->mhd.response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_queue, r, NULL),
			content_type, headers);
	request_resume(r);
}

int http_stream_write(struct http_request *base, const void *bytes, size_t n)
{
	struct request *r = request_of(base);
	if (n > HTTP_QUEUE_MAX - r->queue.len) {
		r->wants_room = true;
		return TRM_ETOOBIG;
	}
	int e = buf_append(&r->queue, bytes, n);
	if (e == 0)
		request_resume(r);
	else
		request_abort(r);
	return e;
}

size_t http_stream_room(const struct http_request *base)
{
	return HTTP_QUEUE_MAX - ((const struct request *)(const void *)base)->queue.len;
}

void http_stream_end(struct http_request *base)
{
	struct request *r = request_of(base);
	r->is_ended = true;
	request_resume(r);
}
