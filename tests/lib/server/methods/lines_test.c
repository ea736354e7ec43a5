/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/result.h>
#include <terrarium/sandbox.h>

#include "server/methods/lines.h"

static void end(struct lines *lines, const char *expected)
{
	cJSON *json = lines_end(lines);
	char *text = cJSON_PrintUnformatted(json);
	assert_string_equal(text, expected);
	cJSON_free(text);
	cJSON_Delete(json);
	lines_finish(lines);
}

static void feed(struct lines *lines, int stream, const char *text)
{
	lines_feed(lines, stream, text, strlen(text));
}

#define OUT(text) "{\"stream\":\"stdout\",\"text\":\"" text "\"}"
#define ERR(text) "{\"stream\":\"stderr\",\"text\":\"" text "\"}"

static void nothing(void **state)
{
	struct lines lines;
	(void)state;
	lines_init(&lines);
	end(&lines, "[]");
}

static void lines_are_split(void **state)
{
	struct lines lines;
	(void)state;
	lines_init(&lines);
	feed(&lines, TRM_STDOUT, "a\n\nb\r\nc\rd");
	feed(&lines, TRM_STDOUT, "e\nlast");
	end(&lines, "[" OUT("a") "," OUT("") "," OUT("b") "," OUT("c\\rde") "," OUT("last") "]");
}

static void a_line_counts_when_it_is_complete(void **state)
{
	struct lines lines;
	(void)state;
	lines_init(&lines);
	feed(&lines, TRM_STDOUT, "half");
	feed(&lines, TRM_STDERR, "oops\n");
	feed(&lines, TRM_STDOUT, " whole\n");
	end(&lines, "[" ERR("oops") "," OUT("half whole") "]");
}

static void what_is_said_has_lines_of_its_own(void **state)
{
	struct lines lines;
	(void)state;
	lines_init(&lines);
	feed(&lines, TRM_STDOUT, "x");
	lines_add(&lines, TRM_STDOUT, "1\n2");
	lines_add_format(&lines, "exit code %d", 3);
	end(&lines, "[" OUT("x") "," OUT("1") "," OUT("2") "," ERR("exit code 3") "]");
}

static void bytes_become_text(void **state)
{
	struct lines lines;
	(void)state;
	lines_init(&lines);
	lines_feed(&lines, TRM_STDOUT, "\xe2\x82", 2);
	lines_feed(&lines, TRM_STDOUT, "\xac\xff\0\"\n", 5);
	end(&lines, "[" OUT("€\xef\xbf\xbd\xef\xbf\xbd\\\"") "]");
}

static void what_was_dropped_is_reported_where_it_was(void **state)
{
	struct trm_chunk chunks[] = {{TRM_STDOUT, 0, 8}};
	struct trm_result result = {.output = (char *)"a\nb\ny\nz\n",
			.output_len = 8,
			.chunks = chunks,
			.n_chunks = 1,
			.dropped_bytes = 90};
	struct lines lines;
	(void)state;
	lines_init(&lines);
	lines_feed_kept(&lines, &result);
	cJSON *raw = lines_end(&lines), *json = cJSON_Parse(raw->valuestring);
	assert_int_equal(cJSON_GetArraySize(json), 5);
	const char *reported = cJSON_GetObjectItem(cJSON_GetArrayItem(json, 2), "text")->valuestring;
	assert_non_null(strstr(reported, "90 bytes of output are left out here"));
	assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(json, 3), "text")->valuestring, "y");
	cJSON_Delete(json);
	cJSON_Delete(raw);
	lines_finish(&lines);
}

static void a_reply_has_an_end(void **state)
{
	enum { MANY = 4 << 20 };
	struct lines lines;
	(void)state;
	char *empty = malloc(MANY);
	assert_non_null(empty);
	memset(empty, '\n', MANY);
	lines_init(&lines);
	lines_feed(&lines, TRM_STDOUT, empty, MANY);
	free(empty);
	lines_add_format(&lines, "the end");
	cJSON *raw = lines_end(&lines);
	size_t n = strlen(raw->valuestring);
	assert_true(n < LINES_MAX_BYTES + 4096);
	assert_non_null(strstr(raw->valuestring + n - 300, "more lines of output are left out"));
	assert_non_null(strstr(raw->valuestring + n - 300, ERR("the end")));
	cJSON_Delete(raw);
	lines_finish(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(nothing),
			cmocka_unit_test(lines_are_split),
			cmocka_unit_test(a_line_counts_when_it_is_complete),
			cmocka_unit_test(what_is_said_has_lines_of_its_own),
			cmocka_unit_test(bytes_become_text),
			cmocka_unit_test(what_was_dropped_is_reported_where_it_was),
			cmocka_unit_test(a_reply_has_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
