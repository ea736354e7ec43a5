/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <terrarium/error.h>

#include "kernel/protocol.h"

static int decode(const char *line, struct kernel_event *ret)
{
	static char copy[4096];
	struct trm_error why;
	size_t n = strlen(line);
	memcpy(copy, line, n);
	return kernel_event_decode(copy, n, ret, &why);
}

static void encodes_requests(void **state)
{
	struct buf out;
	(void)state;
	buf_init(&out, 4096);
	struct kernel_request run = {.op = KERNEL_OP_RUN,
			.id = 7,
			.code = "print(\"\xC3\xA4\")\n\x01",
			.code_len = 13,
			.file = "<run 7>",
			.echoes = true};
	struct kernel_request complete = {
			.op = KERNEL_OP_COMPLETE, .id = 8, .code = "os.", .code_len = 3, .cursor = 3};
	struct kernel_request reset = {.op = KERNEL_OP_RESET, .id = 9};
	assert_int_equal(kernel_request_put(&out, &run), 0);
	assert_int_equal(kernel_request_put(&out, &complete), 0);
	assert_int_equal(kernel_request_put(&out, &reset), 0);
	const char *want = "{\"op\":\"run\",\"id\":\"7\",\"code\":\"print(\\\"\xC3\xA4\\\")\\n\\u0001\","
			   "\"file\":\"<run 7>\",\"echo\":true}\n"
			   "{\"op\":\"complete\",\"id\":\"8\",\"code\":\"os.\",\"cursor\":3}\n"
			   "{\"op\":\"reset\",\"id\":\"9\"}\n";
	assert_int_equal(out.len, strlen(want));
	assert_memory_equal(buf_at(&out), want, out.len);
	buf_finish(&out);
}

static void decodes_done(void **state)
{
	struct kernel_event e;
	(void)state;
	assert_int_equal(decode("{\"ev\":\"done\",\"id\":\"12\",\"status\":\"error\",\"exit_code\":3,\"set\":"
				"2,\"cpu_us\":55,\"compile_us\":44,"
				"\"value\":\"x\",\"error\":{\"name\":\"E\",\"message\":\"m\",\"traceback\":["
				"\"a\",\"b\"]}}",
					 &e),
			0);
	assert_int_equal(e.type, KERNEL_EVENT_DONE);
	assert_int_equal(e.id, 12);
	assert_int_equal(e.done, KERNEL_DONE_ERROR);
	assert_int_equal(e.exit_code, 3);
	assert_int_equal(e.set, 2);
	assert_true(e.has_cpu && e.cpu_us == 55);
	assert_true(e.has_compile && e.compile_us == 44);
	assert_string_equal(e.value, "x");
	assert_string_equal(e.error_name, "E");
	assert_int_equal(cJSON_GetArraySize(e.traceback), 2);
	kernel_event_finish(&e);
}

static void a_usual_end_needs_no_tree(void **state)
{
	static const char *const others[] = {"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\"} ",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"value\":\"\\n\"}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"value\":\"\xC3\xA4\"}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"value\":\"a\",\"value\":\"b\"}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"set\":01}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"exit_code\":256}",
			"{\"ev\":\"done\",\"id\":\"12345678901234567890\",\"status\":\"ok\"}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"okay\"}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"error\":{\"name\":\"E\"}}",
			"{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"value\":\"a", "{\"ev\":\"ready\"}",
			""};
	static const char usual[] = "{\"ev\":\"done\",\"id\":\"4294972021\",\"status\":\"interrupted\","
				    "\"value\":\"a b\",\"cpu_us\":60,\"set\":1,\"exit_code\":0}";
	struct kernel_event e;
	(void)state;
	assert_true(kernel_done_read(usual, strlen(usual), &e));
	assert_int_equal(e.type, KERNEL_EVENT_DONE);
	assert_int_equal(e.id, 4294972021);
	assert_int_equal(e.done, KERNEL_DONE_INTERRUPTED);
	assert_string_equal(e.value, "a b");
	assert_true(e.has_cpu && e.cpu_us == 60);
	assert_int_equal(e.set, 1);
	assert_int_equal(e.exit_code, 0);
	assert_null(e.json);
	kernel_event_finish(&e);
	for (size_t n = 0; n < sizeof usual - 1; n++)
		assert_false(kernel_done_read(usual, n, &e));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(kernel_done_read(others[i], strlen(others[i]), &e));
}

static void odd_numbers_count_as_absent(void **state)
{
	struct kernel_event e;
	(void)state;
	assert_int_equal(decode("{\"ev\":\"done\",\"id\":\"-1\",\"status\":\"ok\",\"exit_code\":1e99,\"set\":"
				"5,\"cpu_us\":-1,"
				"\"value\":7,\"error\":[]}",
					 &e),
			0);
	assert_int_equal(e.id, 0);
	assert_int_equal(e.exit_code, -1);
	assert_int_equal(e.set, -1);
	assert_false(e.has_cpu);
	assert_null(e.value);
	assert_null(e.error_name);
	kernel_event_finish(&e);
}

static void mends_strings(void **state)
{
	struct kernel_event e;
	(void)state;
	/* NUL, a lone surrogate, a proper pair, bytes that are not UTF-8. */
	assert_int_equal(decode("{\"ev\":\"done\",\"id\":\"1\",\"status\":\"ok\",\"value\":"
				"\"a\\u0000b\\ud800c\\ud83d\\ude00\\\\u0000\xFF\"}",
					 &e),
			0);
	assert_string_equal(e.value, "a\xEF\xBF\xBD"
				     "b\xEF\xBF\xBD"
				     "c\xF0\x9F\x98\x80\\u0000\xEF\xBF\xBD");
	kernel_event_finish(&e);
}

enum { FIGURE_BYTES = 300000 };

/* A line of a display with a figure between `head` and `tail`. */
static int decode_figure(const char *head, const char *tail, struct kernel_event *ret)
{
	size_t n = strlen(head), left = strlen(tail);
	char *line = malloc(n + FIGURE_BYTES + left);
	assert_non_null(line);
	memcpy(line, head, n);
	memset(line + n, 'A', FIGURE_BYTES);
	memcpy(line + n + FIGURE_BYTES, tail, left);
	int r = kernel_event_decode(line, n + FIGURE_BYTES + left, ret, NULL);
	free(line);
	return r;
}

/* Long strings are not parsed with the rest of the line. */
static void reads_long_strings(void **state)
{
	static const char *const HEADS[] = {
			"{\"ev\":\"display\",\"id\":\"1\",\"data\":{\"text/plain\":\"a\\\"b\",\"image/png\":\"",
			"{\"ev\":\"display\",\"id\":\"1\",\"data\":{\"image/png\":\"\\n",
			"{\"ev\":\"display\",\"id\":\"1\",\"data\":{\"image/png\":\""};
	static const char *const TAILS[] = {"\"}}", "\"}}", "\",\"text/plain\":\"<long string>\"}}"};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct kernel_event e;
		assert_int_equal(decode_figure(HEADS[i], TAILS[i], &e), 0);
		const char *figure = kernel_json_text(e.data, "image/png");
		assert_non_null(figure);
		assert_int_equal(strlen(figure), FIGURE_BYTES + (i == 1));
		assert_int_equal(strspn(figure + (i == 1), "A"), FIGURE_BYTES);
		if (i == 2)
			assert_string_equal(kernel_json_text(e.data, "text/plain"), "<long string>");
		kernel_event_finish(&e);
	}
}

static void refuses_broken_long_strings(void **state)
{
	static const char head[] = "{\"ev\":\"display\",\"id\":\"1\",\"data\":{\"image/png\":\"";
	static const char *const TAILS[] = {"", "\"", "\"}", "\\", "\"\"}}"};
	struct kernel_event e;
	(void)state;
	for (size_t i = 0; i < sizeof TAILS / sizeof *TAILS; i++)
		assert_int_not_equal(decode_figure(head, TAILS[i], &e), 0);
	/* a long name is one */
	assert_int_equal(decode_figure("{\"ev\":\"display\",\"id\":\"1\",\"data\":{\"", "\":\"x\"}}", &e), 0);
	assert_int_equal(strlen(e.data->child->string), FIGURE_BYTES);
	kernel_event_finish(&e);
}

static void refuses_what_is_no_event(void **state)
{
	struct kernel_event e;
	char deep[400];
	(void)state;
	static const char *const BAD[] = {"", "junk", "[]", "{}", "{\"ev\":7}",
			"{\"ev\":\"done\",\"id\":\"1\"}", "{\"ev\":\"done\",\"status\":\"fine\"}",
			"{\"ev\":\"display\"}", "{\"ev\":\"late\"}", "{\"ev\":\"reply\",\"id\":\"1\"}",
			"{\"ev\":\"ready\"", "{\"ev\":\"\\"};
	for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
		assert_int_equal(decode(BAD[i], &e), TRM_EPROTO);
	memset(deep, '[', sizeof deep);
	memcpy(deep, "{\"ev\":\"ready\",\"x\":", 18);
	deep[sizeof deep - 1] = '\0';
	assert_int_equal(decode(deep, &e), TRM_EPROTO);
}

static void ignores_unknown_events(void **state)
{
	struct kernel_event e;
	(void)state;
	assert_int_equal(decode("{\"ev\":\"weather\",\"id\":\"1\"}", &e), 0);
	assert_int_equal(e.type, KERNEL_EVENT_OTHER);
	kernel_event_finish(&e);
}

static void finds_lines_byte_by_byte(void **state)
{
	static const char BYTES[] = "one\n\nthree\nrest";
	static const char *const WANT[] = {"one", "", "three"};
	struct kernel_lines lines;
	size_t found = 0, len;
	(void)state;
	kernel_lines_init(&lines);
	for (size_t i = 0; i + 1 < sizeof BYTES; i++) {
		assert_int_equal(kernel_lines_feed(&lines, BYTES + i, 1), 0);
		for (char *line; (line = kernel_lines_next(&lines, &len)); found++) {
			assert_int_equal(len, strlen(WANT[found]));
			assert_memory_equal(line, WANT[found], len);
			kernel_lines_done(&lines, len);
		}
	}
	assert_int_equal(found, 3);
	kernel_lines_finish(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(encodes_requests),
			cmocka_unit_test(decodes_done),
			cmocka_unit_test(a_usual_end_needs_no_tree),
			cmocka_unit_test(odd_numbers_count_as_absent),
			cmocka_unit_test(mends_strings),
			cmocka_unit_test(reads_long_strings),
			cmocka_unit_test(refuses_broken_long_strings),
			cmocka_unit_test(refuses_what_is_no_event),
			cmocka_unit_test(ignores_unknown_events),
			cmocka_unit_test(finds_lines_byte_by_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
