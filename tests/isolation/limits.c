/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "isolation/cases.h"
#include "isolation/exceptions.h"
#include "isolation/inside.h"

#define MIB (1024ull * 1024)

static struct inside in;
static struct outcome o;

static struct trm_limits small(void)
{
	struct trm_limits limits;
	trm_limits_default(&limits);
	limits.mem_bytes = 128 * MIB;
	limits.disk_bytes = 32 * MIB;
	limits.file_bytes = 16 * MIB;
	limits.procs = 24;
	limits.open_files = 128;
	return limits;
}

static int open_one(void **state)
{
	struct trm_limits limits = small();
	(void)state;
	inside_open(&in, &limits);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	inside_close(&in);
	return 0;
}

static bool has_groups(const struct inside *box)
{
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(box->sandbox, &guards);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(guards[i].what, "memory"))
			return guards[i].strength == TRM_ENFORCED;
	fail_msg("no word about memory");
	return false;
}

static void one_process_cannot_take_more_memory(void **state)
{
	(void)state;
	const char *argv[] = {
			"/usr/bin/python3", "-c", "b = bytearray(300 << 20); print('got' + ' it')", NULL};
	inside_run(&in, argv, &o);
	assert_int_not_equal(o.exit.exit_code, 0);
	assert_null(strstr(o.text, "got it"));
	inside_measure(&in);
	assert_true(in.sample.known & TRM_METRIC_OOM_KILLS);
	if (has_groups(&in)) {
		assert_int_equal(o.exit.signal, 9);
		assert_true(in.sample.oom_kills >= 1);
	}
}

static void many_processes_cannot_either(void **state)
{
	(void)state;
	inside_measure(&in);
	uint64_t before = in.sample.oom_kills;
	inside_python(&in,
			"import os, time, sys\n"
			"r, w = os.pipe(); pids = []\n"
			"for i in range(6):\n"
			"  pid = os.fork()\n"
			"  if not pid:\n"
			"    b = bytearray(b'x') * (40 << 20); os.write(w, b'.'); time.sleep(60); "
			"os._exit(0)\n"
			"  pids.append(pid)\n"
			"pid, status = os.wait()\n"
			"print(os.WTERMSIG(status))\n"
			"for p in pids:\n"
			"  try: os.kill(p, 9)\n"
			"  except OSError: pass\n",
			&o);
	assert_string_equal(o.text, "9\n");
	inside_measure(&in);
	assert_true(in.sample.oom_kills > before);
}

static void processes_are_counted(void **state)
{
	(void)state;
	inside_python(&in,
			"import os, time\n"
			"n = 0; pids = []\n"
			"try:\n"
			"  while n < 500:\n"
			"    pid = os.fork()\n"
			"    if not pid: time.sleep(60); os._exit(0)\n"
			"    n += 1; pids.append(pid)\n"
			"except OSError: pass\n"
			"for p in pids: os.kill(p, 9)\n"
			"for p in pids: os.waitpid(p, 0)\n"
			"print(n)\n",
			&o);
	assert_in_range(atoi(o.text), 4, 24);
	inside_python(&in, "pass", &o); /* and it lives on */
}

static void all_files_share_one_limit(void **state)
{
	(void)state;
	inside_python(&in,
			"import os, errno\n"
			"total = 0; block = b'x' * 65536; codes = set(); made = []\n"
			"for d in (os.getcwd(), os.environ['TMPDIR'], os.environ['HOME'], '/dev/shm'):\n"
			"  for i in range(8):\n"
			"    made.append(f'{d}/f{i}')\n"
			"    try:\n"
			"      with open(made[-1], 'wb', buffering=0) as f:\n"
			"        while f.tell() < 12 << 20: total += f.write(block)\n"
			"    except OSError as e: codes.add(errno.errorcode[e.errno])\n"
			"for m in made: os.unlink(m)\n"
			"print(total >> 20, *codes)\n",
			&o);
	int total = atoi(o.text);
	assert_in_range(total, 24, 33);
	assert_non_null(strstr(o.text, "ENOSPC"));
	inside_measure(&in);
	assert_true(in.sample.known & TRM_METRIC_DISK_LIMIT);
	assert_int_equal(in.sample.disk_limit_bytes, 32 * MIB);
}

static void files_are_counted(void **state)
{
	(void)state;
	inside_python(&in,
			"import os\n"
			"n = 0; os.chdir(os.environ['TMPDIR'])\n"
			"try:\n"
			"  while n < 100000:\n"
			"    os.close(os.open(f'{n}', os.O_CREAT | os.O_WRONLY)); n += 1\n"
			"except OSError: pass\n"
			"for i in range(n): os.unlink(f'{i}')\n"
			"print(n)\n",
			&o);
	assert_in_range(atoi(o.text), 100, 8192);
}

static void a_file_grows_only_so_far(void **state)
{
	(void)state;
	inside_python(&in,
			"import errno, os\n"
			"f = open('big', 'wb', buffering=0); n = 0\n"
			"try:\n"
			"  while n < 64 << 20: n += f.write(b'x' * 65536)\n"
			"except OSError as e: print(n >> 20, errno.errorcode[e.errno])\n"
			"os.unlink('big')\n",
			&o);
	assert_string_equal(o.text, "16 EFBIG\n");
}

static void open_files_are_counted(void **state)
{
	(void)state;
	inside_python(&in,
			"import os\n"
			"n = 0\n"
			"try:\n"
			"  while n < 5000: os.dup(0); n += 1\n"
			"except OSError as e: print(n)\n",
			&o);
	assert_in_range(atoi(o.text), 64, 128);
}

static void limits_cannot_be_raised(void **state)
{
	(void)state;
	inside_python(&in,
			"import resource as r, os\n"
			"for k in (r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_CORE, r.RLIMIT_MEMLOCK):\n"
			"  soft, hard = r.getrlimit(k)\n"
			"  try: r.setrlimit(k, (hard + 1, hard + 1)); print('raised', k)\n"
			"  except (OSError, ValueError): pass\n"
			"try: os.nice(-1); print('nicer')\n"
			"except OSError: pass\n"
			"print('done')\n",
			&o);
	assert_string_equal(o.text, "done\n");
}

static void cpu_time_is_limited(void **state)
{
	struct trm_limits limits = small();
	(void)state;
	limits.cpus = 0.5;
	struct inside half;
	inside_open(&half, &limits);
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(half.sandbox, &guards);
	bool is_firm = false;
	for (size_t i = 0; i < n; i++)
		is_firm |= !strcmp(guards[i].what, "cpu") && guards[i].strength == TRM_ENFORCED;
	/* Of a processor, by two spinning processes. */
	inside_python(&half,
			"import os, time\n"
			"t = os.times(); had = t.user + t.system; begun = time.monotonic()\n"
			"pid = os.fork()\n"
			"while time.monotonic() < begun + 2: pass\n"
			"if not pid: os._exit(0)\n"
			"os.wait(); t = os.times()\n"
			"used = t.user + t.system + t.children_user + t.children_system - had\n"
			"print(used / (time.monotonic() - begun))\n",
			&o);
	double used = atof(o.text);
	inside_close(&half);
	/* Without a group it is one whole core, and said so. */
	assert_true(used < (is_firm ? 0.75 : 1.3));
}

/* Whatever makes memory that is not an allocation: as firm as the other, or refused. */
static void other_memory_is_limited(void **state)
{
	static const char *const WAYS[] = {
			"import os\n"
			"fds = [os.memfd_create('m') for i in range(5)]\n"
			"for fd in fds:\n"
			"  for i in range(60): os.write(fd, b'x' * (1 << 20))\n",
			"import mmap\n"
			"l = [mmap.mmap(-1, 40 << 20) for i in range(5)]\n"
			"for m in l: m.write(b'x' * (40 << 20))\n",
			"import ctypes\n"
			"c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p\n"
			"for i in range(5):\n"
			"  shm = c.shmget(0, 40 << 20, 0o1600)\n"
			"  assert shm >= 0\n"
			"  ctypes.memset(c.shmat(shm, None, 0), 1, 40 << 20)\n",
			"import ctypes\n"
			"c = ctypes.CDLL(None); n = 0\n"
			"while n < 200 << 20:\n"
			"  q = c.msgget(0, 0o1600)\n"
			"  assert q >= 0\n"
			"  m = ctypes.create_string_buffer(b'\\1' + bytes(8007))\n"
			"  while c.msgsnd(q, m, 8000, 0o4000) == 0: n += 8000\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
		const char *argv[] = {"/usr/bin/python3", "-c", WAYS[i], NULL};
		inside_run(&in, argv, &o);
		if (o.exit.exit_code == 0 && o.exit.signal == 0)
			fail_msg("200 MiB in the way %zu", i);
		inside_python(&in, "pass", &o); /* and it lives on */
	}
}

/* What lies in sockets is memory of the kernel's: without control groups nothing counts it. Sixteen processes
 * hold as many as they may. */
static void memory_in_sockets_is_limited(void **state)
{
	static const char *const PAIRS[] = {
			"def pair(): return socket.socketpair()\n",
			"door = socket.create_server(('127.0.0.1', 0))\n"
			"def pair(): return socket.create_connection(door.getsockname()), door.accept()[0]\n",
	};
	static const char FILL[] =
			"pids = []; ends = []\n"
			"for i in range(16):\n"
			"  r, w = os.pipe(); pid = os.fork()\n"
			"  if not pid:\n"
			"    n = 0; kept = []\n"
			"    try:\n"
			"      while True:\n"
			"        a, b = pair(); kept += [a, b]; a.setblocking(False)\n"
			"        try:\n"
			"          for k in range(99): n += a.send(bytes(60000))\n"
			"        except BlockingIOError: pass\n"
			"    except OSError: os.write(w, b'%d' % (n >> 10)); time.sleep(60); os._exit(0)\n"
			"  os.close(w); pids.append(pid); ends.append(r)\n"
			"total = sum(int(os.read(r, 99) or 0) for r in ends)\n" /* nothing, of one that was
										   killed */
			"for p in pids: os.kill(p, 9)\n"
			"for p in pids: os.wait()\n"
			"print(total >> 10)\n";
	struct trm_limits limits = small();
	(void)state;
	/* Without a network namespace there are no sockets but pairs. */
	bool has_loopback = inside_isolation == TRM_ISOLATION_NAMESPACES;
	for (size_t i = 0; i < (has_loopback ? sizeof PAIRS / sizeof *PAIRS : 1); i++) {
		struct inside box; /* should the parent be killed, its children live on */
		char code[2000];
		const char *argv[] = {"/usr/bin/python3", "-c", code, NULL};
		snprintf(code, sizeof code, "import os, socket, time\n%s%s", PAIRS[i], FILL);
		inside_open(&box, &limits);
		if (!has_groups(&box)) {
			inside_close(&box);
			skip();
		}
		inside_run(&box, argv, &o);
		inside_close(&box);
		printf("sockets in the way %zu: %s", i, o.exit.signal == 9 ? "killed\n" : o.text);
		if (o.exit.signal != 9)
			assert_in_range(atoi(o.text), 1, 160);
	}
}

/* ---- where files are only counted ------------------------------------------------------------ */

/* Ways to have files that are not seen. Each makes 5 MiB at a time, slowly enough to be looked at meanwhile,
 * and says how many MiB it got. */
static const char *const HIDING[] = {
		/* deleted, and still open */
		"fds = []\n"
		"def more(i): fds.append(fill('x')); os.unlink('x')\n",
		/* deep down */
		"for i in range(100): os.mkdir('d'); os.chdir('d')\n"
		"def more(i): fill('f%d' % i)\n",
		/* so deep that nobody looks */
		"for i in range(300): os.mkdir('d'); os.chdir('d')\n"
		"def more(i): fill('f%d' % i)\n",
		/* in locked folders */
		"def more(i): os.mkdir('d%d' % i); fill('d%d/f' % i); os.chmod('d%d' % i, 0)\n",
		/* in the objects of shared memory, or for want of them here */
		"shm = '/dev/shm/isolation%d-' % os.getpid() if os.access('/dev/shm', os.W_OK) else 'no'\n"
		"def more(i): fill(shm + str(i))\n",
		/* with the limit taken away again */
		"import resource\n"
		"def more(i):\n"
		"  hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
		"  resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard)); fill('f%d' % i)\n",
};

static void hidden_files_are_counted(void **state)
{
	static const char FILL[] = "import os, time\n"
				   "def fill(name):\n"
				   "  f = open(name, 'wb', buffering=0)\n"
				   "  for k in range(80): n[0] += f.write(bytes(65536)); time.sleep(0.002)\n"
				   "  return f\n"
				   "n = [0]\n";
	static const char GO[] = "try:\n"
				 "  for i in range(40): more(i)\n"
				 "except OSError: pass\n"
				 "print(n[0] >> 20)\n";
	struct trm_limits limits = small();
	(void)state;
	for (size_t i = 0; i < sizeof HIDING / sizeof *HIDING; i++) {
		struct inside box;
		char code[2000];
		const char *argv[] = {"/usr/bin/python3", "-c", code, NULL};
		snprintf(code, sizeof code, "%s%s%s", FILL, HIDING[i], GO);
		inside_open(&box, &limits);
		inside_run(&box, argv, &o);
		inside_close(&box);
		printf("files in the way %zu: %s", i, o.n ? o.text : "the sandbox was ended\n");
		assert_true(atoi(o.text) < 100); /* of 200 */
	}
}

int cases_limits(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(one_process_cannot_take_more_memory),
			cmocka_unit_test(many_processes_cannot_either),
			cmocka_unit_test(other_memory_is_limited),
			cmocka_unit_test(processes_are_counted),
			cmocka_unit_test(all_files_share_one_limit),
			cmocka_unit_test(files_are_counted),
			cmocka_unit_test(a_file_grows_only_so_far),
			cmocka_unit_test(open_files_are_counted),
			cmocka_unit_test(limits_cannot_be_raised),
	};
	const struct CMUnitTest own[] = {
			cmocka_unit_test(cpu_time_is_limited),
			cmocka_unit_test(memory_in_sockets_is_limited),
			cmocka_unit_test(hidden_files_are_counted),
	};
	return EXCEPTIONS_RUN("limits", cases, open_one, close_it)
	       + EXCEPTIONS_RUN("limits of others", own, NULL, NULL);
}
