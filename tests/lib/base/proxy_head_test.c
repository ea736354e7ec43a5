/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proxy_head.h"
#include "cmocka_all.h"

static struct proxy_head head;

static enum proxy_ask ask(const char *text)
{
	return proxy_head_read(text, strlen(text), &head);
}

static void expect_rewritten(const char *text, const char *wanted)
{
	struct buf out;
	buf_init(&out, 1 << 20);
	assert_int_equal(ask(text), PROXY_FORWARD);
	assert_int_equal(proxy_head_rewrite(text, &head, &out), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(buf_at(&out), wanted);
	buf_finish(&out);
}

static void tunnels(void **state)
{
	(void)state;
	assert_int_equal(ask("CONNECT Example.ORG.:443 HTTP/1.1\r\nHost: evil.net\r\n\r\nrest"),
			PROXY_CONNECT);
	assert_string_equal(head.host.name, "example.org");
	assert_int_equal(head.port, 443);
	assert_int_equal(ask("CONNECT [fd00::1]:22 HTTP/1.0\r\n\r\n"), PROXY_CONNECT);
	assert_true(head.host.is_address);
	static const char *const wrong[] = {"example.org", "example.org:", "example.org:0",
			"example.org:99999", "example.org:44 3", "example.org:+44", ":443",
			"http://example.org:443", "a@example.org:443", "[::1]443", "[example.org]:443",
			"2130706433:80", "0x7f.1:80", "[::ffff:127.0.0.1]:80", "a\t:443"};
	char text[200];
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf(text, sizeof text, "CONNECT %s HTTP/1.1\r\n\r\n", wrong[i]);
		if (ask(text) != PROXY_BAD)
			fail_msg("%s is taken for %s", wrong[i], head.host.name);
	}
}

static void requests(void **state)
{
	(void)state;
	expect_rewritten("GET http://Example.org/a?b=c HTTP/1.1\r\nHost: evil.net\r\nAccept: */*\r\n"
			 "Proxy-Connection: keep-alive\r\nconnection: Upgrade\r\nUpgrade: x\r\n\r\n",
			"GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\nConnection: close\r\n\r\n");
	expect_rewritten("POST HTTP://example.org:8080?x HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello",
			"POST /?x HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
	assert_true(head.has_length);
	assert_int_equal(head.length, 5);
	expect_rewritten("GET http://[fd00::1] HTTP/1.1\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: [fd00::1]\r\nConnection: close\r\n\r\n");
}

/* What two programs might read differently. */
static void smuggling(void **state)
{
	(void)state;
	static const char *const fields[] = {"Host: a\r\nHost: b", "Content-Length: 1\r\nContent-Length: 1",
			"Content-Length: 1\r\nTransfer-Encoding: chunked",
			"Transfer-Encoding: chunked\r\nContent-Length: 1", "Transfer-Encoding: gzip, chunked",
			"Transfer-Encoding: identity", "Transfer-Encoding : chunked", "Content-Length: +1",
			"Content-Length: 0x1", "Content-Length: 1, 1",
			"Content-Length:", "Content-Length: 99999999999999999999", "X: a\r\n b", " X: a", "X",
			": a", "X\x01: a", "X: a\vb", "X: a\rY: b", "X: a\nY: b", "X y: a", "X: \x7f"};
	char text[300];
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		snprintf(text, sizeof text, "GET http://a.b/ HTTP/1.1\r\n%s\r\n\r\n", fields[i]);
		if (ask(text) != PROXY_BAD)
			fail_msg("'%s' is taken", fields[i]);
		assert_non_null(head.why);
	}
	static const char *const lines[] = {"GET / HTTP/1.1", "GET http://a.b/ HTTP/2.0", "GET http://a.b/",
			"GET  http://a.b/ HTTP/1.1", "GET http://a.b/ x HTTP/1.1",
			"GET https://a.b/ HTTP/1.1", "GET ftp://a.b/ HTTP/1.1",
			"GET http://u:p@a.b/ HTTP/1.1", "GET http://a.b#x HTTP/1.1", "GET http:///x HTTP/1.1",
			"GET http://a.b:/ HTTP/1.1", "", " GET http://a.b/ HTTP/1.1",
			"G(T http://a.b/ HTTP/1.1", "GET http://a.b\\@c.d/ HTTP/1.1", "PRI * HTTP/2.0",
			"GET http://127.1/ HTTP/1.1"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		snprintf(text, sizeof text, "%s\r\nA: b\r\n\r\n", lines[i]);
		if (ask(text) != PROXY_BAD)
			fail_msg("'%s' is taken", lines[i]);
	}
	assert_int_equal(proxy_head_read("GET http://a\0.b/ HTTP/1.1\r\n\r\n", 29, &head), PROXY_BAD);
}

static void sizes(void **state)
{
	(void)state;
	size_t n = PROXY_HEAD_MAX + 100;
	char *text = malloc(n);
	memset(text, 'a', n);
	int start = sprintf(text, "GET http://a.b/ HTTP/1.1\r\nX: ");
	text[start] = 'a';
	assert_int_equal(proxy_head_read(text, PROXY_HEAD_MAX - 1, &head), PROXY_MORE);
	assert_int_equal(proxy_head_read(text, PROXY_HEAD_MAX, &head), PROXY_BAD);
	memcpy(text + 1000, "\r\n\r\n", 4);
	assert_int_equal(proxy_head_read(text, n, &head), PROXY_FORWARD);
	assert_int_equal(head.n, 1004);
	for (size_t i = 0; i < 1004; i++)
		assert_int_equal(proxy_head_read(text, i, &head), PROXY_MORE);
	size_t at = (size_t)sprintf(text, "GET http://a.b/ HTTP/1.1\r\n");
	for (size_t i = 0; i <= PROXY_FIELDS_MAX; i++)
		at += (size_t)sprintf(text + at, "A: b\r\n");
	at += (size_t)sprintf(text + at, "\r\n");
	assert_int_equal(proxy_head_read(text, at, &head), PROXY_BAD);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tunnels),
			cmocka_unit_test(requests),
			cmocka_unit_test(smuggling),
			cmocka_unit_test(sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
