/* SPDX-License-Identifier: MIT */
#include "supervisor/net/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_BATCH = 256 * 1024, MSG_ERROR = 2, NESTED = 0x8000, TIMEOUT_S = 5 };

struct header {
	uint32_t len;
	uint16_t type, flags;
	uint32_t seq, port;
};

void netlink_begin(struct netlink *n)
{
	*n = (struct netlink){0};
	buf_init(&n->batch, MAX_BATCH);
}

void netlink_put(struct netlink *n, const void *bytes, size_t len)
{
	static const char zeros[4];
	if (!n->error
			&& (buf_append(&n->batch, bytes, len) < 0
					|| buf_append(&n->batch, zeros, -len & 3) < 0))
		n->error = ENOBUFS;
}

void netlink_put_attr(struct netlink *n, uint16_t type, const void *bytes, size_t len)
{
	const uint16_t head[2] = {(uint16_t)(4 + len), type};
	netlink_put(n, head, sizeof head);
	netlink_put(n, bytes, len);
}

void netlink_put_text(struct netlink *n, uint16_t type, const char *text)
{
	netlink_put_attr(n, type, text, strlen(text) + 1);
}

void netlink_put_u32(struct netlink *n, uint16_t type, uint32_t v)
{
	v = htonl(v);
	netlink_put_attr(n, type, &v, sizeof v);
}

size_t netlink_open(struct netlink *n, uint16_t type)
{
	netlink_put_attr(n, type | NESTED, "", 0);
	return n->batch.len - 4;
}

void netlink_close(struct netlink *n, size_t at)
{
	uint16_t len = (uint16_t)(n->batch.len - at);
	if (!n->error)
		memcpy(buf_at(&n->batch) + at, &len, sizeof len);
}

size_t netlink_open_msg(struct netlink *n, uint16_t type, uint16_t flags, const void *head, size_t head_len)
{
	const struct header h = {.type = type, .flags = NETLINK_REQUEST | flags, .seq = ++n->seq};
	const size_t at = n->batch.len;
	netlink_put(n, &h, sizeof h);
	netlink_put(n, head, head_len);
	return at;
}

void netlink_close_msg(struct netlink *n, size_t at)
{
	uint32_t len = (uint32_t)(n->batch.len - at);
	if (!n->error)
		memcpy(buf_at(&n->batch) + at, &len, sizeof len);
}

void netlink_ask(struct netlink *n, size_t at)
{
	struct header h;
	if (n->error)
		return;
	memcpy(&h, buf_at(&n->batch) + at, sizeof h);
	h.flags |= NETLINK_ACK;
	n->answered = h.seq;
	memcpy(buf_at(&n->batch) + at, &h, sizeof h);
}

/* ---- the kernel ------------------------------------------------------------------------ */

/* Parse one datagram. Returns true, and *ret_error, if it holds the acknowledgement or an error. */
static bool decide(const char *bytes, size_t n, uint32_t answered, int *ret_error)
{
	struct header h;
	int32_t error;
	for (size_t at = 0; at + sizeof h + sizeof error <= n; at += (h.len + 3) & ~3u) {
		memcpy(&h, bytes + at, sizeof h);
		memcpy(&error, bytes + at + sizeof h, sizeof error);
		*ret_error = h.len < sizeof h ? EPROTO : -error;
		if (h.len < sizeof h || (h.type == MSG_ERROR && (error || h.seq == answered)))
			return true;
	}
	return false;
}

static int await_ack(int fd, uint32_t answered)
{
	char bytes[8192];
	int error = 0;
	for (;;) {
		ssize_t n = recv(fd, bytes, sizeof bytes, 0);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0 && decide(bytes, (size_t)n, answered, &error))
			return error;
	}
}

int netlink_commit(struct netlink *n, int protocol)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	const struct {
		uint16_t family, pad;
		uint32_t pid, groups;
	} kernel = {.family = AF_NETLINK};
	int error = n->error;
	int fd = error ? -1 : socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0 && !error)
		error = errno;
	if (!error)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
	if (!error
			&& sendto(fd, buf_at(&n->batch), n->batch.len, 0, (const struct sockaddr *)&kernel,
					   sizeof kernel)
					   < 0)
		error = errno;
	if (!error)
		error = await_ack(fd, n->answered);
	if (fd >= 0)
		close(fd);
	buf_finish(&n->batch);
	return error;
}
