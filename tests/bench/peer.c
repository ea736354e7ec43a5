/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/served.h"

enum { HEAD_MAX = 256, REQUEST_MAX = 16384, ANSWER_MS = 300000 };

bool peer_open(struct peer *c, uint16_t port)
{
	struct sockaddr_in to = {
			.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int one = 1;
	c->len = 0;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd >= 0 && connect(c->fd, (struct sockaddr *)&to, sizeof to) == 0)
		return setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0;
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	return false;
}

void peer_close(struct peer *c)
{
	if (c->fd > 0)
		close(c->fd);
	free(c->in);
	*c = (struct peer){.fd = -1};
}

bool peer_send(struct peer *c, const char *body, size_t n)
{
	char text[REQUEST_MAX];
	int head = snprintf(text, HEAD_MAX,
			"POST /api/v1/rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
			"Content-Length: %zu\r\n\r\n",
			n);
	if ((size_t)head + n > sizeof text)
		return false;
	memcpy(text + head, body, n);
	n += (size_t)head;
	return send(c->fd, text, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static const char *header(const char *head, const char *name)
{
	size_t n = strlen(name);
	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
		line += 2;
		if (strncasecmp(line, name, n) == 0)
			return line + n;
	}
	return NULL;
}

/* Whether a whole reply lies in the buffer. */
static bool is_whole(struct peer *c, int *ret_status, const char **ret_body)
{
	char *end = c->len ? strstr(c->in, "\r\n\r\n") : NULL;
	if (!end)
		return false;
	*end = '\0';
	const char *length = header(c->in, "Content-Length:");
	size_t n = length ? strtoul(length, NULL, 10) : 0, head = (size_t)(end - c->in) + 4;
	*ret_status = c->len > 12 ? atoi(c->in + 9) : 0;
	*end = '\r';
	*ret_body = c->in + head;
	return c->len >= head + n;
}

static bool has_room(struct peer *c)
{
	if (c->cap - c->len > 4096)
		return true;
	size_t cap = c->cap ? c->cap * 2 : 16384;
	char *in = realloc(c->in, cap);
	if (!in)
		return false;
	c->in = in;
	c->cap = cap;
	return true;
}

int peer_receive(struct peer *c, int *ret_status, const char **ret_body)
{
	for (;;) {
		if (!has_room(c))
			return -1;
		ssize_t n = recv(c->fd, c->in + c->len, c->cap - c->len - 1, MSG_DONTWAIT);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -1;
		c->len += (size_t)n;
		c->in[c->len] = '\0';
		if (is_whole(c, ret_status, ret_body)) {
			c->len = 0; /* nothing comes unasked */
			return 1;
		}
		if (n == 0)
			return -1;
	}
}

static int await_reply(struct peer *c, bool is_sent, const char **ret_body)
{
	int status = 0, got = is_sent ? 0 : -1;
	struct pollfd wait = {.fd = c->fd, .events = POLLIN};
	while (got == 0 && poll(&wait, 1, ANSWER_MS) > 0)
		got = peer_receive(c, &status, ret_body);
	return got == 1 ? status : 0;
}

int peer_call(struct peer *c, const char *body, size_t n, const char **ret_body)
{
	return await_reply(c, peer_send(c, body, n), ret_body);
}

int peer_get(struct peer *c, const char *path, const char **ret_body)
{
	char text[HEAD_MAX];
	int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	return await_reply(c, send(c->fd, text, (size_t)n, MSG_NOSIGNAL) == n, ret_body);
}

const char *call_text(const char *method, const char *name_space, const char *sandbox, const char *more)
{
	static char text[REQUEST_MAX - HEAD_MAX];
	char who[128] = "";
	if (sandbox)
		snprintf(who, sizeof who, ",\"sandbox\":\"%s\"", sandbox);
	snprintf(text, sizeof text,
			"{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"namespace\":\"%s\"%s%s},\"id\":1}",
			method, name_space, who, more);
	return text;
}
