/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/check.h"

static int check(const char *text, struct trm_error *why)
{
	return rpc_check(text, strlen(text), NULL, NULL, why);
}

static void json_is_let_through(void **state)
{
	static const char *const good[] = {"0", "-0.5e+3", " [ ] ", "{}", "\"\\u00e9\\ud83d\\ude00\xc3\xa9\"",
			"[1,2,{\"a\":null}]", "true", "1.7976931348623157e308", "\"\x7f\"",
			"{\"\":0,\" \":[false]}\r\n\t "};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(check(good[i], NULL), 0);
}

static void what_is_wrong_and_where_is_said(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
			{"", "unexpected end of the text at line 1 column 1"},
			{"{", "unexpected end of the text at line 1 column 2"},
			{"[1,]", "expected value at line 1 column 4"},
			{"{\"a\":1,}", "expected a string at line 1 column 8"},
			{"{\"a\" 1}", "expected ':' at line 1 column 6"},
			{"[1\n 2]", "expected ',' or the end of a list at line 2 column 2"},
			{"01", "invalid number at line 1 column 3"},
			{"1.", "invalid number at line 1 column 3"},
			{"-", "invalid number at line 1 column 2"},
			{"1e999", "number out of range at line 1 column 1"},
			{"nul", "expected value at line 1 column 1"},
			{"NaN", "expected value at line 1 column 1"},
			{"1 2", "text after the end of the JSON at line 1 column 3"},
			{"\"a\nb\"", "a control character in a string at line 1 column 3"},
			{"\"\\x\"", "no such escape in a string at line 1 column 3"},
			{"\"\\u12\"", "expected four hexadecimal digits at line 1 column 6"},
			{"\"\\ud800\"", "a lone surrogate in a string at line 1 column 8"},
			{"\"\\udc00\"", "a lone surrogate in a string at line 1 column 8"},
			{"\"\\ud800\\u0041\"", "a lone surrogate in a string at line 1 column 14"},
			{"\"\xff\"", "bytes that are not UTF-8 at line 1 column 2"},
			{"\"\xc0\x80\"", "bytes that are not UTF-8 at line 1 column 2"},
			{"\"\xed\xa0\x80\"", "bytes that are not UTF-8 at line 1 column 2"},
			{"\"abc", "unexpected end of a string at line 1 column 5"},
			{"\xef\xbb\xbf{}", "expected value at line 1 column 1"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_error why = {0};
		assert_int_equal(check(bad[i].text, &why), TRM_EPROTO);
		assert_string_equal(why.msg, bad[i].says);
	}
}

static void a_nul_ends_no_text(void **state)
{
	(void)state;
	assert_int_equal(check("{\"a\":\"\\u0000\"}", NULL), TRM_EINVAL);
	assert_int_equal(check("[\"\\u0000\",]", NULL), TRM_EPROTO);
	assert_int_equal(rpc_check("1\0", 2, NULL, NULL, NULL), TRM_EPROTO);
	assert_int_equal(rpc_check("\"\0\"", 3, NULL, NULL, NULL), TRM_EPROTO);
}

static void depth_has_an_end(void **state)
{
	char text[3 * RPC_DEPTH_MAX];
	(void)state;
	for (int depth = RPC_DEPTH_MAX; depth <= RPC_DEPTH_MAX + 1; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		assert_int_equal(rpc_check(text, 2 * (size_t)depth, NULL, NULL, NULL),
				depth > RPC_DEPTH_MAX ? TRM_EPROTO : 0);
	}
}

static void values_have_an_end(void **state)
{
	enum { LEN = 2 * RPC_VALUES_MAX + 1 };
	char *text = malloc(LEN);
	(void)state;
	assert_non_null(text);
	for (size_t n = RPC_VALUES_MAX - 1; n <= RPC_VALUES_MAX; n++) { /* and the list itself */
		for (size_t i = 0; i < n; i++)
			memcpy(text + 1 + 2 * i, "1,", 2);
		text[0] = '[';
		text[2 * n] = ']';
		assert_int_equal(rpc_check(text, 2 * n + 1, NULL, NULL, NULL),
				n < RPC_VALUES_MAX ? 0 : TRM_EPROTO);
	}
	free(text);
}

static void a_member_is_found_in_the_outermost_object_only(void **state)
{
	const char *text = "{\"a\":{\"id\":1},\"id\" : [2, \"x\"] ,\"z\":0}";
	struct rpc_span span;
	(void)state;
	assert_int_equal(rpc_check(text, strlen(text), "id", &span, NULL), 0);
	assert_int_equal(span.n, strlen("[2, \"x\"]"));
	assert_memory_equal(text + span.at, "[2, \"x\"]", span.n);
	assert_int_equal(rpc_check("[{\"id\":1}]", 10, "id", &span, NULL), 0);
	assert_int_equal(span.n, 0);
}

static void names_are_there_once(void **state)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = {{"{\"a\":1,\"b\":{\"a\":1},\"A\":2}", 0}, {"{\"a\":1,\"b\":2,\"a\":3}", TRM_EPROTO},
			{"{\"x\":[{\"a\":1,\"\\u0061\":3}]}", TRM_EPROTO}, {"[1,1]", 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cJSON *json = cJSON_Parse(cases[i].text);
		assert_int_equal(rpc_check_names(json, NULL), cases[i].code);
		cJSON_Delete(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(json_is_let_through),
			cmocka_unit_test(what_is_wrong_and_where_is_said),
			cmocka_unit_test(a_nul_ends_no_text),
			cmocka_unit_test(depth_has_an_end),
			cmocka_unit_test(values_have_an_end),
			cmocka_unit_test(a_member_is_found_in_the_outermost_object_only),
			cmocka_unit_test(names_are_there_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
