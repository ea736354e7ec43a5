/* SPDX-License-Identifier: MIT */
/* The Python kernel: what code means, and what is told about its end. */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

static const char *error_message(const struct driver *d)
{
	const char *text = cJSON_GetStringValue(
			cJSON_GetObjectItem(cJSON_GetObjectItem(d->done, "error"), "message"));
	return text ? text : "";
}

static int exit_code(const struct driver *d)
{
	const cJSON *code = cJSON_GetObjectItem(d->done, "exit_code");
	return code ? code->valueint : -1;
}

static void it_tells_its_version(void **state)
{
	struct driver *d = *state;
	assert_true(strncmp(d->version, "3.", 2) == 0);
	check_value(d, "import sys; sys.version.startswith('3.') and sys.argv == [''] and sys.path[0] == ''",
			"True");
}

/* Where the interpreter is not the one of the build, the driver is compiled from its source. */
static void it_starts_from_its_source(void **state)
{
	(void)state;
	struct embed whole = kernel_spec(trm_lang_default())->driver;
	const char *rest = memmem(whole.bytes, whole.n, "\n\n", 2);
	assert_non_null(rest);
	rest += 2;
	size_t boot = (size_t)(rest - whole.bytes);
	char *other = malloc(whole.n);
	assert_non_null(other);
	memcpy(other, whole.bytes, whole.n);
	other[boot] ^= 1; /* the magic number of the byte code */
	struct driver *d = driver_start_source(LANG_PYTHON, (struct embed){other, whole.n});
	check_value(d, "x = 20\nx + 1", "21");
	check_error(d, "1/0", "ZeroDivisionError");
	assert_non_null(driver_ask(d, "complete", "pri", -1));
	driver_stop(d);
	free(other);
}

static void names_persist(void **state)
{
	struct driver *d = *state;
	check_run(d, "x = 42", "ok", "");
	check_run(d, "print(x)", "ok", "42\n");
	check_run(d, "def f():\n    return x + 1\n", "ok", "");
	check_value(d, "f()", "43");
	check_value(d, "__name__", "'__main__'");
	check_value(d, "import sys; sys.modules['__main__'].x", "42");
}

/* As Python itself has it: sys.ps1 where somebody types, and not in programs. */
static void prompts_are_for_what_is_typed(void **state)
{
	struct driver *d = *state;
	check_run(d, "import sys\nprint(hasattr(sys, 'ps1'), hasattr(sys, 'ps2'))", "ok", "False False\n");
	driver_send_request(d, "\"op\":\"run\",\"echo\":true,\"code\":\"sys.ps1, sys.ps2\"");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "value"), "('>>> ', '... ')");
	driver_send_request(d, "\"op\":\"run\",\"echo\":true,\"code\":\"sys.ps1 = 'mine'; 1/0\"");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "error");
	check_value(d, "sys.ps1, hasattr(sys, 'ps2')", "('mine', False)");
	driver_send_request(d, "\"op\":\"run\",\"echo\":true,\"code\":\"del sys.ps1, sys.ps2\"");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "ok");
	check_value(d, "hasattr(sys, 'ps1')", "False");
}

static void the_last_expression_is_the_value(void **state)
{
	struct driver *d = *state;
	check_value(d, "1+1", "2");
	check_value(d, "y = 3\ny * 2", "6");
	check_value(d, "y = 3", NULL);
	check_value(d, "None", NULL);
	check_value(d, "'text'", "'text'");
	check_value(d, "_", "'text'");
	check_value(d, "1\n2\n# a comment\n", "2");
	check_value(d, "for i in range(3):\n    i\n", NULL);
	check_value(d, "", NULL);
	check_value(d, "# only a comment", NULL);
	check_value(d, "'docstring'\n5", "5");
	check_value(d, "(\n1 +\n2\n)", "3");
	check_value(d, "'\\n'", "'\\n'");
	driver_run(d, "'a' * 1_500_000");
	assert_true(strlen(driver_text_of(d, "value")) < 1100000);
	assert_contains(driver_text_of(d, "value") + 999990, "more characters");
}

static void pasted_code_runs_as_it_is(void **state)
{
	struct driver *d = *state;
	check_run(d, "for i in range(2):\n    print(i)\nprint('end')", "ok", "0\n1\nend\n");
	check_run(d, "def f():\n\n    a = 1\n\n    return a\n\nprint(f())", "ok", "1\n");
	check_run(d, "if 1:\n\tprint('tab')\n", "ok", "tab\n");
	check_run(d, "if 1:\r\n    print('crlf')\r\nprint(2)\r\n", "ok", "crlf\n2\n");
	check_run(d, "    a = 1\n    if a:\n        print(a)\n\n    print('b')\n", "ok", "1\nb\n");
	check_run(d, "\xef\xbb\xbfprint('bom')", "ok", "bom\n");
	check_run(d, "if 0:\n    pass\nelse:\n    print('else')", "ok", "else\n");
	check_run(d, "print('no newline', end='')", "ok", "no newline");
	check_run(d, "print('>>> x')\nprint()\nprint('... y')", "ok", ">>> x\n\n... y\n");
	check_run(d, "print('caf\u00e9 \u4e2d \U0001f600')", "ok", "caf\u00e9 \u4e2d \U0001f600\n");
}

static void bad_code_is_refused_with_a_place(void **state)
{
	struct driver *d = *state;
	check_error(d, "print((1)", "SyntaxError");
	assert_contains(driver_traceback(d), "'(' was never closed");
	assert_contains(driver_traceback(d), "line 1");
	assert_lacks(driver_traceback(d), "Traceback");
	check_error(d, "x = 'abc", "SyntaxError");
	check_error(d, "x = '''abc", "SyntaxError");
	check_error(d, "a = 1\n  b = 2", "IndentationError");
	assert_contains(driver_traceback(d), "line 2");
	check_error(d, "return 5", "SyntaxError");
	check_error(d, "1\nreturn", "SyntaxError");
	check_error(d, "if 1:\n\ta\n        b", "TabError");
	driver_send_request(d, "\"op\":\"run\",\"code\":\"x = '\\ud800'\",\"file\":\"<run>\"");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "error");
	assert_contains(error_message(d), "surrogates");
	check_value(d, "1", "1");
}

static void null_characters_are_refused(void **state)
{
	struct driver *d = *state;
	driver_send_request(d, "\"op\":\"run\",\"code\":\"a = 1\\n\\u0000\"");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "error");
	assert_contains(driver_traceback(d), "null characters");
	assert_contains(driver_traceback(d), "line 2");
	check_value(d, "chr(0)", "'\\x00'");
	check_error(d, "raise ValueError('a' + chr(0) + chr(0xd800))", "ValueError");
	assert_contains(error_message(d), "a\xef\xbf\xbd\\ud800");
}

/* Cells of a file come with empty lines in place of what stands before them. */
static void a_traceback_shows_lines_of_other_cells(void **state)
{
	struct driver *d = *state;
	driver_send_request(d,
			"\"op\":\"run\",\"code\":\"# %%\\ndef f():\\n    return 1/0\\n\",\"file\":\"a.py\"");
	driver_wait(d);
	driver_send_request(d, "\"op\":\"run\",\"code\":\"\\n\\n\\n\\n\\n# %%\\nf()\\n\",\"file\":\"a.py\"");
	driver_wait(d);
	assert_contains(driver_traceback(d), "line 7, in <module>\n    f()\n");
	assert_contains(driver_traceback(d), "line 3, in f\n    return 1/0\n");
	driver_send_request(
			d, "\"op\":\"run\",\"code\":\"\\n\\ndef g():\\n    f()\\ng()\",\"file\":\"a.py\"");
	driver_wait(d);
	assert_contains(driver_traceback(d), "line 4, in g\n    f()\n");
}

static void a_traceback_shows_the_users_frames_only(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import json\n\ndef outer():\n    return inner()\n\ndef inner():\n    raise KeyError('k')");
	check_error(d, "a = 1\nouter()", "KeyError");
	const char *text = driver_traceback(d);
	assert_contains(text,
			"Traceback (most recent call last):\n  File \"<run 2>\", line 2, in <module>\n    outer()\n");
	assert_contains(text, "  File \"<run 1>\", line 4, in outer\n    return inner()\n");
	assert_contains(text,
			"  File \"<run 1>\", line 7, in inner\n    raise KeyError('k')\nKeyError: 'k'\n");
	assert_lacks(text, "terrarium");
	assert_lacks(text, "<string>");
	assert_string_equal(error_message(d), "'k'");
	assert_int_equal(d->err_len, 0);
	check_error(d, "json.loads('{')", "JSONDecodeError");
	assert_contains(driver_traceback(d), "json.decoder.JSONDecodeError: Expecting");
	check_error(d, "try:\n    1/0\nexcept Exception as e:\n    raise OSError('x') from e", "OSError");
	assert_contains(driver_traceback(d),
			"ZeroDivisionError: division by zero\n\nThe above exception was the direct");
	check_error(d, "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])", "ExceptionGroup");
	assert_contains(driver_traceback(d), "| TypeError: 2");
	check_error(d, "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E", "E");
	assert_lacks(driver_traceback(d), "terrarium");
	check_error(d, "    x = 1\n    x.nope\n", "AttributeError");
	assert_contains(driver_traceback(d), "line 2, in <module>\n    x.nope");
	check_error(d, "def f(count):\n    return cuont\nf(1)", "NameError");
	assert_contains(driver_traceback(d), "name 'cuont' is not defined. Did you mean: 'count'?");
	check_error(d, "try:\n    1/0\nexcept Exception:\n    [].appendd", "AttributeError");
	assert_contains(driver_traceback(d), "ZeroDivisionError");
	assert_contains(driver_traceback(d), "no attribute 'appendd'. Did you mean: 'append'?");
	check_error(d, "raise NameError(\"x. Did you mean: 'y'?\")", "NameError");
	assert_lacks(driver_traceback(d), "'y'?.");
	assert_int_equal(d->err_len, 0);
	check_error(d, "input(1/0)", "ZeroDivisionError");
	check_error(d, "await __import__('asyncio').wait_for(__import__('asyncio').sleep(9), 0.01)",
			"TimeoutError");
	assert_lacks(driver_traceback(d), "terrarium");
	check_error(d, "e = ValueError('again')\nraise e", "ValueError");
	check_error(d, "raise e", "ValueError");
	assert_lacks(driver_traceback(d), "terrarium");
}

static void sources_can_be_asked_for(void **state)
{
	struct driver *d = *state;
	driver_run(d, "def first():\n    pass");
	check_run(d, "import inspect\ndef second():\n    return 2\nprint(inspect.getsource(first), inspect.getsource(second))",
			"ok", "def first():\n    pass\n def second():\n    return 2\n\n");
	driver_run(d, "def third(): return 3");
	check_run(d, "print(inspect.getsource(third))", "ok", "def third(): return 3\n\n");
}

static void deep_recursion_is_an_error_like_others(void **state)
{
	struct driver *d = *state;
	check_error(d, "def r():\n    return r()\nr()", "RecursionError");
	assert_contains(driver_traceback(d), "[Previous line repeated");
	check_error(d, "def a(): b()\ndef b(): a()\na()", "RecursionError");
	assert_contains(driver_traceback(d), "lines left out");
	assert_true(strlen(driver_traceback(d)) < 20000);
	check_run(d, "import sys\nsys.setrecursionlimit(60)", "ok", "");
	check_error(d, "r()", "RecursionError");
	check_value(d, "import sys; sys.getrecursionlimit()", "60");
}

static void ends_of_programs_are_not_ends_of_kernels(void **state)
{
	struct driver *d = *state;
	static const struct {
		const char *code, *status;
		int exit_code;
		const char *err;
	} cases[] = {
			{"exit()", "ok", 0, ""},
			{"quit(4)", "error", 4, ""},
			{"import sys; sys.exit(3)", "error", 3, ""},
			{"sys.exit(0)", "ok", 0, ""},
			{"sys.exit(None)", "ok", 0, ""},
			{"sys.exit('sorry')", "error", 1, "sorry\n"},
			{"raise SystemExit(256 + 7)", "error", 7, ""},
			{"sys.exit(-1)", "error", 255, ""},
			{"sys.exit(True)", "error", 1, ""},
	};
	driver_run(d, "import sys; kept = 1");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		driver_run(d, cases[i].code);
		assert_string_equal(driver_text_of(d, "status"), cases[i].status);
		assert_int_equal(exit_code(d), cases[i].exit_code);
		assert_string_equal(d->err, cases[i].err);
	}
	check_value(d, "kept", "1");
	d->answers = "still\n";
	check_value(d, "input()", "'still'");
	driver_send(d, "import os; os._exit(5)");
	assert_int_equal(WEXITSTATUS(driver_wait_exit(d)), 5);
}

static void a_killed_kernel_is_gone_with_its_signal(void **state)
{
	struct driver *d = *state;
	driver_send(d, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)");
	assert_int_equal(WTERMSIG(driver_wait_exit(d)), SIGSEGV);
}

static void await_works_at_the_top(void **state)
{
	struct driver *d = *state;
	check_value(d, "import asyncio\nasync def f(n):\n    await asyncio.sleep(0.001)\n    return n\nawait f(5)",
			"5");
	check_value(d, "await f(6)", "6");
	check_run(d, "async def g():\n    yield 1\nasync for i in g():\n    print(i)", "ok", "1\n");
	check_value(d, "t = asyncio.get_event_loop().create_task(f(7))", NULL);
	check_value(d, "await t", "7");
	check_value(d, "asyncio.run(f(8))", "8");
	check_value(d, "await f(9)", "9");
	check_error(d, "await asyncio.gather(f(1), asyncio.sleep('x'))", "TypeError");
	check_value(d, "await f(10)", "10");
}

static void future_imports_stay(void **state)
{
	struct driver *d = *state;
	check_run(d, "from __future__ import annotations\nimport sys", "ok", "");
	check_value(d, "def f(a: undefined_name): pass\nf.__annotations__", "{'a': 'undefined_name'}");
}

static void main_is_a_real_module(void **state)
{
	struct driver *d = *state;
	check_value(d,
			"import pickle\nclass C:\n    def __eq__(s, o): return type(s) is type(o)\n"
			"pickle.loads(pickle.dumps(C())) == C()",
			"True");
	check_value(d, "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\nP()",
			"P(x=1)");
	check_value(d,
			"import multiprocessing as m\ndef sq(x): return x * x\n"
			"with m.get_context('fork').Pool(2) as p:\n    r = p.map(sq, range(4))\nr",
			"[0, 1, 4, 9]");
}

static void hooks_of_the_user_are_respected(void **state)
{
	struct driver *d = *state;
	check_run(d, "import sys\nsys.displayhook = lambda v: print('shown', v)", "ok", "");
	check_run(d, "7", "ok", "shown 7\n");
	check_run(d,
			"sys.displayhook = sys.__displayhook__\n"
			"sys.excepthook = lambda t, v, tb: print('caught', t.__name__)",
			"ok", "");
	check_run(d, "1/0", "error", "caught ZeroDivisionError\n");
	assert_string_equal(driver_traceback(d), "");
	check_run(d, "sys.excepthook = None", "ok", "");
	check_error(d, "1/0", "ZeroDivisionError");
	check_run(d, "import builtins\nsys.excepthook = sys.__excepthook__", "ok", "");
	check_error(d, "class R:\n    def __repr__(self): raise ValueError('no repr')\nR()", "ValueError");
	check_error(d, "class R:\n    def __repr__(self): return 5\nR()", "TypeError");
	check_value(d,
			"class S(str):\n    def isascii(self): raise KeyError\nclass R:\n"
			"    def __repr__(self): return S('odd')\nR()",
			"odd");
}

static void rich_values_are_displayed(void **state)
{
	struct driver *d = *state;
	check_value(d,
			"class Pic:\n    def __repr__(self): return 'pic'\n    def _repr_png_(self): return b'\\x89PNG'\n"
			"    def _repr_html_(self): return '<b>x</b>', {}\nPic()",
			"pic");
	const cJSON *data = cJSON_GetObjectItem(driver_wait_event(d, "display"), "data");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "image/png")), "iVBORw==");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "text/html")), "<b>x</b>");
	check_run(d, "print('before')\ndisplay(Pic(), 5)", "ok", "before\n");
	assert_int_equal(cJSON_GetArraySize(d->events), 2);
	data = cJSON_GetObjectItem(cJSON_GetArrayItem(d->events, 1), "data");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "text/plain")), "5");
	check_run(d, "display({'text/markdown': '# hi'}, raw=True)", "ok", "");
	assert_non_null(cJSON_GetObjectItem(
			cJSON_GetObjectItem(driver_wait_event(d, "display"), "data"), "text/markdown"));
	check_run(d, "class Big:\n    def _repr_html_(self): return 'x' * (17 << 20)\ndisplay(Big())", "ok",
			"");
	check_value(d, "Pic", "<class '__main__.Pic'>");
	assert_int_equal(cJSON_GetArraySize(d->events), 0);
}

static void files_of_the_sandbox_can_be_imported(void **state)
{
	struct driver *d = *state;
	check_run(d, "with open('beside.py', 'w') as f:\n    print('def g(): return 1/0', file=f)", "ok", "");
	check_error(d, "import beside\nbeside.g()", "ZeroDivisionError");
	assert_contains(driver_traceback(d), "beside.py\", line 1, in g\n    def g(): return 1/0");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
			CASE(it_tells_its_version),
			cmocka_unit_test(it_starts_from_its_source),
			CASE(names_persist),
			CASE(prompts_are_for_what_is_typed),
			CASE(the_last_expression_is_the_value),
			CASE(pasted_code_runs_as_it_is),
			CASE(bad_code_is_refused_with_a_place),
			CASE(null_characters_are_refused),
			CASE(a_traceback_shows_lines_of_other_cells),
			CASE(a_traceback_shows_the_users_frames_only),
			CASE(sources_can_be_asked_for),
			CASE(deep_recursion_is_an_error_like_others),
			CASE(ends_of_programs_are_not_ends_of_kernels),
			CASE(a_killed_kernel_is_gone_with_its_signal),
			CASE(await_works_at_the_top),
			CASE(future_imports_stay),
			CASE(main_is_a_real_module),
			CASE(hooks_of_the_user_are_respected),
			CASE(rich_values_are_displayed),
			CASE(files_of_the_sandbox_can_be_imported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
