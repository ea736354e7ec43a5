/* SPDX-License-Identifier: MIT */
/* The Python kernel: pages of tables, and members of values. */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int start(void **state)
{
	*state = driver_start(LANG_PYTHON);
	return 0;
}

static int stop(void **state)
{
	driver_stop(*state);
	return 0;
}

/* The answer's `data` as JSON. Borrowed until the next call. */
static const char *ask(struct driver *d, const char *op, const char *path, const char *others)
{
	static char *text;
	char request[600];

	snprintf(request, sizeof request, "\"op\":\"%s\",\"code\":\"%s\"%s", op, path, others);
	driver_send_request(d, request);
	free(text);
	text = cJSON_PrintUnformatted(driver_wait(d));
	return text;
}

static const char *page(struct driver *d, const char *path, const char *others)
{
	return ask(d, "table", path, others);
}

static void lists_of_records_are_tables(void **state)
{
	struct driver *d = *state;

	check_run(d, "r = [{'a': i, 'b': chr(97 + i % 3)} for i in range(1000)]; r[2]['c'] = None", "ok", "");
	const char *first = page(d, "r", ",\"row\":1,\"count\":2");
	assert_contains(first, "\"type\":\"list\",\"rows\":1000,\"columns\":3");
	assert_contains(first, "{\"name\":\"a\",\"type\":\"int\",\"is_number\":true}");
	assert_contains(first,
			"\"labels\":[\"1\",\"2\"],\"cells\":[[\"1\",\"b\",null],[\"2\",\"c\",\"None\"]]");
	assert_contains(page(d, "r", ",\"count\":1,\"sort\":0,\"down\":true"), "\"cells\":[[\"999\",");
	assert_contains(page(d, "r", ",\"row\":999,\"count\":9,\"sort\":1"), "\"labels\":[\"998\"]");
	assert_contains(page(d, "r", ",\"column\":1,\"width\":1,\"count\":1"), "\"cells\":[[\"a\"]]");
}

static void other_shapes_are_tables(void **state)
{
	struct driver *d = *state;

	check_run(d,
			"from collections import namedtuple\nfrom dataclasses import dataclass\n"
			"P = namedtuple('P', 'x y')\n@dataclass\nclass D:\n    u: int\n"
			"rows = [[1, 2], (3,)]; points = [P(1, 2)]; data = [D(5)]; plain = [3, None, 1]\n"
			"columns = {'k': [1, 2], 'l': ['x', 'y']}; by_key = {'one': {'v': 1}, 'two': {'v': 2}}\n"
			"empty, text = [], 'text'",
			"ok", "");
	assert_contains(page(d, "rows", ""), "\"cells\":[[\"1\",\"2\"],[\"3\",null]]");
	assert_contains(page(d, "points", ""), "{\"name\":\"y\"");
	assert_contains(page(d, "data", ""), "\"cells\":[[\"5\"]]");
	assert_contains(page(d, "plain", ",\"sort\":0"), "\"cells\":[[\"1\"],[\"3\"],[\"None\"]]");
	assert_contains(page(d, "columns", ""), "\"cells\":[[\"1\",\"x\"],[\"2\",\"y\"]]");
	assert_contains(page(d, "by_key", ""), "\"labels\":[\"one\",\"two\"]");
	assert_contains(page(d, "empty", ""),
			"\"found\":false,\"why\":\"no table: empty is of the type list\"");
	assert_contains(page(d, "text", ""), "\"found\":false");
	assert_contains(page(d, "nothing", ""), "there is no variable of this name");
}

/* Stands in for what pandas makes, where that is not installed: the same attributes. */
static void data_frames_are_tables(void **state)
{
	struct driver *d = *state;

	check_run(d,
			"class Column(list): pass\n"
			"class Types:\n    iloc = ['int64', 'object']\n"
			"class Part:\n    def __init__(s, rows): s.rows = rows\n"
			"    def __getitem__(s, at):\n        rows, columns = at\n"
			"        if isinstance(columns, int): return Column(row[columns] for row in s.rows[rows])\n"
			"        return Frame([row[columns] for row in (s.rows[rows] if isinstance(rows, slice) else\n"
			"            [s.rows[i] for i in rows])])\n"
			"class Frame:\n    columns, index, dtypes = ['n', ('a', 'b')], ['x', 'y'], Types()\n"
			"    def __init__(s, rows): s.rows = rows\n    shape = property(lambda s: (len(s.rows), 2))\n"
			"    iloc = property(lambda s: Part(s.rows))\n"
			"df = Frame([[2, 'u'], [1, 'v']])",
			"ok", "");
	const char *first = page(d, "df", "");
	assert_contains(first, "\"type\":\"Frame\",\"rows\":2,\"columns\":2");
	assert_contains(first, "\"name\":\"a / b\"");
	assert_contains(first, "\"cells\":[[\"2\",\"u\"],[\"1\",\"v\"]]");
	assert_contains(page(d, "df", ",\"sort\":0"), "\"labels\":[\"y\",\"x\"]");
}

static void texts_are_found(void **state)
{
	struct driver *d = *state;

	check_run(d, "r = [{'a': i, 'b': 'Needle' if i == 700 else 'hay'} for i in range(1000)]", "ok", "");
	assert_contains(page(d, "r", ",\"find\":\"needle\",\"from\":0"), "\"hit\":700");
	assert_contains(page(d, "r", ",\"find\":\"needle\",\"from\":701"), "\"looked\":1000");
	assert_contains(page(d, "r", ",\"sort\":0,\"down\":true,\"find\":\"needle\",\"from\":0"),
			"\"hit\":299");
}

static void hostile_values_do_no_harm(void **state)
{
	struct driver *d = *state;

	check_run(d,
			"class Bad:\n    def __repr__(self): raise ValueError\n    def __eq__(self, o): raise ValueError\n"
			"    def __lt__(self, o): raise ValueError\n"
			"r = [[Bad(), 'x' * 10**7, '\\ud800\\0\\x1b[31m', float('nan'), 10**5000, b'\\xff' * 10**6]] * 3\n"
			"loop = []; loop.append(loop)\nwide = [list(range(1000))] * 3\n"
			"much = [['\\U0001F600' * 300] * 100] * 300",
			"ok", "");
	const char *first = page(d, "r", ",\"sort\":0");
	/* reprlib of Python 3.14 says it in its own way. */
	assert_contains(first,
			strstr(first, "<Bad instance") ? "<Bad instance at 0x" : "repr() raised ValueError");
	assert_contains(first, "\"NaN\"");
	assert_true(strlen(first) < 20000);
	assert_contains(page(d, "loop", ""), "[...]");
	assert_contains(page(d, "wide", ",\"column\":990,\"width\":200"), "\"name\":\"999\"");
	assert_true(strlen(page(d, "much", ",\"count\":500,\"width\":100")) < 30000000);
	check_value(d, "1 + 1", "2");
}

static void a_loop_in_repr_is_interrupted(void **state)
{
	struct driver *d = *state;

	check_run(d,
			"import time\nclass Slow:\n    def __repr__(self):\n        t = time.monotonic()\n"
			"        while time.monotonic() < t + 0.6: pass\n        print('go', flush=True)\n"
			"        while True: pass\n"
			"r = [[1, Slow()], [2, Slow()]]",
			"ok", "");
	driver_send_request(d, "\"op\":\"table\",\"code\":\"r\"");
	driver_wait_text(d, 2 * d->set, "go\n");
	driver_interrupt(d);
	char *text = cJSON_PrintUnformatted(driver_wait(d));
	assert_contains(text,
			"[[\"1\",\"<Slow: repr() took too long>\"],[\"2\",\"<Slow: repr() took too long>\"]]");
	free(text);
}

static void members_come_by_pages(void **state)
{
	struct driver *d = *state;

	check_run(d,
			"class Robot:\n    __slots__ = 'arm', '__dict__'\n    @property\n"
			"    def trap(self): raise SystemExit\n"
			"robot = Robot(); robot.arm = {'len': [7, 8]}; robot.name = 'R'\n"
			"many = list(range(250))",
			"ok", "");
	const char *all = ask(d, "members", "robot", "");
	assert_contains(all, "\"count\":2");
	assert_contains(all, "{\"name\":\".name\",\"type\":\"str\",\"size\":\"1\",\"value\":\"'R'\","
			     "\"has_members\":false,\"is_table\":false}");
	assert_lacks(all, "trap");
	assert_contains(ask(d, "members", "robot/1", ""), "\"name\":\"'len'\"");
	assert_contains(ask(d, "members", "robot/1/0", ""),
			"\"name\":\"[1]\",\"type\":\"int\",\"size\":\"\",\"value\":\"8\"");
	assert_contains(ask(d, "members", "robot/1/0/7", ""), "\"found\":false");
	assert_contains(ask(d, "members", "many", ",\"cursor\":200"),
			"\"first\":200,\"members\":[{\"name\":\"[200]\"");
	assert_contains(page(d, "robot/1", ""), "\"cells\":[[\"7\"],[\"8\"]]");
	assert_contains(ask(d, "variables", "", ""), "\"has_members\":true,\"is_table\":true");
}

/* As many rows as there may be: nothing but the page is made into text. */
static void a_million_rows_open_at_once(void **state)
{
	struct driver *d = *state;

	check_run(d, "r = [{'a': i, 'b': -i} for i in range(10**6)]\nimport time", "ok", "");
	assert_contains(page(d, "r", ",\"row\":999990"), "\"labels\":[\"999990\"");
	check_run(d, "t = time.process_time()", "ok", "");
	page(d, "r", "");
	check_run(d, "print(time.process_time() - t < 0.1)", "ok", "True\n");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
			CASE(lists_of_records_are_tables),
			CASE(other_shapes_are_tables),
			CASE(data_frames_are_tables),
			CASE(texts_are_found),
			CASE(hostile_values_do_no_harm),
			CASE(a_loop_in_repr_is_interrupted),
			CASE(members_come_by_pages),
			CASE(a_million_rows_open_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
