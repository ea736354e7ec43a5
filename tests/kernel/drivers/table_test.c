/* SPDX-License-Identifier: MIT */
/* Pages of tables from the drivers of JavaScript, Ruby, R and Java. What is not installed is skipped. */
#include "kernel/drivers/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/lang.h>

static const char *page(struct driver *d, const char *path, const char *others)
{
	static char *text;
	char request[600];

	snprintf(request, sizeof request, "\"op\":\"table\",\"code\":\"%s\"%s", path, others);
	driver_send_request(d, request);
	free(text);
	text = cJSON_PrintUnformatted(driver_wait(d));
	return text;
}

/* NULL: it is not installed. */
static struct driver *start_if(const char *name, const char *program)
{
	const struct trm_lang *lang;

	if (access(program, X_OK)) {
		print_message("not installed: %s\n", name);
		return NULL;
	}
	assert_int_equal(trm_lang_find(name, &lang, NULL), 0);
	return driver_start(lang->index);
}

static void tables_of_javascript(void **state)
{
	struct driver *d = start_if("javascript", "/usr/bin/node");
	(void)state;
	if (!d)
		return;
	check_run(d,
			"const r = Array.from({length: 1000}, (_, i) => ({a: i, b: 'n' + i % 3}));\n"
			"r[1] = {a: 1, get b() { process.exit(9) }, c: null}; let odd = [3, 'x', null, 1n];\n"
			"const deep = new Map([['k', {v: [7, 8]}]]);",
			"ok", "");
	assert_contains(page(d, "r", ",\"row\":1,\"count\":2"),
			"\"labels\":[\"1\",\"2\"],\"cells\":[[\"1\",null,\"null\"],[\"2\",\"n2\",null]]");
	assert_contains(page(d, "r", ",\"sort\":0,\"down\":true,\"count\":1"),
			"\"cells\":[[\"999\",\"n0\",null]]");
	assert_contains(page(d, "r", ",\"find\":\"N2\",\"from\":3"), "\"hit\":5");
	assert_contains(page(d, "odd", ",\"sort\":0"), "\"labels\":[\"3\",\"0\",\"1\",\"2\"]");
	assert_contains(page(d, "none", ""), "\"found\":false");
	assert_contains(page(d, "deep", ""), "no table: deep is of the type Map");
	assert_contains(page(d, "deep/0/0", ""), "\"cells\":[[\"7\"],[\"8\"]]");
	driver_send_request(d, "\"op\":\"members\",\"code\":\"deep/0\",\"cursor\":0");
	char *text = cJSON_PrintUnformatted(driver_wait(d));
	assert_contains(text, "\"count\":1,\"first\":0,\"members\":[{\"name\":\".v\",\"type\":\"Array\"");
	free(text);
	driver_stop(d);
}

static void tables_of_ruby(void **state)
{
	struct driver *d = start_if("ruby", "/usr/bin/ruby");
	(void)state;
	if (!d)
		return;
	check_run(d, "r = (0...1000).map { |i| { a: i, b: \"n#{i % 3}\" } }; r[1][:c] = nil; odd = [3, 'x', nil, 1]; n = 5; nil",
			"ok", "");
	assert_contains(page(d, "r", ",\"row\":1,\"count\":2"),
			"\"labels\":[\"1\",\"2\"],\"cells\":[[\"1\",\"n1\",\"nil\"],[\"2\",\"n2\",null]]");
	assert_contains(page(d, "r", ",\"sort\":0,\"down\":true,\"count\":1"),
			"\"cells\":[[\"999\",\"n0\",null]]");
	assert_contains(page(d, "r", ",\"find\":\"N2\",\"from\":3"), "\"hit\":5");
	assert_contains(page(d, "odd", ",\"sort\":0"), "\"labels\":[\"3\",\"0\",\"1\",\"2\"]");
	assert_contains(page(d, "n", ""), "no table: n is of the type Integer");
	assert_contains(page(d, "none", ""), "there is no variable");
	driver_stop(d);
}

static void tables_of_r(void **state)
{
	struct driver *d = start_if("r", "/usr/bin/R");
	(void)state;
	if (!d)
		return;
	check_run(d, "df <- data.frame(a = 0:999, b = paste0('n', 0:999 %% 3)); df$b[2] <- NA; m <- matrix(c(1.5, 2, 3, 4), 2); n <- 5",
			"ok", "");
	assert_contains(page(d, "df", ",\"row\":1,\"count\":2"),
			"\"labels\":[\"2\",\"3\"],\"cells\":[[\"1\",\"NA\"],[\"2\",\"n2\"]]");
	assert_contains(page(d, "df", ",\"sort\":0,\"down\":true,\"count\":1"),
			"\"cells\":[[\"999\",\"n0\"]]");
	assert_contains(page(d, "df", ",\"find\":\"N2\",\"from\":3"), "\"hit\":5");
	assert_contains(page(d, "m", ""), "\"cells\":[[\"1.5\",\"3\"],[\"2\",\"4\"]]");
	assert_contains(page(d, "n", ""), "no table: n is of the type numeric");
	assert_contains(page(d, "df", ",\"row\":5000,\"column\":70"), "\"rows\":1000,\"columns\":2");
	driver_stop(d);
}

static void tables_of_java(void **state)
{
	struct driver *d = start_if("java", "/usr/bin/javac");
	(void)state;
	if (!d)
		return;
	check_run(d,
			"record Row(int a, String b) { static boolean odd; public String toString() { if (odd) throw new Error(); return \"\"; } }\n"
			"List<Row> r = new ArrayList<>(); for (int i = 0; i < 1000; i++) r.add(new Row(i, \"n\" + i % 3));\n"
			"r.set(1, new Row(1, null)); int[][] m = {{1, 2}, {3}}; Object[] odd = {3, \"x\", null, 1};\n"
			"List<Map<String, Integer>> maps = List.of(Map.of(\"k\", 7), Map.of(\"v\", 8)); int n = 5; Row.odd = true;",
			"ok", "");
	assert_contains(page(d, "r", ",\"row\":1,\"count\":2"),
			"\"labels\":[\"1\",\"2\"],\"cells\":[[\"1\",\"null\"],[\"2\",\"n2\"]]");
	assert_contains(page(d, "r", ""),
			"\"heads\":[{\"name\":\"a\",\"type\":\"Integer\",\"is_number\":true}");
	assert_contains(page(d, "r", ",\"sort\":0,\"down\":true,\"count\":1"),
			"\"cells\":[[\"999\",\"n0\"]]");
	assert_contains(page(d, "r", ",\"find\":\"N2\",\"from\":3"), "\"hit\":5");
	assert_contains(page(d, "r", ",\"row\":5000,\"column\":70"), "\"rows\":1000,\"columns\":2");
	assert_contains(page(d, "m", ""), "\"cells\":[[\"1\",\"2\"],[\"3\",null]]");
	assert_contains(page(d, "odd", ",\"sort\":0"), "\"labels\":[\"3\",\"0\",\"1\",\"2\"]");
	assert_contains(page(d, "maps", ""), "\"cells\":[[\"7\",null],[null,\"8\"]]");
	assert_contains(page(d, "n", ""), "no table: n is of the type int");
	assert_contains(page(d, "none", ""), "there is no variable");
	driver_stop(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tables_of_javascript),
			cmocka_unit_test(tables_of_ruby),
			cmocka_unit_test(tables_of_r),
			cmocka_unit_test(tables_of_java),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
