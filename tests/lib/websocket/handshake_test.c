/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include <terrarium/error.h>

#include "websocket/handshake.h"

#define ANSWER \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n"

/* Key and answer are those of RFC 6455, section 1.3. */
static void the_answer_to_a_key_is_checked(void **state)
{
	static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==";
	struct http_answer answer;
	(void)state;
	assert_int_equal(http_answer_read(ANSWER "more", sizeof ANSWER + 3, &answer), 1);
	assert_int_equal(answer.n, sizeof ANSWER - 1);
	assert_true(handshake_is_accepted(&answer, "chat", key));
	assert_false(handshake_is_accepted(&answer, "other", key));
	assert_false(handshake_is_accepted(&answer, "chat", "dGhlIHNhbXBsZSBub25jZR=="));
	answer.status = 200;
	assert_false(handshake_is_accepted(&answer, "chat", key));
	for (size_t n = 0; n < sizeof ANSWER - 1; n++)
		assert_int_equal(http_answer_read(ANSWER, n, &answer), 0);
}

static void a_request_is_complete(void **state)
{
	static const unsigned char random[16] = "the sample nonce";
	char key[HANDSHAKE_KEY];
	struct buf out;
	(void)state;
	buf_init(&out, 1000);
	assert_int_equal(handshake_key(random, key), 0);
	assert_string_equal(key, "dGhlIHNhbXBsZSBub25jZQ==");
	assert_int_equal(handshake_put(&out, "localhost", "/a?b=c", "chat", key), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(buf_at(&out),
			"GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
			"Sec-WebSocket-Protocol: chat\r\n\r\n");
	buf_finish(&out);
}

static int read_text(const char *text, struct http_answer *ret)
{
	return http_answer_read(text, strlen(text), ret);
}

static void heads_of_answers_are_read(void **state)
{
	struct http_answer answer;
	(void)state;
	assert_int_equal(read_text("HTTP/1.0 201 Created\r\ncontent-length:  12 \r\n\r\n", &answer), 1);
	assert_int_equal(answer.status, 201);
	assert_int_equal(answer.length, 12);
	assert_false(answer.is_upgrade);
	assert_int_equal(read_text("HTTP/1.1 404\r\nA: b\r\n\r\n", &answer), 1);
	assert_int_equal(answer.length, -1);
	assert_int_equal(read_text("HTTP/2 200 OK\r\n\r\n", &answer), TRM_EPROTO);
	assert_int_equal(read_text("HTTP/1.1 2x0 OK\r\n\r\n", &answer), TRM_EPROTO);
	assert_int_equal(read_text("HTTP/1.1 200 OK\r\nno header\r\n\r\n", &answer), TRM_EPROTO);
	assert_int_equal(read_text("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", &answer), TRM_EPROTO);
	assert_int_equal(read_text("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\n", &answer),
			TRM_EPROTO);
}

static void a_head_without_end_is_refused(void **state)
{
	static char bytes[HANDSHAKE_HEAD_MAX + 1];
	struct http_answer answer;
	(void)state;
	memset(bytes, 'x', sizeof bytes);
	assert_int_equal(http_answer_read(bytes, HANDSHAKE_HEAD_MAX, &answer), 0);
	assert_int_equal(http_answer_read(bytes, HANDSHAKE_HEAD_MAX + 1, &answer), TRM_EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_answer_to_a_key_is_checked),
			cmocka_unit_test(a_request_is_complete),
			cmocka_unit_test(heads_of_answers_are_read),
			cmocka_unit_test(a_head_without_end_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
