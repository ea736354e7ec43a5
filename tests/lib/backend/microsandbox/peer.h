/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MICROSANDBOX_PEER_H
#define TESTS_MICROSANDBOX_PEER_H

/* A tiny HTTP peer on the loopback address, in a thread: it knows nothing, and answers what the case says. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEER_CONNECTIONS = 16, PEER_REQUEST_MAX = 65536, PEER_LOG_MAX = 262144, PEER_ANSWERS = 12 };

#define PEER_SILENT ((const char *)1) /* never answers */
#define PEER_CLOSE ((const char *)2)  /* closes the connection */

/* What is answered when the request holds `word`: a whole HTTP answer. With `uses` > 0 only so often. */
struct peer_answer {
	const char *word;
	const char *answer;
	int uses;
};

struct peer {
	pthread_t thread;
	pthread_mutex_t lock;
	int listener, stop_pipe[2];
	char url[64];
	struct peer_answer answers[PEER_ANSWERS]; /* the first that fits */
	char log[PEER_LOG_MAX];                   /* all requests, whole */
	size_t n_log;
	int silent; /* the connection that was not answered; see peer_late() */
	struct {
		int fd;
		char *in;
		size_t n;
	} connections[PEER_CONNECTIONS];
};

static inline void peer_answers(struct peer *p, const char *word, const char *answer, int uses)
{
	pthread_mutex_lock(&p->lock);
	for (size_t i = PEER_ANSWERS - 1; i > 0; i--)
		p->answers[i] = p->answers[i - 1];
	p->answers[0] = (struct peer_answer){word, answer, uses};
	pthread_mutex_unlock(&p->lock);
}

/* Answer what has not been answered, after all. */
static inline void peer_late(struct peer *p, const char *answer)
{
	pthread_mutex_lock(&p->lock);
	int fd = p->silent;
	pthread_mutex_unlock(&p->lock);
	if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
		abort();
	shutdown(fd, SHUT_WR);
}

/* How often the requests so far hold this. */
static inline int peer_count(struct peer *p, const char *word)
{
	int n = 0;
	pthread_mutex_lock(&p->lock);
	for (const char *at = p->log; (at = strstr(at, word)); at++)
		n++;
	pthread_mutex_unlock(&p->lock);
	return n;
}

static inline void peer_drop(struct peer *p, int i)
{
	close(p->connections[i].fd);
	free(p->connections[i].in);
	p->connections[i].fd = -1;
	p->connections[i].in = NULL;
	p->connections[i].n = 0;
}

/* Bytes of the whole request at the front, or 0. */
static inline size_t peer_request_len(const char *in, size_t n)
{
	const char *end = strstr(in, "\r\n\r\n"), *length = strcasestr(in, "content-length:");
	size_t head = end ? (size_t)(end + 4 - in) : 0;
	size_t body = end && length && length < end ? strtoul(length + 15, NULL, 10) : 0;
	return end && n >= head + body ? head + body : 0;
}

static inline const char *peer_choose(struct peer *p, const char *request)
{
	for (size_t i = 0; i < PEER_ANSWERS; i++) {
		struct peer_answer *a = &p->answers[i];
		if (!a->word || a->uses < 0 || !strstr(request, a->word))
			continue;
		if (a->uses && --a->uses == 0)
			a->uses = -1;
		return a->answer;
	}
	return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
}

static inline void peer_serve(struct peer *p, int i)
{
	char *in = p->connections[i].in;
	ssize_t got = read(p->connections[i].fd, in + p->connections[i].n,
			PEER_REQUEST_MAX - 1 - p->connections[i].n);
	if (got <= 0) {
		peer_drop(p, i);
		return;
	}
	p->connections[i].n += (size_t)got;
	in[p->connections[i].n] = '\0';
	if (in[0] == 0x16) { /* TLS */
		peer_drop(p, i);
		return;
	}
	size_t n = peer_request_len(in, p->connections[i].n);
	if (!n)
		return;
	pthread_mutex_lock(&p->lock);
	if (p->n_log + n + 1 < sizeof p->log) {
		memcpy(p->log + p->n_log, in, n);
		p->n_log += n;
		p->log[p->n_log] = '\0';
	}
	const char *answer = peer_choose(p, in);
	if (answer == PEER_SILENT)
		p->silent = p->connections[i].fd;
	pthread_mutex_unlock(&p->lock);
	p->connections[i].n = 0;
	if (answer == PEER_CLOSE)
		peer_drop(p, i);
	else if (answer != PEER_SILENT && send(p->connections[i].fd, answer, strlen(answer), MSG_NOSIGNAL) > 0
			&& strstr(answer, "Connection: close"))
		peer_drop(p, i);
}

static inline void peer_accept(struct peer *p)
{
	int fd = accept(p->listener, NULL, NULL);
	for (int i = 0; fd >= 0 && i < PEER_CONNECTIONS; i++)
		if (p->connections[i].fd < 0) {
			p->connections[i].fd = fd;
			p->connections[i].in = calloc(1, PEER_REQUEST_MAX);
			return;
		}
	if (fd >= 0)
		close(fd);
}

static inline void *peer_main(void *arg)
{
	struct peer *p = arg;
	for (;;) {
		struct pollfd fds[PEER_CONNECTIONS + 2] = {
				{p->listener, POLLIN, 0}, {p->stop_pipe[0], POLLIN, 0}};
		for (int i = 0; i < PEER_CONNECTIONS; i++)
			fds[i + 2] = (struct pollfd){p->connections[i].fd, POLLIN, 0};
		poll(fds, PEER_CONNECTIONS + 2, -1);
		if (fds[1].revents)
			return NULL;
		for (int i = 0; i < PEER_CONNECTIONS; i++)
			if (fds[i + 2].revents && p->connections[i].fd >= 0)
				peer_serve(p, i);
		if (fds[0].revents)
			peer_accept(p);
	}
}

#define PEER_JSON(body) \
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"jsonrpc\":\"2.0\"," body \
	"}"

static inline void peer_start(struct peer *p)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	memset(p, 0, sizeof *p);
	pthread_mutex_init(&p->lock, NULL);
	for (int i = 0; i < PEER_CONNECTIONS; i++)
		p->connections[i].fd = -1;
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(p->listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(p->listener, 16) < 0
			|| getsockname(p->listener, (struct sockaddr *)&at, &len) < 0
			|| pipe(p->stop_pipe) < 0)
		abort();
	snprintf(p->url, sizeof p->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
	peer_answers(p, "GET ",
			"HTTP/1.1 200 OK\r\nContent-Length: 32\r\n\r\n{\"message\":\"Service is healthy\"}",
			0);
	peer_answers(p, "sandbox.start", PEER_JSON("\"result\":\"Sandbox x started successfully\""), 0);
	peer_answers(p, "sandbox.stop", PEER_JSON("\"result\":\"Sandbox x stopped successfully\""), 0);
	pthread_create(&p->thread, NULL, peer_main, p);
}

static inline void peer_stop(struct peer *p)
{
	if (write(p->stop_pipe[1], "x", 1) != 1)
		abort();
	pthread_join(p->thread, NULL);
	for (int i = 0; i < PEER_CONNECTIONS; i++)
		if (p->connections[i].fd >= 0)
			peer_drop(p, i);
	close(p->listener);
	close(p->stop_pipe[0]);
	close(p->stop_pipe[1]);
	pthread_mutex_destroy(&p->lock);
}

#endif
