/* SPDX-License-Identifier: MIT */
/* A real transfer from a real server on the loopback address, driven by the
 * loop, while a descriptor of ours is served in the same turns. */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "loop/curl.h"

/* The library loads libcurl by itself; so does the test, to make the easy handle. */
#define EASY(X) X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_cleanup) X(curl_multi_add_handle)
static struct {
#define X(name) __typeof__(name) *name;
	EASY(X)
#undef X
} api;

static void *serve_one(void *arg)
{
	int listener = *(int *)arg, fd = accept(listener, NULL, NULL);
	char request[2048];
	size_t n = 0;
	while (n < sizeof request - 1) {
		ssize_t r = read(fd, request + n, sizeof request - 1 - n);
		if (r <= 0)
			break;
		n += (size_t)r;
		request[n] = '\0';
		if (strstr(request, "\r\n\r\n"))
			break;
	}
	dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
	close(fd);
	return NULL;
}

struct seen {
	int done, code, ticks;
	char body[64];
	size_t n;
};

static size_t on_body(char *bytes, size_t size, size_t n, void *user)
{
	struct seen *s = user;
	if (s->n + n < sizeof s->body) {
		memcpy(s->body + s->n, bytes, n);
		s->n += n;
	}
	return size * n;
}

static void on_done(void *user, void *easy, int curlcode)
{
	struct seen *s = user;
	s->done++;
	s->code = curlcode;
	api.curl_easy_cleanup(easy);
}

static void on_tick(void *user)
{
	((struct seen *)user)->ticks++;
}

static void a_transfer_and_a_timer_share_the_loop(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct seen s = {0};
	struct trm_loop *loop;
	struct trm_timer *timer;
	pthread_t server;
	void *multi;
	char url[64];
	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(at.sin_port));
	pthread_create(&server, NULL, serve_one, &listener);

	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	assert_int_equal(trm_loop_http(loop, on_done, &s, &multi, NULL), 0);
	assert_int_equal(trm_loop_add_timer(loop, on_tick, &s, &timer, NULL), 0);
	trm_timer_start(timer, 1, 0);
	CURL *easy = api.curl_easy_init();
	api.curl_easy_setopt(easy, CURLOPT_URL, url);
	api.curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
	api.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	api.curl_easy_setopt(easy, CURLOPT_WRITEDATA, &s);
	api.curl_multi_add_handle(multi, easy);
	while (!s.done || !s.ticks)
		trm_loop_step(loop, -1);
	assert_int_equal(s.code, CURLE_OK);
	assert_string_equal(s.body, "hello");
	pthread_join(server, NULL);
	trm_timer_remove(timer);
	trm_loop_destroy(loop);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_transfer_and_a_timer_share_the_loop)};
	void *library = dlopen("libcurl.so.4", RTLD_NOW);
	if (!library) {
		printf("SKIP: libcurl is not installed\n");
		return 77;
	}
#define X(name) api.name = (__typeof__(name) *)dlsym(library, #name);
	EASY(X)
#undef X
	return cmocka_run_group_tests(tests, NULL, NULL);
}
