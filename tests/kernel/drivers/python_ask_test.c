/* SPDX-License-Identifier: MIT */
/* The Python kernel: complete, inspect, is_complete, variables, reset. */
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

static const char *member(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
	return text ? text : "";
}

/* "start-end: match match …", of at most six matches. */
static const char *completed(struct driver *d, const char *code, int cursor)
{
	static char text[400];
	const cJSON *data = driver_ask(d, "complete", code, cursor), *match;
	int n = snprintf(text, sizeof text, "%d-%d:", cJSON_GetObjectItem(data, "start")->valueint,
			cJSON_GetObjectItem(data, "end")->valueint);
	int left = 6;
	cJSON_ArrayForEach(match, cJSON_GetObjectItem(data, "matches"))
	{
		if (left-- > 0)
			n += snprintf(text + n, sizeof text - (size_t)n, " %s", cJSON_GetStringValue(match));
	}
	return text;
}

static void names_are_completed(void **state)
{
	struct driver *d = *state;
	check_run(d,
			"import os\nxylo = [1, 2]\nclass A:\n"
			"    @property\n    def prop(self): print('RAN')\n"
			"    def meth(self, alpha, beta=2): 'Doc of meth.'\n"
			"    def __getattr__(self, name): print('RAN'); raise AttributeError\n"
			"a = A()\na._own = 1\n",
			"ok", "");
	static const struct {
		const char *code;
		int cursor;
		const char *expected;
	} cases[] = {
			{"xy", -1, "0-2: xylo"},
			{"print(xy)", 8, "6-8: xylo"},
			{"\u00e9 = xy", -1, "4-6: xylo"},
			{"a.", -1, "2-2: meth prop"},
			{"a._o", -1, "2-4: _own"},
			{"a.prop.", -1, "7-7:"},
			{"os.path.jo", -1, "8-10: join"},
			{"lamb", -1, "0-4: lambda"},
			{"isinst", -1, "0-6: isinstance"},
			{"a.meth(alp", -1, "7-10: alpha="},
			{"import statisti", -1, "7-15: statistics"},
			{"from os.pat", -1, "8-11:"},
			{"from os import getp", -1, "15-19: getpgid getpgrp getpid getppid getpriority"},
			{"import email.mim", -1, "13-16: mime"},
			{"x = 'xy", -1, "5-7:"},
			{"# xy", -1, "2-4:"},
			{"print('it', xy", -1, "12-14: xylo"},
			{"x = '''\nxy", -1, "8-10:"},
			{"xylo[0].", -1, "8-8:"},
			{"'a'.cap", -1, "4-7: capitalize"},
			{"1.", -1, "2-2:"},
			{"nope.x", -1, "5-6:"},
			/* imports that have not run */
			{"import fractions\nfractions.Fra", -1, "27-30: Fraction"},
			{"import os.path, textwrap as tw\ntw.ded", -1, "34-37: dedent"},
			{"from collections import OrderedDict as O, deque\nO.fromk", -1, "50-55: fromkeys"},
			{"import shlex\nshlex.quote(s", -1,
					"25-26: s= set setattr slice sorted staticmethod"},
			{"import this\nthis.", -1, "17-17:"},
			{"import no_such_thing\nno_such_thing.", -1, "35-35:"},
			{"xylo", 99, "0-4: xylo"},
			{"import os, statisti", -1, "11-19: statistics"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *got = completed(d, cases[i].code, cases[i].cursor);
		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].code, got);
		assert_string_equal(d->out, "");
	}
}

static void things_are_inspected(void **state)
{
	struct driver *d = *state;
	check_run(d,
			"def f(a, b: int = 2):\n    'Says f.'\n\nclass Bad:\n    def __repr__(self): raise ValueError\n"
			"bad = Bad()\nlong = 'x' * 100000",
			"ok", "");
	const cJSON *data = driver_ask(d, "inspect", "f(1, ", -1);
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(data, "found")));
	assert_string_equal(member(data, "name"), "f");
	assert_string_equal(member(data, "type"), "function");
	assert_string_equal(member(data, "signature"), "f(a, b: int = 2)");
	assert_string_equal(member(data, "doc"), "Says f.");
	assert_string_equal(member(driver_ask(d, "inspect", "print(len)", 7), "name"), "len");
	assert_true(cJSON_IsFalse(cJSON_GetObjectItem(driver_ask(d, "inspect", "nope", -1), "found")));
	assert_contains(member(driver_ask(d, "inspect", "bad", -1), "value"), "Bad");
	assert_true(strlen(member(driver_ask(d, "inspect", "long", -1), "value")) < 300);
}

static void completeness_is_judged(void **state)
{
	struct driver *d = *state;
	static const struct {
		const char *code, *status, *indent;
	} cases[] = {
			{"1", "complete", ""},
			{"", "complete", ""},
			{"# c", "complete", ""},
			{"x = (", "incomplete", "    "},
			{"x = [\n    1,", "incomplete", "    "},
			{"x = [\n    1,\n    ]", "complete", ""},
			{"x = 'abc", "invalid", ""},
			{"x = '''abc", "incomplete", ""},
			{"if 1:", "incomplete", "    "},
			{"if 1:\n    x", "incomplete", "    "},
			{"if 1:\n    x\n", "complete", ""},
			{"if 1:\n\tx", "incomplete", "\t"},
			{"if 1:\n    if 2:", "incomplete", "        "},
			{"def f():\n    return 1", "incomplete", ""},
			{"@deco", "incomplete", ""},
			{"x = 1 + \\", "incomplete", ""},
			{"for i in x: print(i)", "complete", ""},
			{"1 +", "invalid", ""},
			{"a b", "invalid", ""},
			{"try:\n    pass", "incomplete", ""},
			{"try:\n    pass\nexcept E:\n    pass\n", "complete", ""},
			{"await x", "complete", ""},
			{"else:", "invalid", ""},
			{"return", "invalid", ""},
			{"if 1:\n    x\nelse:\n    y\n", "complete", ""},
			{"print('a:b')", "complete", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const cJSON *data = driver_ask(d, "is_complete", cases[i].code, -1);
		if (strcmp(member(data, "status"), cases[i].status) != 0
				|| strcmp(member(data, "indent"), cases[i].indent) != 0)
			fail_msg("%s: %s \"%s\"", cases[i].code, member(data, "status"),
					member(data, "indent"));
	}
}

static const cJSON *variable(const cJSON *data, const char *name)
{
	const cJSON *row;
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(data, "variables"))
	{
		if (strcmp(member(row, "name"), name) == 0)
			return row;
	}
	return NULL;
}

static const cJSON *ask_variables(struct driver *d)
{
	driver_send_request(d, "\"op\":\"variables\"");
	return cJSON_GetObjectItem(driver_wait(d), "data");
}

static void variables_are_listed(void **state)
{
	struct driver *d = *state;
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(ask_variables(d), "variables")), 0);
	check_run(d,
			"import os\nx = [1, 2, 3]\n_y = 'text'\nclass Bad:\n"
			"    def __repr__(self): raise ValueError\n    def __len__(self): return 1 // 0\nbad = Bad()\n"
			"class M:\n    shape = property(lambda s: (2, 4))\nm = M()\nbig = list(range(10**6))\n"
			"loop = []\nloop.append(loop)\nhalf = '\\ud800\\0'\n_exit_code = 0",
			"ok", "");
	const cJSON *data = ask_variables(d);
	assert_null(variable(data, "os"));
	assert_null(variable(data, "_exit_code")); /* of !command */
	assert_string_equal(member(variable(data, "x"), "type"), "list");
	assert_string_equal(member(variable(data, "x"), "size"), "3");
	assert_string_equal(member(variable(data, "x"), "value"), "[1, 2, 3]");
	assert_string_equal(member(variable(data, "_y"), "value"), "'text'");
	assert_string_equal(member(variable(data, "bad"), "size"), "");
	assert_contains(member(variable(data, "bad"), "value"), "Bad");
	assert_string_equal(member(variable(data, "m"), "size"), "2\u00d74");
	assert_string_equal(member(variable(data, "big"), "size"), "1000000");
	assert_true(strlen(member(variable(data, "big"), "value")) < 300);
	assert_contains(member(variable(data, "loop"), "value"), "[...]");
	assert_non_null(variable(data, "half"));
}

/* The rows of a data frame say nothing on one line. */
static void a_data_frame_is_described_by_its_size(void **state)
{
	struct driver *d = *state;
	check_run(d,
			"class DataFrame:\n    shape = (300, 1)\n    def __repr__(self): return 'a b 0 1'\n"
			"mine = DataFrame()\nclass DataFrame(DataFrame): pass\n"
			"DataFrame.__module__ = 'pandas.core.frame'\ndf = DataFrame()",
			"ok", "");
	const cJSON *data = ask_variables(d);
	assert_string_equal(member(variable(data, "df"), "value"), "300 rows \u00d7 1 column");
	assert_string_equal(member(variable(data, "mine"), "value"), "a b 0 1");
}

static void reset_forgets_everything(void **state)
{
	struct driver *d = *state;
	check_run(d,
			"from __future__ import annotations\nimport sys, asyncio\nx = 1\nsys.excepthook = print\n"
			"sys.displayhook = print\nsys.ps1 = 'mine'",
			"ok", "");
	check_run(d, "x", "ok", "1\n");
	check_run(d, "await asyncio.sleep(0)", "ok", "");
	driver_send_request(d, "\"op\":\"run\",\"echo\":true,\"code\":\"\"");
	driver_wait(d);
	driver_send_request(d, "\"op\":\"reset\"");
	assert_non_null(cJSON_GetObjectItem(driver_wait(d), "data"));
	driver_send_request(d, "\"op\":\"run\",\"echo\":true,\"code\":\"import sys; print(sys.ps1)\"");
	driver_wait(d);
	assert_string_equal(d->out, ">>> \n");
	check_error(d, "x", "NameError");
	assert_contains(driver_traceback(d), "NameError");
	check_error(d, "_", "NameError");
	check_value(d, "import sys\nhasattr(sys, 'ps1')", "False");
	check_error(d, "def f(a: undefined_name): pass\nf.__annotations__", "NameError");
	check_value(d, "import asyncio\nawait asyncio.sleep(0, __name__)", "'__main__'");
	check_value(d, "class C: pass\nimport pickle\ntype(pickle.loads(pickle.dumps(C()))) is C", "True");
}

static void a_question_that_hangs_can_be_interrupted(void **state)
{
	struct driver *d = *state;
	check_run(d, "class Slow:\n    def __repr__(self):\n        print('go', flush=True)\n        while True: pass\ns = Slow()",
			"ok", "");
	driver_send_request(d, "\"op\":\"variables\"");
	driver_wait_text(d, 2 * d->set, "go\n");
	driver_interrupt(d);
	driver_wait(d);
	assert_contains(driver_text_of(d, "error"), "KeyboardInterrupt");
	check_value(d, "1", "1");
	driver_send_request(d, "\"op\":\"no_such_thing\"");
	driver_wait(d);
	assert_contains(driver_text_of(d, "error"), "could not answer");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
			CASE(names_are_completed),
			CASE(things_are_inspected),
			CASE(completeness_is_judged),
			CASE(variables_are_listed),
			CASE(a_data_frame_is_described_by_its_size),
			CASE(reset_forgets_everything),
			CASE(a_question_that_hangs_can_be_interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
