/* SPDX-License-Identifier: MIT */
/* The Python kernel: input, output, interrupts, processes and threads. */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* How often an event of that kind came; the text of the last one's member. */
static int count_events(const struct driver *d, const char *kind, const char *member, const char **ret_text)
{
	int n = 0;
	const cJSON *event;
	cJSON_ArrayForEach(event, d->events)
	{
		if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(event, "ev")), kind) == 0) {
			n++;
			if (ret_text)
				*ret_text = cJSON_GetStringValue(cJSON_GetObjectItem(event, member));
		}
	}
	return n;
}

/* ---- input ---------------------------------------------------------------------- */

static void input_is_asked_for(void **state)
{
	struct driver *d = *state;
	const char *prompt = NULL;
	d->answers = "Ada\n36\n";
	check_run(d, "name = input('Name? ')\nage = int(input())\nprint(name, age)", "ok", "Name? Ada 36\n");
	assert_int_equal(count_events(d, "input", "prompt", NULL), 2);
	d->answers = "x\n";
	check_run(d, "import sys\nprint('p> ', end='')\nprint(repr(sys.stdin.readline()))", "ok",
			"p> 'x\\n'\n");
	d->answers = "a\nb\n";
	check_run(d, "for line in sys.stdin:\n    print(repr(line))", "ok", "'a\\n'\n'b\\n'\n");
	d->answers = "a\nb\n";
	check_value(d, "sys.stdin.read()", "'a\\nb\\n'");
	d->answers = "raw\xff\n";
	check_value(d, "sys.stdin.buffer.readline()", "b'raw\\xff\\n'");
	d->answers = "s3cret\n";
	check_value(d, "import getpass\ngetpass.getpass('Key: ')", "'s3cret'");
	assert_string_equal(d->out, "Key: ");
	assert_int_equal(count_events(d, "input", "prompt", &prompt), 1);
	assert_string_equal(prompt, "Key: ");
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(driver_wait_event(d, "input"), "secret")));
	d->answers = "to the child\n";
	check_run(d, "import subprocess\nsubprocess.run(['head', '-n1'], input=input().encode())\nprint(end='')",
			"ok", "to the child");
}

static void input_that_is_there_is_not_asked_for(void **state)
{
	struct driver *d = *state;
	driver_stdin(d, "one\ntwo\n");
	check_run(d, "print(input(), input())", "ok", "one two\n");
	assert_int_equal(count_events(d, "input", "prompt", NULL), 0);
}

static void end_of_input_is_an_error_and_passes(void **state)
{
	struct driver *d = *state;
	check_error(d, "input('? ')", "EOFError");
	assert_string_equal(d->out, "? ");
	check_value(d, "import sys; sys.stdin.readline()", "''");
	d->answers = "again\n";
	check_value(d, "input()", "'again'");
	check_error(d, "sys.stdin.close()\ninput()", "ValueError");
	d->answers = "open\n";
	check_value(d, "input()", "'open'");
}

/* ---- output --------------------------------------------------------------------- */

static void a_line_is_seen_when_it_is_printed(void **state)
{
	struct driver *d = *state;
	driver_send(d, "print('first')\nimport sys\nprint('err', file=sys.stderr)\ninput()\n");
	d->answers = "\n";
	driver_wait_text(d, 2 * d->set, "first\n");
	driver_wait_text(d, 2 * d->set + 1, "err\n");
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "ok");
}

static void slow_lines_of_a_flood_are_seen_too(void **state)
{
	struct driver *d = *state;
	driver_send(d, "for i in range(1000):\n    print(i)\nimport threading\nthreading.Event().wait()");
	driver_wait_text(d, 2 * d->set, "\n999\n");
	driver_interrupt(d);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
	check_run(d, "print('then')", "ok", "then\n");
}

static void a_million_lines_arrive(void **state)
{
	struct driver *d = *state;
	driver_run(d, "for i in range(10**6): print('%099d' % i)");
	assert_int_equal(d->out_len, 100000000);
	assert_string_equal(d->out + d->out_len - 7, "999999\n");
	driver_run(d, "print('x' * 10_000_000)");
	assert_int_equal(d->out_len, 10000001);
	assert_string_equal(d->out + 9999998, "xx\n");
}

static void bytes_are_kept_as_they_are(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import sys\nsys.stdout.buffer.write(bytes(range(256)))\nNone");
	assert_int_equal(d->out_len, 256);
	for (int i = 0; i < 256; i++)
		assert_int_equal((unsigned char)d->out[i], i);
	check_run(d, "print('\\ud800', '\\xe9')", "ok", "\\ud800 \xc3\xa9\n");
}

static void output_of_others_keeps_its_place(void **state)
{
	struct driver *d = *state;
	check_run(d,
			"import os, subprocess\nprint('a', end='')\nos.system('printf b')\nprint('c', end='')\n"
			"subprocess.run(['printf', 'd'])\nprint('e', end='')\nif os.fork() == 0:\n    print('f', end='', flush=True)\n"
			"    os._exit(0)\nos.wait()\nprint('g')",
			"ok", "abcdefg\n");
	check_run(d, "for i in range(100): print('.', end='\\n' if i % 10 == 9 else '')\nos.system('echo end')\nprint('z')\n",
			"ok",
			"..........\n..........\n..........\n..........\n..........\n..........\n..........\n"
			"..........\n..........\n..........\nend\nz\n");
	check_run(d, "_ = os.write(1, b'raw\\n')", "ok", "raw\n");
	check_run(d, "import ctypes\nlibc = ctypes.CDLL(None)\n_ = libc.puts(b'from C')", "ok", "from C\n");
}

static void closed_streams_are_mended(void **state)
{
	struct driver *d = *state;
	check_run(d, "import sys, os\nsys.stdout.close()", "ok", "");
	check_run(d, "print('new')", "ok", "new\n");
	check_run(d, "sys.stdout = None\nprint('nowhere')", "ok", "");
	check_run(d, "sys.stdout = sys.__stdout__\nprint('back')", "ok", "back\n");
	check_run(d, "os.close(1)\nprint('not lost')", "ok", "not lost\n");
	check_run(d, "print('new again')", "ok", "new again\n");
	check_run(d, "os.close(3); os.close(4)", "error", "");
	check_run(d, "print('alive')", "ok", "alive\n");
	check_run(d, "import io\nsys.stdout = io.StringIO()\nprint('kept')", "ok", "");
	check_value(d, "sys.stdout.getvalue()", "'kept\\n'");
	driver_send_request(d, "\"op\":\"reset\"");
	driver_wait(d);
	check_run(d, "print('reset')", "ok", "reset\n");
}

static void a_pipe_made_non_blocking_by_a_child_works(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import os\nos.set_blocking(1, False)\nfor i in range(100000): print('%0100d' % i)");
	assert_string_equal(driver_text_of(d, "status"), "ok");
	assert_int_equal(d->out_len, 10100000);
}

/* ---- interrupts ------------------------------------------------------------------ */

static void interrupt_and_check(struct driver *d, const char *code)
{
	driver_send(d, code);
	driver_wait_text(d, 2 * d->set, "go\n");
	driver_interrupt(d);
	driver_wait(d);
	if (strcmp(driver_text_of(d, "status"), "interrupted") != 0)
		fail_msg("%s: %s", code, driver_text_of(d, "status"));
	assert_lacks(driver_traceback(d), "terrarium");
	assert_contains(driver_traceback(d), "KeyboardInterrupt\n");
}

/* Until it sleeps in a system call. A signal that comes between CPython's last look and open() of a FIFO is
 * noticed when that returns, which it never does. */
static void wait_until_asleep(const struct driver *d)
{
	char path[40], text[200], status = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)d->pid);
	for (int asleep = 0, i = 0; asleep < 3 && i < 1000; i++) {
		FILE *file = fopen(path, "re");
		assert_non_null(file);
		assert_non_null(fgets(text, sizeof text, file));
		fclose(file);
		assert_int_equal(sscanf(strrchr(text, ')') + 1, " %c", &status), 1);
		asleep = status == 'S' ? asleep + 1 : 0;
		usleep(2000);
	}
}

static void an_interrupt_keeps_the_state(void **state)
{
	struct driver *d = *state;
	driver_run(d, "x = 42; import os; os.mkfifo('fifo')");
	static const char *const endless[] = {
			"print('go')\nwhile True: pass",
			"import time\nprint('go')\ntime.sleep(100)",
			"print('go')\nimport sys\nwith open('fifo', 'rb') as f: f.read()",
			"import subprocess\nsubprocess.run('echo go; sleep 100', shell=True)",
			"import asyncio\nprint('go')\nawait asyncio.sleep(100)",
			"import threading\nprint('go')\nthreading.Event().wait()",
			"async def f():\n    print('go')\n    while True: pass\nawait f()",
			"print('go')\nwhile True: print('flood')",
			"def r(): r()\nprint('go')\nwhile True:\n    try: r()\n    except RecursionError: pass",
	};
	for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
		driver_send(d, endless[i]);
		driver_wait_text(d, 2 * d->set, "go\n");
		if (strstr(endless[i], "fifo"))
			wait_until_asleep(d);
		driver_interrupt(d);
		driver_wait(d);
		assert_string_equal(driver_text_of(d, "status"), "interrupted");
	}
	check_value(d, "x", "42");
}

/* Python reports it there, and goes on. */
static void interrupt_endless_destructor(struct driver *d)
{
	driver_send(d, "class Endless:\n"
		       "    def __del__(self):\n"
		       "        print('go')\n"
		       "        while True: pass\n"
		       "Endless()\n"
		       "while True: pass");
	driver_wait_text(d, 2 * d->set, "go\n");
	driver_interrupt(d);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
}

static void an_interrupt_of_a_destructor_is_one_of_the_run(void **state)
{
	struct driver *d = *state;
	driver_run(d, "x = 42");
	interrupt_endless_destructor(d);
	assert_contains(d->err, "Exception ignored ");
	assert_contains(d->err, "<function Endless.__del__");
	check_value(d, "x", "42");
}

/* What tells of a destructor swallows interrupts as well, and may be slow. */
static void an_interrupt_of_what_tells_of_a_destructor_is_not_lost(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import sys, time\nreal = sys.__unraisablehook__\n"
		      "def slow(what):\n    time.sleep(0.05)\n    real(what)\n"
		      "sys.__unraisablehook__ = slow\nx = 42");
	interrupt_endless_destructor(d);
	check_value(d, "sys.__unraisablehook__ = real\nx", "42");
}

static void the_place_of_an_interrupt_is_shown(void **state)
{
	struct driver *d = *state;
	interrupt_and_check(d, "def spin():\n    print('go')\n    while True: pass\nspin()");
	assert_contains(driver_traceback(d), "line 4, in <module>\n    spin()\n");
	assert_contains(driver_traceback(d), "in spin\n");
	interrupt_and_check(d, "try:\n    print('go')\n    while True: pass\nfinally:\n    print('cleaned')");
	assert_contains(d->out, "cleaned\n");
}

static void an_interrupt_repeats_and_skips_no_line(void **state)
{
	struct driver *d = *state;
	for (int i = 0; i < 60; i++) {
		const char *code =
				i % 2 ? "i = 0\nwhile True:\n    print(i)\n    i += 1"
				      : "import time\ni = 0\nwhile True:\n    print(i)\n    i += 1\n    time.sleep(0)";
		driver_send(d, code);
		driver_wait_text(d, 2 * d->set, i % 3 ? "\n9\n" : "\n9999\n");
		driver_interrupt(d);
		driver_wait(d);
		assert_string_equal(driver_text_of(d, "status"), "interrupted");
		long want = 0;
		for (const char *at = d->out; strchr(at, '\n'); at = strchr(at, '\n') + 1)
			assert_int_equal(strtol(at, NULL, 10), want++);
	}
}

static void an_interrupt_between_runs_does_nothing(void **state)
{
	struct driver *d = *state;
	for (int i = 0; i < 50; i++) {
		driver_run(d, "y = 1");
		driver_interrupt(d);
		/* The signal has been dealt with when a question is answered. */
		driver_send_request(d, "\"op\":\"is_complete\",\"code\":\"1\"");
		driver_wait(d);
	}
	check_value(d, "y", "1");
}

static void an_interrupt_right_behind_a_request_counts(void **state)
{
	struct driver *d = *state;
	for (int i = 0; i < 300; i++) {
		driver_send(d, "while True: pass");
		driver_interrupt(d);
		driver_wait(d);
		assert_string_equal(driver_text_of(d, "status"), "interrupted");
	}
}

static void an_interrupt_at_any_time_leaves_a_working_kernel(void **state)
{
	struct driver *d = *state;
	for (int i = 0; i < 500; i++) {
		driver_send(d, i % 2 ? "print('x' * 100)\n1/0" : "print(1)\n2");
		for (int spin = 0; spin < i * 40; spin++)
			__asm__ volatile("");
		driver_interrupt(d);
		driver_wait(d);
	}
	driver_send_request(d, "\"op\":\"variables\"");
	driver_wait(d);
	check_value(d, "6 * 7", "42");
}

static void handlers_of_the_user_last_for_their_run(void **state)
{
	struct driver *d = *state;
	check_run(d, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)", "ok", "");
	driver_send(d, "print('go')\nwhile True: pass");
	driver_wait_text(d, 2 * d->set, "go\n");
	driver_interrupt(d);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
	check_run(d, "import os\nsignal.signal(signal.SIGINT, lambda *a: print('mine'))\nos.kill(os.getpid(), 2)",
			"ok", "mine\n");
}

/* It is meant for a request that its client did not finish, not for the next one. The driver finds all of
 * them when it awakes. */
static void an_interrupt_of_a_cut_request_is_forgotten_with_it(void **state)
{
	static const char half[] = "{\"op\":\"run\",\"id\":\"1\",\"code\":\"", cut[] = "\x18\n";
	struct driver *d = *state;
	assert_int_equal(kill(d->pid, SIGSTOP), 0);
	assert_int_equal(write(d->request_fd, half, sizeof half - 1), sizeof half - 1);
	driver_interrupt(d);
	assert_int_equal(write(d->request_fd, cut, sizeof cut - 1), sizeof cut - 1);
	driver_send(d, "print('mine')");
	assert_int_equal(kill(d->pid, SIGCONT), 0);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "ok");
	assert_string_equal(d->out, "mine\n");
}

/* ---- what outlives a run ------------------------------------------------------------ */

static void a_background_process_keeps_its_own_pipes(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import subprocess\np = subprocess.Popen('read x; echo late; echo late >&2', shell=True, stdin=subprocess.PIPE)");
	assert_int_equal(cJSON_GetObjectItem(d->done, "set")->valueint, 1);
	check_run(d, "_ = p.communicate(b'go\\n')\nprint('mine')", "ok", "mine\n");
	assert_string_equal(d->channel[0].bytes, "late\n");
	assert_string_equal(d->channel[1].bytes, "late\n");
	unsigned before = d->set;
	driver_run(d, "import os\n_ = os.system('(sleep 100 & echo $! >pid)')");
	assert_int_not_equal(d->set, before);
	check_run(d, "print('still')\n_ = os.system('kill $(cat pid)')", "ok", "still\n");
	check_value(d, "p.returncode", "0");
}

/* As a shell does that redirects one command after the other. */
static void a_background_process_may_close_while_it_is_looked_at(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import os, subprocess\nreal = os.readlink\n"
		      "def closed_meanwhile(path):\n"
		      "    if not path.startswith('/proc/self') and path.endswith('/fd/1'):\n"
		      "        raise FileNotFoundError(path)\n"
		      "    return real(path)\n"
		      "os.readlink = closed_meanwhile\n"
		      "p = subprocess.Popen('read x', shell=True, stdin=subprocess.PIPE)");
	const cJSON *set = cJSON_GetObjectItem(d->done, "set");
	assert_true(cJSON_IsNumber(set));
	assert_int_equal(set->valueint, 1);
	check_run(d, "os.readlink = real\n_ = p.communicate(b'go\\n')", "ok", "");
}

/* It may be between two looks that a shell has its stdout where it belongs. */
static void who_runs_while_it_is_looked_at_may_print(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import subprocess\nnull = subprocess.DEVNULL\n"
		      "p = subprocess.Popen('while :; do :; done', shell=True, stdout=null, stderr=null)");
	assert_int_equal(d->set, 1);
	check_run(d, "p.kill()\n_ = p.wait()\nprint('mine')", "ok", "mine\n");
}

static void processes_that_c_code_starts_are_found(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import ctypes\nlibc = ctypes.CDLL(None)");
	unsigned before = d->set;
	driver_run(d, "_ = libc.system(b'mkfifo go; { read x <go; echo late; } &')");
	assert_int_not_equal(d->set, before);
	check_run(d, "_ = libc.system(b'echo >go')\nprint('mine')", "ok", "mine\n");
	driver_wait_text(d, 2 * before, "late\n");
}

static void many_background_processes_find_free_sets(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import subprocess\nall = []");
	for (int i = 0; i < 7; i++) {
		driver_run(d, "all.append(subprocess.Popen(['sleep', '100'])); print('here')");
		assert_string_equal(d->out, "here\n");
		assert_non_null(cJSON_GetObjectItem(d->done, "set"));
	}
	check_run(d, "for p in all: p.kill(); p.wait()", "ok", "");
}

static void a_thread_is_late_while_threads_are_counted(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import os, threading\ngate, answered = threading.Event(), threading.Event()\n"
		      "def later():\n    gate.wait()\n    print('late line')\n    answered.set()\n"
		      "threading.Thread(target=later).start()");
	check_run(d,
			"real = os.listdir\n"
			"def listdir(path):\n"
			"    if path == '/proc/self/task':\n        gate.set()\n        answered.wait()\n"
			"    return real(path)\n"
			"os.listdir = listdir\nprint('mine')",
			"ok", "mine\n");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(driver_wait_event(d, "late"), "text")),
			"late line\n");
	check_run(d, "os.listdir = real", "ok", "");
}

static void late_threads_are_reported_apart(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import threading, sys\ngate, answered = threading.Event(), threading.Event()\n"
		      "def later():\n    gate.wait()\n    print('late line')\n    print('late err', file=sys.stderr)\n"
		      "    t = threading.Thread(target=print, args=('from its child',)); t.start(); t.join()\n"
		      "    answered.set()\nthreading.Thread(target=later).start()");
	check_run(d,
			"print('a')\ngate.set()\n_ = answered.wait()\n"
			"t = threading.Thread(target=print, args=('mine',)); t.start(); t.join()\nprint('b')",
			"ok", "a\nmine\nb\n");
	assert_int_equal(count_events(d, "late", "text", NULL), 3);
	assert_string_equal(
			cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(d->events, 0), "text")),
			"late line\n");
	assert_string_equal(
			cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(d->events, 1), "stream")),
			"stderr");
	assert_string_equal(
			cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(d->events, 2), "text")),
			"from its child\n");
	driver_run(d, "for i in range(300000): print(i)");
	check_run(d, "t = threading.Thread(target=print, args=('own',)); t.start(); t.join()", "ok", "own\n");
}

static void a_fork_does_not_answer(void **state)
{
	struct driver *d = *state;
	check_value(d, "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\npid > 0", "True");
	check_value(d, "pid = os.fork()\nif pid == 0: raise SystemExit(7)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])",
			"7");
	driver_run(d, "pid = os.fork()\nif pid == 0: 1/0\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])");
	assert_string_equal(driver_text_of(d, "value"), "1");
	assert_contains(d->err, "ZeroDivisionError: division by zero\n");
	assert_lacks(d->err, "terrarium");
	driver_run(d, "import signal\npid = os.fork()\nif pid == 0: signal.raise_signal(2)\nos.waitpid(pid, 0)[1]");
	assert_contains(d->err, "KeyboardInterrupt\n");
	assert_lacks(d->err, "terrarium");
	check_run(d, "pid = os.fork()\nprint('child' if pid == 0 else os.waitpid(pid, 0) and 'parent')", "ok",
			"child\nparent\n");
	/* A child that forks too: what it has opened itself is its own. */
	check_run(d,
			"def fork(f):\n    pid = os.fork()\n    if pid == 0: f(); os._exit(0)\n    os.waitpid(pid, 0)\n"
			"def child():\n    fds = [os.dup(1) for _ in range(30)]\n"
			"    fork(lambda: [os.fstat(fd) for fd in fds] and print('grandchild', flush=True))\n"
			"fork(child)",
			"ok", "grandchild\n");
	assert_lacks(d->err, "terrarium");
}

static void exit_statuses_are_not_stolen(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import subprocess, time\np = subprocess.Popen(['sh', '-c', 'exit 9'])");
	driver_run(d, "1");
	check_value(d, "p.wait()", "9");
}

static void time_of_children_is_counted(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import subprocess\n_ = subprocess.run(['/usr/bin/python3', '-c', 'for i in range(2000000): pass'])");
	assert_true(cJSON_GetObjectItem(d->done, "cpu_us")->valuedouble > 20000);
}

static void exit_handlers_run_at_the_end(void **state)
{
	struct driver *d = *state;
	driver_run(d, "import atexit, threading\natexit.register(print, 'bye')\n"
		      "threading.Thread(target=threading.Event().wait).start()");
	close(d->request_fd);
	d->request_fd = -1;
	assert_int_equal(driver_wait_exit(d), 0);
	assert_string_equal(d->channel[2 * d->set].bytes, "bye\n");
}

static void replaced_descriptors_are_no_good_end(void **state)
{
	struct driver *d = *state;
	driver_send(d, "import os\n"
		       "null = os.open('/dev/null', os.O_RDWR)\n"
		       "for fd in map(int, os.listdir('/proc/self/fd')):\n"
		       "    try: os.dup2(null, fd)\n"
		       "    except OSError: pass");
	assert_int_equal(WEXITSTATUS(driver_wait_exit(d)), 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
			CASE(input_is_asked_for),
			CASE(input_that_is_there_is_not_asked_for),
			CASE(end_of_input_is_an_error_and_passes),
			CASE(a_line_is_seen_when_it_is_printed),
			CASE(slow_lines_of_a_flood_are_seen_too),
			CASE(a_million_lines_arrive),
			CASE(bytes_are_kept_as_they_are),
			CASE(output_of_others_keeps_its_place),
			CASE(closed_streams_are_mended),
			CASE(a_pipe_made_non_blocking_by_a_child_works),
			CASE(an_interrupt_keeps_the_state),
			CASE(an_interrupt_of_a_destructor_is_one_of_the_run),
			CASE(an_interrupt_of_what_tells_of_a_destructor_is_not_lost),
			CASE(an_interrupt_of_a_cut_request_is_forgotten_with_it),
			CASE(the_place_of_an_interrupt_is_shown),
			CASE(an_interrupt_repeats_and_skips_no_line),
			CASE(an_interrupt_between_runs_does_nothing),
			CASE(an_interrupt_right_behind_a_request_counts),
			CASE(an_interrupt_at_any_time_leaves_a_working_kernel),
			CASE(handlers_of_the_user_last_for_their_run),
			CASE(a_background_process_keeps_its_own_pipes),
			CASE(a_background_process_may_close_while_it_is_looked_at),
			CASE(who_runs_while_it_is_looked_at_may_print),
			CASE(processes_that_c_code_starts_are_found),
			CASE(many_background_processes_find_free_sets),
			CASE(a_thread_is_late_while_threads_are_counted),
			CASE(late_threads_are_reported_apart),
			CASE(a_fork_does_not_answer),
			CASE(exit_statuses_are_not_stolen),
			CASE(time_of_children_is_counted),
			CASE(exit_handlers_run_at_the_end),
			CASE(replaced_descriptors_are_no_good_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
