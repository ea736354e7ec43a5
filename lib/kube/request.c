/* SPDX-License-Identifier: MIT */
#include "kube/request.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "websocket/handshake.h"

enum { PIECE = 16 << 10 };

int request_write(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	for (ssize_t done; n; at += done, n -= (size_t)done) {
		done = write(fd, at, n);
		if (done < 0 && errno != EINTR)
			return -errno;
		done = done < 0 ? 0 : done;
	}
	return 0;
}

/* Returns 1, 0 at the end, or a negative code. */
static int read_more(int fd, struct buf *in, int timeout_ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char bytes[PIECE];
	if (poll(&ready, 1, timeout_ms) <= 0)
		return TRM_ETIMEDOUT;
	ssize_t n = read(fd, bytes, sizeof bytes);
	if (n <= 0)
		return n < 0 ? TRM_EIO : 0;
	int r = buf_append(in, bytes, (size_t)n);
	return r < 0 ? r : 1;
}

static int read_head(int fd, struct buf *in, struct http_answer *ret)
{
	int r;
	while ((r = http_answer_read(buf_at(in), in->len, ret)) == 0)
		if ((r = read_more(fd, in, REQUEST_MS)) <= 0)
			return r < 0 ? r : TRM_EIO;
	if (r > 0)
		buf_take(in, ret->n);
	return r < 0 ? r : 0;
}

static int send_request(
		int fd, const char *method, const char *path, const char *form, struct json_value body)
{
	struct buf head;
	char text[240];
	snprintf(text, sizeof text,
			" HTTP/1.0\r\nHost: localhost\r\nAccept: application/json%.80s\r\n"
			"Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
			form, body.n);
	buf_init(&head, 4096);
	int r = buf_append(&head, method, strlen(method));
	r = r == 0 ? buf_append(&head, " ", 1) : r;
	r = r == 0 ? buf_append(&head, path, strlen(path)) : r;
	r = r == 0 ? buf_append(&head, text, strlen(text)) : r;
	if (r == 0
			&& (request_write(fd, buf_at(&head), head.len) < 0
					|| request_write(fd, body.at, body.n) < 0))
		r = TRM_EIO;
	buf_finish(&head);
	return r;
}

static int read_body(int fd, const struct http_answer *head, struct buf *in)
{
	int r = 1;
	while (r > 0 && (head->length < 0 || in->len < (size_t)head->length))
		r = read_more(fd, in, REQUEST_MS);
	return r < 0 ? r : head->length >= 0 && in->len < (size_t)head->length ? TRM_EIO : 0;
}

static int make_request(const struct proxy_use *use, const char *method, const char *path, const char *form,
		struct json_value body, struct request_answer *ret)
{
	struct http_answer head;
	*ret = (struct request_answer){0};
	buf_init(&ret->body, ANSWER_MAX);
	int fd = proxy_connect(use);
	if (fd < 0)
		return TRM_ENOENT;
	int r = send_request(fd, method, path, form, body);
	r = r == 0 ? read_head(fd, &ret->body, &head) : r;
	r = r == 0 ? read_body(fd, &head, &ret->body) : r;
	close(fd);
	ret->status = r == 0 ? head.status : 0;
	return r;
}

int request_make(const struct proxy_use *use, const char *method, const char *path, struct json_value body,
		struct request_answer *ret)
{
	return make_request(use, method, path, "", body, ret);
}

int request_metadata(const struct proxy_use *use, const char *path, struct request_answer *ret)
{
	return make_request(use, "GET", path, ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
			(struct json_value){"", 0}, ret);
}

bool request_is_refused(const struct request_answer *answer, struct json_value *ret_status)
{
	struct json_value kind;
	return answer->status >= 400 && answer->body.len
	       && json_scan(buf_at(&answer->body), answer->body.len, ret_status)
	       && json_member(*ret_status, "kind", &kind) && json_is(kind, "Status");
}

int request_begin(const struct proxy_use *use, const char *path, int *ret_status, struct buf *ret_rest)
{
	struct http_answer head;
	int fd = proxy_connect(use);
	if (fd < 0)
		return TRM_ENOENT;
	int r = send_request(fd, "GET", path, "", (struct json_value){"", 0});
	r = r == 0 ? read_head(fd, ret_rest, &head) : r;
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_status = head.status;
	return fd;
}
