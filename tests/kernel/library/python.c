/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "behavior.h"

static void check_long_line(const struct bed *bed, const struct trm_result *r)
{
	if (bed->out[0].n != 10000001 || r->stdout_bytes != 10000001)
		behavior_fail("%zu bytes came", bed->out[0].n);
	if (r->output_len != 8u << 20 || r->dropped_bytes != 10000001 - r->output_len)
		behavior_fail("%zu bytes were kept", r->output_len);
}

static void check_many_lines(const struct bed *bed, const struct trm_result *r)
{
	size_t lines = 0;
	(void)r;
	for (const char *at = bed->out[0].s; at && (at = strchr(at, '\n')); at++)
		lines++;
	if (lines != 1000000)
		behavior_fail("%zu lines came", lines);
}

/* Numbers, each once, up to where it was interrupted; "on" among them. */
static void check_counting(const struct bed *bed, const struct trm_result *r)
{
	long want = 0;
	(void)r;
	for (char *at = bed->out[0].s, *end; (end = strchr(at, '\n')); at = end + 1) {
		if (end - at == 2 && memcmp(at, "on", 2) == 0)
			continue;
		if (strtol(at, NULL, 10) != want || end == at) {
			behavior_fail("after %ld comes '%.20s'", want - 1, at);
			return;
		}
		want++;
	}
}

static void check_raw_bytes(const struct bed *bed, const struct trm_result *r)
{
	(void)r;
	if (bed->out[0].n != 5 || memcmp(bed->out[0].s, "\xff\xfe\0a\n", 5) != 0)
		behavior_fail("the bytes changed on the way");
}

static void check_quick(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (r->wall_us > 30000000) /* nothing is waited for that takes longer */
		behavior_fail("it took %.1f ms", (double)r->wall_us / 1000);
}

static void check_out_of_memory(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (!r->reason || !strstr(r->reason, "out of memory at 512 of 512 MiB"))
		behavior_fail("the reason is '%s'", r->reason ? r->reason : "");
}

static void check_order(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (r->output_len != 39 || memcmp(r->output, "0o\n0e\n1o\n1e\n", 12) != 0 || r->n_chunks < 10)
		behavior_fail("what came is '%.*s'", (int)r->output_len, r->output);
	for (size_t i = 0; i + 5 < r->output_len; i += 6)
		if (r->output[i] != r->output[i + 3])
			behavior_fail("out of order at %zu: '%.*s'", i, (int)r->output_len, r->output);
}

/* Only cgroups know it. */
static void check_peak(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (r->has_mem_peak && r->mem_peak_bytes < 200u << 20)
		behavior_fail("the peak is %.1f MiB", (double)r->mem_peak_bytes / (1 << 20));
}

static const struct behavior ROWS[] = {
		{.name = "stdout and stderr stay in order",
				.code = "import sys\nfor i in range(6):\n    print(f'{i}o')\n"
					"    print(f'{i}e', file=sys.stderr)\nprint('bye',end='')",
				.check = check_order},
		{.name = "a last line without newline",
				.code = "print('a')\nprint('b', end='')",
				.out = "a\nb"},
		{.name = "an expression's value", .code = "y = 20\ny + 1", .value = "21", .out = ""},
		{.name = "None has no value", .code = "None", .value = "", .out = ""},
		{.name = "exit()", .code = "print('bye')\nexit()", .out = "bye\n"},
		{.name = "sys.exit(3)",
				.code = "import sys\nsys.exit(3)",
				.status = TRM_STATUS_ERROR,
				.exit_code = 3,
				.error = ""},
		{.name = "sys.exit with words",
				.code = "import sys\nsys.exit('words')",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.err = "words\n"},
		{.name = "exit in a thread",
				.code = "import sys, threading\nt = threading.Thread(target=sys.exit)\n"
					"t.start(); t.join()\nprint('on')",
				.out = "on\n"},
		{.name = "an unclosed bracket",
				.code = "print((1,\n2",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "SyntaxError",
				.shows = {"'(' was never closed"}},
		{.name = "an unclosed quote",
				.code = "a = 'x\nprint(1)",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "SyntaxError",
				.out = ""},
		{.name = "an unclosed triple quote",
				.code = "a = '''x\nprint(1)",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "SyntaxError",
				.out = ""},
		{.name = "input() with a line",
				.code = "n = input('name? ')\nprint('hi', n)",
				.input = "bob\n",
				.out_has = "hi bob\n"},
		{.name = "input() without an offer",
				.code = "input()",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "EOFError"},
		{.name = "input() after the last line",
				.code = "print(input())\nprint(input())",
				.input = "one\n",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "EOFError",
				.out_has = "one\n"},
		{.name = "stdin as a whole",
				.code = "import sys\nprint(sys.stdin.read().upper())",
				.input = "ab\ncd\n",
				.out = "AB\nCD\n\n"},
		{.name = "stdin of a child",
				.code = "import subprocess\nprint(subprocess.run(['cat'], capture_output=True).stdout)",
				.input = "to the child\n",
				.out = "b'to the child\\n'\n"},
		{.name = "a child without an offer sees EOF",
				.code = "import subprocess\nsubprocess.run(['cat']).returncode",
				.value = "0",
				.out = ""},
		{.name = "a dedent without a blank line",
				.code = "def f():\n    return 1\nprint(f())\nfor i in range(2):\n"
					"    print(i)\nprint('x')",
				.out = "1\n0\n1\nx\n"},
		{.name = "blank lines inside bodies",
				.code = "def g():\n\n    a = 1\n\n\n    return a\n\nclass C:\n\n"
					"    x = 1\n\n    y = 2\n\nprint(g(), C.y)",
				.out = "1 2\n"},
		{.name = "top-level await",
				.code = "import asyncio\nawait asyncio.sleep(0.01)\nprint('woke')\n"
					"await asyncio.sleep(0, 'v')",
				.out = "woke\n",
				.value = "'v'"},
		{.name = "a task that outlives its run",
				.code = "import asyncio\nasync def job():\n"
					"    await asyncio.sleep(0.01)\n    return 5\nt = asyncio.ensure_future(job())\nprint(await t)",
				.out = "5\n"},
		{.name = "output of a child",
				.code = "import subprocess\nprint('a')\nsubprocess.run(['echo', 'b'])\nprint('c')\n"
					"subprocess.run('echo d >&2', shell=True)\nNone",
				.out = "a\nb\nc\n",
				.err = "d\n"},
		{.name = "os.system",
				.code = "import os\nprint('a')\nos.system('echo b')\nprint('c');",
				.out = "a\nb\nc\n"},
		{.name = "C-level writes",
				.code = "import ctypes, os\nprint('a')\nos.write(1, b'b\\n')\n"
					"ctypes.CDLL(None).puts(b'c')\nprint('d')",
				.out_has = "a\nb\n"},
		{.name = "C-level writes are of this run",
				.code = "ctypes.CDLL(None).printf(b'no newline')\nNone",
				.out = "no newline"},
		{.name = "output after the end, of a child",
				.code = "import subprocess\n"
					"p = subprocess.Popen('sleep 0.2; echo late one', shell=True)\nprint('now')",
				.out = "now\n",
				.late = "late one\n"},
		{.name = "output after the end, of a thread",
				.code = "import threading, time\n"
					"def late():\n    time.sleep(0.2)\n    print('late thread')\nthreading.Thread(target=late).start()\nprint('now')",
				.out = "now\n",
				.late = "late thread\n",
				.late_of_any = true},
		{.name = "a background process",
				.code = "import subprocess\np = subprocess.Popen(['sleep', '1000'])\nprint(p.pid > 0)",
				.out = "True\n",
				.check = check_quick},
		{.name = "and its end", .code = "p.kill()\np.wait()", .value = "-9"},
		{.name = "a daemon",
				.code = "import os\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '1000'])\nprint('on')",
				.out = "on\n",
				.check = check_quick},
		{.name = "a fork that prints",
				.code = "import os\npid = os.fork()\nif pid == 0:\n    print('child', flush=True)\n    os._exit(0)\n"
					"os.waitpid(pid, 0)\nprint('parent')",
				.out = "child\nparent\n"},
		{.name = "bytes that are not UTF-8",
				.code = "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\0a\\n')\nsys.stdout.flush()",
				.check = check_raw_bytes},
		{.name = "lone surrogates", .code = "print('\\ud800')\n'\\udcff'", .status = TRM_STATUS_OK},
		{.name = "NUL in a value",
				.code = "class N:\n    def __repr__(self): return 'a\\0b'\nN()",
				.value = "a\xEF\xBF\xBD"
					 "b"},
		{.name = "a line of 10 MB", .code = "print('x' * 10_000_000)", .check = check_long_line},
		{.name = "a value of 10 MB", .code = "'x' * 10_000_000", .check = check_quick},
		{.name = "1 000 000 lines",
				.code = "for i in range(1_000_000): print(i)",
				.check = check_many_lines},
		{.name = "200 MiB for a moment",
				.code = "b = bytearray(200 << 20)\ndel b",
				.check = check_peak},
		{.name = "a traceback",
				.code = "def inner():\n    a = 1\n    raise KeyError('lost')\n\ninner()",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "KeyError",
				.shows = {"line 3", "raise KeyError('lost')", "line 5", "inner()"}},
		{.name = "a traceback through an earlier run",
				.code = "try:\n    inner()\nexcept KeyError as e:\n    raise ValueError('second') from e",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "ValueError",
				.shows = {"raise KeyError('lost')", "direct cause", "line 4", "second"}},
		{.name = "a syntax error",
				.code = "x = 42\nif x\n    pass",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "SyntaxError",
				.shows = {"line 2", "if x", "expected ':'"}},
		{.name = "deep recursion",
				.code = "def f(n): return f(n + 1)\nf(0)",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "RecursionError",
				.check = check_quick},
		{.name = "deep recursion in repr",
				.code = "a = []\nfor i in range(100000): a = [a]\na",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "RecursionError"},
		{.name = "an exception with a broken text",
				.code = "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "E"},
		{.name = "a broken repr",
				.code = "class R:\n    def __repr__(self): 1/0\nR()",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "ZeroDivisionError"},
		{.name = "closed stdout", .code = "import sys\nsys.stdout.close()"},
		{.name = "and open again", .code = "print('again')", .out = "again\n"},
		{.name = "closed descriptors", .code = "import os\nos.close(1)"},
		{.name = "and whole again", .code = "print('whole')", .out = "whole\n"},
		{.name = "a package is installed",
				.code = "import importlib.metadata, os, site\nplace = site.getusersitepackages() + '/'\n"
					"os.makedirs(place + 'late-7.0.dist-info')\n"
					"with open(place + 'late-7.0.dist-info/METADATA', 'w') as f:\n"
					"    print('Metadata-Version: 2.1\\nName: late\\nVersion: 7.0', file=f)"},
		{.name = "and asked for", .code = "importlib.metadata.version('late')", .value = "'7.0'"},
		{.name = "another is installed",
				.code = "with open(place + 'later.py', 'w') as f: print('x = 5', file=f)"},
		{.name = "and imported", .code = "import later\nlater.x", .value = "5"},
		{.name = "changed directory",
				.code = "import os\nos.chdir('/tmp')\nos.getcwd()",
				.value = "'/tmp'"},
		{.name = "a redefined name of the language", .code = "input = repr = open = None"},
		{.name = "and the next run", .code = "del input, repr, open\nprint(repr(1))", .out = "1\n"},
		{.name = "a caught interrupt of its own",
				.code = "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n"
					"    import time\n    time.sleep(5)\nexcept KeyboardInterrupt:\n    print('caught')",
				.out = "caught\n"},
#define INTERRUPTED .is_interrupted = true, .status = TRM_STATUS_INTERRUPTED, .exit_code = 130
		{.name = "an endless loop", .code = "print('on')\nwhile True: pass", INTERRUPTED},
		{.name = "an endless flood", .code = "print('on')\nwhile True: print('x' * 90)", INTERRUPTED},
		{.name = "a count at its beginning",
				.code = "print('on')\ni = 0\nwhile True:\n    print(i)\n    i += 1",
				INTERRUPTED,
				.check = check_counting},
		{.name = "a count in full flood",
				.code = "i = 0\nwhile True:\n    print(i)\n    i += 1\n    if i == 100000: print('on')",
				INTERRUPTED,
				.check = check_counting},
		{.name = "a sleep", .code = "import time\nprint('on')\ntime.sleep(1000)", INTERRUPTED},
		{.name = "a child that sleeps",
				.code = "import subprocess\nprint('on')\nsubprocess.run(['sleep', '1000'])",
				INTERRUPTED},
		{.name = "a wait for input", .code = "print('on')\ninput()", .input = "", INTERRUPTED},
		{.name = "an await",
				.code = "import asyncio\nprint('on')\nawait asyncio.sleep(1000)",
				INTERRUPTED},
		{.name = "a caught interrupt",
				.code = "import time\ntry:\n    print('on')\n    time.sleep(1000)\n"
					"except KeyboardInterrupt:\n    print('caught')",
				.is_interrupted = true,
				.out = "on\ncaught\n"},
		{.name = "a thread that goes on",
				.code = "import threading, time\nthreading.Thread(target=time.sleep, args=(2,)).start()\n"
					"print('on')\ntime.sleep(1000)",
				INTERRUPTED},
		{.name = "an ignored interrupt",
				.code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
					"print('on')\nwhile True: pass",
				INTERRUPTED,
				.loses_state = true},
		{.name = "a swallowed interrupt",
				.code = "while True:\n    try:\n        print('on')\n        while True: pass\n"
					"    except BaseException: pass",
				INTERRUPTED,
				.loses_state = true},
		{.name = "SIGKILL",
				.code = "import os\nos.kill(os.getpid(), 9)",
				.status = TRM_STATUS_KILLED,
				.exit_code = 137,
				.loses_state = true},
		{.name = "SIGSEGV",
				.code = "import ctypes\nctypes.string_at(0)",
				.status = TRM_STATUS_KILLED,
				.exit_code = 139,
				.loses_state = true},
		{.name = "os._exit(5)",
				.code = "import os\nos._exit(5)",
				.status = TRM_STATUS_KILLED,
				.exit_code = 5,
				.loses_state = true},
		{.name = "out of memory",
				.code = "a = bytearray(2 << 30)\nlen(a)",
				.status = TRM_STATUS_KILLED,
				.exit_code = 137,
				.loses_state = true,
				.check = check_out_of_memory,
				.or_error = "MemoryError"},
		{0},
};

static const struct language PYTHON = {
		.name = "python",
		.set_state = "x = 42",
		.get_state = "print(x)",
		.driver_name = "<terrarium>",
		.rows = ROWS,
};

int main(int argc, char **argv)
{
	return behavior_main(&PYTHON, argc, argv);
}
