/* SPDX-License-Identifier: MIT */
/* The listening side with clients of every kind, in one thread: they are sockets that are looked at between
 * turns. */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "server/http/listener.h"

enum { DEADLINE_MS = 60000, BIG = 24 << 20 };

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST(length) "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " length "\r\n\r\n"

struct bed {
	struct trm_loop *loop;
	struct listener *listener;
	struct http_request *kept; /* one that is not answered at once */
	int looked, handled, gone, over, room;
	char body[64];
};

static void on_gone(struct http_request *request, void *user)
{
	struct bed *b = user;
	assert_ptr_equal(request, b->kept);
	b->kept = NULL;
	b->gone++;
}

static void on_room(struct http_request *request, void *user)
{
	(void)request;
	((struct bed *)user)->room++;
}

static void look(void *user, struct http_request *request)
{
	((struct bed *)user)->looked++;
	if (!strcmp(request->path, "/early"))
		http_reply(request, 418, NULL, NULL, NULL, 0);
}

static void handle(void *user, struct http_request *request)
{
	struct bed *b = user;
	b->handled++;
	snprintf(b->body, sizeof b->body, "%.*s", (int)request->body_len, request->body);
	if (!strcmp(request->path, "/big")) {
		http_reply(request, 200, NULL, NULL, calloc(1, BIG), BIG);
	} else if (!strcmp(request->path, "/later")) {
		request->on_gone = on_gone;
		request->on_room = on_room;
		request->user = b;
		b->kept = request;
	} else
		http_reply(request, 200, "text/plain", NULL, strdup("hello"), 5);
}

static void over(void *user, const struct http_request *request, int status, uint64_t took_ns)
{
	(void)request, (void)status, (void)took_ns;
	((struct bed *)user)->over++;
}

static void bed_open(struct bed *b, unsigned max_connections)
{
	struct listener_opts opts = {.host = "127.0.0.1",
			.max_connections = max_connections,
			.timeout_s = 1,
			.look = look,
			.handle = handle,
			.over = over,
			.user = b};
	*b = (struct bed){0};
	assert_int_equal(trm_loop_create(&b->loop, NULL), 0);
	assert_int_equal(listener_open(b->loop, &opts, &b->listener, NULL), 0);
}

static void bed_close(struct bed *b)
{
	listener_close(b->listener);
	trm_loop_destroy(b->loop);
}

static int client(const struct bed *b, const char *text)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(b->listener->port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(connect(fd, (struct sockaddr *)&at, sizeof at) == 0 || errno == EINPROGRESS);
	for (int i = 0; i < 1000 && send(fd, text, strlen(text), MSG_NOSIGNAL) < 0; i++)
		trm_loop_step(b->loop, 1);
	return fd;
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Turns until the condition holds. */
#define UNTIL(b, condition) \
	do { \
		uint64_t end_ms = now_ms() + DEADLINE_MS; \
		while (!(condition) && now_ms() < end_ms) \
			trm_loop_step((b)->loop, 5); \
		assert_true(condition); \
	} while (0)

/* All that comes until `end`, or the end of the connection when that is NULL. */
static size_t hear(struct bed *b, int fd, const char *end, char *out, size_t cap)
{
	size_t n = 0;
	uint64_t end_ms = now_ms() + DEADLINE_MS;
	out[0] = '\0';
	while (now_ms() < end_ms) {
		ssize_t r = recv(fd, out + n, cap - 1 - n, 0);
		if (r == 0 || (r < 0 && errno != EAGAIN))
			return end ? 0 : n + 1;
		n += r > 0 ? (size_t)r : 0;
		out[n] = '\0';
		if (end && strstr(out, end))
			return n;
		trm_loop_step(b->loop, 5);
	}
	return 0;
}

static void requests_are_answered_at_once_or_later(void **state)
{
	struct bed b;
	char text[4096];
	(void)state;
	bed_open(&b, 0);
	int fd = client(&b, GET("/"));
	assert_true(hear(&b, fd, "hello", text, sizeof text));
	assert_memory_equal(text, "HTTP/1.1 200", 12);
	send(fd, POST("3") "abc", strlen(POST("3") "abc"), 0);
	assert_true(hear(&b, fd, "hello", text, sizeof text));
	assert_string_equal(b.body, "abc");
	send(fd, GET("/later"), strlen(GET("/later")), 0);
	UNTIL(&b, b.kept);
	http_reply(b.kept, 201, NULL, (const char *const[]){"X-A", "b", NULL}, strdup("late"), 4);
	assert_true(hear(&b, fd, "late", text, sizeof text));
	assert_non_null(strstr(text, "X-A: b"));
	UNTIL(&b, b.over == 3);
	assert_int_equal(b.looked, 3);
	assert_int_equal(b.gone, 0);
	close(fd);
	bed_close(&b);
}

static void an_early_answer_reads_past_the_body(void **state)
{
	struct bed b;
	char text[4096];
	(void)state;
	bed_open(&b, 0);
	int fd = client(&b, "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde" GET("/"));
	assert_true(hear(&b, fd, "hello", text, sizeof text));
	assert_memory_equal(text, "HTTP/1.1 418", 12);
	assert_int_equal(b.handled, 1);
	close(fd);
	bed_close(&b);
}

static void who_leaves_is_reported_of_once(void **state)
{
	struct bed b;
	(void)state;
	bed_open(&b, 0);
	int fd = client(&b, GET("/later"));
	UNTIL(&b, b.kept);
	close(fd);
	UNTIL(&b, b.gone == 1 && b.listener->n_connections == 0);
	assert_int_equal(b.over, 1);
	bed_close(&b);
}

/* A letter now and then, so few that no head or body is too long by them, or complete. */
static void drip(int fd)
{
	static uint64_t next_ms;
	if (now_ms() < next_ms)
		return;
	next_ms = now_ms() + 100;
	send(fd, "a", 1, MSG_NOSIGNAL);
}

static void the_slow_are_closed(void **state)
{
	static const char *const starts[] = {"", "GET / HT", POST("1000000") "a"};
	struct bed b;
	(void)state;
	bed_open(&b, 0);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		int fd = client(&b, starts[i]);
		UNTIL(&b, b.listener->n_connections == 1);
		UNTIL(&b, (i ? drip(fd) : (void)0, b.listener->n_connections == 0));
		close(fd);
	}
	assert_int_equal(b.handled, 0);
	bed_close(&b);
}

static void a_reply_that_nobody_reads_is_given_up(void **state)
{
	struct bed b;
	(void)state;
	bed_open(&b, 0);
	int fd = client(&b, GET("/big"));
	UNTIL(&b, b.handled == 1);
	assert_true(b.listener->reply_bytes == BIG);
	UNTIL(&b, b.listener->n_connections == 0);
	assert_true(b.listener->reply_bytes == 0);
	close(fd);
	bed_close(&b);
}

static void the_oldest_has_to_go(void **state)
{
	struct bed b;
	char text[4096];
	int fds[6];
	(void)state;
	bed_open(&b, 4);
	fds[0] = client(&b, GET("/later"));
	UNTIL(&b, b.kept);
	for (int i = 1; i < 6; i++) {
		fds[i] = client(&b, POST("1000") "a");
		UNTIL(&b, b.looked == i + 1);
	}
	assert_true(hear(&b, fds[1], NULL, text, sizeof text)); /* and not the one that waits for us */
	http_reply(b.kept, 200, NULL, NULL, strdup("late"), 4);
	assert_true(hear(&b, fds[0], "late", text, sizeof text));
	for (int i = 0; i < 6; i++)
		close(fds[i]);
	bed_close(&b);
}

static void a_stream_comes_by_and_by(void **state)
{
	static char block[64 << 10];
	struct bed b;
	char text[8192];
	(void)state;
	bed_open(&b, 0);
	int fd = client(&b, GET("/later"));
	UNTIL(&b, b.kept);
	http_stream_begin(b.kept, 200, "text/event-stream", NULL);
	assert_int_equal(http_stream_write(b.kept, "one\n", 4), 0);
	assert_true(hear(&b, fd, "one\n", text, sizeof text));
	assert_int_equal(http_stream_write(b.kept, "two\n", 4), 0);
	assert_true(hear(&b, fd, "two\n", text, sizeof text));
	/* More than anybody takes: it ends at the bound, and goes on when there is room. */
	int n = 0;
	while (http_stream_write(b.kept, block, sizeof block) == 0)
		if (++n > 1000)
			fail();
	assert_true(http_stream_room(b.kept) < sizeof block);
	for (char waste[65536]; !b.room; trm_loop_step(b.loop, 1))
		while (recv(fd, waste, sizeof waste, 0) > 0)
			continue;
	assert_true(http_stream_room(b.kept) >= HTTP_QUEUE_MAX / 2);
	http_stream_end(b.kept);
	b.kept = NULL;
	for (char waste[65536]; !b.over; trm_loop_step(b.loop, 1))
		while (recv(fd, waste, sizeof waste, 0) > 0)
			continue;
	assert_int_equal(b.gone, 0);
	close(fd);
	fd = client(&b, GET("/later"));
	UNTIL(&b, b.kept);
	http_stream_begin(b.kept, 200, "text/event-stream", NULL);
	trm_loop_step(b.loop, 1);
	close(fd);
	UNTIL(&b, b.gone == 1);
	bed_close(&b);
}

static void the_end_is_clean(void **state)
{
	struct bed b;
	(void)state;
	bed_open(&b, 0);
	int waits = client(&b, GET("/later")), idle = client(&b, ""), half = client(&b, POST("9") "a");
	UNTIL(&b, b.kept && b.listener->n_connections == 3);
	listener_close(b.listener);
	assert_int_equal(b.gone, 1);
	trm_loop_destroy(b.loop);
	close(waits);
	close(idle);
	close(half);
}

static void addresses_are_checked(void **state)
{
	struct trm_loop *loop;
	struct listener *listener;
	struct listener_opts opts = {
			.host = "0.0.0.0", .is_local_only = true, .look = look, .handle = handle};
	struct trm_error why = {0};
	(void)state;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	assert_int_equal(listener_open(loop, &opts, &listener, &why), TRM_EPERM);
	opts.host = "127.0.0.9";
	assert_int_equal(listener_open(loop, &opts, &listener, &why), 0);
	opts.port = listener->port;
	struct listener *second;
	assert_int_equal(listener_open(loop, &opts, &second, &why), TRM_EBUSY);
	listener_close(listener);
	opts.host = "192.0.2.1";
	opts.is_local_only = false;
	assert_int_equal(listener_open(loop, &opts, &listener, &why), TRM_EINVAL);
	listener_close(NULL);
	trm_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(requests_are_answered_at_once_or_later),
			cmocka_unit_test(an_early_answer_reads_past_the_body),
			cmocka_unit_test(who_leaves_is_reported_of_once),
			cmocka_unit_test(the_slow_are_closed),
			cmocka_unit_test(a_reply_that_nobody_reads_is_given_up),
			cmocka_unit_test(the_oldest_has_to_go),
			cmocka_unit_test(a_stream_comes_by_and_by),
			cmocka_unit_test(the_end_is_clean),
			cmocka_unit_test(addresses_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
