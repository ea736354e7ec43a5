/* SPDX-License-Identifier: MIT */
/* The front's reader of JSON against cJSON itself: what the one makes of a text, the other does, too. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tui/front/own_json.h"

static void compare_strings(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void compare(const cJSON *own, const cJSON *theirs)
{
	for (; own && theirs; own = own->next, theirs = theirs->next) {
		assert_int_equal(own->type & 0xFF, theirs->type & 0xFF);
		compare_strings(own->string, theirs->string);
		compare_strings(own->valuestring, theirs->valuestring);
		assert_memory_equal(&own->valuedouble, &theirs->valuedouble, sizeof own->valuedouble);
		if (own->next)
			assert_ptr_equal(own->next->prev, own);
		compare(own->child, theirs->child);
		if (own->child && own->child->next)
			assert_null(own->child->prev->next);
	}
	assert_int_equal(!own, !theirs);
}

static void both(const char *text, size_t n, cJSON_bool is_all)
{
	/* In memory of just that length, so that a sanitizer sees who reads on. */
	char *exact = malloc(n ? n : 1);
	assert_non_null(exact);
	memcpy(exact, text, n);
	cJSON *own = own_ParseWithLengthOpts(exact, n, NULL, is_all),
	      *theirs = cJSON_ParseWithLengthOpts(exact, n, NULL, is_all);
	if (!own != !theirs)
		print_error("is_all %d: %.*s\n", is_all, (int)n, text);
	compare(own, theirs);
	own_Delete(own);
	cJSON_Delete(theirs);
	free(exact);
}

static const char *const texts[] = {
		"{}",
		"[]",
		" [ ] ",
		"{\"ev\":\"done\",\"id\":\"4294967299\",\"status\":\"ok\",\"value\":\"1\",\"set\":0,\"cpu_us\":12.5}",
		"{\"a\":{\"b\":[1,-2,3.5e-7,1E5,true,false,null,\"x\"]},\"a\":2,\"A\":3}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"",
		"\"\\u0000 and more\"",
		"\"\\ud83d\"",
		"\"\\ude00\"",
		"\"\\ud83d\\u0041\"",
		"\"\\u12\"",
		"\"\\x\"",
		"\"unended",
		"\"unended\\\"",
		"\"unended\\",
		"\x01\x02 7",
		"\xEF\xBB\xBF{\"bom\":1}",
		"nul",
		"nullx",
		"truefalse",
		"01",
		"-",
		"+1",
		".5",
		"1e",
		"1.e5",
		"1-2",
		"123456789012345678901234567890",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{a:1}",
		"{\"a\" : 1 , \"b\" : [ ] } trailing",
		"\"tab\tand\x7f\"",
		"",
		" ",
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (int is_all = 0; is_all < 2; is_all++) /* asked for only with the NUL at the end */
			both(texts[i], strlen(texts[i]) + (size_t)is_all, is_all);
}

/* Not against cJSON: versions differ. */
static void test_long_numbers(void **state)
{
	static const char text[] =
			"[1000000000000000000000000000000000000000000000000000000000000000000000,2]";
	(void)state;
	cJSON *own = own_ParseWithLengthOpts(text, sizeof text, NULL, true);
	assert_non_null(own);
	assert_true(own->child->valuedouble > 0.9e69 && own->child->valuedouble < 1.1e69);
	assert_true(own->child->next->valuedouble == 2);
	own_Delete(own);
}

static void test_each_beginning(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t n = 0; n < strlen(texts[i]); n++)
			both(texts[i], n, 0);
}

static void test_any_bytes(void **state)
{
	static const char alphabet[] = "{}[]\",:\\u0d8e1-+.tfn \x01\xff";
	char text[24];
	(void)state;
	srand(1);
	for (int i = 0; i < 300000; i++) {
		size_t n = (size_t)(rand() % (int)sizeof text);
		for (size_t at = 0; at < n; at++)
			text[at] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
		both(text, n, 0);
	}
}

static void test_depth(void **state)
{
	static char deep[4000];
	(void)state;
	for (size_t n = 990; n < 1010; n++) {
		memset(deep, '[', n);
		memset(deep + n, ']', n);
		both(deep, 2 * n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_texts),
			cmocka_unit_test(test_long_numbers),
			cmocka_unit_test(test_each_beginning),
			cmocka_unit_test(test_any_bytes),
			cmocka_unit_test(test_depth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
