/* SPDX-License-Identifier: MIT */
/* Refused allocations in the server's listening side: real connections over loopback, from the accept to the
 * last byte, with libmicrohttpd between. Its functions that may fail for want of memory are refused it as
 * well, and it gets copies of what it would free. A client gets its reply whole, one that says that the
 * server failed, or none at all; and the next one is served. (walk.h says how.) */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "fault/walk.h"
#include "server/http/listener.h"

enum { REPLY_MAX = 8192, DEADLINE_S = 30, RESPMEM_MUST_COPY = 2, PIECES = 3 };

/* ---- the library's part (the linker leads mhd_load() here) ------------------------------------------- */

static struct mhd real;

static bool has_memory(void)
{
	void *piece = malloc(1);
	free(piece);
	return piece;
}

static int add_connection(struct MHD_Daemon *daemon, int fd, const struct sockaddr *address, socklen_t n)
{
	if (has_memory())
		return real.add_connection(daemon, fd, address, n);
	close(fd);
	return MHD_NO;
}

static struct MHD_Response *response_from_buffer(size_t n, void *buffer, int memory_mode)
{
	struct MHD_Response *response =
			has_memory() ? real.response_from_buffer(n, buffer, RESPMEM_MUST_COPY) : NULL;
	if (response && memory_mode == MHD_RESPMEM_MUST_FREE)
		free(buffer);
	return response;
}

static struct MHD_Response *response_from_callback(
		uint64_t size, size_t block, mhd_reader *reader, void *user, mhd_reader_free *free_user)
{
	return has_memory() ? real.response_from_callback(size, block, reader, user, free_user) : NULL;
}

static int add_header(struct MHD_Response *response, const char *name, const char *value)
{
	return has_memory() ? real.add_header(response, name, value) : MHD_NO;
}

static int queue_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
	return has_memory() ? real.queue_response(connection, status, response) : MHD_NO;
}

int __real_mhd_load(struct mhd *ret, struct trm_error *reterr);
int __wrap_mhd_load(struct mhd *ret, struct trm_error *reterr);
int __wrap_mhd_load(struct mhd *ret, struct trm_error *reterr)
{
	int r = __real_mhd_load(ret, reterr);
	if (r < 0)
		return r;
	real = *ret;
	ret->add_connection = add_connection;
	ret->response_from_buffer = response_from_buffer;
	ret->response_from_callback = response_from_callback;
	ret->add_header = add_header;
	ret->queue_response = queue_response;
	return 0;
}

/* ---- who answers ------------------------------------------------------------------------------------ */

static const char *const own_headers[] = {"Own", "o", NULL}, *const common_headers[] = {"Common", "c", NULL};

struct hall {
	struct trm_loop *loop;
	struct listener *listener;
	struct trm_timer *later;
	struct http_request *pending; /* to be answered by that timer */
	unsigned n_pieces;            /* of its stream that are written */
	unsigned n_gone, n_over;
};

static void say(struct http_request *request, const char *text, size_t n)
{
	char *body = malloc(n + 1);
	if (body)
		memcpy(body, text, n);
	http_reply(request, body ? 200 : 500, "text/plain", own_headers, body, body ? n : 0);
}

static void on_gone(struct http_request *request, void *user)
{
	struct hall *h = user;
	(void)request;
	trm_timer_stop(h->later);
	h->pending = NULL;
	h->n_gone++;
}

static void look(void *user, struct http_request *request)
{
	(void)user;
	if (strcmp(request->path, "/now") == 0)
		say(request, "now", 3);
}

static void on_later(void *user)
{
	struct hall *h = user;
	if (!h->pending)
		return;
	if (strcmp(h->pending->path, "/later") == 0) {
		say(h->pending, "later", 5);
		h->pending = NULL;
	} else if (h->n_pieces == PIECES) {
		http_stream_end(h->pending);
		h->pending = NULL;
	} else if (http_stream_write(h->pending, "piece ", 6) == 0) {
		h->n_pieces++;
		trm_timer_start(h->later, 1, 0);
	} /* else it is broken off, which on_gone() hears */
}

static void handle(void *user, struct http_request *request)
{
	struct hall *h = user;
	if (request->is_refused) {
		http_reply(request, 503, NULL, NULL, NULL, 0);
		return;
	}
	if (strcmp(request->path, "/echo") == 0) {
		say(request, request->body, request->body_len);
		return;
	}
	request->on_gone = on_gone;
	request->user = h;
	h->pending = request;
	h->n_pieces = 0;
	if (strcmp(request->path, "/stream") == 0)
		http_stream_begin(request, 200, "text/plain", own_headers);
	if (strcmp(request->path, "/never") != 0)
		trm_timer_start(h->later, 1, 0);
}

static void on_over(void *user, const struct http_request *request, int status, uint64_t took_ns)
{
	(void)request, (void)status, (void)took_ns;
	((struct hall *)user)->n_over++;
}

/* ---- who asks --------------------------------------------------------------------------------------- */

static void turn(struct hall *h, const struct timespec *since)
{
	struct timespec now;
	int r = trm_loop_step(h->loop, 20);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (r < 0 || now.tv_sec - since->tv_sec > DEADLINE_S)
		walk_fail("it hangs (%d)", r);
}

static int reach(const struct hall *h)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(h->listener->port)};
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static void send_request(int fd, const char *path, const char *body)
{
	char text[512];
	int n = snprintf(text, sizeof text,
			"%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
			*body ? "POST" : "GET", path, strlen(body), body);
	(void)!send(fd, text, (size_t)n, MSG_NOSIGNAL);
}

/* All that comes until the end of the connection. */
static void receive(struct hall *h, int fd, char reply[static REPLY_MAX])
{
	struct timespec since;
	size_t n = 0;
	ssize_t got = -1;
	clock_gettime(CLOCK_MONOTONIC, &since);
	for (;;) {
		got = recv(fd, reply + n, REPLY_MAX - 1 - n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN))
			break;
		n += got > 0 ? (size_t)got : 0;
		turn(h, &since);
	}
	reply[n] = '\0';
}

/* 0: all of it has come. TRM_ENOMEM: the server failed, and said so, or dropped the connection. */
static int judge(const char *path, const char *reply, const char *wanted)
{
	const char *body = strstr(reply, "\r\n\r\n");
	bool is_stream = strcmp(path, "/stream") == 0;
	if (!*reply || strncmp(reply, "HTTP/1.1 50", 11) == 0)
		return TRM_ENOMEM;
	if (strncmp(reply, "HTTP/1.1 200", 12) != 0 || !body)
		walk_fail("%s: neither a reply nor none: %.300s", path, reply);
	if (is_stream && strstr(body, "\r\n0\r\n") == NULL)
		return TRM_ENOMEM; /* broken off, and seen to be */
	if (!strstr(reply, "Own: o") || !strstr(reply, "Common: c") || !strstr(reply, "text/plain"))
		walk_fail("%s: headers are missing: %.300s", path, reply);
	if (!is_stream && strcmp(body + 4, wanted) != 0)
		walk_fail("%s: not as it should be: %.300s", path, reply);
	for (unsigned i = 0; is_stream && i < PIECES; i++) {
		body = strstr(body, "piece ");
		if (!body)
			walk_fail("%s: a piece is missing: %.300s", path, reply);
		body += 6;
	}
	return 0;
}

static int ask(struct hall *h, const char *path, const char *body, const char *wanted)
{
	char reply[REPLY_MAX];
	int fd = reach(h);
	send_request(fd, path, body);
	receive(h, fd, reply);
	close(fd);
	return judge(path, reply, wanted);
}

/* Its client does not wait for the answer; whoever was to give it is told. */
static void leave(struct hall *h)
{
	struct timespec since;
	unsigned gone = h->n_gone;
	char byte;
	int fd = reach(h);
	clock_gettime(CLOCK_MONOTONIC, &since);
	send_request(fd, "/never", "x");
	while (!h->pending && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN)
		turn(h, &since);
	bool is_reported = h->pending;
	close(fd);
	while (is_reported && h->n_gone == gone)
		turn(h, &since);
}

/* ---- the path ----------------------------------------------------------------------------------------- */

static int open_hall(struct hall *h)
{
	struct trm_error why = {0};
	struct listener_opts opts = {.host = "127.0.0.1",
			.look = look,
			.handle = handle,
			.over = on_over,
			.headers = common_headers,
			.user = h};
	int r = reported(trm_loop_create(&h->loop, &why), &why);
	if (r == 0)
		r = reported(trm_loop_add_timer(h->loop, on_later, h, &h->later, &why), &why);
	if (r == 0)
		r = reported(listener_open(h->loop, &opts, &h->listener, &why), &why);
	return r;
}

static int ask_all(struct hall *h)
{
	static const char *const asked[][3] = {{"/now", "", "now"}, {"/echo", "abc", "abc"},
			{"/later", "x", "later"}, {"/stream", "x", ""}};
	struct timespec since;
	int r = 0;
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		int e = ask(h, asked[i][0], asked[i][1], asked[i][2]);
		r = r ? r : e;
	}
	leave(h);
	/* Where only one was refused, it may have been the first one's. */
	if (ask(h, "/echo", "abc", "abc") < 0 && ask(h, "/echo", "abc", "abc") < 0 && has_memory())
		walk_fail("nobody is served any more");
	clock_gettime(CLOCK_MONOTONIC, &since);
	while (h->listener->n_connections || h->listener->n_requests)
		turn(h, &since);
	return r;
}

static int path_front(void)
{
	struct hall h = {0};
	int lowest = dup(0);
	close(lowest);
	int r = open_hall(&h);
	if (r == 0)
		r = ask_all(&h);
	listener_close(h.listener);
	if (h.later)
		trm_timer_remove(h.later);
	trm_loop_destroy(h.loop);
	int again = dup(0);
	close(again);
	if (again != lowest)
		walk_fail("descriptor %d is left open", lowest);
	return r;
}

static void test_front(void **state)
{
	(void)state;
	struct mhd mhd;
	if (__real_mhd_load(&mhd, NULL) < 0)
		skip();
	walk_begin();
	assert_in_range(walk_all(path_front, "front"), 20, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_front)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
