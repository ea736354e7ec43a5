/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "agent/batch/order.h"
#include "base/buf.h"
#include "kernel/protocol.h"

/* What the library writes is what the agent reads. */
static void requests_arrive_as_they_were_sent(void **state)
{
	(void)state;
	char first[] = "a b", second[] = "\xc3\xa4\"\\\n";
	char *args[] = {first, second, NULL};
	const char code[] = "x = \"\xf0\x9f\x98\x80\xc2\x85\";\t\x01\r\n";
	struct kernel_request request = {.op = KERNEL_OP_RUN,
			.id = 42,
			.code = code,
			.code_len = strlen(code),
			.file = "d/a.c",
			.is_program = true,
			.timeout_ms = 7,
			.args = args};
	struct buf line;
	struct order order;
	buf_init(&line, 4096);
	assert_int_equal(kernel_request_put(&line, &request), 0);
	assert_true(order_read(buf_at(&line), line.len, &order));
	assert_string_equal(order.op, "run");
	assert_string_equal(order.id, "42");
	assert_string_equal(order.file, "d/a.c");
	assert_int_equal(order.code_len, strlen(code));
	assert_string_equal(order.code, code);
	assert_true(order.is_program);
	assert_string_equal(order.args[0], first);
	assert_string_equal(order.args[1], second);
	assert_null(order.args[2]);
	buf_finish(&line);
}

static void rubbish_is_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {"", "{", "{}", "[]", "{\"op\"", "{\"op\":\"run\"",
			"{\"op\":\"\\u12\"}", "{\"op\":\"\\x\"}", "{\"args\":[\"a\"", "{\"op\":3}",
			"{\"op\":\"run\",}"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char *line = strdup(lines[i]);
		struct order order;
		if (order_read(line, strlen(line), &order))
			fail_msg("%s", lines[i]);
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(requests_arrive_as_they_were_sent),
			cmocka_unit_test(rubbish_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
